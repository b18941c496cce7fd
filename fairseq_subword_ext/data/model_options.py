"""Options of a model that its task sets."""

import copy
from argparse import Namespace
from typing import Tuple

from fairseq.models import MODEL_DATACLASS_REGISTRY
from omegaconf import open_dict

EMBEDDING_FILES = ("encoder_embed_path", "decoder_embed_path")


def give_positions(model_cfg, positions: Tuple[int, int]) -> None:
    """Sets max_source_positions and max_target_positions if the model's options lack them.

    On the command line, the architecture's parser claims these flags before the task does and drops their
    defaults; in a Hydra file they belong to the model as well. Without this, the model would fall back to
    Fairseq's 1,024, even if the task allows more.

    Args:
        model_cfg: the model's options, a Namespace or a configuration; changed in place.
        positions: the longest source and target.
    """
    for name, value in zip(("max_source_positions", "max_target_positions"), positions):
        if getattr(model_cfg, name, None) is not None:
            continue
        if isinstance(model_cfg, Namespace):
            setattr(model_cfg, name, value)
        elif getattr(model_cfg, "_name", None) not in MODEL_DATACLASS_REGISTRY:
            with open_dict(model_cfg):  # a model with a dataclass has the option or refuses it
                model_cfg[name] = value


def forget_embedding_files(model_cfg):
    """The options of a finished model, without the text files of its pretrained embeddings.

    The checkpoint has the weights, and the files may no longer exist.

    Args:
        model_cfg: a Namespace or a configuration; not changed.
    """
    named = [name for name in EMBEDDING_FILES if getattr(model_cfg, name, None)]
    if not named:
        return model_cfg
    finished = copy.deepcopy(model_cfg)
    for name in named:
        setattr(finished, name, None)
    return finished
