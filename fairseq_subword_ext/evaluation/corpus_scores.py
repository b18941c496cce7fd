"""BLEU, chrF3 and chrF over a whole test set, by sacreBLEU, each with its signature."""

from dataclasses import dataclass
from typing import Dict, List, Sequence

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric

from fairseq_subword_ext.evaluation.words import (
    DEFAULT_TOKENIZER,
    MOSES,
    cutter_signature,
    word_cutter,
)

TOKENIZED_BLEU = "tokenized BLEU"


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
        tokenizer: one of :data:`~fairseq_subword_ext.evaluation.words.SACREBLEU_TOKENIZERS`, for
            BLEU only.
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
    score = _score(
        BLEU(tokenize="none", force=True),
        [" ".join(cut(line)) for line in lines],
        [" ".join(cut(line)) for line in reference],
    )
    by = cutter_signature(tokenizer, language)
    return CorpusScore(score.value, f"{score.signature}|tokenized-by:{by}")


def _score(metric: Metric, lines: Sequence[str], reference: Sequence[str]) -> CorpusScore:
    references: List[List[str]] = [list(reference)]
    value = metric.corpus_score(list(lines), references).score
    return CorpusScore(value, str(metric.get_signature()))
