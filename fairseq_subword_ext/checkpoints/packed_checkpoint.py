"""Prepares a checkpoint for an archive: the model and how to use it, without traces of the machine."""

import argparse
import contextlib
import dataclasses
import io
import os
import shlex
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.checkpoints.comparing import TEXT_STATE

CODES_NAME = "bpecodes"  # fairseq's from_pretrained looks for this name in a model's folder
# The options of a model trained on raw text that reads its dictionary from the folder, and no text.
READS_BINARIZED = {"from_text": False, "text_dict": None, "text_cache": None}
# Only resuming training needs these.
TRAINING_STATE = ("last_optimizer_state",)


def pack(
    state: Dict[str, Any],
    encoder: Optional[Dict[str, Any]],
    generation: Dict[str, Any],
    keep_optimizer: bool,
) -> Dict[str, Any]:
    """Builds a checkpoint that from_pretrained can use as it is.

    Args:
        state: fairseq-train's checkpoint, with its configuration from :func:`plain_config`.
        encoder: the ``bpe`` section of the configuration; None for segmented text.
        generation: the ``generation`` section.
        keep_optimizer: keep the optimizer's state, so that training can be resumed.
    """
    cfg = without_folders(state["cfg"])
    cfg["bpe"] = encoder
    cfg["generation"] = generation
    if isinstance(cfg.get("common"), dict):
        cfg["common"]["user_dir"] = None  # the installed package is imported by name instead
    for section in (cfg["task"], cfg["model"]):
        if section is not None:
            set_where_present(section, "data", ".")  # the folder with the dictionaries
            # The task would look for the data of these languages, which the archive does not have.
            set_where_present(section, "source_langs", None)
            for key, value in READS_BINARIZED.items():
                set_where_present(section, key, value)
    # The pretrained embeddings are already part of the checkpoint.
    cfg["model"] = without_embedding_files(cfg["model"])
    packed = {**state, "args": None, "cfg": cfg}
    if packed.get("task_state"):
        packed["task_state"] = {
            key: value for key, value in packed["task_state"].items() if key != TEXT_STATE
        }
    if not keep_optimizer:
        for key in TRAINING_STATE:
            packed.pop(key, None)
        extra = packed.get("extra_state")
        if isinstance(extra, dict):
            packed["extra_state"] = {
                key: value for key, value in extra.items() if not key.startswith("ema")
            }
    return packed


def plain_config(state: Dict[str, Any]) -> Dict[str, Any]:
    """The configuration of a new or old checkpoint as plain dictionaries."""
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from omegaconf import OmegaConf

    if state.get("cfg") is not None:
        return dict(state["cfg"])
    return OmegaConf.to_container(
        convert_namespace_to_omegaconf(state["args"]), resolve=True, enum_to_str=True
    )


def without_folders(value: Any) -> Any:
    """A copy in which every absolute path is shortened to its last component.

    Paths on the training machine are of no use to others and may reveal a user name.
    """
    if isinstance(value, dict):
        return {key: without_folders(item) for key, item in value.items()}
    if isinstance(value, argparse.Namespace):
        return argparse.Namespace(**without_folders(vars(value)))
    if isinstance(value, (list, tuple)):
        return type(value)(without_folders(item) for item in value)
    if isinstance(value, str) and value.startswith("/"):
        return os.pathsep.join(Path(part).name for part in value.split(os.pathsep))
    return value


def without_embedding_files(section: Any) -> Any:
    """A copy in which no option, nested ones included, names a file of pretrained embeddings."""
    if isinstance(section, argparse.Namespace):
        return argparse.Namespace(**without_embedding_files(vars(section)))
    if isinstance(section, dict):
        return {
            key: None if key.endswith("embed_path") else without_embedding_files(value)
            for key, value in section.items()
        }
    return section


def set_where_present(section: Any, key: str, value: Any) -> None:
    """Sets an option if the section has it."""
    options = vars(section) if isinstance(section, argparse.Namespace) else section
    if key in options:
        options[key] = value


def option(section: Any, key: str) -> Any:
    """An option of a section; None if it has no such option."""
    options = vars(section) if isinstance(section, argparse.Namespace) else section
    return (options or {}).get(key)


def encoder_section(name: str, has_codes: bool, given: Dict[str, str]) -> Dict[str, Any]:
    """The ``bpe`` section of the configuration.

    Args:
        name: name of the encoder.
        has_codes: whether the archive has codes for it.
        given: options other than the codes.

    Raises:
        ValueError: If the encoder is not registered, lacks one of the options, needs another file, or if
            codes are missing or not needed.
    """
    from fairseq.registry import REGISTRIES

    registry = REGISTRIES["bpe"]["dataclass_registry"]
    if registry.get(name) is None:
        raise ValueError(f"--bpe {name}: Fairseq knows {', '.join(sorted(registry))}")
    fields = [item for item in dataclasses.fields(registry[name]) if item.name != "_name"]
    options = {item.name: item.default for item in fields}
    if has_codes != ("bpe_codes" in options):
        raise ValueError(
            f"--bpe {name} takes no --codes" if has_codes else f"--bpe {name} needs --codes FILE"
        )
    for key, value in given.items():
        if key not in options or key == "bpe_codes":
            raise ValueError(
                f"--bpe-option {key}: --bpe {name} has {', '.join(sorted({*options} - {'bpe_codes'}))}"
            )
        if key in ("bpe_vocabulary", "bpe_glossary_file"):
            raise ValueError(
                f"--bpe-option {key}: from_pretrained cannot find this file by itself; leave the option out "
                "here and pass it to from_pretrained"
            )
        options[key] = value
    if has_codes:
        options["bpe_codes"] = CODES_NAME
    return {**options, "_name": name}


def generation_section(flags: str) -> Dict[str, Any]:
    """Turns fairseq-generate flags into a ``generation`` section.

    Raises:
        ValueError: If fairseq-generate rejects them.
    """
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from omegaconf import OmegaConf

    words: List[str] = ["data", *shlex.split(flags)]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            # Flags of tasks and encoders are unknown to this parser and have no effect on this section.
            args, _ = options.parse_args_and_arch(
                options.get_generation_parser(), input_args=words, parse_known=True
            )
    except SystemExit as error:
        reason = said.getvalue().strip().split("\n")[-1]
        raise ValueError(f"--generate '{flags}': {reason}") from error
    config = convert_namespace_to_omegaconf(args).generation
    return OmegaConf.to_container(config, resolve=True, enum_to_str=True)
