"""Text input and output: atomic files, inputs and globs, compression, and streams of lines in threads.

This is the bottom layer: it imports nothing else of the package. Code that knows about words, merges or
codecs is above it. Reading order: :mod:`.errors`, :mod:`.encoding`, :mod:`.extras` (optional libraries),
:mod:`.compression`, :mod:`.files`, :mod:`.inputs`, :mod:`.lines`, :mod:`.text_input`, :mod:`.pipeline`,
:mod:`.compressed_output`, :mod:`.block_stream`, :mod:`.many_files`, then the helpers of the commands:
:mod:`.output_files`, :mod:`.output_names`, :mod:`.digests`, :mod:`.file_records`, :mod:`.step_records` and
:mod:`.tables`; and Fairseq's binary data, :mod:`.indexed_dataset`.
"""
