"""Exports a trained model for fairseq-subword translate, which needs neither Fairseq nor torch.

  fairseq-subword export-model RUN -o DIR
  fairseq-subword export-model checkpoints/checkpoint_best.pt --data data-bin --bpe bbpe --codes codes -o DIR

RUN is an archive of package-model or the folder that it unpacks to, a checkpoint, or a folder of
checkpoints (its checkpoint_best.pt is taken). DIR holds the encoder and the decoder as ONNX files, the
dictionaries, the codes and the settings. What was written is loaded and compared with the model before DIR
appears. Needs the extras "fairseq" and "export" (onnx, onnxscript, onnxruntime).
"""

import argparse
import contextlib
from pathlib import Path

from fairseq_subword_ext.cli.common import note


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, what belongs to it, and where to write."""
    parser.add_argument("source", type=Path, metavar="RUN", help="archive, folder or checkpoint")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR",
        help="folder to write; an export that is there already is replaced",
    )  # fmt: skip
    parser.add_argument(
        "--data", type=Path, metavar="BIN",
        help="folder with the dictionaries (default: what the checkpoint was trained on)",
    )  # fmt: skip
    parser.add_argument(
        "--bpe", metavar="NAME",
        help="Fairseq's --bpe; none for text that comes segmented (default: what the checkpoint says)",
    )  # fmt: skip
    parser.add_argument(
        "--codes", type=Path, metavar="FILE", help="codes for generalized_bpe and bbpe"
    )
    parser.add_argument(
        "--bpe-option", action="append", default=[], metavar="KEY=VALUE",
        help="a further option of the encoder, such as bpe_separator=_",
    )  # fmt: skip
    parser.add_argument(
        "--int8", action="store_true",
        help="quantize the weight matrices: a smaller file, and outputs that differ a little",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Exports one model."""
    from fairseq_subword_ext.checkpoints.exporting import export_model
    from fairseq_subword_ext.checkpoints.exporting_source import source_of

    options = {}
    for text in args.bpe_option:
        key, separator, value = text.partition("=")
        if not separator:
            raise ValueError(f"--bpe-option {text}: expected KEY=VALUE, such as bpe_separator=@@")
        options[key.lstrip("-").replace("-", "_")] = value
    if args.codes is not None:
        options["bpe_codes"] = str(args.codes.absolute())
    with contextlib.ExitStack() as stack:
        source = source_of(args.source, args.data, args.bpe, options, stack)
        settings = export_model(source, args.output, args.int8)
    size = sum(path.stat().st_size for path in args.output.iterdir())
    note(
        f"{args.output}: {settings.encoding}, {settings.target_symbols:,} symbols, {settings.precision}, "
        f"{size:,} bytes; use it with `fairseq-subword translate {args.output} < input.txt`"
    )
