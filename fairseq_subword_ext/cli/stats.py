"""Measures one or more segmentations of the same text: tables, pictures and a page to look at.

  fairseq-subword stats --raw train.de BPE=train.bpe.de BBPE=train.bbpe.de
  fairseq-subword stats BPE:de=bpe.de BPE:en=bpe.en BBPE:de=bbpe.de BBPE:en=bbpe.en --html report.html

How a text was segmented shows in its first lines: @@ text, byte text, characters, SentencePiece's
text, or words as they are; --encoder says it otherwise. All files of a language have to have the same
lines in the same order.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, List

from fairseq_subword_ext.cli.common import (
    add_separator_argument,
    add_workers_argument,
    note,
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
from fairseq_subword_ext.textio.tables import FORMATS, Table, render

if TYPE_CHECKING:
    from fairseq_subword_ext.reports.statistics_plots import Picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The texts, what belongs to them, and where the results go."""
    parser.add_argument(
        "texts", nargs="+", metavar="NAME[:LANGUAGE]=SEGMENTED", type=text_argument,
        help="segmented text; several files under one name are its languages, called by the "
        "LANGUAGE or by the file's ending",
    )  # fmt: skip
    parser.add_argument(
        "--raw", action="append", metavar="[LANGUAGE=]FILE", type=text_argument, default=[],
        help="the text without segmentation: a row of its own, and the count of characters",
    )  # fmt: skip
    parser.add_argument(
        "--heldout", action="append", metavar="NAME[:LANGUAGE]=SEGMENTED", type=text_argument,
        default=[], help="held-out text, segmented in the same way, in which unknown tokens count",
    )  # fmt: skip
    parser.add_argument(
        "--heldout-raw", action="append", metavar="[LANGUAGE=]FILE", type=text_argument, default=[],
        help="the held-out text without segmentation, for the row of --raw",
    )  # fmt: skip
    parser.add_argument(
        "--encoder", action="append", metavar="[NAME=]ENCODER", type=text_argument, default=[],
        help=f"what segmented a text: {', '.join(readable())} (default: what its first lines look like)",
    )  # fmt: skip
    add_separator_argument(parser, "-s")
    parser.add_argument(
        "--relative-to", metavar="LANGUAGE",
        help=f"of several languages, the one to divide the others' tokens per sentence by (default: "
        f"{ENGLISH}, if it is among them)",
    )  # fmt: skip
    for kind, command in (("train", "fairseq-train"), ("generate", "fairseq-generate")):
        parser.add_argument(
            f"--{kind}-log", action="append", metavar="NAME=FILE", type=text_argument, default=[],
            help=f"what {command} printed for this segmentation: its cost",
        )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="of the tables on standard output (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--json", metavar="FILE", type=OutputFile, help="write all measurements as JSON"
    )
    parser.add_argument(
        "--plots", metavar="FOLDER",
        help="draw pictures as PNG and SVG into this folder (needs the extra plots: matplotlib)",
    )  # fmt: skip
    parser.add_argument(
        "--html", metavar="FILE", type=OutputFile,
        help="write one page with everything, and with sentences under every segmentation; it needs "
        "nothing else to be shown (to write it: the extra plots)",
    )  # fmt: skip
    parser.add_argument(
        "--sentences", type=int, default=10, metavar="N",
        help="sentences of each language on the page, spread over the text (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--lines", type=_line_numbers, metavar="N,N-N,...", help="those lines instead, from 1"
    )
    parser.add_argument(
        "--scores", nargs="+", action="extend", metavar="FILE", default=[],
        help="from `fairseq-subword score --json`: shown on the page too",
    )  # fmt: skip
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Measures, and writes what was asked for."""
    if args.sentences < 0:
        raise ValueError(f"--sentences {args.sentences}: expected 0 or more")
    if args.scores and not args.html:
        raise ValueError("--scores are shown on the page: ask for it (--html FILE)")
    if args.plots or args.html:
        load_matplotlib()  # better to learn now that it is missing
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

        pictures = list(draw_report(report))
        if args.plots:
            _save(pictures, Path(args.plots))
        if args.html:
            _write_page(args, report, texts, raw, tables, pictures)
    with atomic_text_writer(STANDARD_STREAM) as stream:
        stream.write(_json(report) if args.format == "json" else render(tables, args.format))
    read_as = dict.fromkeys(f"{text.name} as {text.encoder}" for text in report)
    note(f"read {', '.join(read_as)}")
    for warning in report.warnings():
        note(f"warning: {warning}")


def _add_costs(report: Report, args: argparse.Namespace) -> None:
    for name, path in named(args.train_log, "--train-log", report.names):
        report.training[name] = read_training_log(path)
    for name, path in named(args.generate_log, "--generate-log", report.names):
        report.decoding[name] = read_generation_log(path)


def _save(pictures: Sequence["Picture"], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        for path in save_figure(picture.figure, folder / picture.key):
            note(f"wrote {path}")


def _write_page(
    args: argparse.Namespace,
    report: Report,
    texts: Sequence[Text],
    raw: Sequence[Text],
    tables: Sequence[Table],
    pictures: Sequence["Picture"],
) -> None:
    from fairseq_subword_ext.reports.page import build_page
    from fairseq_subword_ext.reports.score_section import read_scores
    from fairseq_subword_ext.reports.sentences import read_sentences

    scores, score_pictures = read_scores(args.scores)
    page = build_page(
        f"Segmentations: {', '.join(report.names)}",
        [*tables, *([scores] if scores else [])],
        [*pictures, *score_pictures],
        read_sentences(report, texts, raw, args.sentences, args.lines),
        report.warnings(),
    )
    with atomic_text_writer(args.html) as stream:
        stream.write(page)
    note(f"wrote {args.html}")


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
