"""Datasets, sampling, length limits and checks that the tasks use.

Here live the options of the tasks, the datasets that they read and what they add to generation and
validation; nothing here registers with Fairseq (see ``tasks``) or knows how a parent model is loaded (see
``transfer``). Messages name the flag or file and say what to do, since most of them are about data that does
not fit the options. In reading order: ``x_en_options``, ``pair_folders``, ``common_dictionary``,
``pair_files`` (with ``mapped_tokens`` and ``original_text``) and ``x_en_pairs``; ``training_pairs`` (with
``language_sampling``) and ``evaluation_pairs``, which ``x_en_splits`` builds; ``generation`` (with
``length_limit`` and ``alignments``), ``validation_bleu`` and ``language_scores``; for raw text ``from_text``,
``text_cache`` (with ``writer_lock``), ``text_writing``, ``resumed_text`` and ``pair_text``; then the
checks and small helpers.
"""
