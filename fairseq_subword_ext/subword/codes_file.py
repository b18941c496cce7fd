"""Reading codes files: the forms in which a merge table is stored, and what people give instead.

A *codes* file has one merge operation a line, the first learned first: two symbols and one space
between them.

=====================  =======  ==============================================================
first line             unit     end of word
=====================  =======  ==============================================================
``#version: 0.2``      char     ``</w>`` joined to the last character (subword-nmt's format)
``#version: 0.1``      char     ``</w>`` a symbol of its own (subword-nmt's older format)
``#version: byte-1``   byte     none, words start with ``▁``; symbols in byte text
(none)                 char     fastBPE's file: three columns, the third a count; as 0.2
=====================  =======  ==============================================================

A file without a header and with two columns is recognized by how it uses the marker, with a
warning, or refused where that does not tell: subword-nmt takes it for version 0.1 in silence, and
segments wrongly if it is not.
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
    """Reads the content of a codes file in any of the forms above.

    Args:
        data: the file's content.
        path: its name, for the messages.

    Returns:
        The version, one of :data:`.symbols.VERSIONS`, and the merges in their on-disk spelling.

    Raises:
        ValueError: with file and line, what was found and what it may be instead.
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
    """The content of a codes file, always with its header."""
    lines = [f"{_HEADER} {version}"]
    lines += map(" ".join, merges)
    return "\n".join(lines) + "\n"


def _lines(data: bytes, path: PathLike) -> List[str]:
    """The lines of a codes file, after a look at whether it can be one."""
    # Its first field begins with the byte of a newline; the rest is looked at only then.
    if data.startswith(b"\n") and _is_sentencepiece_model(data):
        raise ValueError(
            f"{path}: this looks like a SentencePiece model, not a codes file; byte-level models of "
            "that kind go with --encoder bbpe or --bpe bbpe"
        )
    lines = decode_lines(data, path)
    if not lines:
        raise ValueError(f"{path}: the file is empty, and not even has the line '{_HEADER} 0.2'")
    return lines


def _is_sentencepiece_model(data: bytes) -> bool:
    # Imported here: few codes begin like a model, and every command reads or writes codes.
    from fairseq_subword_ext.subword.sentencepiece_model import is_sentencepiece_model

    return is_sentencepiece_model(data)


def _version(header: str, path: PathLike) -> str:
    """The version that the first line names; trailing zeros do not count, as in subword-nmt."""
    named = header[len(_HEADER) :].strip()
    version = re.sub(r"(\.0+)+$", "", named)
    try:
        unit_of(version)
    except ValueError:
        raise ValueError(
            f"{path}:1: version {named!r} is not known; expected 0.1, 0.2 or {BYTE_VERSION}. A "
            "newer version of this package may have written the file"
        ) from None
    return version


def _two_columns(lines: Sequence[str], first: int, path: PathLike) -> List[Merge]:
    if first and _are_plain(lines[first:]):
        symbols = " ".join(lines[first:]).split(" ") if len(lines) > first else []
        return list(zip(symbols[::2], symbols[1::2]))
    pairs = []
    header_is_symbol = False  # text that quotes codes files may have made it by merges
    for number, line in enumerate(lines[first:], start=first + 1):
        columns = line.strip("\r ").split(" ")
        if len(columns) != 2 or not all(columns):
            raise ValueError(f"{path}:{number}: {_mistake(lines, number, columns)}")
        header_is_symbol = header_is_symbol or "".join(columns) == _HEADER
        if columns[0] == _HEADER and not header_is_symbol:
            raise ValueError(
                f"{path}:{number}: expected a merge, found a second header, {shown(line)}: were two "
                "codes files put together?"
            )
        pairs.append((columns[0], columns[1]))
    if not first and all(_COUNT.fullmatch(right) for _, right in pairs):
        raise ValueError(
            f"{path}:1: expected '{_HEADER} 0.2' or a merge, found {shown(lines[0])}: this looks "
            "like a vocabulary (from get-vocab) or a dict.txt, not a codes file (from learn-bpe)"
        )
    return pairs


def _are_plain(lines: Sequence[str]) -> bool:
    """Whether all lines are as in nearly every file, so that none has to be looked at closely."""
    text = "\n".join(["", *lines, ""])
    one_space = text.count(" ") == len(lines) and all(map(contains, lines, repeat(" ")))
    return one_space and not any(odd in text for odd in ("\n ", " \n", "\r", _HEADER))


def _mistake(lines: Sequence[str], number: int, columns: List[str]) -> str:
    """Why a line is no merge, and what the file may be instead."""
    line = lines[number - 1]
    if not line.strip("\r "):
        return "a blank line between merges: expected two symbols and one space between them"
    found = f"expected two symbols and one space between them, found {shown(line)}"
    if "\t" in line and len(columns) == 1:
        return f"{found}: with a tab it looks like a SentencePiece .vocab file, not like codes"
    if len(columns) == 3 and _COUNT.fullmatch(columns[2]):
        return (
            f"{found}: fastBPE's codes have three columns, but then all lines have, and no "
            f"'{_HEADER}' line comes first"
        )
    if len(columns) == 1:
        return (
            f"{found}: a list of words or of single symbols is not a codes file; one comes from "
            "`fairseq-subword learn-bpe`"
        )
    return f"{found}: {len(columns)} columns; a codes file comes from `fairseq-subword learn-bpe`"


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
    """Tells 0.1 from 0.2 in a file without a header, by the first marker that no merge made.

    Only version 0.1 has ``</w>`` as a base symbol, only version 0.2 has it at the end of one.
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
                    f"made by a merge above: is this a codes file? If so, put '{_HEADER} 0.2' (or "
                    "0.1) on top"
                )
            version = version or ("0.2" if stem else "0.1")
        made.add(left + right)
    if version is None:
        raise ValueError(
            f"{path}:1: no header, and the merges do not tell which version they are: put "
            f"'{_HEADER} 0.2' on top where '{END_OF_WORD}' is joined to a word's last character, "
            f"'{_HEADER} 0.1' where it is a symbol of its own (subword-nmt before 0.2)"
        )
    logger.warning(
        "%s has no '%s' line; by its merges it is version %s. Put '%s %s' on top to make sure",
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
                    f"{path}:{number}: {character!r} stands for no byte; are these character codes "
                    f"under the header '{_HEADER} {BYTE_VERSION}'?"
                )
