"""The symbols of a word before the first merge, and the two strings shared by all file formats.

Sennrich, Haddow & Birch 2016, section 3.2: a word is its characters and an end-of-word marker.
subword-nmt has used two forms of the marker; a merge table records the one that it was learned with:

===========  ==============================  =================================================
version      ``low`` starts as               the marker
===========  ==============================  =================================================
``0.1``      ``l  o  w  </w>``               a separate symbol
``0.2``      ``l  o  w</w>``                 joined to the last character
``byte-1``   ``▁  l  o  w``                  none: the space before the word is a symbol instead
===========  ==============================  =================================================
"""

from typing import List

from fairseq_subword_ext.subword.byte_text import to_byte_text

END_OF_WORD = "</w>"
SEPARATOR = "@@"

CHAR_VERSIONS = ("0.1", "0.2")
BYTE_VERSION = "byte-1"
VERSIONS = CHAR_VERSIONS + (BYTE_VERSION,)

UNITS = ("char", "byte")


def unit_of(version: str) -> str:
    """Returns the unit, ``char`` or ``byte``, of a merge table's version.

    Raises:
        ValueError: If the version is not one of :data:`VERSIONS`.
    """
    if version not in VERSIONS:
        raise ValueError(f"version must be one of {', '.join(VERSIONS)}, not {version!r}")
    return "byte" if version == BYTE_VERSION else "char"


def word_to_symbols(word: str, version: str = "0.2") -> List[str]:
    """Splits a word into the symbols that it has before any merge.

    Args:
        word: a non-empty word without U+0020.
        version: how the end of the word is marked, one of :data:`VERSIONS`.

    Returns:
        The symbols in their on-disk spelling: characters, or the stand-ins of the UTF-8 bytes
        with ``▁`` first.

    Raises:
        ValueError: If the word is empty, the version is unknown, or the word contains a lone surrogate
            and the unit is ``byte``.
    """
    if not word:
        raise ValueError("an empty word has no symbols")
    if unit_of(version) == "byte":
        return list(to_byte_text(word))
    if version == "0.1":
        return [*word, END_OF_WORD]
    return [*word[:-1], word[-1] + END_OF_WORD]


def symbols_to_word(symbols: List[str], version: str = "0.2") -> List[str]:
    """Strips the end-of-word marker from a segmented word, which gives the pieces as printed.

    Args:
        symbols: the symbols of one word after merging, in their on-disk spelling.
        version: as in :func:`word_to_symbols`; byte-level symbols are returned unchanged.
    """
    pieces = list(symbols)
    if unit_of(version) == "char":
        if pieces[-1] == END_OF_WORD:
            pieces.pop()
        elif pieces[-1].endswith(END_OF_WORD):
            pieces[-1] = pieces[-1][: -len(END_OF_WORD)]
    return pieces
