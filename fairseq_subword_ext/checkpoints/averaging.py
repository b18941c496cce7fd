"""Averages the parameters of several checkpoints of one model."""

from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.checkpoints.comparing import compare_parameters
from fairseq_subword_ext.checkpoints.reading import read_checkpoint


def average_checkpoints(paths: List[Path]) -> Dict[str, Any]:
    """Averages the models of several checkpoints, parameter by parameter.

    Sums are computed in double precision. Parameters that share one tensor (tied embeddings) stay
    tied. Integer tensors (counters) and everything outside the model come from the last checkpoint;
    the optimizer's state fits none of the averages and is left out.

    Args:
        paths: checkpoints of the same architecture and dictionary.

    Returns:
        A checkpoint for ``torch.save``.

    Raises:
        ValueError: If one is not a Fairseq checkpoint or does not match the first; names the file.
        OSError: If one cannot be read.
        ImportError: If torch or fairseq is missing.
    """
    states = [read_checkpoint(path) for path in paths]
    models = [state["model"] for state in states]
    for path, model in zip(paths[1:], models[1:]):
        compare_parameters(paths[0], models[0], path, model)
    average = dict(states[-1])
    average.pop("last_optimizer_state", None)
    extra = average.get("extra_state")
    if isinstance(extra, dict):
        # These are one input's running averages, which no longer fit the new parameters.
        average["extra_state"] = {
            key: value for key, value in extra.items() if not key.startswith("ema")
        }
    average["model"] = average_models(models)
    return average


def average_models(models: List[dict]) -> dict:
    """The mean of ``state_dict``s with the same keys, shapes and dtypes."""
    average, by_place = {}, {}
    for key in models[-1]:
        tensors = [model[key] for model in models]
        # Names are tied only if they share memory in every checkpoint; otherwise each gets its own mean.
        place = tuple((t.data_ptr(), t.shape, t.stride()) for t in tensors)
        if place not in by_place:
            if tensors[-1].is_floating_point():
                total = sum(tensor.double() for tensor in tensors)
                by_place[place] = (total / len(tensors)).to(tensors[-1].dtype)
            else:
                by_place[place] = tensors[-1].clone()
        average[key] = by_place[place]
    return average
