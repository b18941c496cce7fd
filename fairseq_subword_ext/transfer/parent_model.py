"""The parent of a transfer: its dictionary, its architecture and its weights."""

from argparse import Namespace
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple

from fairseq import utils
from torch import nn

from fairseq_subword_ext.checkpoints.comparing import Symbols, compare_dictionaries
from fairseq_subword_ext.checkpoints.dictionaries import load_dictionary
from fairseq_subword_ext.checkpoints.reading import read_checkpoint

# What a Transformer's weights mean depends on these options; some of them (heads, activation) do not show in
# shapes. Other options, such as dropout, may differ between parent and child.
_SIDES = tuple(
    f"{side}_{name}"
    for side in ("encoder", "decoder")
    for name in (
        *("layers", "embed_dim", "ffn_embed_dim", "attention_heads"),
        *("normalize_before", "learned_pos"),
    )
)
STRUCTURE = (
    *_SIDES,
    *("decoder_input_dim", "decoder_output_dim", "share_all_embeddings"),
    *("share_decoder_input_output_embed", "activation_fn", "no_scale_embedding"),
    *("no_token_positional_embeddings", "layernorm_embedding", "no_cross_attention"),
    *("cross_self_attention", "adaptive_input", "no_decoder_final_norm"),
    *("embedding_context", "embedding_context_kernel_size"),
)
DEFAULTS = {"embedding_context": "none"}  # the value for models without the option
MAX_REASON_LENGTH = 500  # characters shown of torch's list of weights that do not fit


class ParentModel:
    """A finished model that another model starts from.

    Args:
        path: its checkpoint.
        dictionary_file: its dictionary, for a checkpoint that does not contain one.

    Attributes:
        source: where its dictionary was found, for messages.
        symbols: the symbols of its dictionary, by id.

    Raises:
        FileNotFoundError: If the checkpoint does not exist.
        ValueError: If the checkpoint has no model, its dictionary cannot be found, or source and target
            have different ones.
    """

    def __init__(self, path: Path, dictionary_file: Optional[Path] = None):
        self.path = path
        check_exists(path)
        try:
            state = read_checkpoint(path, fairseq_is_next=True)
        except ValueError as error:
            raise ValueError(f"--parent-checkpoint {error}") from error
        self._task_cfg = _part(state, "task")
        self._model_cfg = _part(state, "model")
        self.task_state = state.get("task_state") or {}
        self.symbols, self.source = self._find_dictionary(dictionary_file)

    def _find_dictionary(self, given: Optional[Path]) -> Tuple[List[str], str]:
        if given is not None:
            return load_dictionary(given).symbols, str(given)
        for own in self.task_state.values():
            if isinstance(own, dict) and "symbols" in own:
                return own["symbols"].split("\n"), str(self.path)
        files = self._data_dictionaries()
        if not files:
            raise ValueError(
                f"{self.path} does not contain its dictionary, and there is no dict.xx.txt in "
                f"{_get(self._task_cfg, 'data')}, the folder that it was trained on; give the parent's "
                "dict.en.txt with --parent-dict FILE"
            )
        found = [Symbols(load_dictionary(path).symbols, path) for path in files]
        for other in found[1:]:
            compare_dictionaries(
                found[0],
                other,
                f"{self.path} was trained with both, but a parent needs the same for both sides "
                "(fairseq-preprocess --joined-dictionary)",
            )
        return list(found[0].symbols), str(files[0])

    def _data_dictionaries(self) -> List[Path]:
        """The dictionary files in the folders that the parent was trained on, if they still exist."""
        folders = map(Path, utils.split_paths(str(_get(self._task_cfg, "data") or "")))
        return [
            path
            for folder in folders
            for pattern in ("dict.*.txt", "*/dict.*.txt")  # one folder, or one for each pair
            for path in sorted(folder.glob(pattern))
        ]

    def check_dictionary(self, found: Sequence[str], data_file: str, is_text: bool = False) -> None:
        """Compares the data's dictionary with the parent's, symbol by symbol.

        Args:
            found: the symbols of the data's dictionary.
            data_file: the data's dictionary, or its folder, for messages.
            is_text: whether the data is raw text.

        Raises:
            ValueError: If they differ; names both files, the first difference and the fix.
        """
        fix = "binarize the data with the parent's: fairseq-preprocess --srcdict {} --joined-dictionary ..."
        if is_text:
            fix = "give --bpe-codes with the parent's codes, and --text-dict {}"
        compare_dictionaries(
            Symbols(self.symbols, f"the parent ({self.source})"),
            Symbols(found, f"the data ({data_file})"),
            fix.format(self._dictionary_file()),
        )

    def _dictionary_file(self) -> str:
        """A file to binarize with: the one that was read, or the one in the parent's own data."""
        if self.source != str(self.path):
            return self.source
        for path in self._data_dictionaries():
            if load_dictionary(path).symbols == self.symbols:
                return str(path)
        return "DICT (the dict.en.txt of the data that the parent was trained on)"

    def check_architecture(self, model_cfg) -> None:
        """Compares the options that a model's weights depend on.

        Args:
            model_cfg: the options of the model that was built.

        Raises:
            ValueError: If options differ; names each with both values.
        """
        fields = [
            (name, *(_structure(cfg, name) for cfg in (self._model_cfg, model_cfg)))
            for name in STRUCTURE
        ]
        different = [
            f"--{name.replace('_', '-')} {parent} (here {child})"
            for name, parent, child in fields
            if parent != child and None not in (parent, child)
        ]
        if different:
            raise ValueError(
                f"{self.path} has another architecture or size: {', '.join(different)}; give the child the "
                "parent's --arch and sizes"
            )

    def load_into(self, model: nn.Module, model_cfg) -> None:
        """Loads the parent's weights into a model.

        Raises:
            ValueError: If weights are missing in one of the two, or differ in shape; names them.
        """
        self.check_architecture(model_cfg)
        weights = read_checkpoint(self.path, fairseq_is_next=True)["model"]
        try:
            model.load_state_dict(weights, strict=True, model_cfg=model_cfg)
        except RuntimeError as error:
            reasons = " ".join(str(error).split())[:MAX_REASON_LENGTH]
            raise ValueError(
                f"{self.path} does not fit the model that was built: {reasons}"
            ) from error


def check_exists(path: Path) -> None:
    """Raises FileNotFoundError if the parent's checkpoint does not exist."""
    if not path.is_file():
        raise FileNotFoundError(f"--parent-checkpoint {path}: no such file")


def _part(state: dict, name: str):
    """One part of a checkpoint's configuration; old checkpoints have a single Namespace for all."""
    if state.get("args") is not None:
        return state["args"]
    return (state.get("cfg") or {}).get(name) or {}


def _structure(cfg, name: str) -> Any:
    """The effective value of an option that weights depend on; None if the configuration lacks it."""
    value = _get(cfg, name, DEFAULTS.get(name))
    # --share-all-embeddings implies this option when Fairseq builds a model, but a Hydra configuration does
    # not show it.
    if name == "share_decoder_input_output_embed" and value is not None:
        return value or bool(_get(cfg, "share_all_embeddings"))
    return value


def _get(cfg, name: str, default: Any = None) -> Any:
    """An option of a Namespace or a mapping."""
    return getattr(cfg, name, default) if isinstance(cfg, Namespace) else cfg.get(name, default)
