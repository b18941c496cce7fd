"""The only module that uses sacreBLEU beyond its documented interface.

Private functions may change in any release, so pyproject.toml limits the version, only this module calls
them, and ``tests/evaluation/test_sacrebleu_adapter.py`` compares its results with those of sacreBLEU's
public functions. Raise the limit once these tests pass with a new release.
"""

from pathlib import Path
from typing import Any, Dict, List, Sequence

from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
from sacrebleu.utils import SACREBLEU_DIR

# Tokenizers that need an extra of sacreBLEU, and the name of the extra.
MECAB_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}
FLORES200 = "flores200"

# Counts of one sentence; the score of a corpus is computed from their sum.
Statistics = List[Any]

_SENTENCES_AT_A_TIME = 2000


def make_bleu(tokenizer: str, **options: Any) -> BLEU:
    """Creates a BLEU metric whose tokenizer is ready to use.

    Args:
        tokenizer: sacreBLEU's name of the tokenizer.
        options: options of :class:`sacrebleu.metrics.BLEU`.

    Raises:
        ValueError: If the tokenizer lacks a package or a model; the message says how to get it.
    """
    # `force` only silences sacreBLEU's warning about tokenized text; the command prints its own.
    try:
        return BLEU(tokenize=tokenizer, force=True, **options)
    except (ImportError, RuntimeError, AssertionError, OSError, SystemExit) as error:
        if tokenizer in MECAB_EXTRAS:
            advice = f"pip install 'sacrebleu[{MECAB_EXTRAS[tokenizer]}]'"
        elif tokenizer == FLORES200:
            url = SPM_MODELS[FLORES200]["url"]
            path = Path(SACREBLEU_DIR, "models", url.rpartition("/")[2])
            advice = (
                f"sacreBLEU downloads its SentencePiece model from {url} once; without a network, "
                f"copy that file to {path} (the variable SACREBLEU names another folder than "
                f"{SACREBLEU_DIR})"
            )
        else:
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"the tokenizer {tokenizer} cannot be used: {advice}; {reason}") from None


def sentence_statistics(
    metric: Metric, systems: Sequence[Sequence[str]], reference: Sequence[str]
) -> List[List[Statistics]]:
    """The counts that a score is computed from, for each system and sentence.

    sacreBLEU's ``corpus_score`` keeps all n-grams of the reference in memory, for chrF about 75 kB per
    sentence; this function processes a few sentences at a time.

    Args:
        metric: created without a reference.
        systems: the lines of each system.
        reference: equally many lines.
    """
    found: List[List[Statistics]] = [[] for _ in systems]
    for start in range(0, len(reference), _SENTENCES_AT_A_TIME):
        part = slice(start, start + _SENTENCES_AT_A_TIME)
        metric._ref_cache = metric._cache_references([list(reference[part])])
        for lines, statistics in zip(systems, found):
            statistics += metric._extract_corpus_statistics(list(lines[part]), None)
    metric._ref_cache = None
    return found


def score_of(metric: Metric, statistics: Sequence[Statistics]) -> float:
    """The score of the sentences with these statistics.

    Args:
        metric: the metric passed to :func:`sentence_statistics`.
        statistics: statistics of one or more sentences.
    """
    return metric._aggregate_and_compute(statistics).score


class _MeanSignature(Signature):
    """The signature of averaged line scores, which have no reference to count."""

    def __init__(self, args: Dict[str, Any]):
        super().__init__({**args, "num_refs": None})
        self.info["score"] = "mean-of-lines"


class MeanOfLines(Metric):
    """The mean of another tool's line scores, as a metric for sacreBLEU's paired tests.

    It takes a system's line scores where sacreBLEU expects the lines.

    Args:
        name: name of the scores.
    """

    _SIGNATURE_TYPE = _MeanSignature

    def __init__(self, name: str):
        super().__init__()
        self._name = name

    def _extract_corpus_statistics(self, hypotheses: Sequence[Any], references: Any) -> Any:
        return [[score, 1] for score in hypotheses]

    def _aggregate_and_compute(self, stats: Sequence[Statistics]) -> Score:
        return self._compute_score_from_stats([sum(column) for column in zip(*stats)])

    def _compute_score_from_stats(self, stats: Statistics) -> Score:
        total, lines = stats
        return Score(self._name, float(total / lines))

    def _preprocess_segment(self, sent: str) -> str:
        raise NotImplementedError

    def _extract_reference_info(self, refs: Sequence[str]) -> Dict[str, Any]:
        raise NotImplementedError

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Dict) -> Statistics:
        raise NotImplementedError
