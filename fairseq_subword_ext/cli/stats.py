"""Measures one or more segmentations of the same text: tables, plots and an HTML page.

  fairseq-subword stats --raw train.de BPE=train.bpe.de BBPE=train.bbpe.de
  fairseq-subword stats BPE:de=bpe.de BPE:en=bpe.en BBPE:de=bbpe.de BBPE:en=bbpe.en --html report.html

The segmentation of a text is detected from its first lines: @@ text, byte text, characters, SentencePiece
text, or plain words; --encoder overrides it. All files of a language must have the same lines in the same
order.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, List

from fairseq_subword_ext.cli.common import (
    add_separator_argument,
    add_table_arguments,
    add_workers_argument,
    log,
    text_argument,
    workers,
)
from fairseq_subword_ext.cli.stats_inputs import (
    ENGLISH,
    base_language,
    collect_raw,
    collect_texts,
    named,
)
from fairseq_subword_ext.codecs.registry import readable
from fairseq_subword_ext.reports.drawing import load_matplotlib, save_figure
from fairseq_subword_ext.reports.fairseq_logs import read_generation_log, read_training_log
from fairseq_subword_ext.reports.measuring import build_report
from fairseq_subword_ext.reports.report import Report, Text
from fairseq_subword_ext.reports.statistics_tables import statistics_tables
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_text_writer
from fairseq_subword_ext.textio.output_files import OutputFile
from fairseq_subword_ext.textio.tables import Table, render

if TYPE_CHECKING:
    from fairseq_subword_ext.reports.statistics_plots import Picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the texts, their options, and the outputs."""
    parser.add_argument(
        "texts", nargs="+", metavar="NAME[:LANGUAGE]=SEGMENTED", type=text_argument,
        help="segmented text; several files with one name are its languages, named by LANGUAGE or by "
        "the file's suffix",
    )  # fmt: skip
    parser.add_argument(
        "--raw", action="append", metavar="[LANGUAGE=]FILE", type=text_argument, default=[],
        help="the unsegmented text: gets its own row, and is used to count characters",
    )  # fmt: skip
    parser.add_argument(
        "--heldout", action="append", metavar="NAME[:LANGUAGE]=SEGMENTED", type=text_argument,
        default=[], help="held-out text, segmented in the same way, in which unknown tokens are counted",
    )  # fmt: skip
    parser.add_argument(
        "--heldout-raw", action="append", metavar="[LANGUAGE=]FILE", type=text_argument, default=[],
        help="the unsegmented held-out text, for the row of --raw",
    )  # fmt: skip
    parser.add_argument(
        "--encoder", action="append", metavar="[NAME=]ENCODER", type=text_argument, default=[],
        help=f"what segmented a text: {', '.join(readable())} (default: detected from its first lines)",
    )  # fmt: skip
    add_separator_argument(parser, "-s")
    parser.add_argument(
        "--relative-to", metavar="LANGUAGE",
        help=f"with several languages, show tokens per sentence relative to this one (default: {ENGLISH}, if "
        "it is among them)",
    )  # fmt: skip
    for kind, command in (("train", "fairseq-train"), ("generate", "fairseq-generate")):
        parser.add_argument(
            f"--{kind}-log", action="append", metavar="NAME=FILE", type=text_argument, default=[],
            help=f"log of {command} for this segmentation, to show its cost",
        )  # fmt: skip
    add_table_arguments(parser)
    parser.add_argument(
        "--plots", metavar="FOLDER",
        help="draw plots as PNG and SVG into this folder (needs the extra plots: matplotlib)",
    )  # fmt: skip
    parser.add_argument(
        "--html", metavar="FILE", type=OutputFile,
        help="write one self-contained page with everything, and example sentences in every "
        "segmentation (needs the extra plots: matplotlib)",
    )  # fmt: skip
    parser.add_argument(
        "--sentences", type=int, default=10, metavar="N",
        help="example sentences per language, spread over the text (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--lines",
        type=_line_numbers,
        metavar="N,N-N,...",
        help="show these lines instead, counted from 1",
    )
    parser.add_argument(
        "--scores", nargs="+", action="extend", metavar="FILE", default=[],
        help="files of `fairseq-subword score --json`, to show on the page too",
    )  # fmt: skip
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Measures the texts and writes the requested outputs."""
    if args.sentences < 0:
        raise ValueError(f"--sentences {args.sentences}: expected 0 or more")
    if args.scores and not args.html:
        raise ValueError("--scores are shown on the page: give --html FILE")
    if args.plots or args.html:
        load_matplotlib()  # fails before the work if it is missing
    texts = collect_texts(args)
    raw = collect_raw(args, texts)
    base = base_language(args, texts)
    report = build_report(texts, raw, workers(args))
    report.base_language = base
    _add_costs(report, args)
    tables = statistics_tables(report)
    if args.json:
        with atomic_text_writer(args.json) as stream:
            stream.write(_json(report))
    if args.plots or args.html:
        from fairseq_subword_ext.reports.statistics_plots import draw_report

        plots = list(draw_report(report))
        if args.plots:
            _save(plots, Path(args.plots))
        if args.html:
            _write_page(args, report, texts, raw, tables, plots)
    with atomic_text_writer(STANDARD_STREAM) as stream:
        stream.write(_json(report) if args.format == "json" else render(tables, args.format))
    read_as = dict.fromkeys(f"{text.name} as {text.encoder}" for text in report)
    log(f"read {', '.join(read_as)}")
    for warning in report.warnings():
        log(f"warning: {warning}")


def _add_costs(report: Report, args: argparse.Namespace) -> None:
    for name, path in named(args.train_log, "--train-log", report.names):
        report.training[name] = read_training_log(path)
    for name, path in named(args.generate_log, "--generate-log", report.names):
        report.decoding[name] = read_generation_log(path)


def _save(plots: Sequence["Picture"], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        for path in save_figure(plot.figure, folder / plot.key):
            log(f"wrote {path}")


def _write_page(
    args: argparse.Namespace,
    report: Report,
    texts: Sequence[Text],
    raw: Sequence[Text],
    tables: Sequence[Table],
    plots: Sequence["Picture"],
) -> None:
    from fairseq_subword_ext.reports.page import build_page
    from fairseq_subword_ext.reports.score_section import read_scores
    from fairseq_subword_ext.reports.sentences import read_sentences

    scores, score_plots = read_scores(args.scores)
    page = build_page(
        f"Segmentations: {', '.join(report.names)}",
        [*tables, *([scores] if scores else [])],
        [*plots, *score_plots],
        read_sentences(report, texts, raw, args.sentences, args.lines),
        report.warnings(),
    )
    with atomic_text_writer(args.html) as stream:
        stream.write(page)
    log(f"wrote {args.html}")


def _line_numbers(argument: str) -> List[int]:
    """The lines that --lines names; argparse turns a ValueError into its own message."""
    numbers: List[int] = []
    for part in argument.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    if not numbers or min(numbers) < 1:
        raise ValueError("lines are counted from 1")
    return numbers


def _json(report: Report) -> str:
    return json.dumps(report.as_data(), ensure_ascii=False, indent=1) + "\n"
