"""Learns a merge table: text in, codes out.

With the default measure, the codes equal subword-nmt's byte for byte. The metadata (how the codes were
learned, and the alphabet) go to CODES.json beside the codes (-o CODES), or to the file that --meta names.
"""

import argparse
from pathlib import Path
from typing import List

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    log,
    print_signature,
    progress_bar,
    workers,
)
from fairseq_subword_ext.cli.learning import (
    MEMORY_ADVICE,
    add_learning_arguments,
    files_beside_codes,
    learning_options,
    report_learning,
)
from fairseq_subword_ext.subword.learner import learn_bpe, learn_with_trace
from fairseq_subword_ext.subword.signature import format_signature, short_digest
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.textio.output_files import OutputFile

TRAINERS = ("native", "sentencepiece")


__all__ = ["MEMORY_ADVICE", "add_arguments", "further_outputs", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of subword-nmt's learn-bpe, and further ones."""
    add_input_arguments(parser)
    parser.add_argument("--dict-input", action="store_true", help="the input is 'word count' lines")
    add_output_argument(parser, "codes file")
    parser.add_argument(
        "--meta", metavar="FILE", type=OutputFile,
        help="write the metadata here (default: CODES.json beside the codes)",
    )  # fmt: skip
    add_learning_arguments(parser)
    parser.add_argument(
        "--trainer", choices=TRAINERS, default="native",
        help="sentencepiece: train a SentencePiece model on byte text instead (--unit byte "
        "--total-symbols -o NAME writes NAME.model)",
    )  # fmt: skip
    add_workers_argument(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print every merge with its count to standard error",
    )


def further_outputs(args: argparse.Namespace) -> List[Path]:
    """CODES.json, or the SentencePiece model."""
    if args.trainer == "sentencepiece" and args.output != STANDARD_STREAM:
        from fairseq_subword_ext.subword.sentencepiece_trainer import model_path

        return [model_path(args.output)]
    return files_beside_codes(args)


def run(args: argparse.Namespace) -> None:
    """Learns the codes and writes them."""
    options = learning_options(args)
    if args.trainer == "sentencepiece":
        _train_sentencepiece(args)
        return
    steps = []
    with progress_bar("learning merges", args.symbols) as bar:
        options.update(
            dict_input=args.dict_input,
            carriage_return=args.carriage_return,
            progress=lambda merges: bar.update(merges - bar.n),
        )
        if args.verbose:
            table, steps = learn_with_trace(args.input, **options)
        else:
            table = learn_bpe(args.input, **options)
    for rank, step in enumerate(steps):
        left, right = step.pair
        log(f"pair {rank}: {left} {right} -> {left}{right} (frequency {step.occ})")
    report_learning(table)
    table.save(args.output, args.meta)
    if args.output == STANDARD_STREAM and args.meta is None:
        log(
            "the codes went to standard output, and their metadata were not written: give --meta FILE "
            "to keep the alphabet, which '--unknown error' and build-dict from codes need"
        )
    print_signature(table.signature())


def _train_sentencepiece(args: argparse.Namespace) -> None:
    from fairseq_subword_ext.subword.sentencepiece_trainer import (
        model_path,
        train_sentencepiece_bytes,
    )

    if args.unit != "byte" or not args.total_symbols or args.output == STANDARD_STREAM:
        raise ValueError("--trainer sentencepiece needs --unit byte --total-symbols -o NAME")
    changed = {
        "--measure": args.measure != "frequency",
        "--dict-input": args.dict_input,
        "--tie-break": args.tie_break != "greatest",
        "--min-frequency": args.min_frequency != 2,
        "--meta": args.meta is not None,
        "--carriage-return replace": args.carriage_return != "error",
        "--verbose": args.verbose,
    }
    unsupported = [flag for flag, given in changed.items() if given]
    if unsupported:
        raise ValueError(f"--trainer sentencepiece does not support {', '.join(unsupported)}")
    texts = expand(args.input)
    model = train_sentencepiece_bytes(
        texts, args.output, args.symbols, num_workers=workers(args), borders=args.borders
    )
    path = model_path(args.output)
    log(f"wrote {path}: {len(model.pieces)} symbols, including all 256 bytes")
    print_signature(
        format_signature(
            {
                "unit": "byte",
                "trainer": "sentencepiece",
                "symbols": f"{len(model.pieces)}/{args.symbols}",
                "borders": args.borders,
                "corpus": "+".join(Path(name).name for name in texts),
                "codes": short_digest(path.read_bytes()),
            }
        )
    )
