"""From a line of text to a model's symbols and back, as the encoders of ``--bpe`` do it."""

from pathlib import Path
from typing import Callable, List, NamedTuple

from fairseq_subword_ext.runtime.export_folder import (
    CODES,
    GLOSSARY,
    NO_ENCODING,
    VOCABULARY,
    ExportSettings,
    file_of,
    optional_file_of,
)


class LineCoding(NamedTuple):
    """Two functions on many lines, in a number of threads: ``encode`` to symbols separated by spaces, and
    ``decode``."""

    encode: Callable[[List[str], int], List[str]]
    decode: Callable[[List[str], int], List[str]]


def line_coding(folder: Path, settings: ExportSettings) -> LineCoding:
    """The coding that an export's settings and files stand for.

    Using a finished model must not need a compiler, so the compiled core is optional here.

    Raises:
        ValueError: If a file is missing or broken.
        OSError: If a file cannot be read.
    """
    if settings.encoding == NO_ENCODING:
        return LineCoding(lambda lines, _: list(lines), lambda lines, _: list(lines))
    if settings.encoding == "generalized_bpe":
        return _generalized_bpe(folder, settings)
    from fairseq_subword_ext.subword.line_codecs import WITH_CODES, make_codec

    codes = file_of(folder, CODES) if settings.encoding in WITH_CODES else None
    codec = make_codec(
        settings.encoding, codes, settings.compat, errors=settings.errors, fallback=True
    )
    return LineCoding(codec.encode_lines, codec.decode_lines)


def _generalized_bpe(folder: Path, settings: ExportSettings) -> LineCoding:
    from fairseq_subword_ext.subword.glossary import read_literal_terms
    from fairseq_subword_ext.subword.merge_table import MergeTable
    from fairseq_subword_ext.subword.restoring import line_restorer
    from fairseq_subword_ext.subword.segmenter import Segmenter
    from fairseq_subword_ext.subword.vocabulary import Vocabulary

    table = MergeTable.load(file_of(folder, CODES))
    words, terms = optional_file_of(folder, VOCABULARY), optional_file_of(folder, GLOSSARY)
    vocabulary = None
    if words is not None:
        loaded = Vocabulary.load(words, escaped=settings.compat is None)
        vocabulary = loaded.tokens(settings.vocabulary_threshold)
    glossaries = settings.glossaries.split()
    if terms is not None:
        glossaries += read_literal_terms(terms)
    segmenter = Segmenter(
        table,
        settings.separator,
        vocabulary=vocabulary,
        glossaries=glossaries,
        compat=settings.compat,
        carriage_return="keep",
        fallback=True,
    )
    if table.unit == "byte":
        restore = line_restorer("bbpe")
    else:
        restore = line_restorer("generalized_bpe", settings.separator, settings.compat)
    return LineCoding(segmenter.segment_lines, lambda lines, _: restore(lines))
