"""Converts lines of text to a model's symbols and back, exactly as the ``--bpe`` encoders do."""

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
    """``encode`` turns lines into space-separated symbols and ``decode`` reverses it.

    Both take the lines and a number of threads.
    """

    encode: Callable[[List[str], int], List[str]]
    decode: Callable[[List[str], int], List[str]]


def line_coding(folder: Path, settings: ExportSettings) -> LineCoding:
    """Builds the coding that an export's settings and files describe.

    Using a finished model must not require a compiler, so the compiled core is optional here.

    Raises:
        ValueError: If a file is missing or broken.
        OSError: If a file cannot be read.
    """
    if settings.encoding == NO_ENCODING:
        return LineCoding(lambda lines, _: list(lines), lambda lines, _: list(lines))
    # Imported here because text that is already segmented does not need it.
    from fairseq_subword_ext.codecs.registry import codec_class
    from fairseq_subword_ext.subword.options import flags_of

    encoding = codec_class(settings.encoding, settings.compat)
    known = flags_of(encoding.Options, "fairseq")
    available = {
        "codes": file_of(folder, CODES) if "codes" in known else None,
        "vocabulary": optional_file_of(folder, VOCABULARY),
        "vocabulary_threshold": settings.vocabulary_threshold,
        "glossaries": tuple(settings.glossaries.split()),
        "glossary_file": optional_file_of(folder, GLOSSARY),
        "separator": settings.separator,
        "errors": settings.errors,
    }
    options = {name: value for name, value in available.items() if name in known}
    codec = encoding(fallback=True, **options)
    return LineCoding(codec.encode_lines, codec.decode_lines)
