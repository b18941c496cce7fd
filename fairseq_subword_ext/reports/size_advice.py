"""How many merges to learn: measures every prefix of one merge table without applying it.

Learning records how often each merge was made, so one run gives the counts of all symbols after any number
of merges (:class:`.learner.MergeStatistics`). The merge that makes the last symbol of a word type determines
from which size the word is one symbol. So measuring all sizes costs about as much as learning once.

The recommendation is the heuristic of Gowda & May 2020 (Finding the Optimal Vocabulary Size for Neural
Machine Translation, Findings of EMNLP): the largest vocabulary of which 95 % occur 100 times or more in
the training text. They mean the target side, with a vocabulary of its own. Rare characters are in the
vocabulary at every size, so that possibly no size qualifies; then only the symbols made by merges are judged,
which is our addition. Rényi efficiency is that of Zouhar et al. 2023; see :mod:`.intrinsic`.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Dict, List, Optional, Sequence

from fairseq_subword_ext.counting.word_counts import WordCounts
from fairseq_subword_ext.reports.intrinsic import evenness
from fairseq_subword_ext.subword.dictionary import CONTROL_SYMBOLS
from fairseq_subword_ext.subword.learner import learn_with_statistics
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.symbols import END_OF_WORD
from fairseq_subword_ext.textio.errors import whole_number

# Gowda & May's criterion; half and twice the count for the range.
FREQUENT = 100
SHARE = 0.95
THRESHOLDS = (FREQUENT // 2, FREQUENT, 2 * FREQUENT)

DIMENSION = 512
LARGEST = 64000
_SMALLEST = 250


@dataclass(frozen=True)
class SizeMeasures:
    """Measures of the training text after a number of merges.

    Attributes:
        merges: number of merges.
        symbols: number of base symbols and merges, the maximum size of the vocabulary.
        used: number of symbols that occur in the segmented text.
        tokens_per_sentence: None if the number of sentences is not known.
        tokens_per_word: mean number of symbols per word.
        whole_words: share of the words that are one symbol.
        frequent: for each of :data:`THRESHOLDS`, the share of the used symbols that occur at least that often.
        frequent_made: the same for the used symbols made by merges.
        renyi_efficiency: of order 2.5; None if fewer than two symbols are used.
        embedding: number of parameters of one embedding matrix, including Fairseq's control symbols.
    """

    merges: int
    symbols: int
    used: int
    tokens_per_sentence: Optional[float]
    tokens_per_word: float
    whole_words: float
    frequent: Dict[int, float]
    frequent_made: Dict[int, float]
    renyi_efficiency: Optional[float]
    embedding: int


@dataclass(frozen=True)
class Recommendation:
    """One size, and a range for a stricter and a looser criterion.

    Attributes:
        merges: the size.
        low, high: the sizes if symbols must occur twice and half as often.
        reason: why, as a sentence.
    """

    merges: int
    low: int
    high: int
    reason: str


@dataclass(frozen=True)
class SizeAdvice:
    """All sizes for one unit, and the recommended one.

    Attributes:
        unit: ``char`` or ``byte``.
        sizes: in ascending order.
        recommendation: one of the sizes.
        table: the merges; each size is a prefix of them.
    """

    unit: str
    sizes: List[SizeMeasures]
    recommendation: Recommendation
    table: MergeTable


def suggest_size(
    counts: WordCounts,
    largest: int = LARGEST,
    dimension: int = DIMENSION,
    num_workers: int = 1,
    sentences: Optional[int] = None,
    **options: Any,
) -> SizeAdvice:
    """Learns once and measures sizes on a logarithmic grid.

    Args:
        counts: word counts of the training text; of all languages together for a joint vocabulary.
        largest: the largest number of merges to consider.
        dimension: of the embeddings.
        num_workers: number of threads that segment the word types.
        sentences: number of sentences of the text; None if not known.
        options: options of :func:`.learn_bpe`, such as ``measure`` and ``unit``.

    Raises:
        ValueError: If an option cannot be used or there are no words.
    """
    whole_number("the largest size", largest, 1)
    whole_number("the dimension of the embeddings", dimension, 1)
    table, statistics = learn_with_statistics(counts, largest, **options)
    whole = whole_words(counts, table, num_workers)
    words = counts.totals["tokens"]
    tokens = statistics.token_counts()
    sizes = []
    for merges in size_grid(len(table)):
        used = {s: n for s, n in statistics.symbol_counts(merges).items() if n > 0}
        made = [n for s, n in used.items() if s not in statistics.alphabet]
        symbols = len(statistics.alphabet) + merges
        sizes.append(
            SizeMeasures(
                merges,
                symbols,
                len(used),
                tokens[merges] / sentences if sentences else None,
                tokens[merges] / words,
                whole[merges] / words,
                _shares(list(used.values())),
                _shares(made),
                evenness(used).renyi_efficiency,
                (symbols + CONTROL_SYMBOLS) * dimension,
            )
        )
    return SizeAdvice(table.unit, sizes, recommend(sizes, len(table) < largest), table)


def size_grid(largest: int) -> List[int]:
    """Returns round sizes in steps of about the square root of two, and the largest size."""
    sizes = []
    for step in range(60):
        size = round(_SMALLEST * 2 ** (step / 2))
        sizes.append(round(size, 2 - len(str(size))) if step % 2 else size)
    return [size for size in sizes if size < largest] + [largest]


def whole_words(counts: WordCounts, table: MergeTable, num_workers: int = 1) -> List[int]:
    """Returns the number of words that are one symbol after 0, 1, ... all merges.

    A word that is whole after all merges became whole by the merge that makes its spelling. If several
    merges make it, the word is segmented with the merges up to each of them.
    """
    ranks: Dict[str, List[int]] = {}
    for rank, (left, right) in enumerate(table, 1):
        ranks.setdefault(left + right, []).append(rank)
    items = counts.items()
    words = [word for word, _ in items]
    completed = [0] * (len(table) + 1)
    unclear: Dict[int, List[int]] = {}
    for place, printed in enumerate(_segment(table, words, num_workers)):
        if " " in printed:
            continue
        made_by = ranks.get(printed + END_OF_WORD if table.unit == "char" else printed, [0])
        if len(made_by) == 1:
            completed[made_by[0]] += items[place][1]
        else:
            for rank in made_by:
                unclear.setdefault(rank, []).append(place)
    known = set()
    for rank in sorted(unclear):
        places = [place for place in unclear[rank] if place not in known]
        shorter = MergeTable(table.merges[:rank], table.unit, table.version)
        for place, printed in zip(
            places, _segment(shorter, [words[p] for p in places], num_workers)
        ):
            if " " not in printed:
                known.add(place)
                completed[rank] += items[place][1]
    return list(accumulate(completed))


def _segment(table: MergeTable, words: Sequence[str], num_workers: int) -> List[str]:
    # As in learning, no merge is undone and nothing is escaped.
    return Segmenter(table, compat="subword-nmt").segment_lines(words, num_workers)


def _shares(counts: Sequence[int]) -> Dict[int, float]:
    return {
        least: sum(count >= least for count in counts) / (len(counts) or 1) for least in THRESHOLDS
    }


def recommend(sizes: Sequence[SizeMeasures], exhausted: bool) -> Recommendation:
    """Applies the heuristic of Gowda & May 2020.

    Args:
        sizes: in ascending order.
        exhausted: whether the text allows no more merges than the last size.
    """
    half, rule, twice = THRESHOLDS
    smallest, largest = sizes[0].merges, sizes[-1].merges
    limit = f"occur {rule} times or more"
    shares, judged = [size.frequent for size in sizes], "symbols in use"
    if not any(share[rule] >= SHARE for share in shares):
        shares, judged = [size.frequent_made for size in sizes], "symbols that merges make"
    fitting = {
        least: [size.merges for size, share in zip(sizes, shares) if share[least] >= SHARE]
        for least in THRESHOLDS
    }
    if not fitting[rule]:
        reason = f"the text is small: at no size do {SHARE:.0%} of the symbols {limit}"
        return Recommendation(smallest, smallest, max(fitting[half], default=smallest), reason)
    best = fitting[rule][-1]
    reason = f"the largest of these sizes at which {SHARE:.0%} of the {judged} {limit}"
    if judged != "symbols in use":
        reason += "; rare characters keep all symbols together below that at every size"
    if best == largest:
        reason += "; the text has no more merges" if exhausted else "; --max excluded larger ones"
    return Recommendation(best, max(fitting[twice], default=smallest), fitting[half][-1], reason)
