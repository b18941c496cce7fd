"""BLEU, chrF3 and chrF over a whole test set, by sacreBLEU, each with its signature."""

from dataclasses import dataclass
from functools import partial
from typing import Callable, Dict, List, Sequence

from sacrebleu.metrics import CHRF
from sacrebleu.metrics.base import Metric

from fairseq_subword_ext.evaluation.sacrebleu_adapter import (
    Statistics,
    make_bleu,
    score_of,
    sentence_statistics,
)
from fairseq_subword_ext.evaluation.score_record import BLEU, CHRF2, CHRF3
from fairseq_subword_ext.evaluation.words import (
    AS_IT_IS,
    DEFAULT_TOKENIZER,
    MOSES,
    cutter_signature,
    word_cutter,
)

MetricMaker = Callable[..., Metric]


@dataclass(frozen=True)
class CorpusScore:
    """One score.

    Attributes:
        value: from 0 to 100.
        signature: sacreBLEU's, which says exactly what was computed.
    """

    value: float
    signature: str


def metric_makers(tokenizer: str = DEFAULT_TOKENIZER) -> Dict[str, MetricMaker]:
    """What makes each of sacreBLEU's metrics, by the names used here; it takes sacreBLEU's options.

    chrF3 weighs recall three times as much as precision (Popović 2015; the one that Sennrich, Haddow
    & Birch 2016 report), chrF twice as much, as is sacreBLEU's default.

    Args:
        tokenizer: one of :data:`~fairseq_subword_ext.evaluation.words.SACREBLEU_TOKENIZERS`, for
            BLEU only.
    """
    return {BLEU: partial(make_bleu, tokenizer), CHRF3: partial(CHRF, beta=3), CHRF2: CHRF}


def corpus_scores(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> Dict[str, CorpusScore]:
    """Scores one system's translations against one reference.

    Args:
        lines: detokenized translations.
        reference: as many raw reference lines.
        tokenizer: that BLEU cuts both with.

    Returns:
        Scores by the names of :func:`metric_makers`.

    Raises:
        ValueError: If the tokenizer lacks a package or a model.
    """
    (scores,) = systems_scores([lines], reference, tokenizer)
    return scores


def systems_scores(
    systems: Sequence[Sequence[str]],
    reference: Sequence[str],
    tokenizer: str = DEFAULT_TOKENIZER,
) -> List[Dict[str, CorpusScore]]:
    """The same for several systems, for which the reference is prepared once."""
    # A metric knows its signature once it has seen a reference.
    metrics = {
        name: make(references=[list(reference[:1])])
        for name, make in metric_makers(tokenizer).items()
    }
    counted = {
        name: sentence_statistics(metrics[name], systems, reference) for name in (BLEU, CHRF2)
    }
    counted[CHRF3] = counted[CHRF2]  # they do not depend on the weight of recall
    return [
        {name: _score(metric, counted[name][number]) for name, metric in metrics.items()}
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
        ValueError: If the tokenizer lacks a package or a model.
    """
    cut = word_cutter(tokenizer, language)
    cut_reference = [" ".join(cut(line)) for line in reference]
    cut_lines = [" ".join(cut(line)) for line in lines]
    metric = make_bleu(AS_IT_IS)
    score = _score(metric, sentence_statistics(metric, [cut_lines], cut_reference)[0])
    by = cutter_signature(tokenizer, language)
    return CorpusScore(score.value, f"{score.signature}|tokenized-by:{by}")


def _score(metric: Metric, statistics: Sequence[Statistics]) -> CorpusScore:
    return CorpusScore(score_of(metric, statistics), str(metric.get_signature()))
