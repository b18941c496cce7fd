"""Common to all exports: the ids of BPE symbols, and whether a merge table can be exported.

Ids are those of Fairseq's dictionary, so that a model can read the exported tokenizer's output directly.
The dictionary lists tokens as printed (``lo@@``, ``w``); other tools need the symbols of the merge table
(``lo``, ``w</w>``).
"""

from dataclasses import dataclass
from typing import Dict, List, Optional

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, finalize, producible_tokens
from fairseq_subword_ext.subword.escaping import is_control, unescape
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD, SEPARATOR
from fairseq_subword_ext.textio.errors import LineError
from fairseq_subword_ext.textio.files import PathLike, read_text_lines, shown

# In the order of their ids; dict.txt does not list them.
CONTROLS = ("<s>", "<pad>", "</s>", "<unk>")
UNKNOWN = "<unk>"

_BYTE_SYMBOLS = frozenset(BYTE_SYMBOLS)


@dataclass(frozen=True)
class SymbolIds:
    """The ids of tokens and of symbols.

    Attributes:
        tokens: Fairseq's tokens, as printed, control symbols first.
        symbols: the merge table's symbols, in on-disk spelling, and the control symbols. Symbols that the
            dictionary lacks follow its last id; Fairseq reads them as ``<unk>``.
    """

    tokens: Dict[str, int]
    symbols: Dict[str, int]

    @property
    def further(self) -> int:
        """The number of symbols that the dictionary lacks."""
        return sum(number >= len(self.tokens) for number in self.symbols.values())


def symbol_ids(
    table: MergeTable, dictionary: Optional[PathLike] = None, separator: str = SEPARATOR
) -> SymbolIds:
    """Numbers the symbols of a merge table as a dictionary does.

    Args:
        table: the merges.
        dictionary: dict.txt; None for the one that ``build-dict -c CODES`` would write.
        separator: the separator that the dictionary's text was segmented with.

    Raises:
        ValueError: If the dictionary is invalid or belongs to other codes, or if there is none and the
            alphabet of the codes is missing.
        OSError: If the dictionary cannot be read.
    """
    if dictionary is None:
        entries = finalize({}, keep=producible_tokens(table, separator))
        tokens = [token for token, _ in entries]
    else:
        tokens = read_dictionary(dictionary)
    ids = {token: number for number, token in enumerate([*CONTROLS, *tokens])}
    symbols: Dict[str, int] = {}
    fixed = {}
    for token, number in ids.items():
        if is_control(token) or LANGUAGE_TOKEN.fullmatch(token):
            fixed[token] = number
        else:
            symbols.setdefault(_symbol_of(token, table.unit, separator, dictionary), number)
    for symbol in fixed:
        symbols.setdefault(symbol, fixed[symbol])
    following = len(ids)
    for symbol in _needed(table):
        if symbol not in symbols:
            symbols[symbol] = following
            following += 1
    return SymbolIds(ids, symbols)


def read_dictionary(path: PathLike) -> List[str]:
    """Reads the tokens of a dict.txt in order.

    Raises:
        ValueError: If a line is not ``symbol count``, or a symbol is listed twice; names file and line.
        OSError: If the file cannot be read.
    """
    tokens: Dict[str, None] = {}
    for number, line in enumerate(read_text_lines(path), 1):
        token, _, count = line.rstrip("\r").partition(" ")
        if not token or not count.split(" ")[0].isdigit():
            raise LineError(f"expected 'symbol count', found {shown(line)}", number, str(path))
        if token in tokens or token in CONTROLS:
            raise LineError(f"the symbol {token!r} is listed twice", number, str(path))
        tokens[token] = None
    return list(tokens)


def check_exportable(table: MergeTable) -> None:
    """Rejects merge tables whose segmentation no other tool reproduces.

    Raises:
        ValueError: If the version is 0.1, a merge spells a control symbol or the marker, or the order of
            merging matters beyond the ranks.
    """
    if table.version == "0.1":
        raise ValueError(
            "codes of version 0.1 (</w> a symbol of its own) cannot be exported: learn codes of "
            "version 0.2, which is the default"
        )
    for rank, (left, right) in enumerate(table, 1):
        made = left + right
        ends_word = table.unit == "char" and right.endswith(END_OF_WORD)
        stem = made[: -len(END_OF_WORD)] if ends_word else made
        if is_control(stem):
            raise ValueError(
                f"merge {rank} ({left} {right}) makes {stem!r}, which is a control symbol in Fairseq: "
                "apply-bpe undoes that merge, and no other tool does. Learn the codes from text without "
                "it, or use the merges before it (--merges)"
            )
        if table.unit == "char" and END_OF_WORD in stem:
            raise ValueError(
                f"merge {rank} ({left} {right}) spells the end-of-word marker {END_OF_WORD} itself, so "
                "the exported symbols would be ambiguous: learn the codes from text without it, or use "
                "the merges before it (--merges)"
            )
    _check_order(table)


def _check_order(table: MergeTable) -> None:
    """Rejects tables for which merging one occurrence at a time differs from merging all at once.

    We merge all occurrences of a pair before the next pair; other tools merge one occurrence and search
    again. The results differ only if a merge makes a symbol that an earlier merge uses (so two merges
    make the same symbol), and that earlier merge then consumes the left part of the next occurrence.
    """
    first_use: Dict[str, int] = {}
    by_right: Dict[str, List[int]] = {}
    for rank, (left, right) in enumerate(table):
        first_use.setdefault(left, rank)
        first_use.setdefault(right, rank)
        by_right.setdefault(right, []).append(rank)
    for rank, (left, right) in enumerate(table):
        made = left + right
        if first_use.get(made, rank) >= rank:
            continue
        for earlier in by_right.get(left, ()):
            if earlier < rank and made in table.merges[earlier][0]:
                raise ValueError(
                    f"merge {rank + 1} ({left} {right}) makes a symbol that merge {earlier + 1} "
                    f"({' '.join(table.merges[earlier])}) uses, so the order in which places are merged "
                    "matters, and other tools have another: use the merges before it (--merges)"
                )


def _needed(table: MergeTable) -> List[str]:
    """The symbols that the formats require: all bytes, and the inputs and results of all merges."""
    needed = dict.fromkeys(BYTE_SYMBOLS if table.unit == "byte" else ())
    for left, right in table:
        needed.update(dict.fromkeys((left, right, left + right)))
    return list(needed)


def _symbol_of(token: str, unit: str, separator: str, dictionary: Optional[PathLike]) -> str:
    """The symbol, in on-disk spelling, that is printed as this token."""
    if unit == "byte":
        if not _BYTE_SYMBOLS.issuperset(token):
            raise ValueError(
                f"{dictionary}: the symbol {token!r} is not byte text: is this the dictionary of other codes?"
            )
        return token
    stem = token[: -len(separator)]
    if stem and token.endswith(separator):
        return unescape(stem)
    return unescape(token) + END_OF_WORD
