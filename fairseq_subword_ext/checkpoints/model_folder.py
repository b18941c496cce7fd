"""Checks that a model's files match, and writes them into a folder."""

import argparse
import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from fairseq_subword_ext.checkpoints.comparing import compare_members, compare_parameters
from fairseq_subword_ext.checkpoints.consistency import check_codes, check_dictionary
from fairseq_subword_ext.checkpoints.dictionaries import dictionary_folders
from fairseq_subword_ext.checkpoints.languages import record_pair
from fairseq_subword_ext.checkpoints.model_parts import NO_ENCODER, ModelParts
from fairseq_subword_ext.checkpoints.packed_checkpoint import (
    CODES_NAME,
    encoder_section,
    generation_section,
    option,
    pack,
    plain_config,
    without_folders,
)
from fairseq_subword_ext.checkpoints.reading import read_checkpoint
from fairseq_subword_ext.subword.merge_table import metadata_path_of

CONFIG_NAME = "training.yaml"
State = Dict[str, Any]
Dictionaries = Dict[str, Tuple[Path, List[str]]]


class Packed(NamedTuple):
    """The files written.

    Attributes:
        names: file names of the checkpoints.
        states: the original checkpoints, in the same order.
        encoder: the ``bpe`` section of their configuration.
        generation: the ``generation`` section.
    """

    names: List[str]
    states: List[State]
    encoder: Optional[Dict[str, Any]]
    generation: Dict[str, Any]


def fill(folder: Path, parts: ModelParts, keep_optimizer: bool) -> Packed:
    """Writes the model's files into an empty folder.

    Raises:
        ValueError: If something is missing, or the files do not match.
    """
    states = [read(path) for path in parts.checkpoints]
    for path, state in zip(parts.checkpoints[1:], states[1:]):
        compare_parameters(parts.checkpoints[0], states[0]["model"], path, state["model"])
        compare_members(parts.checkpoints[0], task_state(states[0]), path, task_state(state))
    dictionaries = put_dictionaries(folder, parts, states)
    encoder = put_codes(folder, parts, dictionaries)
    generation = generation_section(parts.generate)
    names = ["model.pt"] if len(states) == 1 else [f"model{n + 1}.pt" for n in range(len(states))]
    for name, state in zip(names, states):
        packed = pack(state, encoder, generation, keep_optimizer)
        write_checkpoint(folder / name, packed)
    write_config(folder / CONFIG_NAME, packed["cfg"])
    put_scores(folder / "scores", parts.scores)
    put_files(folder / "more", parts.more)
    return Packed(names, states, encoder, generation)


def task_state(state: State) -> State:
    """The task's state in a checkpoint."""
    return state.get("task_state") or {}


def read(path: Path) -> State:
    """Reads a checkpoint, with its configuration as plain dictionaries.

    Raises:
        ValueError: If it is not a Fairseq checkpoint.
    """
    state = read_checkpoint(path)
    if state.get("cfg") is None and state.get("args") is None:
        raise ValueError(f"{path}: no configuration in it: fairseq-train did not write this")
    return {**state, "cfg": plain_config(state)}


def put_dictionaries(folder: Path, parts: ModelParts, states: List[State]) -> Dictionaries:
    """Finds and checks the dictionaries, and copies them under the names that the task reads.

    Returns:
        The file and the symbols of each side, source first.
    """
    task = states[0]["cfg"]["task"]
    recorded = dictionary_folders(parts.checkpoints[0], option(task, "data"))
    folders = parts.data or recorded
    languages = record_pair(states, parts, [*parts.data, *recorded])
    symbols = {}
    for side, language in zip(("source", "target"), languages):
        path = find_dictionary(folders, f"dict.{language}.txt")
        for checkpoint, state in zip(parts.checkpoints, states):
            symbols[side] = (path, check_dictionary(path, side, state, checkpoint))
        shutil.copyfile(path, folder / path.name)
    return symbols


def find_dictionary(folders: List[Path], name: str) -> Path:
    """Finds a dictionary in one of the folders, or in a subfolder (one per language pair).

    Raises:
        ValueError: If there is none.
    """
    for folder in folders:
        for path in [folder / name, *sorted(folder.glob(f"*/{name}"))]:
            if path.is_file():
                return path
    raise ValueError(
        f"no {name} in {' or '.join(map(str, folders)) or 'any folder'}: give the folder that "
        "fairseq-preprocess wrote as --data"
    )


def put_codes(
    folder: Path, parts: ModelParts, dictionaries: Dictionaries
) -> Optional[Dict[str, Any]]:
    """Checks the codes, and copies them with their metadata.

    Returns:
        The encoder's section of the configuration; None if there is no encoder.
    """
    if parts.encoder == NO_ENCODER:
        if parts.codes or parts.encoder_options:
            raise ValueError(f"--bpe {NO_ENCODER} takes no --codes and no --bpe-option")
        return None
    section = encoder_section(parts.encoder, parts.codes is not None, parts.encoder_options)
    for codes, side, name in (
        (parts.codes, "source", CODES_NAME),
        (parts.target_codes or parts.codes, "target", f"{CODES_NAME}.target"),
    ):
        if codes is None:
            continue
        path, symbols = dictionaries[side]
        check_codes(codes, parts.encoder, symbols, path, parts.encoder_options)
        if side == "source" or parts.target_codes:
            shutil.copyfile(codes, folder / name)
            if metadata_path_of(codes).is_file():
                shutil.copyfile(metadata_path_of(codes), metadata_path_of(folder / name))
    return section


def put_scores(folder: Path, paths: List[Path]) -> None:
    """Copies score files, without the folder names in them.

    Raises:
        ValueError: If a file is not JSON.
    """
    put_files(folder, paths)
    for path in paths:
        try:
            scores = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: a score file must be JSON ({error})") from error
        text = json.dumps(without_folders(scores), indent=1, ensure_ascii=False)
        (folder / path.name).write_text(f"{text}\n", encoding="utf-8")


def put_files(folder: Path, paths: List[Path]) -> None:
    """Copies files into a folder of the archive, created only if there are any.

    Raises:
        ValueError: If two files have the same name.
    """
    if paths:
        folder.mkdir()
    for path in paths:
        if (folder / path.name).exists():
            raise ValueError(f"{path}: another file already has this name; rename one")
        shutil.copyfile(path, folder / path.name)


def write_checkpoint(path: Path, state: State) -> None:
    import torch

    with path.open("wb") as stream:  # given a path, torch would write its name into the file
        torch.save(state, stream)


def write_config(path: Path, cfg: Dict[str, Any]) -> None:
    """Writes the configuration for fairseq-hydra-train, which accepts only keys of its own schema.

    The file must not be called ``config``: Fairseq's own file of that name would be found first.
    """
    from fairseq.dataclass.configs import FairseqConfig
    from omegaconf import OmegaConf

    sections = {item.name for item in dataclasses.fields(FairseqConfig)} - {"_name"}
    plain = {
        key: vars(part) if isinstance(part, argparse.Namespace) else part
        for key, part in cfg.items()
        if key in sections and part is not None
    }
    text = OmegaConf.to_yaml(OmegaConf.create(plain), sort_keys=True)
    path.write_text(f"# @package _global_\n{text}", encoding="utf-8")
