"""Averages the parameters of several Fairseq checkpoints of one model.

  fairseq-subword average-checkpoints -i ckpt/checkpoint8.pt ckpt/checkpoint9.pt -o average.pt
  fairseq-subword average-checkpoints -i ckpt --num-epoch-checkpoints 5 -o average.pt

The result is a checkpoint for fairseq-generate, or for fairseq-train --finetune-from-model. It holds the
mean of the parameters, in their own dtype, and everything else from the last input except the optimizer
state. Checkpoints are read with torch's weights_only, so that they cannot run code.
"""

import argparse
import io
import re
import sys
from pathlib import Path
from typing import List, Optional, Tuple

from fairseq_subword_ext.checkpoints.averaging import average_checkpoints
from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.output_files import OutputFile

# fairseq-train writes checkpoint7.pt after an epoch, checkpoint_7_5000.pt after --save-interval-updates.
EPOCH_NAME = ("checkpointEPOCH.pt", re.compile(r"checkpoint(\d+)\.pt"))
UPDATE_NAME = ("checkpoint_EPOCH_UPDATES.pt", re.compile(r"checkpoint_\d+_(\d+)\.pt"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of Fairseq's own script, which pip does not install."""
    parser.add_argument(
        "-i", "--inputs", nargs="+", required=True, metavar="PATH",
        help="checkpoints, or one folder of them with one of the two --num options",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", required=True, metavar="PATH", type=OutputFile, help="checkpoint to write"
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--num-epoch-checkpoints", type=int, metavar="N",
        help="take the last N of the folder's checkpointEPOCH.pt",
    )  # fmt: skip
    choice.add_argument(
        "--num-update-checkpoints", type=int, metavar="N",
        help="take the last N of the folder's checkpoint_EPOCH_UPDATES.pt",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint-upper-bound", type=int, metavar="NUMBER",
        help="with a --num option: ignore checkpoints after this epoch or update",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Averages the checkpoints and writes the result."""
    paths = chosen_checkpoints(args)
    average = average_checkpoints(paths)
    import torch  # only this command needs it

    content = io.BytesIO()
    torch.save(average, content)  # torch does not say that a disk is full; atomic_writer does
    with atomic_writer(args.output) as stream:
        stream.write(content.getbuffer())
    print(
        f"{args.output}: the mean of {len(paths)} checkpoints ({', '.join(map(str, paths))})",
        file=sys.stderr,
    )


def chosen_checkpoints(args: argparse.Namespace) -> List[Path]:
    """The checkpoints to average, the latest last.

    Raises:
        ValueError: If the options contradict each other, or the folder holds too few.
    """
    paths = [Path(path) for path in args.inputs]
    count, name = args.num_epoch_checkpoints, EPOCH_NAME
    if count is None:
        count, name = args.num_update_checkpoints, UPDATE_NAME
    if count is None:
        if args.checkpoint_upper_bound is not None:
            raise ValueError("--checkpoint-upper-bound needs one of the --num options")
        folder = next((path for path in paths if path.is_dir()), None)
        if folder is not None:
            raise ValueError(
                f"{folder} is a folder: add --num-epoch-checkpoints or --num-update-checkpoints"
            )
        return paths
    if len(paths) != 1 or not paths[0].is_dir():
        raise ValueError("the --num options take one folder as --inputs")
    return last_checkpoints(paths[0], count, name, args.checkpoint_upper_bound)


def last_checkpoints(
    folder: Path, count: int, name: Tuple[str, "re.Pattern[str]"], bound: Optional[int]
) -> List[Path]:
    """The ``count`` checkpoints of a folder with the highest numbers, none above ``bound``.

    Raises:
        ValueError: If there are fewer, or ``count`` is less than 1.
    """
    if count < 1:
        raise ValueError(f"the number of checkpoints must be at least 1, not {count}")
    shape, pattern = name
    numbered = []
    for path in folder.iterdir():
        match = pattern.fullmatch(path.name)
        if match and (bound is None or int(match[1]) <= bound):
            numbered.append((int(match[1]), path))
    if len(numbered) < count:
        raise ValueError(
            f"{folder}: found {len(numbered)} checkpoints named {shape}"
            f"{'' if bound is None else f' with a number up to {bound}'}, but {count} are needed"
        )
    return [path for _, path in sorted(numbered)[-count:]]
