"""Classifies text without any mark of segmentation: words that were never split, or a generation log."""

import re
from typing import Iterable

from fairseq_subword_ext.subword.escaping import escape_pieces, unescape
from fairseq_subword_ext.subword.symbols import SEPARATOR

_WORD_START = "\u2581"
_PRINTED_BY_FAIRSEQ = re.compile(r"[STHDPAC]-[0-9]+\t")


def is_unsplit(tokens: Iterable[str], separator: str = SEPARATOR) -> bool:
    """Whether tokens are words as apply-bpe writes them when it splits none of them.

    Such words are already escaped wherever Fairseq would misread them, so unescaping and escaping them
    again changes nothing. SentencePiece's pieces, which mark word starts with U+2581, do not qualify.

    Args:
        tokens: the strings between spaces; none of them ends in the separator.
        separator: the separator of ``@@`` text.
    """
    return all(
        not token.startswith(_WORD_START) and escape_pieces([unescape(token)], separator) == [token]
        for token in tokens
    )


def is_generation_log(lines: Iterable[str]) -> bool:
    """Whether lines are output of fairseq-generate or fairseq-interactive: S-0, H-0, D-0, ..."""
    return any(_PRINTED_BY_FAIRSEQ.match(line) for line in lines)
