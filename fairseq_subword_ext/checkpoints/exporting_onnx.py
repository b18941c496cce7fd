"""Converts torch modules to ONNX files in memory."""

import contextlib
import io
import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Tuple

import torch
from torch import Tensor, nn
from torch.export import Dim

from fairseq_subword_ext.checkpoints.exporting_graphs import DecoderGraph, EncoderGraph

OPSET = 20
# Sizes of the tracing inputs: all different, and never 0 or 1, which torch would treat as constants.
SENTENCES, BEAM, LENGTH, STEPS, ROWS = 3, 4, 7, 5, 11


def encoder_bytes(graph: EncoderGraph, layers: int) -> bytes:
    """The content of an encoder's ONNX file.

    Args:
        graph: the encoder.
        layers: number of decoder layers.
    """
    outputs = ["mask", *(f"source_{i}" for i in range(2 * layers))]
    shapes = {"tokens": {0: Dim("sentences"), 1: Dim("length")}}
    return _convert(graph, (example_tokens(),), shapes, ["tokens"], outputs)


def decoder_bytes(graph: DecoderGraph, heads: int, head_size: int, symbols: int) -> bytes:
    """The content of a decoder step's ONNX file.

    Args:
        graph: the decoder.
        heads, head_size: number and size of its attention heads.
        symbols: size of the dictionary.
    """
    layers = len(graph.layers)
    rows = SENTENCES * BEAM
    arguments = (
        torch.full((SENTENCES, BEAM), graph.eos),
        torch.tensor([STEPS]),
        torch.arange(rows) % ROWS,
        torch.zeros(SENTENCES, BEAM),
        torch.zeros(symbols),
        torch.zeros(SENTENCES, dtype=torch.bool),
        torch.zeros(SENTENCES, 1, 1, LENGTH),
        [
            torch.zeros(SENTENCES, heads, *((LENGTH, head_size) if i % 2 else (head_size, LENGTH)))
            for i in range(2 * layers)
        ],
        [torch.zeros(ROWS, heads, STEPS, head_size) for _ in range(2 * layers)],
    )
    any_size = Dim.AUTO
    shapes: Dict[str, Any] = {
        "tokens": {0: any_size, 1: any_size},
        "position": None,
        "parents": {0: any_size},
        "scores": {0: any_size, 1: any_size},
        "bias": None,
        "at_limit": {0: any_size},
        "mask": {0: any_size, 3: any_size},
        "sources": [{0: any_size, 2 if i % 2 else 3: any_size} for i in range(2 * layers)],
        "past": [{0: any_size, 2: any_size} for _ in range(2 * layers)],
    }
    inputs = [name for name in shapes if name not in ("sources", "past")]
    inputs += [f"source_{i}" for i in range(2 * layers)] + [f"past_{i}" for i in range(2 * layers)]
    outputs = ["best", "numbers", *(f"present_{i}" for i in range(2 * layers))]
    return _convert(graph, arguments, shapes, inputs, outputs)


def example_tokens() -> Tensor:
    """Three padded sources of different lengths, with ids that every dictionary has."""
    tokens = torch.full((SENTENCES, LENGTH), 3)
    for row, length in enumerate((LENGTH, LENGTH - 2, 2)):
        tokens[row, length - 1] = 2
        tokens[row, length:] = 1
    return tokens


def _convert(
    graph: nn.Module,
    arguments: Tuple[Any, ...],
    shapes: Dict[str, Any],
    inputs: List[str],
    outputs: List[str],
) -> bytes:
    said = io.StringIO()
    with _quiet(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        program = torch.onnx.export(
            graph.eval(),
            arguments,
            dynamo=True,
            dynamic_shapes=shapes,
            input_names=inputs,
            output_names=outputs,
            opset_version=OPSET,
            external_data=False,
            verbose=False,
        )
        model = program.model_proto
    _strip(model)
    return model.SerializeToString(deterministic=True)


def _strip(model) -> None:
    """Removes the source locations recorded by the exporter, which include paths on this machine."""
    del model.metadata_props[:]
    del model.graph.metadata_props[:]
    model.graph.ClearField("doc_string")
    del model.graph.value_info[:]
    for part in (
        *model.graph.node,
        *model.graph.input,
        *model.graph.output,
        *model.graph.initializer,
    ):
        part.ClearField("doc_string")
        del part.metadata_props[:]


def int8_bytes(model: bytes) -> bytes:
    """Quantizes the weight matrices to int8; activations are quantized dynamically."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as place, _quiet():
        before, after = Path(place) / "float32.onnx", Path(place) / "int8.onnx"
        before.write_bytes(model)
        quantize_dynamic(
            before,
            after,
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
        return after.read_bytes()


@contextlib.contextmanager
def _quiet():
    """Silences torch's and onnxruntime's messages about the conversion."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
