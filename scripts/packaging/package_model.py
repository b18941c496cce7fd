#!/usr/bin/env python3
"""Puts a finished model into one archive that from_pretrained loads, once unpacked, with nothing else.

    package_model.py RUN... -o NAME.tar.gz
    package_model.py --checkpoint FILE... --data BIN --bpe NAME --codes FILE -o NAME.tar.gz

RUN is the folder of a recipe's system, such as runs/ted58_x_en/systems/bbpe_4k_gru; its best checkpoint,
dictionary, codes and scores are found from there. Several of one data set, or several --checkpoint, become
an ensemble. The same files give the same archive, byte for byte.

What is packed is loaded by from_pretrained before the archive is written: what does not belong together is
refused here. The checkpoint keeps no state of the optimizer (--keep-optimizer) and no folder of this
machine.
"""

import argparse
import json
import logging
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict

from manifest import manifest_of
from model_folder import fill
from model_page import page
from model_parts import NO_ENCODER, ModelParts, parts_of
from packed_archive import describe_files, name_of, write_archive
from script import make_parser, run_script

from fairseq_subword_ext import register


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("run", nargs="*", type=Path, metavar="RUN", help="a recipe's system")
    parser.add_argument("-o", "--output", type=Path, required=True, help="NAME.tar.gz")
    parser.add_argument("--recipe", help="of RUN, where its folder does not say it")
    parser.add_argument("--checkpoint", nargs="+", type=Path, default=[], help="of your own run")
    parser.add_argument("--data", type=Path, help="its binarized data (default: as it says itself)")
    parser.add_argument("--bpe", help=f"Fairseq's --bpe; {NO_ENCODER}: the text comes segmented")
    parser.add_argument("--codes", type=Path, help="for generalized_bpe and bbpe")
    parser.add_argument("--target-codes", type=Path, help="where the target side has its own")
    parser.add_argument(
        "--bpe-option", action="append", default=[], metavar="KEY=VALUE", help="bpe_separator=..."
    )
    parser.add_argument("--generate", metavar="FLAGS", help="of fairseq-generate, for translate()")
    parser.add_argument("--scores", nargs="+", type=Path, default=[], help="JSON files to add")
    parser.add_argument("--add", nargs="+", type=Path, default=[], help="files to put into more/")
    parser.add_argument("--keep-optimizer", action="store_true", help="for training on")
    return parser


def main() -> int:
    # The folder in which the model is put together goes away however this ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run_script(build_parser(), run)
    except KeyboardInterrupt:
        print("package_model.py: interrupted, nothing was written", file=sys.stderr)
        return 130


def run(args: argparse.Namespace) -> None:
    name = name_of(args.output)
    if not args.output.parent.is_dir():
        raise ValueError(f"-o {args.output}: there is no folder {args.output.parent}")
    parts = parts_of(args)
    logging.disable(logging.INFO)  # Fairseq logs whole configurations
    try:
        pack_parts(parts, args, name)
    finally:
        logging.disable(logging.NOTSET)


def pack_parts(parts: ModelParts, args: argparse.Namespace, name: str) -> None:
    """Puts the model together in a folder beside the archive, proves that it loads, and packs it."""
    register()
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=args.output.parent) as place:
        folder = Path(place) / name
        folder.mkdir()
        packed = fill(folder, parts, args.keep_optimizer)
        manifest = manifest_of(name, parts, packed, args.keep_optimizer)
        load(folder, manifest)
        describe(folder, manifest)
        digest = write_archive(folder, args.output)
    for item in manifest["files"]:
        print(f"{item['size']:>12,}  {item['name']}")
    print(f"{args.output}: {args.output.stat().st_size:,} bytes, sha256 {digest}")


def load(folder: Path, manifest: Dict[str, Any]) -> None:
    """Loads the folder as a user will.

    Raises:
        ValueError: where that fails.
    """
    from fairseq.models import BaseFairseqModel

    try:
        model = BaseFairseqModel.from_pretrained(str(folder), ":".join(manifest["checkpoints"]))
        if manifest["encoder"]:
            model.bpe.decode(model.bpe.encode("a b"))
    except (RuntimeError, AssertionError, LookupError, ValueError) as error:
        reason = " ".join(str(error).split())[:500]
        raise ValueError(f"from_pretrained does not load what was packed: {reason}") from error


def describe(folder: Path, manifest: Dict[str, Any]) -> None:
    """Writes README.md and MANIFEST.json, which lists all files but itself."""
    manifest["files"] = describe_files(folder)
    readme = folder / "README.md"
    readme.write_text(page(manifest), encoding="utf-8")
    manifest["files"] = describe_files(folder)
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / "MANIFEST.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
