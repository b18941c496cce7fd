"""Averages the parameters of several Fairseq checkpoints of one model.

  fairseq-subword average-checkpoints -i ckpt/checkpoint8.pt ckpt/checkpoint9.pt -o average.pt
  fairseq-subword average-checkpoints -i ckpt --num-epoch-checkpoints 5 -o average.pt

The result is a checkpoint for fairseq-generate, or for fairseq-train --finetune-from-model: it has
the parameters' mean, in the dtype that they have, and everything else from the last input, but no
optimizer state. Checkpoints are read with torch's weights_only, so that they cannot run code.
"""

import argparse
import inspect
import io
import logging
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.output_files import OutputFile

# fairseq-train writes checkpoint7.pt after an epoch, checkpoint_7_5000.pt after --save-interval-updates.
EPOCH_NAME = ("checkpointEPOCH.pt", re.compile(r"checkpoint(\d+)\.pt"))
UPDATE_NAME = ("checkpoint_EPOCH_UPDATES.pt", re.compile(r"checkpoint_\d+_(\d+)\.pt"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The names of the arguments are those of Fairseq's own script, which is not installed with it."""
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
        help="with one of the --num options: pass over later epochs, or higher numbers of updates",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Averages and writes."""
    paths = chosen_checkpoints(args)
    import torch  # only this command needs it

    average = average_checkpoints(paths)
    content = io.BytesIO()
    torch.save(average, content)  # of a full disk torch says only that it failed, not why
    with atomic_writer(args.output) as stream:
        stream.write(content.getbuffer())
    print(
        f"{args.output}: the mean of {len(paths)} checkpoints ({', '.join(map(str, paths))})",
        file=sys.stderr,
    )


def chosen_checkpoints(args: argparse.Namespace) -> List[Path]:
    """The checkpoints to average, the latest last.

    Raises:
        ValueError: where the options contradict each other, or the folder holds too few.
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
    """The ``count`` checkpoints of a folder with the highest numbers in their names, up to ``bound``.

    Raises:
        ValueError: where there are fewer, or ``count`` is less than 1.
    """
    if count < 1:
        raise ValueError(f"the number of checkpoints has to be at least 1, found {count}")
    shape, pattern = name
    numbered = []
    for path in folder.iterdir():
        match = pattern.fullmatch(path.name)
        if match and (bound is None or int(match[1]) <= bound):
            numbered.append((int(match[1]), path))
    if len(numbered) < count:
        raise ValueError(
            f"{folder}: found {len(numbered)} checkpoints named {shape}"
            f"{'' if bound is None else f' with a number up to {bound}'}, but {count} are wanted"
        )
    return [path for _, path in sorted(numbered)[-count:]]


def average_checkpoints(paths: List[Path]) -> Dict[str, Any]:
    """Averages the model of each checkpoint, parameter by parameter.

    Sums are taken in double precision. Parameters that are one tensor under several names (shared
    embeddings) stay so. Tensors of integers (counters) and everything outside the model come from
    the last checkpoint; the optimizer's state belongs to none of the averages and is left out.

    Args:
        paths: checkpoints of the same architecture and dictionary.

    Returns:
        A checkpoint for ``torch.save``.

    Raises:
        ValueError: naming the file, where one is no Fairseq checkpoint or does not match the first.
        OSError: where one cannot be read.
        ImportError: where torch or fairseq is missing.
    """
    allow_fairseq_types()
    states = [load_checkpoint(path) for path in paths]
    models = [state["model"] for state in states]
    for path, model in zip(paths[1:], models[1:]):
        check_match(paths[0], models[0], path, model)
    average = dict(states[-1])
    average.pop("last_optimizer_state", None)
    extra = average.get("extra_state")
    if isinstance(extra, dict):
        # Averaged parameters of another kind, of one of the inputs.
        average["extra_state"] = {
            key: value for key, value in extra.items() if not key.startswith("ema")
        }
    average["model"] = average_models(models)
    return average


def average_models(models: List[dict]) -> dict:
    """The mean of ``state_dict``s that have the same keys, shapes and dtypes."""
    average, by_place = {}, {}
    for key in models[-1]:
        tensors = [model[key] for model in models]
        # Two names of one parameter show the same memory in every checkpoint, or the mean is taken
        # for each name on its own.
        place = tuple((t.data_ptr(), t.shape, t.stride()) for t in tensors)
        if place not in by_place:
            if tensors[-1].is_floating_point():
                total = sum(tensor.double() for tensor in tensors)
                by_place[place] = (total / len(tensors)).to(tensors[-1].dtype)
            else:
                by_place[place] = tensors[-1].clone()
        average[key] = by_place[place]
    return average


def allow_fairseq_types() -> None:
    """Lets torch read the types that Fairseq's checkpoints hold, and only those.

    Raises:
        ImportError: where torch or fairseq is missing.
    """
    from fairseq_subword_ext.fairseq_compat import allow_checkpoint_types

    logging.disable(logging.INFO)  # Fairseq tells of optional packages when it is imported
    try:
        allow_checkpoint_types()
    finally:
        logging.disable(logging.NOTSET)


def load_checkpoint(path: Path) -> Dict[str, Any]:
    """Reads a checkpoint without running anything that it holds.

    Raises:
        ValueError: where it is none of Fairseq's, or holds types that torch does not take.
        OSError: where it cannot be read.
    """
    import torch

    with path.open("rb"):  # a missing file is told apart from a broken one
        options = {"map_location": "cpu", "weights_only": True}
    if zipfile.is_zipfile(path) and "mmap" in inspect.signature(torch.load).parameters:
        options["mmap"] = True  # so that an optimizer's state is never read
    try:
        state = torch.load(path, **options)
    except Exception as error:  # whatever the bytes of a broken file lead torch to
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        if not hasattr(torch.serialization, "add_safe_globals"):
            # Older ones cannot be told which of Fairseq's types are harmless.
            reason += f" (torch {torch.__version__}; this command needs 2.4 or newer)"
        raise ValueError(f"{path}: torch cannot read this as a checkpoint: {reason}") from error
    if not isinstance(state, dict) or not isinstance(state.get("model"), dict):
        raise ValueError(f"{path}: no Fairseq checkpoint, there is no 'model' in it")
    return state


def check_match(first_path: Path, first: dict, path: Path, model: dict) -> None:
    """Makes sure that two models have the same parameters.

    Raises:
        ValueError: naming both files and the first difference.
    """
    for owner, other, lacking in ((first, model, path), (model, first, first_path)):
        missing = [key for key in owner if key not in other]
        if missing:
            raise ValueError(
                f"{path} does not match {first_path}: {lacking} lacks {missing[0]}"
                f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}"
            )
    for key, tensor in first.items():
        other = model[key]
        if tensor.shape != other.shape or tensor.dtype != other.dtype:
            raise ValueError(
                f"{path} does not match {first_path}: {key} is "
                f"{tuple(other.shape)} of {other.dtype} instead of {tuple(tensor.shape)} of "
                f"{tensor.dtype}"
            )
