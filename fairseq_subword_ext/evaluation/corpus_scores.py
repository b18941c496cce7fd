"""BLEU, chrF3 and chrF of a whole test set, computed by sacreBLEU and returned with signatures."""

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
        signature: sacreBLEU's signature, which says exactly what was computed.
    """

    value: float
    signature: str


def metric_makers(tokenizer: str = DEFAULT_TOKENIZER) -> Dict[str, MetricMaker]:
    """Factories of sacreBLEU's metrics, by the names used here; they take sacreBLEU's options.

    chrF3 weights recall three times as much as precision (Popović 2015; reported by Sennrich, Haddow
    & Birch 2016), chrF twice as much, which is sacreBLEU's default.

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
        reference: the raw reference, one line per translation.
        tokenizer: BLEU tokenizes both sides with it.

    Returns:
        Scores by the names in :func:`metric_makers`.

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
    """Like :func:`corpus_scores` for several systems, but prepares the reference only once."""
    # A metric has a signature only once it has seen a reference.
    metrics = {
        name: make(references=[list(reference[:1])])
        for name, make in metric_makers(tokenizer).items()
    }
    counted = {
        name: sentence_statistics(metrics[name], systems, reference) for name in (BLEU, CHRF2)
    }
    counted[CHRF3] = counted[CHRF2]  # the counts do not depend on beta
    return [
        {name: _score(metric, counted[name][number]) for name, metric in metrics.items()}
        for number in range(len(systems))
    ]


def tokenized_bleu(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = MOSES, language: str = "en"
) -> CorpusScore:
    """Case-sensitive BLEU on tokenized text, as the papers report it.

    It differs from BLEU on detokenized text and depends on the tokenizer, so it can be compared only with
    figures from the same tokenizer, which is part of the signature.

    Args:
        lines, reference: equally many lines; both are tokenized here in the same way.
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
