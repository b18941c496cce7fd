"""A Fairseq dictionary, read from dict.txt or made from counts, with the index of each symbol."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Dict, List, Optional, Tuple

from fairseq_subword_ext.subword.dictionary import CONTROL_SYMBOLS, finalize, save
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices
from fairseq_subword_ext.textio.files import PathLike, read_text_lines, shown

CONTROL_STRINGS = ("<s>", "<pad>", "</s>", "<unk>")
EOS, UNK = 2, 3

_OVERWRITE = "#fairseq:overwrite"
_COUNT = re.compile("-?[0-9]{1,18}")


def control_indices() -> Dict[str, int]:
    """Returns the indices of the control symbols, with which every Fairseq dictionary begins."""
    return {symbol: index for index, symbol in enumerate(CONTROL_STRINGS)}


@dataclass(frozen=True)
class DictionaryFile:
    """The content of a dict.txt.

    Attributes:
        entries: (symbol, count) in the order of the file, without the control symbols.
    """

    entries: List[Tuple[str, int]]

    @classmethod
    def load(cls, path: PathLike) -> "DictionaryFile":
        """Reads a dictionary as Fairseq does.

        Raises:
            ValueError: If a line is not ``symbol count``, Fairseq would break it, or a symbol occurs twice.
                Names file and line.
            OSError: If the file cannot be read.
        """
        entries: List[Tuple[str, int]] = []
        known = control_indices()
        for number, line in enumerate(read_text_lines(path), start=1):
            symbol, space, field = line.rstrip().rpartition(" ")
            overwrites = field == _OVERWRITE
            if overwrites:
                symbol, space, field = symbol.rpartition(" ")
            if not symbol or not space or not _COUNT.fullmatch(field):
                raise ValueError(f"{path}:{number}: expected 'symbol count', found {shown(line)}")
            if "\r" in symbol:
                raise ValueError(f"{path}:{number}: a carriage return inside {shown(line)}")
            if symbol in known and not overwrites:
                raise ValueError(f"{path}:{number}: the symbol {shown(symbol)} occurs twice")
            known[symbol] = number
            entries.append((symbol, int(field)))
        return cls(entries)

    @classmethod
    def counted(
        cls,
        counts: Iterable[Mapping[str, int]],
        threshold: int = 0,
        num_words: Optional[int] = None,
        padding_factor: int = 8,
    ) -> "DictionaryFile":
        """Makes the dictionary of several texts; the limits are those of :func:`.finalize`."""
        total: Counter = Counter()
        for each in counts:
            total.update(each)
        for symbol in CONTROL_STRINGS:
            total.pop(symbol, None)
        return cls(finalize(total, threshold, num_words, padding_factor))

    @cached_property
    def indices(self) -> DictionaryIndices:
        """Symbol -> index. Of a symbol that occurs twice, the last index counts."""
        symbols = control_indices()
        symbols.update(
            (symbol, index) for index, (symbol, _) in enumerate(self.entries, CONTROL_SYMBOLS)
        )
        return DictionaryIndices(symbols, UNK, EOS)

    def __len__(self) -> int:
        """Returns the number of symbols, including the control symbols, which the file does not list."""
        return len(self.entries) + CONTROL_SYMBOLS

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the entries, in hexadecimal."""
        text = "".join(f"{symbol} {count}\n" for symbol, count in self.entries)
        return hashlib.sha256(text.encode()).hexdigest()

    def save(self, path: PathLike) -> None:
        """Writes the file.

        Raises:
            OSError: If it cannot be written.
        """
        save(self.entries, path)
