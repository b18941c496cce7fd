"""Borders: which symbols of byte text merges may create (``learn-bpe --unit byte --borders``).

=================  ================================================================================
``none``           any symbol within a word
``sentencepiece``  what SentencePiece's default splitting rules allow on the printable stand-ins of
                   bytes: at most 16 symbols, never of two scripts. The stand-ins have two scripts:
                   Latin letters, which represent most bytes above 127, and "common": digits,
                   punctuation and signs. The space, ``▁``, combines with both.
``character``      whole characters, or part of one character, never both in one symbol
=================  ================================================================================

This is the definition; the compiled core decides from the two symbols of a pair and is tested against it.

Source: Wang, Cho & Gu 2020 do not state their borders. The example released by the authors trains
SentencePiece with these rules.
"""

from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL, symbols_to_bytes

BORDERS = ("none", "sentencepiece", "character")

LONGEST_PIECE = 16
MICRO_SIGN = "\u00b5"  # a letter, but of no script


def allows(symbol: str, borders: str) -> bool:
    """Whether a merge may create a symbol.

    Args:
        symbol: byte text from inside one word of well-formed UTF-8.
        borders: one of :data:`BORDERS`.
    """
    if borders == "sentencepiece":
        latin = {c.isalpha() and c != MICRO_SIGN for c in symbol if c != SPACE_SYMBOL}
        return len(symbol) <= LONGEST_PIECE and len(latin) < 2
    if borders == "character":
        return _keeps_characters_whole(symbols_to_bytes(symbol))
    return True


def _keeps_characters_whole(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        # In well-formed text, continuation bytes with no first byte between them are one character's.
        return all(0x80 <= byte < 0xC0 for byte in data[1:]) and data[0] >= 0x80
    return True
