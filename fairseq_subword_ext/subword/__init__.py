"""The algorithms and their files: learning, applying and undoing subword segmentation.

Neither fairseq nor torch may be imported here, and nothing here knows Fairseq's encoders or the commands;
counting and file handling are below, in ``counting`` and ``textio``. Reading order, from the definitions to
what uses them: :mod:`.symbols`, :mod:`.byte_text`, :mod:`.utf8`, :mod:`.goodness`, :mod:`.reference` (the
algorithms in plain Python), :mod:`.learner` with :mod:`.options`, :mod:`.learn_options` and :mod:`.borders`,
:mod:`.merge_table` with :mod:`.codes_file` and :mod:`.signature`, :mod:`.segmenter` with
:mod:`.native_segmenter`, :mod:`.id_encoder` (dictionary indices instead of text), :mod:`.escaping`,
:mod:`.glossary` and :mod:`.fallback`, :mod:`.vocabulary`, :mod:`.dictionary`, :mod:`.dictionary_file` and
:mod:`.byte_dictionary`, then the rest: :mod:`.detection`, :mod:`.transliteration`,
:mod:`.sentencepiece_model`, :mod:`.sentencepiece_trainer` and :mod:`.protobuf`, and the exports to other
libraries, :mod:`.export_symbols`, :mod:`.export_tokenizer`, :mod:`.export_tiktoken` and
:mod:`.export_check`.
"""
