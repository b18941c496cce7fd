"""The scores of a run's systems, read from the files of ``fairseq-subword score --json``."""

import re
import statistics
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from fairseq_subword_ext.evaluation.score_record import BLEU, TOKENIZED_BLEU, ScoreRecord
from recipes.engine.run import ENSEMBLE, Run
from recipes.engine.systems import System

DECODING = "decoding"  # the setting that names the column of the table
TEXT, TOKENS = "text", "tokens"  # text=tokens: what was scored are tokens, not running text


@dataclass
class Scores:
    """The scores of one system and seed.

    Attributes:
        figures: by column of the table, then by metric.
        signatures: by metric.
        seeds: of an ensemble, such as ``1+2``.
    """

    figures: Dict[str, Dict[str, float]] = field(default_factory=dict)
    signatures: Dict[str, str] = field(default_factory=dict)
    seeds: str = ""


def read_scores(run: Run, system: System, seed: int) -> Scores:
    """The scores of a system in its folder; empty if it has not been scored.

    Unigram F1, ``F1 all`` and the like, is that of tokens.

    Raises:
        ValueError: If a file of scores is malformed.
    """
    found = Scores()
    for path in sorted(run.folder(system, seed).glob("*.json")):
        for record in ScoreRecord.load(path).systems:
            column = str(record.settings.get(DECODING, ""))
            found.seeds = str(record.settings.get("seeds", ""))
            for name, value in record.scores.items():
                metric = name
                if record.settings.get(TEXT) == TOKENS:
                    if name != BLEU:
                        continue
                    metric = TOKENIZED_BLEU
                found.figures.setdefault(column, {})[metric] = value
                found.signatures[metric] = record.signatures.get(name, "")
            if record.settings.get(TEXT) == TOKENS:
                for name, words in record.words.items():
                    if words.get("f1") is not None:
                        found.figures.setdefault(column, {})[f"F1 {name}"] = words["f1"]
    return found


def seeds_of(run: Run, system: System) -> List[int]:
    """All seeds of a system that have been scored, now or in earlier runs."""
    seeds = [1]
    for folder in (run.work / "systems").glob(f"{system.name}.seed*"):
        number = folder.name[len(system.name) + len(".seed") :]
        if number.isdecimal():
            seeds.append(int(number))
    return [seed for seed in sorted(seeds) if read_scores(run, system, seed).figures]


def trained_parameters(run: Run, system: System, seed: int) -> Optional[int]:
    """The number of parameters that a row has trained, by Fairseq's log; None if there is none."""
    for path in run.folder(system, seed).glob("hydra/*.log"):
        found = re.findall(r"num\. trained: ([\d,]+)\)", path.read_text(encoding="utf-8"))
        if found:  # Fairseq counts the parameters of the criterion, too
            return max(int(number.replace(",", "")) for number in found)
    return None


@dataclass
class Figure:
    """A score over all seeds.

    Attributes:
        values: one per seed.
    """

    values: List[float]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    def __str__(self) -> str:
        """The mean and, of several seeds, their standard deviation."""
        shown = f"{self.mean:.2f}"
        if len(self.values) > 1:
            shown += f" ± {statistics.stdev(self.values):.2f}"
        return shown


class Results:
    """The scores of all systems of a run, over all seeds."""

    def __init__(self, run: Run):
        self.run = run
        self._read: Dict[str, Dict[int, Scores]] = {}

    def of(self, system: System) -> Dict[int, Scores]:
        """The scores of a system by seed."""
        if system.name not in self._read:
            seeds = seeds_of(self.run, system)
            self._read[system.name] = {seed: read_scores(self.run, system, seed) for seed in seeds}
        return self._read[system.name]

    def ensemble(self, system: System) -> Scores:
        """The scores of a system's ensemble; without figures if there is none."""
        return read_scores(self.run, system, ENSEMBLE)

    def figure(self, system: System, column: str, metric: str) -> Optional[Figure]:
        """A score of a system; None if it has not been scored."""
        found = [
            scores.figures[column][metric]
            for scores in self.of(system).values()
            if metric in scores.figures.get(column, {})
        ]
        return Figure(found) if found else None

    def signatures(self, systems: List[System], metric: str) -> List[str]:
        """Every signature that a metric's figures were computed with."""
        return list(
            dict.fromkeys(
                scores.signatures[metric]
                for system in systems
                for scores in self.of(system).values()
                if scores.signatures.get(metric)
            )
        )
