"""BLEU, chrF3 and chrF over a whole test set, by sacreBLEU, each with its signature."""

from dataclasses import dataclass
from typing import Dict, List, Sequence

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric

# What sacreBLEU needs no further package, model or dictionary for.
TOKENIZERS = ("13a", "intl", "zh", "char", "none")
DEFAULT_TOKENIZER = "13a"


@dataclass(frozen=True)
class CorpusScore:
    """One score.

    Attributes:
        value: from 0 to 100.
        signature: sacreBLEU's, which says exactly what was computed.
    """

    value: float
    signature: str


def metrics(tokenizer: str = DEFAULT_TOKENIZER) -> Dict[str, Metric]:
    """sacreBLEU's metrics by the names used here.

    chrF3 weighs recall three times as much as precision (Popović 2015; the one that Sennrich, Haddow
    & Birch 2016 report), chrF twice as much, as is sacreBLEU's default.

    Args:
        tokenizer: one of :data:`TOKENIZERS`, for BLEU only.
    """
    # `force` only silences sacreBLEU's remark on tokenized text; the command makes its own.
    return {
        "BLEU": BLEU(tokenize=tokenizer, force=True),
        "chrF3": CHRF(beta=3),
        "chrF": CHRF(),
    }


def corpus_scores(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> Dict[str, CorpusScore]:
    """Scores translations against one reference.

    Args:
        lines: detokenized translations.
        reference: as many raw reference lines.
        tokenizer: that BLEU cuts both with.

    Returns:
        Scores by the names of :func:`metrics`.
    """
    return {name: _score(metric, lines, reference) for name, metric in metrics(tokenizer).items()}


def _score(metric: Metric, lines: Sequence[str], reference: Sequence[str]) -> CorpusScore:
    references: List[List[str]] = [list(reference)]
    value = metric.corpus_score(list(lines), references).score
    return CorpusScore(value, str(metric.get_signature()))
