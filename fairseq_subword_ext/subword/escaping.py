"""Escapes that carry segmented text through Fairseq unharmed; the last step of applying, undone on decoding.

Fairseq splits a line at every Unicode space and reads ``</s>``, ``<pad>`` and the like as control
symbols, so a piece that contains one would be split, or end the sentence early. Such a piece is written
with escapes: U+241B (the symbol for escape, ``␛``), the character's code point in upper-case hexadecimal,
and ``;``. All other pieces stay as they are.

==================================================  ====================================
in a piece                                          is written
==================================================  ====================================
a Unicode space (:data:`UNICODE_SPACES`)            ``␛A0;`` for U+00A0, ``␛9;`` for a tab
U+241B itself                                       ``␛241B;``
a token spelled ``<s> </s> <pad> <unk>``            its first character escaped: ``␛3C;/s>``
a token spelled ``madeupword0000`` (four digits     ``␛6D;adeupword0000``
or more: Fairseq's padding of a dictionary)
a word's last piece that ends in the separator      its last character escaped: ``@␛40;``
(``@@`` as text would join the next word)
==================================================  ====================================

Every U+241B in the text is escaped, so no text is mistaken for an escape. An escape never spans two
pieces, so pieces can be joined before or after escapes are undone.
"""

import re
from typing import List, Sequence

from fairseq_subword_ext.subword.symbols import SEPARATOR

ESCAPE = "\u241b"

# What Python's str.split() and the \s of re split at, except U+0020.
UNICODE_SPACES = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

CONTROL_STRINGS = ("<s>", "</s>", "<pad>", "<unk>")

_ESCAPED_CHARACTERS = re.compile(f"[{UNICODE_SPACES}{ESCAPE}]")
# These, and the symbols with which Fairseq pads a dictionary.
CONTROL_PATTERN = r"</?s>|<pad>|<unk>|madeupword[0-9]{4,}"
_CONTROL_TOKEN = re.compile(CONTROL_PATTERN)
_ESCAPES = re.compile(f"{ESCAPE}([0-9A-F]{{1,6}});")


def is_control(token: str) -> bool:
    """Whether Fairseq would read the token as one of its own symbols."""
    return _CONTROL_TOKEN.fullmatch(token) is not None


def check_separator(separator: str) -> None:
    """Checks that a separator can be distinguished from escaped text.

    Raises:
        ValueError: If it is empty, contains a space of any kind or U+241B, or ends in ``;``.
    """
    if not separator:
        raise ValueError("the separator is empty: the pieces could not be joined again")
    if " " in separator or _ESCAPED_CHARACTERS.search(separator):
        raise ValueError(
            f"the separator {separator!r} contains a space or U+241B: Fairseq would split there, "
            "and escapes start with U+241B"
        )
    if separator.endswith(";"):
        raise ValueError(f"the separator {separator!r} ends in ';', as every escape does")


def escape_pieces(pieces: Sequence[str], separator: str = SEPARATOR) -> List[str]:
    """Turns the pieces of one word into the tokens to print.

    Args:
        pieces: the raw pieces of the word in order, without separators; none is empty.
        separator: appended to every piece but the last.

    Returns:
        One token per piece; joined by spaces they are the segmented word.
    """
    tokens = [_escape_token(piece + separator) for piece in pieces[:-1]]
    for piece in pieces[-1:]:
        token = _escape_token(piece)
        if token.endswith(separator):
            token = token[:-1] + escape_character(token[-1])
        tokens.append(token)
    return tokens


def unescape(text: str) -> str:
    """Undoes every escape in a token, a joined word or a whole line.

    What only looks like an escape (without a valid code point) stays: a model may print anything.
    """
    if ESCAPE not in text:
        return text
    return _ESCAPES.sub(_unescape_match, text)


def join_pieces(line: str, separator: str = SEPARATOR) -> str:
    """Undoes segmentation and escapes of a line.

    Args:
        line: tokens separated by U+0020, from :func:`escape_pieces` or from a model.
        separator: the separator that the text was segmented with.
    """
    joined = (line + " ").replace(separator + " ", "")
    return unescape(joined.rstrip(" "))


def _escape_token(token: str) -> str:
    if is_control(token):
        return escape_character(token[0]) + token[1:]
    return _ESCAPED_CHARACTERS.sub(lambda match: escape_character(match.group()), token)


def escape_character(character: str) -> str:
    """The escape of one character."""
    return f"{ESCAPE}{ord(character):X};"


def _unescape_match(match: "re.Match[str]") -> str:
    number = int(match.group(1), 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return match.group()
    return chr(number)
