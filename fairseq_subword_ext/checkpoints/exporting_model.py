"""Loads the model to export and refuses models that the graphs cannot reproduce."""

import contextlib
import logging
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from fairseq_subword_ext.checkpoints.dictionaries import dictionary_folders


class LoadedModel(NamedTuple):
    """A model as Fairseq loads it.

    Attributes:
        model: in evaluation mode, on the CPU, in float32.
        task: set up with the model's dictionaries.
        cfg: the checkpoint's configuration.
        generator: fairseq-generate's default search for this model.
    """

    model: nn.Module
    task: Any
    cfg: Any
    generator: Any


def load_model(checkpoint: Path, data: Path) -> LoadedModel:
    """Loads a checkpoint with torch's ``weights_only`` on.

    Args:
        checkpoint: the checkpoint of a translation model.
        data: the folder of its dictionaries.

    Raises:
        ValueError: If it cannot be loaded or cannot be exported.
        ImportError: If Fairseq is not installed.
    """
    with loading(checkpoint):
        from fairseq import checkpoint_utils

        # The task would look for the data of the languages that were trained on; only dictionaries are needed.
        models, cfg, task = checkpoint_utils.load_model_ensemble_and_task(
            [str(checkpoint)], arg_overrides={"data": str(data), "source_langs": None}
        )
    model = models[0].float().eval()
    check_supported(model, checkpoint)
    generator = task.build_generator(models, cfg.generation)
    check_search(generator, checkpoint)
    return LoadedModel(model, task, cfg, generator)


def recorded_data(checkpoint: Path) -> Path:
    """The folder of a checkpoint's dictionaries: its own, or that of its training data.

    Raises:
        ValueError: If the checkpoint cannot be read, or the folder no longer exists.
    """
    with loading(checkpoint):
        from fairseq import checkpoint_utils

        task = checkpoint_utils.load_checkpoint_to_cpu(str(checkpoint))["cfg"]["task"]
    recorded = task.get("data") if hasattr(task, "get") else getattr(task, "data", None)
    folders = dictionary_folders(checkpoint, recorded)
    for folder in folders:
        if folder.is_dir():
            return folder
    shown = ", ".join(map(str, folders)) or "a folder that it does not name"
    raise ValueError(
        f"{checkpoint} was trained on {shown}, which is not here: give the folder with the dictionaries "
        "as --data"
    )


@contextlib.contextmanager
def loading(checkpoint: Path) -> Iterator[None]:
    """Registers the plug-in, and turns exceptions of Fairseq and torch into a one-line error.

    Raises:
        ValueError: If the checkpoint cannot be loaded.
        ImportError: If Fairseq is not installed.
    """
    from fairseq_subword_ext import register

    if not checkpoint.is_file():
        raise ValueError(f"{checkpoint}: no such checkpoint")
    disabled = logging.root.manager.disable
    logging.disable(logging.INFO)  # Fairseq logs whole configurations
    try:
        register()
        yield
    except (
        pickle.UnpicklingError,
        RuntimeError,
        LookupError,
        AssertionError,
        AttributeError,
        TypeError,
        EOFError,
    ) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{checkpoint}: Fairseq does not load it ({reason})") from error
    finally:
        logging.disable(disabled)


def check_supported(model: nn.Module, checkpoint: Path) -> None:
    """Checks that the graphs can reproduce this model.

    Raises:
        ValueError: If they cannot; the message says why.
    """
    from fairseq.models.transformer import (
        TransformerDecoder,
        TransformerDecoderBase,
        TransformerEncoder,
        TransformerEncoderBase,
    )

    from fairseq_subword_ext.models.contextualized_transformer import (
        ContextualizedTransformerEncoder,
    )
    from fairseq_subword_ext.models.gru_transformer import GRUTransformerEncoder

    encoders = (
        TransformerEncoder,
        TransformerEncoderBase,
        ContextualizedTransformerEncoder,
        GRUTransformerEncoder,
    )
    encoder, decoder = getattr(model, "encoder", None), getattr(model, "decoder", None)
    if type(encoder) not in encoders or type(decoder) not in (
        TransformerDecoder,
        TransformerDecoderBase,
    ):
        raise ValueError(
            f"{checkpoint}: {type(model).__name__} cannot be exported; contextualized_transformer, "
            "gru_transformer and Fairseq's transformer can"
        )
    layers = [*encoder.layers, *decoder.layers]
    extra = ("attn_ln", "c_attn", "ffn_layernorm", "w_resid")
    reasons = {
        "--adaptive-softmax-cutoff": decoder.adaptive_softmax is not None,
        "--cross-self-attention": decoder.cross_self_attention,
        "--base-layers": decoder.num_layers != len(decoder.layers),
        "scaled attention": any(getattr(layer, name, None) is not None for layer in layers for name in extra),
        "--no-cross-attention": any(layer.encoder_attn is None for layer in decoder.layers),
        "--quant-noise-pq": bool(encoder.quant_noise is not None or decoder.quant_noise is not None),
    }  # fmt: skip
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(f"{checkpoint}: a model with {reason} cannot be exported")


def check_search(generator: Any, checkpoint: Path) -> None:
    """Checks that the runtime supports the model's default search.

    Raises:
        ValueError: If it does not.
    """
    from fairseq.search import BeamSearch
    from fairseq.sequence_generator import SequenceGenerator

    search = getattr(generator, "search", None)
    search = getattr(search, "inner", search)
    if (
        type(generator) is not SequenceGenerator
        or type(search) is not BeamSearch
        or generator.temperature != 1
        or generator.match_source_len
        or generator.repeat_ngram_blocker is not None
        or generator.lm_model is not None
    ):
        raise ValueError(
            f"{checkpoint}: its configuration asks for a search other than plain beam search; translate "
            "has --beam, --lenpen, --unnormalized, --unkpen, --min-len, --max-len-a and --max-len-b"
        )
