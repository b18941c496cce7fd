"""Scores systems' output against the raw reference.

score -r REF none=none.out gru=gru.out    BLEU, chrF3, chrF (sacreBLEU) and unigram F1
  --train TRAIN.en                        also F1 of rare and unseen words
  --significance sign-corpus bootstrap    test the difference from the first system (or --baseline)
  --segment-scores gru:COMET=gru.comet    line scores from another tool, in the table and the tests
  --rank-plot ranks                       F1 by frequency rank: ranks.png, ranks.svg
score --load *.json                       one table of the --json files of several runs
  --plot-merges figure                    BLEU against the setting merges: figure.png, figure.svg

A SYSTEM is plain text, or the output of fairseq-generate or fairseq-interactive (its decoded D- lines are
read and put in order); NAME= names its column. The reference must be the raw text, never Fairseq's echo of
it. --json keeps everything, unrounded, in the layout described in the module
fairseq_subword_ext.evaluation.score_record.
"""

import argparse
from pathlib import Path
from typing import List, Mapping, Optional, Sequence

from fairseq_subword_ext.cli.common import log, workers
from fairseq_subword_ext.cli.score_arguments import add_arguments
from fairseq_subword_ext.cli.system_arguments import (
    named_systems,
    parse_line_scores,
    parse_settings,
)
from fairseq_subword_ext.evaluation.line_scores import LineMetric, line_metrics
from fairseq_subword_ext.evaluation.output_checks import (
    check_lines,
    output_warnings,
    tokenized_warning,
)
from fairseq_subword_ext.evaluation.score_record import METRICS, ScoreRecord, digest, joined
from fairseq_subword_ext.evaluation.score_table import formatted
from fairseq_subword_ext.evaluation.scorer import Scorer, System, TokenizedBleu
from fairseq_subword_ext.evaluation.significance import (
    KILOBYTES_A_SENTENCE,
    MANY_SENTENCES,
    SIGN_TESTS,
    compare_systems,
)
from fairseq_subword_ext.evaluation.system_output import (
    SystemOutput,
    read_reference,
    read_system,
)
from fairseq_subword_ext.evaluation.words import AS_IT_IS, count_training_words
from fairseq_subword_ext.reports.drawing import figure_paths, save_figure
from fairseq_subword_ext.reports.rank_plot import draw_ranks
from fairseq_subword_ext.reports.score_plots import draw_context, draw_merges
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_text_writer
from fairseq_subword_ext.textio.text_input import read_text

__all__ = ["add_arguments", "further_outputs", "run"]


def further_outputs(args: argparse.Namespace) -> List[Path]:
    """The files of the plots."""
    prefixes = filter(None, (args.plot_merges, args.plot_context, args.rank_plot))
    return [path for prefix in prefixes for path in figure_paths(prefix)]


def run(args: argparse.Namespace) -> None:
    """Scores all systems or loads their scores, then prints the table and writes the requested files."""
    record = load_records(args) if args.load else score_systems(args)
    if args.json is not None:
        record.save(args.json)
    draw_plots(args, record)
    with atomic_text_writer(STANDARD_STREAM) as stream:
        stream.write(formatted(record, args.format, args.transpose))


def draw_plots(args: argparse.Namespace, record: ScoreRecord) -> None:
    """Draws the requested plots.

    Raises:
        ValueError: If systems lack the settings or the ranks that a plot needs.
    """
    figures = (
        (args.plot_merges, lambda: draw_merges(record.systems, args.plot_metric)),
        (args.plot_context, lambda: draw_context(record.systems, args.plot_metric)),
        (args.rank_plot, lambda: draw_ranks(record.systems)),
    )
    for prefix, draw in figures:
        if prefix is not None:
            paths = save_figure(draw(), prefix)
            log(f"wrote {' and '.join(map(str, paths))}")


def load_records(args: argparse.Namespace) -> ScoreRecord:
    """Joins the records that --load names.

    Raises:
        ValueError: If something to score is given as well, or a file is not a record of scores.
    """
    given = {
        "a reference": args.reference,
        "systems": args.systems or args.further_systems,
        "--train": args.train,
        "--source": args.source,
        "--ids": args.ids,
        "--tokenized": args.tokenized,
        "--segment-scores": args.segment_scores,
        "--significance": args.significance,
        "--set": args.set,
    }
    excess = [what for what, value in given.items() if value]
    if excess:
        raise ValueError(
            f"--load only shows saved scores; it cannot be combined with {', '.join(excess)}"
        )
    record = joined([ScoreRecord.load(path) for path in args.load])
    if not record.reference:
        log("the records were scored against different references")
    return record


def score_systems(args: argparse.Namespace) -> ScoreRecord:
    """Reads all texts and scores the systems.

    Raises:
        ValueError: If something is missing, or the numbers of lines differ.
    """
    if args.reference is None:
        raise ValueError("give the raw reference with -r")
    named = named_systems([*args.systems, *args.further_systems])
    names = [system.name for system in named]
    settings = parse_settings(args.set, names)
    baseline = chosen_baseline(args, names)
    if args.rank_plot is not None and not args.train:
        raise ValueError("--rank-plot needs the training text (--train) for the ranks of words")
    files = parse_line_scores(args.segment_scores, names, METRICS)
    reference = read_reference(args.reference, args.carriage_return)
    further = read_line_metrics(args, files, len(reference))
    warn_if_tokenized(args, args.reference, reference)
    systems = [
        System(name, path, read_output(args, path, reference), settings[name])
        for name, path in named
    ]
    scorer = Scorer(
        reference,
        read_source(args, reference),
        count_training_words(args.train, args.tokenize, workers(args)) if args.train else None,
        args.rare_rank,
        args.rare_includes_oov,
        args.tokenize,
        TokenizedBleu(args.tokenized_by, args.tokenized_lang) if args.tokenized else None,
        further,
    )
    record = ScoreRecord(
        {"file": args.reference, "lines": len(reference), "sha256": digest(reference)},
        scorer.records(systems),
        baseline,
    )
    if baseline is not None:
        if len(reference) > MANY_SENTENCES and not set(args.significance) <= set(SIGN_TESTS):
            gigabytes = len(reference) * KILOBYTES_A_SENTENCE / 1e6
            log(f"resampling {len(reference)} sentences takes about {gigabytes:.0f} GB")
        lines = {system.name: system.output.lines for system in systems}
        record.significance = compare_systems(
            args.significance, lines, baseline, reference, args.tokenize, further
        )
    return record


def read_output(args: argparse.Namespace, path: str, reference: Sequence[str]) -> SystemOutput:
    """Reads one system's output, and logs what looks wrong with it."""
    output = read_system(path, args.carriage_return, args.ids)
    check_lines(path, len(output.lines), args.reference, len(reference), output.read_as)
    warn_if_tokenized(args, path, output.lines)
    for warning in output_warnings(path, output, reference):
        log(warning)
    return output


def read_line_metrics(
    args: argparse.Namespace, files: Mapping[str, Mapping[str, str]], lines: int
) -> List[LineMetric]:
    """Reads the files of --segment-scores.

    Raises:
        ValueError: If --lower-is-better names another metric, or a file does not hold one score per
            line.
    """
    for metric in args.lower_is_better:
        if metric not in files:
            raise ValueError(f"--lower-is-better {metric}: --segment-scores has no such metric")
    return line_metrics(files, lines, args.lower_is_better)


def read_source(args: argparse.Namespace, reference: Sequence[str]) -> Optional[List[str]]:
    """Reads the source text, if one is given."""
    if args.source is None:
        return None
    lines = read_text(args.source, args.carriage_return)
    check_lines(args.source, len(lines), args.reference, len(reference))
    return lines


def warn_if_tokenized(args: argparse.Namespace, path: str, lines: Sequence[str]) -> None:
    """Warns if a text looks tokenized, unless BLEU takes the words as they are."""
    warning = tokenized_warning(path, lines)
    if warning is not None and args.tokenize != AS_IT_IS:
        log(warning)


def chosen_baseline(args: argparse.Namespace, names: Sequence[str]) -> Optional[str]:
    """The system that the others are compared with; None if no test is requested.

    Raises:
        ValueError: If there is no such system, or no other one.
    """
    if args.baseline is not None and args.baseline not in names:
        raise ValueError(f"--baseline {args.baseline}: the systems are {', '.join(names)}")
    if not args.significance:
        if args.baseline is not None:
            log("--baseline has no effect without --significance")
        return None
    if len(names) < 2:
        raise ValueError("--significance compares systems: give two or more")
    return names[0] if args.baseline is None else args.baseline
