"""Provisional ids for a text without a dictionary yet: every token gets an id and is counted."""

import sys
import threading
from collections.abc import Mapping
from operator import add
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.dictionary_file import EOS, UNK, control_indices
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, EncodedLines, IdEncoder
from fairseq_subword_ext.subword.symbols import END_OF_WORD
from fairseq_subword_ext.textio.lines import Block

if TYPE_CHECKING:
    import numpy as np

# If more than one line in _FEW is segmented twice, a new encoder costs less.
_FEW = 100


class CountedTokens(NamedTuple):
    """The tokens of a text with their ids and counts, in little memory, since there may be many texts.

    Attributes:
        tokens: each once.
        ids: one per token.
        counts: one per token.
    """

    tokens: List[str]
    ids: "np.ndarray"
    counts: "np.ndarray"

    def to_lists(self) -> List[List[Any]]:
        """Returns the same as lists, for JSON."""
        return [self.tokens, self.ids.tolist(), self.counts.tolist()]

    @classmethod
    def from_lists(cls, lists: List[List[Any]]) -> "CountedTokens":
        """Reverses :meth:`to_lists`."""
        import numpy as np

        tokens, ids, counts = lists
        # Texts of one language share most of their tokens.
        return cls(
            list(map(sys.intern, tokens)), np.array(ids, np.int64), np.array(counts, np.int64)
        )

    def by_token(self) -> Dict[str, int]:
        """Returns token -> count."""
        return dict(zip(self.tokens, self.counts.tolist()))


def likely_symbols(codec: Codec) -> List[str]:
    """Returns tokens that a codec may produce, so that few tokens of a text are new.

    Extra tokens do no harm: a dictionary contains only tokens that occur.
    """
    if codec.fixed_symbols:
        return codec.fixed_symbols
    table = getattr(codec, "table", None)
    if table is None:
        return []
    separator = codec.options.separator
    lefts, rights = zip(*table) if table.merges else ((), ())
    pieces = dict.fromkeys([*(table.alphabet or ()), *lefts, *rights, *map(add, lefts, rights)])
    inner = [piece for piece in pieces if not piece.endswith(END_OF_WORD)]
    last = [piece[: -len(END_OF_WORD)] for piece in pieces if piece.endswith(END_OF_WORD)]
    characters = [piece for piece in [*inner, *last] if len(piece) == 1]
    # In version 0.1 the marker may remain unmerged, and then any inner piece can end the word.
    ends = inner if table.version == "0.1" else characters
    starts = [piece + separator for piece in [*inner, *characters]]
    return [token for token in dict.fromkeys([*starts, *last, *ends]) if token]


class FirstIds:
    """The starting point for all texts of one codec: its likely tokens with their ids, and an encoder.

    Args:
        codec: segments the texts.
        carriage_return: as for :meth:`.Codec.id_encoder`.
    """

    def __init__(self, codec: Codec, carriage_return: str):
        self.codec = codec
        self.carriage_return = carriage_return
        self.ids = control_indices()
        likely = likely_symbols(codec)
        self.has_likely = bool(likely)
        for token in likely:
            self.ids.setdefault(token, len(self.ids))
        self.encoder = self.encoder_of(self.ids)

    def encoder_of(self, ids: Mapping[str, int]) -> IdEncoder:
        """Returns an encoder for these ids."""
        return self.codec.id_encoder(
            DictionaryIndices(dict(ids), UNK, EOS), carriage_return=self.carriage_return
        )


class GrowingIds:
    """Encodes one text. May be used from several threads.

    The codec's likely tokens have ids from the start. A line with other tokens is segmented again, as text,
    to learn what they are.

    Args:
        first: the starting point.
        name, seed: of the text, as for :meth:`.Codec.block_coder`.
    """

    def __init__(self, first: FirstIds, name: str, seed: Optional[int]):
        self._first = first
        self._ids = dict(first.ids)
        self._known = len(self._ids)
        self._encoder = first.encoder
        self._seed = seed
        self._code = first.codec.block_coder(first.carriage_return, name, seed).code
        self._lock = threading.Lock()
        self._counts: Optional[np.ndarray] = None

    def encode(self, block: Block, first_line: int) -> EncodedLines:
        """Returns the ids of whole lines, each ending in ``</s>``.

        Raises:
            ValueError: As :meth:`.IdEncoder.encode_block`.
        """
        import numpy as np

        encoder = self._encoder
        encoded = encoder.encode_block(block, first_line, seed=self._seed)
        unknown = np.flatnonzero(encoded.ids == UNK)
        if not len(unknown):
            return encoded
        numbers = np.unique(np.searchsorted(encoded.offsets, unknown, side="right") - 1)
        lines = bytes(block).split(b"\n")
        for number in numbers.tolist():
            text = bytes(self._code(lines[number] + b"\n", first_line + number))
            begin, end = encoded.offsets[number : number + 2]
            encoded.ids[begin : end - 1] = self._ids_of(text.decode("utf-8").split())
        if _FEW * len(numbers) > len(encoded):
            self._grow(encoder)
        return encoded

    def count(self, ids: "np.ndarray") -> "np.ndarray":
        """Returns how often each id occurs in part of the text, for :meth:`add`."""
        return native_core().count_ids(ids)

    def add(self, counts: "np.ndarray") -> None:
        """Adds the counts of a part. Must be called by one thread at a time."""
        if self._counts is None or len(self._counts) < len(counts):
            counts, more = counts.copy(), self._counts
            if more is not None:
                counts[: len(more)] += more
            self._counts = counts
        else:
            self._counts[: len(counts)] += counts

    def forget_counts(self) -> None:
        """Starts counting anew; the tokens keep their ids."""
        self._counts = None

    @property
    def likely_tokens(self) -> Optional[int]:
        """The number of tokens that have ids from the start; None if they say nothing about the text."""
        return len(self._first.ids) if self._first.has_likely else None

    def counted(self) -> CountedTokens:
        """Returns the tokens of the text with their ids and counts."""
        import numpy as np

        counts = np.zeros(0, np.int64) if self._counts is None else self._counts
        tokens = list(self._ids)  # in the order of their ids
        used = counts.nonzero()[0]
        return CountedTokens([tokens[index] for index in used.tolist()], used, counts[used])

    def _ids_of(self, tokens: List[str]) -> List[int]:
        with self._lock:
            for token in tokens:
                self._ids.setdefault(token, len(self._ids))
            return [self._ids[token] for token in tokens]

    def _grow(self, encoder: IdEncoder) -> None:
        """Gives later blocks an encoder that knows the new tokens, so that no line is segmented twice."""
        with self._lock:
            if self._encoder is encoder and len(self._ids) > self._known:
                self._known = len(self._ids)
                self._encoder = self._first.encoder_of(self._ids)
