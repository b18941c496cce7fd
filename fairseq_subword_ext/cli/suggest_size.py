"""Suggests how many merges to learn, from the training text alone.

Learns once and measures every size on a logarithmic grid: vocabulary, tokens per sentence, words kept whole,
symbols that occur 100 times or more, Rényi efficiency, embedding parameters. The recommendation is the heuristic of
Gowda & May 2020; docs/choosing-a-size.md says what each measure predicts.
"""

import argparse
import json
from pathlib import Path
from typing import List

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_table_arguments,
    add_workers_argument,
    print_signature,
    progress_bar,
    workers,
)
from fairseq_subword_ext.cli.learning import add_goodness_arguments
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.reports.drawing import figure_paths, load_matplotlib, save_figure
from fairseq_subword_ext.reports.size_advice import DIMENSION, LARGEST, suggest_size
from fairseq_subword_ext.reports.size_tables import draw_sizes, size_data, size_table
from fairseq_subword_ext.subword.goodness import load_measure_module
from fairseq_subword_ext.subword.symbols import UNITS
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_text_writer
from fairseq_subword_ext.textio.tables import render


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the text, the options of learning, and the outputs."""
    add_input_arguments(parser)
    parser.add_argument(
        "--dict-input", action="store_true", help="the input has 'word count' on each line"
    )
    add_goodness_arguments(parser)
    parser.add_argument(
        "--unit", type=_units, default=["char"], metavar="UNIT[,UNIT]",
        help="char, byte, or both, separated by a comma (default: char)",
    )  # fmt: skip
    parser.add_argument(
        "--max", type=int, default=LARGEST, metavar="N",
        help="largest number of merges to consider (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--dimension", type=int, default=DIMENSION, metavar="N",
        help="dimension of the embeddings, for their number of parameters (default: %(default)s)",
    )  # fmt: skip
    add_table_arguments(parser)
    parser.add_argument(
        "--plot", metavar="PREFIX",
        help="draw the measures into PREFIX.png and PREFIX.svg (needs the extra plots: matplotlib)",
    )  # fmt: skip
    add_workers_argument(parser)


def further_outputs(args: argparse.Namespace) -> List[Path]:
    """Returns the files of the picture."""
    return figure_paths(args.plot) if args.plot else []


def run(args: argparse.Namespace) -> None:
    """Counts once, learns once per unit, and prints the tables."""
    if args.plot:
        load_matplotlib()  # fail before the work, not after it
    if args.measure_module is not None:
        load_measure_module(args.measure_module)
    counts = count_words(args.input, args.dict_input, workers(args), args.carriage_return)
    advices = []
    for unit in args.unit:
        with progress_bar(f"learning merges of {unit}s", args.max) as bar:
            advice = suggest_size(
                counts,
                args.max,
                args.dimension,
                workers(args),
                None if args.dict_input else counts.lines,
                measure=args.measure,
                unit=unit,
                min_frequency=args.min_frequency,
                progress=lambda merges, bar=bar: bar.update(merges - bar.n),
            )
        advices.append(advice)
    if args.json:
        data = [size_data(advice) for advice in advices]
        with atomic_text_writer(args.json) as stream:
            stream.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if args.plot:
        save_figure(draw_sizes(advices), args.plot)
    tables = [size_table(advice, args.dimension) for advice in advices]
    with atomic_text_writer(STANDARD_STREAM) as stream:
        stream.write(render(tables, args.format))
    for advice in advices:
        print_signature(advice.table.signature())


def _units(argument: str) -> List[str]:
    units = list(dict.fromkeys(argument.split(",")))
    for unit in units:
        if unit not in UNITS:
            raise argparse.ArgumentTypeError(f"unit must be {' or '.join(UNITS)}, not {unit!r}")
    return units
