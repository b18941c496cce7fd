"""Line-level scores from another tool: COMET, MetricX, human judgements.

A system's score is their mean. Significance tests compare systems line by line.
"""

import math
from dataclasses import dataclass
from typing import Dict, List, Mapping, Sequence

from fairseq_subword_ext.evaluation.corpus_scores import CorpusScore
from fairseq_subword_ext.textio.files import shown
from fairseq_subword_ext.textio.text_input import read_text


@dataclass(frozen=True)
class LineMetric:
    """One metric's scores.

    Attributes:
        name: the metric's name.
        scores: for each system, one score per reference line.
        lower_is_better: true for error rates and the like.
    """

    name: str
    scores: Mapping[str, Sequence[float]]
    lower_is_better: bool = False

    def mean(self, system: str) -> CorpusScore:
        """The system's score, on the metric's own scale."""
        scores = self.scores[system]
        signature = f"mean of {len(scores)} line scores"
        if self.lower_is_better:
            signature += ", lower is better"
        return CorpusScore(math.fsum(scores) / len(scores), signature)

    def goodness(self, system: str) -> List[float]:
        """The scores, negated if lower is better, so that higher is better."""
        return [-score if self.lower_is_better else score for score in self.scores[system]]


def read_line_scores(path: str, lines: int) -> List[float]:
    """Reads one number per line.

    Args:
        path: the file; ``-`` for standard input.
        lines: expected number of lines.

    Raises:
        ValueError: If a line is not a finite number (the message has path and line), or the number of
            lines differs from the reference.
        OSError: If the file cannot be read.
    """
    scores = []
    for number, line in enumerate(read_text(path), start=1):
        try:
            score = float(line)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise ValueError(f"{path}:{number}: expected a score (one number), found {shown(line)}")
        scores.append(score)
    if len(scores) != lines:
        raise ValueError(
            f"{path} has {len(scores)} scores, but the reference has {lines} lines; give one score "
            "for each line"
        )
    return scores


def line_metrics(
    files: Mapping[str, Mapping[str, str]], lines: int, lower_is_better: Sequence[str] = ()
) -> List[LineMetric]:
    """Reads the scores of several metrics and systems.

    Args:
        files: metric -> system -> file.
        lines: number of reference lines.
        lower_is_better: names of the metrics for which lower is better.

    Raises:
        ValueError: As for :func:`read_line_scores`.
        OSError: As for :func:`read_line_scores`.
    """
    metrics = []
    for name, by_system in files.items():
        scores: Dict[str, List[float]] = {
            system: read_line_scores(path, lines) for system, path in by_system.items()
        }
        metrics.append(LineMetric(name, scores, name in lower_is_better))
    return metrics
