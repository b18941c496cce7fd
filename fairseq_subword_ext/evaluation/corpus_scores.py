"""BLEU, chrF3 and chrF over a whole test set, by sacreBLEU, each with its signature."""

from dataclasses import dataclass
from typing import Dict, Iterator, Mapping, Sequence, Tuple

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
    references = [list(reference)]
    # `force` only silences sacreBLEU's remark on tokenized text; the command makes its own.
    yield "BLEU", BLEU(tokenize=tokenizer, force=True, references=references)
    yield "chrF3", CHRF(beta=3, references=references)
    yield "chrF", CHRF(references=references)


def corpus_scores(
    systems: Mapping[str, Sequence[str]],
    reference: Sequence[str],
    tokenizer: str = DEFAULT_TOKENIZER,
) -> Dict[str, Dict[str, CorpusScore]]:
    """Scores translations against one reference.

    Args:
        systems: detokenized translations by the system's name.
        reference: as many raw reference lines.
        tokenizer: that BLEU cuts both with.

    Returns:
        Each system's scores by the names of :func:`metrics`.
    """
    scores: Dict[str, Dict[str, CorpusScore]] = {name: {} for name in systems}
    for metric_name, metric in metrics(reference, tokenizer):
        for name, lines in systems.items():
            scores[name][metric_name] = _score(metric, lines)
    return scores


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
    references = [[" ".join(cut(line)) for line in reference]]
    metric = BLEU(tokenize="none", force=True, references=references)
    score = _score(metric, [" ".join(cut(line)) for line in lines])
    by = cutter_signature(tokenizer, language)
    return CorpusScore(score.value, f"{score.signature}|tokenized-by:{by}")


def _score(metric: Metric, lines: Sequence[str]) -> CorpusScore:
    value = metric.corpus_score(list(lines), None).score
    return CorpusScore(value, str(metric.get_signature()))
