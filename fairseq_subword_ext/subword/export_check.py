"""Compares an exported vocabulary with our segmentation, line by line, using the target library."""

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple

from fairseq_subword_ext.subword.byte_text import bytes_to_symbols, symbols_to_bytes
from fairseq_subword_ext.subword.export_symbols import UNKNOWN, SymbolIds
from fairseq_subword_ext.subword.export_tiktoken import PATTERN
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.textio.lines import read_lines

_EXAMPLES = 3
_BATCH = 5000


class Difference(NamedTuple):
    """A line that the exported vocabulary segments differently.

    Attributes:
        line: its number, from 1.
        place: the index of the first token that differs, from 0.
        expected: our tokens.
        found: the library's tokens.
    """

    line: int
    place: int
    expected: List[str]
    found: List[str]


@dataclass
class CheckReport:
    """The result of a comparison.

    Attributes:
        lines: number of lines compared.
        differing: number of lines whose ids differ.
        examples: the first of these lines.
        unknown: number of lines with a symbol that the dictionary lacks, which Fairseq reads as ``<unk>``.
        unrestored: number of lines that decoding their ids does not restore, for example lines with
            repeated spaces if the unit is the character.
        unrestored_examples: the numbers of the first of these lines.
        empty: number of empty lines, which the library gives a token.
    """

    lines: int = 0
    differing: int = 0
    examples: List[Difference] = field(default_factory=list)
    unknown: int = 0
    unrestored: int = 0
    unrestored_examples: List[int] = field(default_factory=list)
    empty: int = 0

    def differs(self, place: int, expected: List[str], found: List[str]) -> None:
        """Records that the current line differs."""
        self.differing += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(Difference(self.lines, place, expected, found))

    def comes_back_changed(self) -> None:
        """Records that the current line is not restored."""
        self.unrestored += 1
        if len(self.unrestored_examples) < _EXAMPLES:
            self.unrestored_examples.append(self.lines)


def check_tokenizer_json(
    content: str, table: MergeTable, ids: SymbolIds, text: BinaryIO, separator: str
) -> CheckReport:
    """Compares ``tokenizer.json`` with the segmenter and the dictionary on a text.

    Args:
        content: the content of the file.
        table, ids: the merge table and ids that it was made from.
        text: UTF-8 lines.
        separator: the separator of the dictionary's tokens.

    Raises:
        ImportError: If tokenizers is not installed.
        ValueError: If the text cannot be used.
    """
    tokenizer = _load_tokenizer(content)
    segmenter = Segmenter(table, separator)
    unknown = ids.tokens[UNKNOWN]
    spelling = {number: symbol for symbol, number in ids.symbols.items()}
    report = CheckReport()
    for lines in _batches(text):
        encodings = tokenizer.encode_batch(lines, add_special_tokens=False)
        for line, segmented, encoding in zip(lines, segmenter.segment_lines(lines), encodings):
            report.lines += 1
            tokens = segmented.split()
            expected = [ids.tokens.get(token, unknown) for token in tokens]
            numbers = list(encoding.ids)
            found = [number if number < len(ids.tokens) else unknown for number in numbers]
            if found != expected:
                place = _first_difference(expected, found)
                report.differs(place, tokens, [spelling[number] for number in numbers])
            elif unknown in found:
                report.unknown += 1
            elif tokenizer.decode(numbers, skip_special_tokens=False) != line:
                report.comes_back_changed()
    return report


def _first_difference(expected: List[int], found: List[int]) -> int:
    pairs = enumerate(zip(expected, found))
    shorter = min(len(expected), len(found))
    return next((place for place, (ours, theirs) in pairs if ours != theirs), shorter)


def _load_tokenizer(content: str) -> Any:
    tokenizer = _library("tokenizers").Tokenizer
    with TemporaryDirectory() as folder:  # version 1.0 reads files only
        path = Path(folder) / "tokenizer.json"
        path.write_text(content, encoding="utf-8")
        return tokenizer.from_file(str(path))


def check_tiktoken(ranks: Dict[bytes, int], table: MergeTable, text: BinaryIO) -> CheckReport:
    """Compares a ranks file with the segmenter on a text.

    Raises:
        ImportError: If tiktoken is not installed.
        ValueError: If the text cannot be used.
    """
    encoding = _library("tiktoken").Encoding(
        "exported", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    segmenter = Segmenter(table)
    report = CheckReport()
    for lines in _batches(text):
        for line, segmented in zip(lines, segmenter.segment_lines(lines)):
            report.lines += 1
            if not line:
                report.empty += 1
                continue
            found = encoding.encode_ordinary(" " + line)
            tokens = segmented.split()
            expected = [ranks[symbols_to_bytes(token)] for token in tokens]
            if found != expected:
                pieces = map(encoding.decode_single_token_bytes, found)
                place = _first_difference(expected, found)
                report.differs(place, tokens, [bytes_to_symbols(piece) for piece in pieces])
    return report


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"checking this export needs {name}, which is not installed: pip install {name}"
        ) from None


def _batches(text: BinaryIO) -> Iterator[List[str]]:
    batch: List[str] = []
    for line in read_lines(text):
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch
