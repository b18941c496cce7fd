"""The command ``fairseq-subword``.

Here live ``main``, which finds and runs a sub-command, one thin module per sub-command, and the flags and
jobs that several of them share. A module here parses flags, calls the same functions as the API and reports;
segmenting, counting, scoring and file formats live in the packages below. In reading order: ``main``,
``common``, a simple command such as ``get_vocab``; then ``option_arguments``, ``text_job`` and
``folder_job`` for the commands that convert text line by line; and ``binarize`` with ``binarize_texts``,
``binarize_codes`` and ``binarize_job``.
"""
