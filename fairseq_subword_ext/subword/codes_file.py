"""Reads and writes codes files, the formats in which a merge table is stored.

A *codes* file has one merge operation per line, in the order of learning: two symbols separated by one
space.

=====================  =======  ==============================================================
first line             unit     end of word
=====================  =======  ==============================================================
``#version: 0.2``      char     ``</w>`` joined to the last character (subword-nmt's format)
``#version: 0.1``      char     ``</w>`` a symbol of its own (subword-nmt's older format)
``#version: byte-1``   byte     none, words start with ``▁``; symbols in byte text
(none)                 char     fastBPE's file: three columns, the third a count; as 0.2
=====================  =======  ==============================================================

The version of a two-column file without a header is detected from its use of the marker, with a warning;
if that is ambiguous, the file is rejected: subword-nmt silently assumes version 0.1 and segments wrongly
if that is not the case.
"""

import logging
import re
from itertools import repeat
from operator import contains
from typing import List, Sequence, Tuple

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.symbols import BYTE_VERSION, END_OF_WORD, unit_of
from fairseq_subword_ext.textio.files import PathLike, decode_lines, shown

logger = logging.getLogger(__name__)

Merge = Tuple[str, str]

_HEADER = "#version:"
_COUNT = re.compile(r"[0-9]+")


def parse_codes(data: bytes, path: PathLike) -> Tuple[str, List[Merge]]:
    """Parses the content of a codes file in any of the formats above.

    Args:
        data: the file's content.
        path: its name, for messages.

    Returns:
        The version, one of :data:`.symbols.VERSIONS`, and the merges in their on-disk spelling.

    Raises:
        ValueError: If it is not a codes file; says in which line, what was found, and what the file may
            be instead.
    """
    lines = _lines(data, path)
    header = lines[0].strip("\r ")
    if header.startswith(_HEADER):
        version = _version(header, path)
        pairs = _two_columns(lines, 1, path)
    elif _is_fastbpe(lines):
        version, pairs = "0.2", _fastbpe_columns(lines, path)
    else:
        pairs = _two_columns(lines, 0, path)
        version = _recognized_version(pairs, path)
    if version == BYTE_VERSION:
        _check_byte_symbols(pairs, path)
    return version, pairs


def format_codes(version: str, merges: Sequence[Merge]) -> str:
    """Formats the content of a codes file, always with its header."""
    lines = [f"{_HEADER} {version}"]
    lines += map(" ".join, merges)
    return "\n".join(lines) + "\n"


def _lines(data: bytes, path: PathLike) -> List[str]:
    """Returns the lines of a file that can be a codes file."""
    # A SentencePiece model starts with a newline byte; only then is the rest inspected.
    if data.startswith(b"\n") and _is_sentencepiece_model(data):
        raise ValueError(
            f"{path}: this looks like a SentencePiece model, not a codes file; use byte-level models of "
            "that kind with --encoder bbpe or --bpe bbpe"
        )
    lines = decode_lines(data, path)
    if not lines:
        raise ValueError(f"{path}: the file is empty; even the line '{_HEADER} 0.2' is missing")
    return lines


def _is_sentencepiece_model(data: bytes) -> bool:
    # Imported late: few codes files start like a model, and every command reads or writes codes.
    from fairseq_subword_ext.subword.sentencepiece_model import is_sentencepiece_model

    return is_sentencepiece_model(data)


def _version(header: str, path: PathLike) -> str:
    """The version in the first line; trailing zeros are ignored, as in subword-nmt."""
    named = header[len(_HEADER) :].strip()
    version = re.sub(r"(\.0+)+$", "", named)
    try:
        unit_of(version)
    except ValueError:
        raise ValueError(
            f"{path}:1: unknown version {named!r}; expected 0.1, 0.2 or {BYTE_VERSION}. The file may "
            "come from a newer version of this package"
        ) from None
    return version


def _two_columns(lines: Sequence[str], first: int, path: PathLike) -> List[Merge]:
    if first and _are_plain(lines[first:]):
        symbols = " ".join(lines[first:]).split(" ") if len(lines) > first else []
        return list(zip(symbols[::2], symbols[1::2]))
    pairs = []
    header_is_symbol = False  # merges learned from text that quotes codes files may spell it
    for number, line in enumerate(lines[first:], start=first + 1):
        columns = line.strip("\r ").split(" ")
        if len(columns) != 2 or not all(columns):
            raise ValueError(f"{path}:{number}: {_mistake(lines, number, columns)}")
        header_is_symbol = header_is_symbol or "".join(columns) == _HEADER
        if columns[0] == _HEADER and not header_is_symbol:
            raise ValueError(
                f"{path}:{number}: expected a merge, found a second header, {shown(line)}: were two "
                "codes files concatenated?"
            )
        pairs.append((columns[0], columns[1]))
    if not first and all(_COUNT.fullmatch(right) for _, right in pairs):
        raise ValueError(
            f"{path}:1: expected '{_HEADER} 0.2' or a merge, found {shown(lines[0])}: this looks "
            "like a vocabulary (from get-vocab) or a dict.txt, not a codes file (from learn-bpe)"
        )
    return pairs


def _are_plain(lines: Sequence[str]) -> bool:
    """Whether all lines have the usual form, so that none needs a closer check."""
    text = "\n".join(["", *lines, ""])
    one_space = text.count(" ") == len(lines) and all(map(contains, lines, repeat(" ")))
    return one_space and not any(odd in text for odd in ("\n ", " \n", "\r", _HEADER))


def _mistake(lines: Sequence[str], number: int, columns: List[str]) -> str:
    """Explains why a line is not a merge, and what the file may be instead."""
    line = lines[number - 1]
    if not line.strip("\r "):
        return "a blank line between merges: expected two symbols separated by one space"
    found = f"expected two symbols separated by one space, found {shown(line)}"
    if "\t" in line and len(columns) == 1:
        return f"{found}: the tab suggests a SentencePiece .vocab file, not a codes file"
    if len(columns) == 3 and _COUNT.fullmatch(columns[2]):
        return (
            f"{found}: fastBPE's codes have three columns, but in every line and without a "
            f"'{_HEADER}' line"
        )
    if len(columns) == 1:
        return (
            f"{found}: a list of words or single symbols is not a codes file; make one with "
            "`fairseq-subword learn-bpe`"
        )
    return f"{found}: {len(columns)} columns; make a codes file with `fairseq-subword learn-bpe`"


def _is_fastbpe(lines: Sequence[str]) -> bool:
    columns = lines[0].strip("\r ").split(" ")
    return len(columns) == 3 and all(columns) and bool(_COUNT.fullmatch(columns[2]))


def _fastbpe_columns(lines: Sequence[str], path: PathLike) -> List[Merge]:
    pairs = []
    for number, line in enumerate(lines, start=1):
        columns = line.strip("\r ").split(" ")
        if len(columns) != 3 or not all(columns) or not _COUNT.fullmatch(columns[2]):
            raise ValueError(
                f"{path}:{number}: expected 'symbol symbol count', as on the first line (fastBPE's "
                f"codes), found {shown(line)}"
            )
        pairs.append((columns[0], columns[1]))
    return pairs


def _recognized_version(pairs: Sequence[Merge], path: PathLike) -> str:
    """Detects the version, 0.1 or 0.2, of a file without a header by the first marker not made by a merge.

    Only in version 0.1 is ``</w>`` a base symbol; only in version 0.2 is it the end of one.
    """
    made = set()
    version = None
    for number, (left, right) in enumerate(pairs, start=1):
        for symbol in (left, right):
            stem = symbol[: -len(END_OF_WORD)] if symbol.endswith(END_OF_WORD) else None
            if symbol in made or (stem is None and len(symbol) == 1):
                continue
            if stem is None or len(stem) > 1:
                raise ValueError(
                    f"{path}:{number}: no header, and {shown(symbol)} is neither a character nor "
                    f"made by a merge above: is this a codes file? If so, add the line '{_HEADER} 0.2' "
                    "(or 0.1) at the top"
                )
            version = version or ("0.2" if stem else "0.1")
        made.add(left + right)
    if version is None:
        raise ValueError(
            f"{path}:1: no header, and the merges do not show which version they are: add the line "
            f"'{_HEADER} 0.2' at the top if '{END_OF_WORD}' is joined to a word's last character, or "
            f"'{_HEADER} 0.1' if it is a separate symbol (subword-nmt before 0.2)"
        )
    logger.warning(
        "%s has no '%s' line; its merges show version %s. Add the line '%s %s' at the top to be sure",
        path,
        _HEADER,
        version,
        _HEADER,
        version,
    )
    return version


def _check_byte_symbols(pairs: Sequence[Merge], path: PathLike) -> None:
    known = set(BYTE_SYMBOLS)
    for number, pair in enumerate(pairs, start=2):
        for character in "".join(pair):
            if character not in known:
                raise ValueError(
                    f"{path}:{number}: {character!r} represents no byte; are these character codes "
                    f"under the header '{_HEADER} {BYTE_VERSION}'?"
                )
