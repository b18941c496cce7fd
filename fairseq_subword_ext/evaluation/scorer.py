"""Computes all measures of systems: scores, words, copies and lengths."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from fairseq_subword_ext.evaluation.corpus_scores import (
    CorpusScore,
    systems_scores,
    tokenized_bleu,
)
from fairseq_subword_ext.evaluation.line_scores import LineMetric
from fairseq_subword_ext.evaluation.rank_f1 import rank_matches
from fairseq_subword_ext.evaluation.score_record import TOKENIZED_BLEU, Setting, SystemRecord
from fairseq_subword_ext.evaluation.system_output import SystemOutput
from fairseq_subword_ext.evaluation.word_f1 import (
    RARE_RANK,
    copied_lines,
    copied_words,
    count_matches,
    frequency_ranks,
    unigram_matches,
    word_classes,
)
from fairseq_subword_ext.evaluation.words import DEFAULT_TOKENIZER, word_cutter


class TokenizedBleu(NamedTuple):
    """The tokenization for an additional row with BLEU on tokenized text."""

    tokenizer: str
    language: str


class System(NamedTuple):
    """A system to measure.

    Attributes:
        name, file, settings: stored in the record.
        output: the output, with as many lines as the reference.
    """

    name: str
    file: str
    output: SystemOutput
    settings: Mapping[str, Setting]


class Scorer:
    """Measures systems against one reference, which is prepared only once.

    Args:
        reference: the raw reference lines.
        source: equally many source lines, to count copies; None to leave copies out.
        training_counts: word counts of the target side's training text, for rare and OOV words; None
            to leave these out.
        rare_rank: number of most frequent words that are not rare.
        rare_includes_oov: count OOV words as rare, too.
        tokenizer: tokenizer for BLEU and for everything that counts words.
        tokenized: also compute BLEU on text tokenized this way.
        line_metrics: line scores from other tools.

    Raises:
        ValueError: If the tokenizer lacks a package or a model.
    """

    def __init__(
        self,
        reference: Sequence[str],
        source: Optional[Sequence[str]] = None,
        training_counts: Optional[Mapping[str, int]] = None,
        rare_rank: int = RARE_RANK,
        rare_includes_oov: bool = False,
        tokenizer: str = DEFAULT_TOKENIZER,
        tokenized: Optional[TokenizedBleu] = None,
        line_metrics: Sequence[LineMetric] = (),
    ):
        self._reference = reference
        self._source = source
        self._tokenizer = tokenizer
        self._tokenized = tokenized
        self._line_metrics = line_metrics
        self._cut = word_cutter(tokenizer)
        self._ranks = None if training_counts is None else frequency_ranks(training_counts)
        self._classes = word_classes(self._ranks, rare_rank, rare_includes_oov)
        self._reference_words = self._words(reference)
        self._source_words = None if source is None else self._words(source)

    def records(self, systems: Sequence[System]) -> List[SystemRecord]:
        """Measures the systems."""
        lines = [system.output.lines for system in systems]
        scores = systems_scores(lines, self._reference, self._tokenizer)
        return [self._record(system, found) for system, found in zip(systems, scores)]

    def _record(self, system: System, scores: Dict[str, CorpusScore]) -> SystemRecord:
        lines = system.output.lines
        if self._tokenized is not None:
            scores[TOKENIZED_BLEU] = tokenized_bleu(lines, self._reference, *self._tokenized)
        for metric in self._line_metrics:
            if system.name in metric.scores:
                scores[metric.name] = metric.mean(system.name)
        words = self._words(lines)
        matches = count_matches(words, self._reference_words)
        return SystemRecord(
            name=system.name,
            file=system.file,
            read_as=system.output.read_as,
            lines=len(lines),
            settings=dict(system.settings),
            scores={metric: score.value for metric, score in scores.items()},
            signatures={metric: score.signature for metric, score in scores.items()},
            lengths=self._lengths(lines, words),
            words={
                kind: match.to_dict()
                for kind, match in unigram_matches(matches, self._classes).items()
            },
            copies=self._copies(lines, words),
            ranks=None if self._ranks is None else rank_matches(matches, self._ranks),
        )

    def _words(self, lines: Sequence[str]) -> List[List[str]]:
        return [self._cut(line) for line in lines]

    def _lengths(self, lines: Sequence[str], words: Sequence[List[str]]) -> Dict[str, Any]:
        count = sum(map(len, words))
        expected = sum(map(len, self._reference_words))
        return {
            "words": count,
            "reference_words": expected,
            "ratio": count / expected if expected else None,
            "characters": sum(map(len, lines)),
            "reference_characters": sum(map(len, self._reference)),
            "empty_lines": sum(not line.strip() for line in lines),
        }

    def _copies(self, lines: Sequence[str], words: Sequence[List[str]]) -> Optional[Dict[str, Any]]:
        if self._source is None or self._source_words is None:
            return None
        copies = copied_words(words, self._reference_words, self._source_words, self._classes)
        return {
            "lines": copied_lines(lines, self._source),
            "words": {kind: copy.to_dict() for kind, copy in copies.items()},
        }
