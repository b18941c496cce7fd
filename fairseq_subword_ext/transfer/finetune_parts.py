"""The parts of a translation model that transfer learning trains or freezes.

There are three in Wang, Cho & Gu 2020 (section 4.4, Table 8): the embeddings, the encoder and the decoder.
"""

import logging
from dataclasses import dataclass
from typing import Dict, List, Tuple

import torch
from torch import nn

from fairseq_subword_ext.checkpoints.task_state import ALL

logger = logging.getLogger(__name__)

EMBED, ENC, DEC = PARTS = ("embed", "enc", "dec")

_TOKEN_EMBEDDINGS = ("encoder.embed_tokens.", "decoder.embed_tokens.")


@dataclass(frozen=True)
class PartTensor:
    """One parameter of a model.

    Attributes:
        names: all its names in the model; more than one if it is tied.
        part: the part that it belongs to.
        parameter: the parameter itself.
    """

    names: Tuple[str, ...]
    part: str
    parameter: nn.Parameter


def parse_parts(text: str) -> Tuple[str, ...]:
    """Parses ``--finetune``: parts joined by plus signs or commas, or ``all``.

    Returns:
        The parts in the order of ``PARTS``, each once.

    Raises:
        ValueError: If a part is unknown, or nothing would be trained.
    """
    asked = [name.strip() for name in text.replace(",", "+").split("+") if name.strip()]
    if not asked or asked == ["none"]:
        raise ValueError(
            f"--finetune {text!r} leaves nothing to train; name one or more of {'+'.join(PARTS)}, or all "
            "(to use the parent as it is, run fairseq-generate with its checkpoint)"
        )
    unknown = [name for name in asked if name not in (*PARTS, ALL)]
    if unknown:
        raise ValueError(
            f"--finetune {text!r}: no part is called {unknown[0]!r}; expected all, or any of "
            f"{', '.join(PARTS)} joined by +"
        )
    return PARTS if ALL in asked else tuple(part for part in PARTS if part in asked)


def name_parts(parts: Tuple[str, ...]) -> str:
    """The value of ``--finetune`` for these parts: ``embed+enc``, or ``all``."""
    return ALL if tuple(parts) == PARTS else "+".join(parts)


def model_parts(model: nn.Module) -> List[PartTensor]:
    """Sorts a model's parameters into parts.

    ``embed`` is the token embeddings of both sides, with everything tied to them; ``enc`` is the rest of
    the encoder, including the embedding context and the positions; ``dec`` is the rest of the decoder,
    including an untied output projection.

    Raises:
        ValueError: If a parameter is in neither the encoder nor the decoder; names it.
    """
    names: Dict[int, List[str]] = {}
    parameters: Dict[int, nn.Parameter] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
        parameters[id(parameter)] = parameter
    return [
        PartTensor(tuple(own), _part_of(own), parameters[identity])
        for identity, own in names.items()
    ]


def _part_of(names: List[str]) -> str:
    if any(name.startswith(_TOKEN_EMBEDDINGS) for name in names):
        return EMBED
    if names[0].startswith("encoder."):
        return ENC
    if names[0].startswith("decoder."):
        return DEC
    raise ValueError(
        f"the model's parameter {names[0]} is in neither an encoder nor a decoder, so no "
        "part of --finetune has it"
    )


def freeze_others(model: nn.Module, trained: Tuple[str, ...]) -> None:
    """Freezes all parts except those given, and logs what is trained, frozen and tied.

    A frozen parameter gets no gradient, and Fairseq's trainer passes it to no optimizer. Dropout stays on
    in frozen layers, since it regularizes the trained layers above them.

    Raises:
        ValueError: If nothing is left to train.
    """
    tensors = model_parts(model)
    for tensor in tensors:
        # Never unfreezes: what the model itself keeps fixed stays fixed.
        if tensor.part not in trained:
            tensor.parameter.requires_grad_(False)
    for line in describe(tensors):
        logger.info(line)
    if not any(tensor.parameter.requires_grad for tensor in tensors):
        raise ValueError(
            f"--finetune {name_parts(trained)} leaves nothing to train: this model has no such "
            "parameters"
        )


def describe(tensors: List[PartTensor]) -> List[str]:
    """Lines for the log: the trained and frozen parameters of each part, and the tied tensors."""
    lines = []
    for part in PARTS:
        trained, frozen = (
            sum(
                t.parameter.numel()
                for t in tensors
                if t.part == part and t.parameter.requires_grad is on
            )
            for on in (True, False)
        )
        lines.append(f"part {part}: {trained:,} parameters trained, {frozen:,} frozen")
    for tensor in tensors:
        if len(tensor.names) > 1:
            state = "trained" if tensor.parameter.requires_grad else "frozen"
            lines.append(f"tied, so {state} together as {tensor.part}: {' = '.join(tensor.names)}")
    return lines


def keep_gradients_through_checkpoints(model: nn.Module) -> None:
    """Makes Fairseq's ``--checkpoint-activations`` work after frozen parts.

    Its recomputed layers pass gradients to their parameters only if an input requires a gradient, which the
    output of frozen layers does not.
    """
    for module in model.modules():
        if hasattr(module, "precheckpoint_forward") and any(
            parameter.requires_grad for parameter in module.parameters()
        ):
            module.register_forward_pre_hook(_require_gradient)


def _require_gradient(module: nn.Module, inputs: tuple) -> None:
    tensors = [value for value in inputs if torch.is_tensor(value)]
    if torch.is_grad_enabled() and not any(tensor.requires_grad for tensor in tensors):
        tensors[0].requires_grad_()


def keep_frozen_in_average(average: nn.Module, model: nn.Module) -> None:
    """Keeps frozen parameters unchanged, bit for bit, in the average of Fairseq's ``--store-ema``.

    The mean of equal numbers is not always that number: Fairseq's average of a frozen parameter drifts by a
    rounding error per update. The parameter is restored whenever an average is loaded.

    Args:
        average: Fairseq's copy of the model, which holds the average.
        model: the model being trained; its parameter objects are never replaced.
    """
    frozen = {
        name: parameter
        for name, parameter in model.named_parameters(remove_duplicate=False)
        if not parameter.requires_grad
    }

    def restore(module: nn.Module, _incompatible_keys) -> None:
        with torch.no_grad():
            for name, parameter in module.named_parameters(remove_duplicate=False):
                if name in frozen:
                    parameter.copy_(frozen[name])

    average.register_load_state_dict_post_hook(restore)
