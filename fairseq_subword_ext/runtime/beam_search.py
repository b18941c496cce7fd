"""Beam search that gives the same results as Fairseq's SequenceGenerator.

The rules are Fairseq's (sequence_generator.py and search.py of 0.12): each step keeps the 2 * B best
continuations of a sentence; those among the first B that end are finished hypotheses; a sentence is done
when it has B of them or has reached its length limit. The limit depends on the sentence alone, as in a
batch of one, so no output depends on the rest of its batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import List, NamedTuple, Protocol, Tuple

import numpy as np

from fairseq_subword_ext.runtime.export_folder import EOS, PAD, UNK
from fairseq_subword_ext.runtime.sessions import Sources, Step

# Finished sentences stay in the batch until this share of it is done, since copying the rest takes time.
DONE_SHARE = 1 / 8


@dataclass(frozen=True)
class SearchOptions:
    """Options of fairseq-generate, under its names.

    Attributes:
        beam: hypotheses per sentence.
        lenpen: scores are divided by length ** lenpen; unused with ``unnormalized``.
        unnormalized: compare hypotheses by log-probability, regardless of length.
        unkpen: subtracted from the log-probability of ``<unk>``.
        min_len: minimum number of symbols.
        max_len_a, max_len_b: at most max_len_a * source length + max_len_b symbols.
        suppressed: ids that are never generated.
    """

    beam: int = 5
    lenpen: float = 1.0
    unnormalized: bool = False
    unkpen: float = 0.0
    min_len: int = 1
    max_len_a: float = 0.0
    max_len_b: int = 200
    suppressed: Tuple[int, ...] = ()


class Hypothesis(NamedTuple):
    """One translation.

    Attributes:
        symbols: ids without ``</s>``.
        score: log-probability, divided by a power of the length unless unnormalized.
        at_limit: whether it reached the length limit, and so may be unfinished.
    """

    symbols: List[int]
    score: float
    at_limit: bool


class Model(Protocol):
    """The interface that the search needs; see :class:`.ExportedModel`."""

    symbols: int

    def encode(self, rows: np.ndarray) -> Sources: ...

    def step(self, asked: Step, sources: Sources) -> Tuple[np.ndarray, np.ndarray]: ...


def check_options(options: SearchOptions, symbols: int, positions: int) -> None:
    """Checks the ranges of the options.

    Args:
        options: the search options.
        symbols: size of the target dictionary.
        positions: maximum target length, ``</s>`` included.

    Raises:
        ValueError: If an option is out of range; the message names it.
    """
    if options.beam < 1 or 2 * options.beam >= symbols:
        raise ValueError(f"--beam {options.beam}: expected 1 to {(symbols - 1) // 2}")
    if not 0 <= options.min_len < positions:
        raise ValueError(f"--min-len {options.min_len}: expected 0 to {positions - 1}")
    if options.max_len_a < 0 or options.max_len_b < 0:
        raise ValueError("--max-len-a and --max-len-b must not be negative")


def translate_batch(
    model: Model, sources: Sequence[Sequence[int]], options: SearchOptions, positions: int
) -> List[List[Hypothesis]]:
    """Translates sentences of similar lengths.

    Args:
        model: the model.
        sources: ids of each sentence, ``</s>`` included.
        options: the search options.
        positions: maximum target length, ``</s>`` included.

    Returns:
        The finished hypotheses of each sentence, best first; B, or fewer at the length limit.
    """
    return BatchSearch(model, sources, options, positions).run()


class BatchSearch:
    """The state of the search for one batch; the arguments are those of :func:`translate_batch`."""

    def __init__(self, model: Model, sources, options: SearchOptions, positions: int):
        self.model, self.options = model, options
        self.limits = length_limits([len(source) for source in sources], options, positions)
        self.finished: List[List[Hypothesis]] = [[] for _ in sources]
        self.sources = model.encode(padded(sources))
        size, beam = len(sources), options.beam
        self.sentence = np.arange(size)  # original index of each sentence still in the batch
        self.done = np.zeros(size, bool)
        self.tokens = np.full((size, beam, 1), EOS, np.int64)
        # All hypotheses are the same before the first step, so only one of them may be continued.
        self.scores = np.full((size, beam), -np.inf, np.float32)
        self.scores[:, 0] = 0
        self.ignored = np.zeros((size, beam), bool)
        self.parents = np.zeros(size * beam, np.int64)
        self.bias = np.zeros(model.symbols, np.float32)
        self.bias[UNK] = -options.unkpen
        self.bias[[PAD, *options.suppressed]] = -np.inf

    def run(self) -> List[List[Hypothesis]]:
        """Searches until every sentence is done."""
        for step in range(int(self.limits.max()) + 1):
            best, beams, symbols = self.continuations(step)
            ended = (symbols == EOS) & np.isfinite(best)
            beam = self.options.beam
            ended[:, :beam] &= ~self.ignored
            self.finish(step, ended[:, :beam] & ~self.done[:, None], best, beams)
            if self.done.all():
                break
            self.keep(ended, best, beams, symbols)
            self.drop_done()
        for found in self.finished:
            found.sort(key=lambda hypothesis: -hypothesis.score)
        return self.finished

    def continuations(self, step: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The best continuations: scores, the hypotheses continued, and symbols, each ``(S, 2 * B)``."""
        bias = self.bias
        if step < self.options.min_len:
            bias = bias.copy()
            bias[EOS] = -np.inf
        last = np.ascontiguousarray(self.tokens[:, :, -1])
        asked = Step(
            last, step, self.parents, self.scores, bias, step >= self.limits[self.sentence]
        )
        best, numbers = self.model.step(asked, self.sources)
        beams, symbols = np.divmod(numbers, self.model.symbols)
        return best, beams, symbols

    def finish(self, step: int, ended, best, beams) -> None:
        """Records the hypotheses that ended, and marks the sentences that are done."""
        for row, column in np.argwhere(ended):
            sentence = self.sentence[row]
            if len(self.finished[sentence]) < self.options.beam:
                score = best[row, column]
                if not self.options.unnormalized:
                    score = score / np.float32((step + 1) ** self.options.lenpen)
                symbols = self.tokens[row, beams[row, column], 1:].tolist()
                at_limit = step >= self.limits[sentence]
                self.finished[sentence].append(Hypothesis(symbols, float(score), bool(at_limit)))
        for row, sentence in enumerate(self.sentence):
            full = len(self.finished[sentence]) == self.options.beam
            self.done[row] |= full or step >= self.limits[sentence]

    def keep(self, ended, best, beams, symbols) -> None:
        """Keeps the B best continuations that did not end; unused places are ignored."""
        beam = self.options.beam
        ended[:, :beam] |= self.ignored
        # Candidates in order, with those that ended moved behind all others.
        order = np.sort(np.where(ended, 2 * beam, 0) + np.arange(2 * beam), axis=1)[:, :beam]
        self.ignored = order >= 2 * beam
        chosen = order % (2 * beam)
        rows = np.arange(len(self.sentence))[:, None]
        self.scores = best[rows, chosen]
        parents = beams[rows, chosen]
        added = symbols[rows, chosen][:, :, None]
        self.tokens = np.concatenate([self.tokens[rows, parents], added], axis=2)
        self.parents = (rows * beam + parents).reshape(-1)

    def drop_done(self) -> None:
        """Removes finished sentences from the batch once there are enough of them."""
        if np.count_nonzero(self.done) < max(1, DONE_SHARE * len(self.done)):
            return
        rows = np.flatnonzero(~self.done)
        self.parents = np.ascontiguousarray(
            self.parents.reshape(-1, self.options.beam)[rows].reshape(-1)
        )
        self.sources = self.sources.take(rows)
        self.sentence, self.done = self.sentence[rows], self.done[rows]
        self.tokens, self.scores = self.tokens[rows], self.scores[rows]
        self.ignored = self.ignored[rows]


def length_limits(lengths: Sequence[int], options: SearchOptions, positions: int) -> np.ndarray:
    """Maximum number of symbols in each sentence's translation, not counting ``</s>``."""
    allowed = (options.max_len_a * np.array(lengths) + options.max_len_b).astype(np.int64)
    return np.maximum(np.minimum(allowed, positions - 1), options.min_len)


def padded(sources: Sequence[Sequence[int]]) -> np.ndarray:
    """The sentences as one array, padded at the end."""
    rows = np.full((len(sources), max(map(len, sources))), PAD, np.int64)
    for row, source in zip(rows, sources):
        row[: len(source)] = source
    return rows
