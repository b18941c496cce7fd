"""BLEU, chrF3 and chrF over a whole test set, by sacreBLEU, each with its signature."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric

from fairseq_subword_ext.evaluation.words import (
    AS_IT_IS,
    DEFAULT_TOKENIZER,
    MOSES,
    cutter_signature,
    word_cutter,
)

TOKENIZED_BLEU = "tokenized BLEU"

MetricMaker = Callable[..., Metric]

_SENTENCES_AT_A_TIME = 2000


@dataclass(frozen=True)
class CorpusScore:
    """One score.

    Attributes:
        value: from 0 to 100.
        signature: sacreBLEU's, which says exactly what was computed.
    """

    value: float
    signature: str


def _makers(tokenizer: str) -> Dict[str, MetricMaker]:
    """What makes each metric, given its references."""
    # `force` only silences sacreBLEU's remark on tokenized text; the command makes its own.
    return {
        "BLEU": partial(BLEU, tokenize=tokenizer, force=True),
        "chrF3": partial(CHRF, beta=3),
        "chrF": CHRF,
    }


def metrics(
    reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> Iterator[Tuple[str, Metric]]:
    """sacreBLEU's metrics by the names used here, each ready for this reference.

    chrF3 weighs recall three times as much as precision (Popović 2015; the one that Sennrich, Haddow
    & Birch 2016 report), chrF twice as much, as is sacreBLEU's default. They come one at a time since
    each holds all n-grams of the reference.

    Args:
        reference: the raw reference lines, one or more.
        tokenizer: one of :data:`~fairseq_subword_ext.evaluation.words.SACREBLEU_TOKENIZERS`, for
            BLEU only.
    """
    for name, make in _makers(tokenizer).items():
        yield name, make(references=[list(reference)])


def corpus_scores(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> Dict[str, CorpusScore]:
    """Scores one system's translations against one reference.

    Args:
        lines: detokenized translations.
        reference: as many raw reference lines.
        tokenizer: that BLEU cuts both with.

    Returns:
        Scores by the names of :func:`metrics`.
    """
    (scores,) = systems_scores([lines], reference, tokenizer)
    return scores


def systems_scores(
    systems: Sequence[Sequence[str]],
    reference: Sequence[str],
    tokenizer: str = DEFAULT_TOKENIZER,
) -> List[Dict[str, CorpusScore]]:
    """The same for several systems, for which the reference is prepared once."""
    makers = _makers(tokenizer)
    statistics = {"BLEU": _statistics(makers["BLEU"], systems, reference)}
    # chrF's do not depend on how recall is weighed.
    statistics["chrF3"] = statistics["chrF"] = _statistics(makers["chrF"], systems, reference)
    return [
        {name: _score(make, statistics[name][number], reference) for name, make in makers.items()}
        for number in range(len(systems))
    ]


def tokenized_bleu(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = MOSES, language: str = "en"
) -> CorpusScore:
    """Case-sensitive BLEU on text that was tokenized first, as the papers report it.

    It is higher or lower than BLEU on detokenized text, depends on the tokenizer, and can be compared
    with the same tokenizer's figures only; so the tokenizer is a part of the signature.

    Args:
        lines, reference: as many lines, tokenized here both alike.
        tokenizer: one of :data:`~fairseq_subword_ext.evaluation.words.TOKENIZERS`.
        language: for Moses.

    Raises:
        ValueError: for Moses where sacremoses is not installed.
    """
    cut = word_cutter(tokenizer, language)
    cut_reference = [" ".join(cut(line)) for line in reference]
    cut_lines = [" ".join(cut(line)) for line in lines]
    make = _makers(AS_IT_IS)["BLEU"]
    score = _score(make, _statistics(make, [cut_lines], cut_reference)[0], cut_reference)
    by = cutter_signature(tokenizer, language)
    return CorpusScore(score.value, f"{score.signature}|tokenized-by:{by}")


def _statistics(
    make: MetricMaker, systems: Sequence[Sequence[str]], reference: Sequence[str]
) -> List[List[Any]]:
    """What a score is computed from: for each system and sentence, counts that add up.

    sacreBLEU's ``corpus_score`` holds all n-grams of the reference, for chrF some 75 kB a sentence;
    so a part of the sentences is counted at a time.
    """
    found: List[List[Any]] = [[] for _ in systems]
    for start in range(0, len(reference), _SENTENCES_AT_A_TIME):
        part = slice(start, start + _SENTENCES_AT_A_TIME)
        metric = make(references=[list(reference[part])])
        for lines, counts in zip(systems, found):
            counts += metric._extract_corpus_statistics(list(lines[part]), None)
    return found


def _score(make: MetricMaker, statistics: List[Any], reference: Sequence[str]) -> CorpusScore:
    metric = make(references=[list(reference[:1])])  # the signature gives their number
    value = metric._aggregate_and_compute(statistics).score
    return CorpusScore(value, str(metric.get_signature()))
