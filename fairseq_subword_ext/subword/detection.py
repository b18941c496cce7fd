"""What text is that nothing marks as segmented: words that no merge table had to split, or a log."""

import re
from typing import Iterable

from fairseq_subword_ext.subword.escaping import escape_pieces, unescape
from fairseq_subword_ext.subword.symbols import SEPARATOR

_WORD_START = "\u2581"
_PRINTED_BY_FAIRSEQ = re.compile(r"[STHDPAC]-[0-9]+\t")


def is_unsplit(tokens: Iterable[str], separator: str = SEPARATOR) -> bool:
    """Whether tokens are words as apply-bpe writes them where it splits none of them.

    Such words are escaped already wherever Fairseq would misread them, so that escaping their text again
    gives the same. SentencePiece's pieces, which start words with U+2581, are not taken for words.

    Args:
        tokens: what stands between spaces; none of them ends in the separator.
        separator: that of ``@@`` text.
    """
    return all(
        not token.startswith(_WORD_START) and escape_pieces([unescape(token)], separator) == [token]
        for token in tokens
    )


def is_generation_log(lines: Iterable[str]) -> bool:
    """Whether lines are what fairseq-generate or fairseq-interactive printed: S-0, H-0, D-0, ..."""
    return any(_PRINTED_BY_FAIRSEQ.match(line) for line in lines)
