"""Translates text with a model written by export-model; needs neither Fairseq nor torch.

  fairseq-subword translate DIR < input.txt > output.txt

Reads raw text and writes one translation per line. Segmentation, language tokens, length limits and search
are those of fairseq-generate with the model's task, so the translations are the same, for any batch size.
Needs the extra "onnx" (onnxruntime).
"""

import argparse
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import List, Sequence

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    log,
    progress_bar,
    workers,
)
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.runtime.beam_search import SearchOptions
from fairseq_subword_ext.runtime.export_folder import ExportSettings
from fairseq_subword_ext.runtime.translator import (
    BatchLimits,
    Translation,
    Translator,
    default_options,
)
from fairseq_subword_ext.textio.block_stream import convert_stream
from fairseq_subword_ext.textio.files import atomic_writer

SHOWN = 10  # line numbers that a message lists before it says "..."

# Options of the search, named as in SearchOptions.
SEARCH = ("beam", "lenpen", "unnormalized", "unkpen", "min_len", "max_len_a", "max_len_b")

# Options of fairseq-generate that would change the translations and are not supported.
REFUSED = (
    "--temperature", "--no-repeat-ngram-size", "--sampling", "--sampling-topk", "--sampling-topp",
    "--diverse-beam-groups", "--diverse-beam-strength", "--diversity-rate", "--constraints",
    "--prefix-size", "--match-source-len", "--lm-path", "--lm-weight", "--replace-unk",
    "--print-alignment", "--print-step", "--score-reference", "--path", "--user-dir", "--task",
    "--iter-decode-max-iter", "--retain-dropout", "--post-process", "--remove-bpe", "--fp16",
    "--tokenizer",
)  # fmt: skip


class RefusedOption(argparse.Action):
    """Refuses an option of fairseq-generate that translate does not support."""

    def __call__(self, parser, namespace, values, option_string=None):
        parser.error(f"{option_string}: an option of fairseq-generate that translate does not have")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the model, the text, the search and the batches."""
    parser.add_argument("model", metavar="DIR", help="folder that export-model wrote")
    add_input_arguments(parser)
    add_output_argument(parser, "translations, one line per input line")
    parser.add_argument(
        "-s", "--source-lang", metavar="LANG",
        help="language of the input, for a model trained with --source-lang-token",
    )  # fmt: skip
    search = parser.add_argument_group(
        "search", "as in fairseq-generate; the defaults come from the model"
    )
    search.add_argument("--beam", type=int, metavar="N", help="beam size; 1 is greedy search")
    search.add_argument(
        "--nbest", type=int, metavar="N", default=1,
        help="write the N best translations of each line as line number, score and text, separated by tabs",
    )  # fmt: skip
    search.add_argument(
        "--lenpen",
        type=float,
        metavar="X",
        help="length penalty: values below 1 favor short translations",
    )
    search.add_argument(
        "--unnormalized", action="store_const", const=True, help="compare unnormalized scores"
    )
    search.add_argument("--unkpen", type=float, metavar="X", help="penalty for <unk>")
    search.add_argument("--min-len", type=int, metavar="N", help="minimum length")
    search.add_argument(
        "--max-len-a", type=float, metavar="A", help="stop at A * source length + B symbols"
    )
    search.add_argument("--max-len-b", type=int, metavar="B", help="see --max-len-a")
    parser.add_argument(
        "--scores", action="store_true",
        help="write line number, score and text, separated by tabs; scores are as in fairseq-generate",
    )  # fmt: skip
    parser.add_argument(
        "--batch-size", type=int, metavar="N", default=BatchLimits.lines,
        help="maximum lines per batch (default: %(default)s); the translations do not depend on it",
    )  # fmt: skip
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", default=BatchLimits.tokens,
        help="maximum source symbols per batch (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--line-by-line", action="store_true",
        help="translate each line as it arrives, for interactive use; slower, since batches are small",
    )  # fmt: skip
    add_workers_argument(parser)
    parser.add_argument(
        *REFUSED, action=RefusedOption, nargs="*", help=argparse.SUPPRESS, dest="refused"
    )
    parser.epilog = f"Options of fairseq-generate that are refused: {', '.join(REFUSED)}"


def run(args: argparse.Namespace) -> None:
    """Translates all inputs as one text."""
    if args.nbest < 1:
        raise ValueError(f"--nbest {args.nbest}: expected at least 1")
    limits = BatchLimits(args.batch_size, args.max_tokens)
    translator = Translator(
        args.model, search_options(args), args.source_lang, limits, workers(args)
    )
    if args.nbest > translator.options.beam:
        raise ValueError(f"--nbest {args.nbest} needs --beam {args.nbest} or more")
    columns = args.scores or args.nbest > 1
    start = time.monotonic()
    with progress_bar("translating", unit=" lines") as bar:

        def convert(lines: Sequence[str]) -> List[str]:
            first = translator.counts.lines + 1
            found = translator.translate(lines, bar.update)
            if not columns:
                return [best[0].text if best else "" for best in found]
            return [rows(number, best[: args.nbest]) for number, best in enumerate(found, first)]

        with atomic_writer(args.output) as target, JoinedInput(args.input, "reading") as source:
            try:
                convert_stream(
                    source,
                    target,
                    convert,
                    carriage_return=args.carriage_return,
                    name=source.name,
                    whole_blocks=not args.line_by_line,
                )
            except ValueError as error:
                raise source.located(error) from None
    source.report_carriage_returns()
    report(translator, time.monotonic() - start)


def search_options(args: argparse.Namespace) -> SearchOptions:
    """Returns the search options of the command line; the rest are the model's."""
    own = default_options(ExportSettings.load(Path(args.model)))
    given = {name: getattr(args, name) for name in SEARCH if getattr(args, name) is not None}
    return replace(own, **given)


def rows(number: int, translations: Sequence[Translation]) -> str:
    """Returns the output lines for one source, with scores in base 2, as in fairseq-generate."""
    return "\n".join(
        f"{number}\t{translation.score / math.log(2):.6f}\t{translation.text}"
        for translation in translations
    )


def report(translator: Translator, seconds: float) -> None:
    """Logs possible problems of the translations, and the time taken."""
    counts = translator.counts
    if counts.cut:
        shown = ", ".join(map(str, counts.cut[:SHOWN]))
        log(
            f"{len(counts.cut):,} lines are longer than {translator.settings.source_positions:,} symbols "
            f"and were cut there (line {shown}{', ...' if len(counts.cut) > SHOWN else ''})"
        )
    if counts.unknown:
        log(f"{counts.unknown:,} of {counts.symbols:,} source symbols are not in the dictionary")
    if counts.at_limit:
        log(
            f"{counts.at_limit:,} of {counts.lines:,} translations reached the length limit of "
            f"{translator.options.max_len_a:g} * source length + {translator.options.max_len_b} symbols "
            "and may be unfinished (--max-len-a, --max-len-b)"
        )
    log(f"translated {counts.lines:,} lines in {seconds:.1f} s")
