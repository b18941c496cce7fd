"""Packs a finished model into one archive that, once unpacked, is all from_pretrained needs.

  fairseq-subword package-model RUN... -o NAME.tar.gz
  fairseq-subword package-model --checkpoint FILE... --data BIN --bpe NAME --codes FILE -o NAME.tar.gz

RUN is the folder of a recipe's system, such as runs/ted58_x_en/systems/bbpe_4k_gru, from which its best
checkpoint, dictionary, codes and scores are found. The second form is for any other model. Several RUNs on
the same data, or several --checkpoint files, become an ensemble.

The archive holds the checkpoint, the dictionaries, the codes with their JSON, the configuration, the scores,
a README and MANIFEST.json with the SHA-256 of each file; NAME.tar.gz.sha256 is written beside it. The same
files give the same archive, byte for byte. Files that do not match are refused, and the packed
model is loaded with from_pretrained before the archive is written.
"""

import argparse
import contextlib
import signal
import sys
from pathlib import Path
from typing import List

from fairseq_subword_ext.checkpoints.archive import checksum_path, name_of
from fairseq_subword_ext.checkpoints.model_parts import (
    NO_ENCODER,
    ModelParts,
    existing,
    option_of,
    parts_of_files,
)
from fairseq_subword_ext.checkpoints.packing import pack_model
from fairseq_subword_ext.checkpoints.recipe_run import parts_of_runs
from fairseq_subword_ext.textio.output_files import OutputFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the model, its segmentation, and further files to pack."""
    parser.add_argument(
        "run_folders", nargs="*", type=Path, metavar="RUN", help="a recipe's system"
    )
    parser.add_argument(
        "-o", "--output", type=OutputFile, required=True, metavar="NAME.tar.gz",
        help="the archive; it unpacks to a folder NAME",
    )  # fmt: skip
    parser.add_argument(
        "--recipe", type=Path, metavar="FOLDER",
        help="the recipe of RUN: the folder with its systems.tsv, for a run without a copy of it",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint", nargs="+", type=Path, default=[], metavar="FILE",
        help="checkpoint of a model not trained by a recipe",
    )  # fmt: skip
    parser.add_argument(
        "--data", type=Path, metavar="BIN",
        help="folder with the dictionaries (default: the checkpoint's, or that of its training data)",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--source-lang", metavar="LANG",
        help="for a model that was trained without -s and -t (default: inferred from --data)",
    )  # fmt: skip
    parser.add_argument("-t", "--target-lang", metavar="LANG", help="the same for the target")
    parser.add_argument(
        "--bpe", metavar="NAME",
        help=f"Fairseq's --bpe; {NO_ENCODER} for text that is segmented before Fairseq reads it "
        "(default: detected from the codes)",
    )  # fmt: skip
    parser.add_argument(
        "--codes", type=Path, metavar="FILE", help="codes for generalized_bpe and bbpe"
    )
    parser.add_argument(
        "--target-codes", type=Path, metavar="FILE", help="codes of the target side, if they differ"
    )
    parser.add_argument(
        "--bpe-option", action="append", default=[], metavar="KEY=VALUE",
        help="another option of the encoder, such as bpe_separator=_",
    )  # fmt: skip
    parser.add_argument(
        "--generate", metavar="FLAGS", help="flags of fairseq-generate for translate() to use"
    )
    parser.add_argument(
        "--scores", nargs="+", type=Path, default=[], metavar="FILE", help="JSON files of scores"
    )
    parser.add_argument(
        "--add", nargs="+", type=Path, default=[], metavar="FILE",
        help="further files that the model needs; they go into more/",
    )  # fmt: skip
    parser.add_argument(
        "--keep-optimizer", action="store_true",
        help="keep the optimizer state, so that training can be resumed",
    )  # fmt: skip
    parser.add_argument(
        "--with-onnx", action="store_true",
        help="add an export that `fairseq-subword translate NAME/onnx` runs without Fairseq and torch",
    )  # fmt: skip


def further_outputs(args: argparse.Namespace) -> List[Path]:
    """The file with the archive's checksum."""
    return [checksum_path(Path(args.output))]


def run(args: argparse.Namespace) -> None:
    """Packs the model and lists the files of the archive."""
    archive = Path(args.output)
    name_of(archive)  # refuses another suffix
    parts = parts_of(args)
    with exit_on_termination():
        manifest = pack_model(parts, archive, args.keep_optimizer, args.with_onnx)
    for item in manifest["files"]:
        print(f"{item['size']:>12,}  {item['name']}")
    size = archive.stat().st_size
    print(f"{args.output}: {size:,} bytes, sha256 {manifest['sha256']}")


def parts_of(args: argparse.Namespace) -> ModelParts:
    """The parts that the command line asks for.

    Raises:
        ValueError: If a file is missing or two arguments contradict each other; the message says what
            to do.
    """
    runs = args.run_folders
    if bool(runs) == bool(args.checkpoint):
        raise ValueError("give either RUN, a system's folder of a recipe, or --checkpoint FILE")
    if runs and (args.bpe or args.codes or args.target_codes):
        raise ValueError("RUN has its own codes: --bpe and --codes are for --checkpoint FILE")
    if runs:
        parts = parts_of_runs(runs, args.recipe)
    else:
        parts = parts_of_files(args.checkpoint, args.bpe, args.codes, args.target_codes)
    if args.data is not None:
        parts.data = [existing(args.data, "--data", "a folder of fairseq-preprocess", folder=True)]
    if args.generate is not None:
        parts.generate = args.generate
    parts.source_lang, parts.target_lang = args.source_lang, args.target_lang
    parts.scores += [existing(path, "--scores", "a JSON file of scores") for path in args.scores]
    parts.more += [existing(path, "--add", "to go into more/") for path in args.add]
    parts.encoder_options = dict(option_of(text) for text in args.bpe_option)
    for path in parts.checkpoints:
        existing(path, "checkpoint", "what fairseq-train writes; train first")
    return parts


@contextlib.contextmanager
def exit_on_termination():
    """Turns SIGTERM into a normal exit, so that the temporary folder is always removed."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
