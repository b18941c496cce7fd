"""Runs the two graphs of an exported model in onnxruntime.

Sizes: S sentences, B hypotheses per sentence, L source length, T target symbols so far,
V dictionary size, H attention heads, D head size.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from fairseq_subword_ext.runtime.export_folder import DECODER, ENCODER, ExportSettings, file_of
from fairseq_subword_ext.runtime.graph_check import check_graph

FLOAT, INTEGER, BOOLEAN = "tensor(float)", "tensor(int64)", "tensor(bool)"
WARNINGS_OFF = (
    4  # onnxruntime's level "fatal": anything less severe is raised as an exception anyway
)


class Sources(NamedTuple):
    """Encoded sources.

    Attributes:
        mask: ``(S, 1, 1, L)``.
        layers: per decoder layer keys ``(S, H, D, L)`` and values ``(S, H, L, D)``.
    """

    mask: np.ndarray
    layers: List[np.ndarray]

    def take(self, sentences: np.ndarray) -> "Sources":
        """Selects some of the sentences."""
        return Sources(self.mask[sentences], [layer[sentences] for layer in self.layers])


class Step(NamedTuple):
    """Input of one decoder step.

    Attributes:
        tokens: ``(S, B)``, the last symbol of each hypothesis.
        position: number of symbols before it.
        parents: ``(S * B,)``, the row of the previous step that each hypothesis continues.
        scores: ``(S, B)``, log-probability of each hypothesis.
        bias: ``(V,)``, added to the log-probability of each next symbol.
        at_limit: ``(S,)``, true for sentences that must end now.
    """

    tokens: np.ndarray
    position: int
    parents: np.ndarray
    scores: np.ndarray
    bias: np.ndarray
    at_limit: np.ndarray


class ExportedModel:
    """An encoder and a decoder step; the state between steps stays inside onnxruntime.

    Args:
        folder: the export folder.
        settings: the export's settings.
        threads: maximum number of threads per operation.

    Raises:
        ValueError: If a graph is broken, has forbidden content, or does not match the settings' sizes.
        ImportError: If onnxruntime is not installed.
    """

    def __init__(self, folder: Path, settings: ExportSettings, threads: int = 1):
        self._encoder = _session(file_of(folder, ENCODER), threads)
        self._decoder = _session(file_of(folder, DECODER), threads)
        self.symbols = settings.target_symbols
        self._layers = 2 * settings.layers
        self._head_size = _check_shapes(self._encoder, self._decoder, settings)
        self._past: List[Any] = []
        self._empty = np.zeros((1, settings.heads, 0, self._head_size), np.float32)
        self._outputs = [output.name for output in self._decoder.get_outputs()]

    def encode(self, rows: np.ndarray) -> Sources:
        """Encodes sources and discards the state of earlier ones.

        Args:
            rows: ids ``(S, L)``, padded at the end.

        Raises:
            ValueError: If the graph fails.
        """
        self._past = []
        with graph_errors(ENCODER):
            mask, *layers = self._encoder.run(None, {"tokens": rows})
        return Sources(mask, layers)

    def step(self, asked: Step, sources: Sources) -> Tuple[np.ndarray, np.ndarray]:
        """Continues all hypotheses by one symbol.

        Returns:
            The log-probabilities of each sentence's 2 * B best continuations, and their indices
            (hypothesis * V + symbol), both ``(S, 2 * B)``.

        Raises:
            ValueError: If the graph fails.
        """
        from onnxruntime import OrtValue

        feed: Dict[str, Any] = {
            "tokens": asked.tokens,
            "position": np.array([asked.position], np.int64),
            "parents": asked.parents,
            "scores": asked.scores,
            "bias": asked.bias,
            "at_limit": asked.at_limit,
            "mask": sources.mask,
        }
        feed.update((f"source_{i}", layer) for i, layer in enumerate(sources.layers))
        if not self._past:
            feed.update((f"past_{i}", self._empty) for i in range(self._layers))
        with graph_errors(DECODER):
            values = {name: OrtValue.ortvalue_from_numpy(array) for name, array in feed.items()}
            values.update((f"past_{i}", value) for i, value in enumerate(self._past))
            best, numbers, *self._past = self._decoder.run_with_ort_values(self._outputs, values)
        return best.numpy(), numbers.numpy()


def _session(path: Path, threads: int):
    """Opens a graph from memory, so that onnxruntime looks for no file beside it."""
    model = path.read_bytes()
    check_graph(model, str(path))
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            f"translate needs onnxruntime ({error}): pip install 'fairseq_subword_ext[onnx]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = WARNINGS_OFF
    options.enable_mem_pattern = False  # sizes differ between batches and between steps
    with graph_errors(str(path)):
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@contextlib.contextmanager
def graph_errors(name: str) -> Iterator[None]:
    """Turns onnxruntime's exceptions into a one-line ``ValueError``.

    Args:
        name: name of the graph.
    """
    try:
        yield
    except (ImportError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:  # onnxruntime's exceptions share no base class
        reason = " ".join(str(error).split())
        raise ValueError(f"{name}: {reason[:300]}") from None


def _check_shapes(encoder, decoder, settings: ExportSettings) -> int:
    """Checks the inputs and outputs of the graphs.

    Returns:
        The head size D.
    """
    heads, layers, symbols = settings.heads, 2 * settings.layers, settings.target_symbols
    given = {value.name: value for value in decoder.get_inputs()}
    size = given["past_0"].shape[-1] if "past_0" in given and given["past_0"].shape else None
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"{DECODER}: no input past_0 with a fixed size of the attention heads")
    keys, values = [None, heads, size, None], [None, heads, None, size]
    encoded = [(FLOAT, [None, 1, 1, None])]
    encoded += [(FLOAT, values if i % 2 else keys) for i in range(layers)]
    state = [(FLOAT, values)] * layers
    inputs = {
        "tokens": (INTEGER, [None, None]),
        "position": (INTEGER, [1]),
        "parents": (INTEGER, [None]),
        "scores": (FLOAT, [None, None]),
        "bias": (FLOAT, [symbols]),
        "at_limit": (BOOLEAN, [None]),
        "mask": encoded[0],
        **{f"source_{i}": entry for i, entry in enumerate(encoded[1:])},
        **{f"past_{i}": entry for i, entry in enumerate(state)},
    }
    best = [(FLOAT, [None, None]), (INTEGER, [None, None])]
    _compare(ENCODER, encoder.get_inputs(), ["tokens"], [(INTEGER, [None, None])])
    _compare(ENCODER, encoder.get_outputs(), None, encoded)
    _compare(DECODER, decoder.get_inputs(), list(inputs), list(inputs.values()))
    _compare(DECODER, decoder.get_outputs(), None, best + state)
    return size


def _compare(graph: str, found: Sequence[Any], names, expected) -> None:
    """Compares names, types and sizes of inputs or outputs; None stands for any size."""
    if len(found) != len(expected) or (names and [value.name for value in found] != names):
        shown = ", ".join(value.name for value in found)[:200]
        raise ValueError(f"{graph}: the inputs or outputs are not those of an export ({shown})")
    for value, (kind, shape) in zip(found, expected):
        if value.type != kind or not _fits(value.shape, shape):
            raise ValueError(
                f"{graph}: {value.name[:40]} is {value.type} of shape {value.shape}, which the settings "
                f"do not allow (expected {kind}, {['any' if n is None else n for n in shape]})"
            )


def _fits(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether every size is as expected, and variable wherever any size is allowed."""
    return len(found) == len(expected) and all(
        not isinstance(size, int) if wanted is None else size == wanted
        for size, wanted in zip(found, expected)
    )
