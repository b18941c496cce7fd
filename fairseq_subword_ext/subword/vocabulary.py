"""The vocabulary: subword counts of segmented text, also used as a filter.

Do not confuse it with Fairseq's dictionary (dict.txt), which numbers a model's symbols. The file has one
``subword count`` per line, most frequent first, as written by subword-nmt's get-vocab; a dict.txt has the
same format and can be read too. Keys are the tokens of segmented text: a piece that is not the last of
its word includes the separator.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, Iterable, Optional

from fairseq_subword_ext.subword.escaping import unescape
from fairseq_subword_ext.textio.files import (
    PathLike,
    atomic_text_writer,
    read_text_lines,
    shown,
)

_COUNT = re.compile(r"[0-9]{1,18}")


@dataclass
class Vocabulary:
    """Subword counts.

    Attributes:
        counts: token -> count, in order of first occurrence.
    """

    counts: Dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> "Vocabulary":
        """Counts the tokens of segmented lines; tokens are separated by U+0020 and nothing else."""
        counts: Counter = Counter()
        for line in lines:
            counts.update(line.strip("\r\n ").split(" "))
        counts.pop("", None)
        return cls(dict(counts))

    @classmethod
    def load(cls, path: PathLike, escaped: bool = True) -> "Vocabulary":
        """Reads ``subword count`` lines.

        Args:
            path: the file.
            escaped: whether to undo the escapes of :mod:`.escaping`, so that the keys can be compared
                with raw pieces; False for a file made from text segmented without escaping.

        Raises:
            ValueError: If a line does not have two columns, or the second is not a count; names file
                and line.
            OSError: If the file cannot be read.
        """
        counts: Dict[str, int] = {}
        for number, line in enumerate(read_text_lines(path), start=1):
            columns = line.strip("\r ").split(" ")
            if len(columns) != 2 or not _COUNT.fullmatch(columns[1]):
                raise ValueError(f"{path}:{number}: {_mistake(line, columns)}")
            token = unescape(columns[0]) if escaped else columns[0]
            # In concatenated vocabularies a token can occur twice; it passes a threshold if either
            # count does.
            counts[token] = max(int(columns[1]), counts.get(token, 0))
        return cls(counts)

    def save(self, path: PathLike) -> None:
        """Writes the file, most frequent first, ties in order of first occurrence.

        Raises:
            OSError: If the file cannot be written.
        """
        with atomic_text_writer(path) as stream:
            for token, count in self.most_frequent_first():
                stream.write(f"{token} {count}\n")

    def most_frequent_first(self) -> list:
        """Returns the (token, count) pairs in the order of the file."""
        return sorted(self.counts.items(), key=lambda item: item[1], reverse=True)

    def tokens(self, threshold: Optional[int] = None) -> FrozenSet[str]:
        """Returns the tokens that a segmentation may use.

        Args:
            threshold: minimum count of a token; None for all tokens.
        """
        if threshold is None:
            return frozenset(self.counts)
        return frozenset(token for token, count in self.counts.items() if count >= threshold)

    def __len__(self) -> int:
        return len(self.counts)


def _mistake(line: str, columns: list) -> str:
    """Explains what is wrong with a vocabulary line, and what the file may be instead."""
    found = f"expected 'subword count', found {shown(line)}"
    if line.startswith("#version:"):
        return f"{found}: this is a codes file (from learn-bpe), not a vocabulary"
    if not line.strip("\r "):
        return "expected 'subword count', found a blank line"
    if "\t" in line:
        return f"{found}: the columns must be separated by one space, not by a tab"
    if len(columns) == 2 and not re.fullmatch(r"[-+0-9.eE]+", columns[1]):
        return f"{found}: the second column is not a count; is this a codes file or text?"
    if len(columns) == 2:
        return f"{found}: the count must be a whole number from 0 to 10^18"
    return f"{found}: {len(columns)} columns; make one with `fairseq-subword get-vocab`"
