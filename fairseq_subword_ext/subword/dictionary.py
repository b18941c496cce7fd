"""Fairseq's dictionary file (dict.txt), from segmented text or from codes and their alphabet.

Do not confuse it with the vocabulary: the dictionary numbers a model's symbols. Fairseq puts four
control symbols first (``<s> <pad> </s> <unk>``, ids 0 to 3), which the file does not list.
"""

import re
from collections import Counter
from typing import Dict, Iterable, List, Mapping, Optional, Set, Tuple

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.escaping import escape_pieces, is_control
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD, SEPARATOR
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer

CONTROL_SYMBOLS = 4
PADDING_FACTOR = 8

LANGUAGE_TOKEN = re.compile(r"<lang:(?P<language>[^\s<>]+)>")


def language_token(language: str) -> str:
    """The dictionary symbol of a language for the task's ``--source-lang-token``: ``<lang:si>``.

    Raises:
        ValueError: If ``language`` cannot be a language code.
    """
    token = f"<lang:{language}>"
    if LANGUAGE_TOKEN.fullmatch(token) is None:
        raise ValueError(f"{language!r} is not a language code: expected for example si or pt_br")
    return token


def count_tokens(counts: Mapping[str, int]) -> Tuple[Counter, Counter]:
    """Counts what Fairseq would see in text with these token counts.

    Args:
        counts: token -> count, tokens separated by U+0020.

    Returns:
        The counts of ordinary symbols, and the counts of tokens that Fairseq reads as control symbols
        or splits at a Unicode space. In text that apply-bpe has escaped, the latter are empty.
    """
    symbols: Counter = Counter()
    harmful: Counter = Counter()
    for token, count in counts.items():
        parts = token.split()
        if parts != [token]:
            harmful[token] += count
        for part in parts:
            if is_control(part):
                harmful[part] += count
            else:
                symbols[part] += count
    return symbols, harmful


def producible_tokens(table: MergeTable, separator: str = SEPARATOR) -> List[str]:
    """Every token that applying a merge table to characters of its training text can produce.

    A character is expected both inside and at the end of words, wherever it occurred in training. Base
    symbols come first, then merges by rank.

    Args:
        table: a merge table; it needs the alphabet in its metadata, unless the unit is ``byte``.
        separator: the separator that the text is segmented with; byte-level text has none.

    Raises:
        ValueError: If the alphabet is missing.
    """
    if table.unit == "byte":
        made = [left + right for left, right in table]
        return [token for token in _unique([*BYTE_SYMBOLS, *made]) if not is_control(token)]
    return printed_pieces(*_reachable(table), separator)


def printed_pieces(
    inner: Iterable[str], last: Iterable[str], separator: str = SEPARATOR
) -> List[str]:
    """The tokens of ``@@`` text for pieces of words, each once.

    Args:
        inner: pieces that another one follows.
        last: pieces that end a word.
        separator: the separator that the text is segmented with.
    """
    tokens = []
    for piece in inner:
        tokens += escape_pieces([piece, "x"], separator)[:1]
    for piece in last:
        if not is_control(piece):  # never emitted: the segmenter undoes the merge
            tokens += escape_pieces([piece], separator)
    return _unique(tokens)


def _reachable(table: MergeTable) -> Tuple[List[str], List[str]]:
    """Returns the pieces, as printed, that can occur inside a word, and those that can end one."""
    if table.alphabet is None:
        raise ValueError(
            "these codes come without their alphabet (CODES.json next to them), so the characters "
            "that they can produce are unknown: give the segmented training text instead (-i)"
        )
    characters = alphabet_characters(table)
    separate = table.version == "0.1"
    inner = dict.fromkeys(characters)
    ends = dict.fromkeys([END_OF_WORD] if separate else [c + END_OF_WORD for c in characters])
    # If the text itself spells the marker, a string can be reached both ways.
    for left, right in table:
        if left in inner and right in inner:
            inner[left + right] = None
        if left in inner and right in ends:
            ends[left + right] = None
    last = [piece[: -len(END_OF_WORD)] for piece in ends if piece != END_OF_WORD]
    # A separate marker can stay unmerged, and then any inner piece ends the word; a word of one
    # character is not segmented at all.
    return list(inner), _unique([*characters, *last, *(inner if separate else ())])


def alphabet_characters(table: MergeTable) -> List[str]:
    """The characters of the alphabet, without the marker, most frequent first."""
    counts: Counter = Counter()
    for symbol, count in (table.alphabet or {}).items():
        stem = symbol[: -len(END_OF_WORD)] if symbol.endswith(END_OF_WORD) else symbol
        if stem:
            counts[stem] += count
    return sorted(counts, key=lambda character: (-counts[character], character))


def finalize(
    counts: Mapping[str, int],
    threshold: int = 0,
    num_words: Optional[int] = None,
    padding_factor: int = PADDING_FACTOR,
    keep: Iterable[str] = (),
) -> List[Tuple[str, int]]:
    """Sorts, truncates and pads the symbols as fairseq-preprocess does.

    Args:
        counts: symbol -> count.
        threshold: drop symbols that occur less often.
        num_words: the maximum number of symbols, including the four control symbols; None for no limit.
        padding_factor: pad the dictionary with ``madeupwordNNNN`` to a multiple of this, including the
            four control symbols; 1 for no padding.
        keep: symbols to keep whatever their count.

    Returns:
        (symbol, count) in the order of the file: by count, then by spelling.
    """
    kept: Set[str] = set(keep)
    complete: Dict[str, int] = {**dict.fromkeys(kept, 0), **counts}
    ordered = sorted(complete.items(), key=lambda item: (-item[1], item[0]))
    room = len(ordered) if num_words is None else num_words - CONTROL_SYMBOLS
    if room < len(kept):
        raise ValueError(
            f"{num_words} symbols are too few: {CONTROL_SYMBOLS} control symbols and {len(kept)} that "
            f"are always kept make {CONTROL_SYMBOLS + len(kept)}"
        )
    others = [symbol for symbol, count in ordered if symbol not in kept and count >= threshold]
    kept.update(others[: room - len(kept)])
    entries = [(symbol, count) for symbol, count in ordered if symbol in kept]
    missing = -(len(entries) + CONTROL_SYMBOLS) % padding_factor
    return entries + [(f"madeupword{number:04d}", 0) for number in range(missing)]


def save(entries: Iterable[Tuple[str, int]], path: PathLike) -> None:
    """Writes dict.txt: one ``symbol count`` per line.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_text_writer(path) as stream:
        for symbol, count in entries:
            stream.write(f"{symbol} {count}\n")


def _unique(items: Iterable[str]) -> List[str]:
    return list(dict.fromkeys(items))
