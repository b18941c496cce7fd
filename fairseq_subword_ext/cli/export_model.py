"""Exports a trained model for fairseq-subword translate, which needs neither Fairseq nor torch.

  fairseq-subword export-model RUN -o DIR
  fairseq-subword export-model checkpoints/checkpoint_best.pt --data data-bin --bpe bbpe --codes codes -o DIR

RUN is an archive written by package-model or the folder that it unpacks to, a checkpoint, or a folder of
checkpoints (whose checkpoint_best.pt is used). DIR holds the encoder and the decoder as ONNX files, the
dictionaries, the codes and the settings. Before DIR appears, the export is loaded and compared with the
model. Needs the extras "fairseq" and "export" (onnx, onnxscript, onnxruntime).
"""

import argparse
import contextlib
from pathlib import Path

from fairseq_subword_ext.cli.common import log


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the model, its data and codes, and the output."""
    parser.add_argument("source", type=Path, metavar="RUN", help="archive, folder or checkpoint")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR",
        help="folder to write; an earlier export there is replaced",
    )  # fmt: skip
    parser.add_argument(
        "--data", type=Path, metavar="BIN",
        help="folder with the dictionaries (default: the checkpoint's, or that of its training data)",
    )  # fmt: skip
    parser.add_argument(
        "--bpe", metavar="NAME",
        help="Fairseq's --bpe; none for text that is already segmented (default: as in the checkpoint)",
    )  # fmt: skip
    parser.add_argument(
        "--codes", type=Path, metavar="FILE", help="codes for generalized_bpe and bbpe"
    )
    parser.add_argument(
        "--bpe-option", action="append", default=[], metavar="KEY=VALUE",
        help="another option of the encoder, such as bpe_separator=_",
    )  # fmt: skip
    parser.add_argument(
        "--int8", action="store_true",
        help="quantize the weight matrices: smaller files, slightly different outputs",
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
    log(
        f"{args.output}: {settings.encoding}, {settings.target_symbols:,} symbols, {settings.precision}, "
        f"{size:,} bytes; use it with `fairseq-subword translate {args.output} < input.txt`"
    )
