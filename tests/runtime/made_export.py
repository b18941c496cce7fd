"""Exports made without training: a model whose next symbol depends on the last one and on the source.

Its graphs are written node by node, so that they need no torch, and a test can change any part of them.
The log-probabilities of the symbols after symbol a are the row ``table[a]``, plus ``table[b]`` for the
source's first symbol b.
"""

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from fairseq_subword_ext.runtime.export_folder import (  # noqa: E402
    DECODER,
    ENCODER,
    EOS,
    SOURCE_DICTIONARY,
    TARGET_DICTIONARY,
    ExportSettings,
)
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS  # noqa: E402

HEADS, SIZE = 1, 2
FLOAT, INTEGER, BOOLEAN = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def random_table(symbols: int, seed: int = 1, spread: float = 2.0) -> np.ndarray:
    """Logits of a random model, ``(V, V)``."""
    return np.random.default_rng(seed).normal(0, spread, (symbols, symbols)).astype(np.float32)


def copying_table(symbols: int) -> np.ndarray:
    """Logits of a model that outputs the source's first symbol and then ends."""
    table = np.zeros((symbols, symbols), np.float32)
    for symbol in range(EOS + 2, symbols):
        table[symbol, symbol], table[symbol, EOS] = 5, 6
    table[EOS, EOS] = -10  # at the start of the output
    return table


def encoder_graph() -> "onnx.ModelProto":
    """Outputs the source's first symbol as every key and value, and a mask."""
    nodes = [
        helper.make_node("Equal", ["tokens", "pad"], ["padding"]),
        helper.make_node("Where", ["padding", "minus", "zero"], ["flat"]),
        helper.make_node("Unsqueeze", ["flat", "axes"], ["mask"]),
        helper.make_node("Gather", ["tokens", "first"], ["start"], axis=1),
        helper.make_node("Shape", ["tokens"], ["shape"]),
        helper.make_node("Expand", ["start", "shape"], ["starts"]),
        helper.make_node("Cast", ["starts"], ["numbers"], to=FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "axes"], ["key"]),
        helper.make_node("Concat", ["key", "key"], ["source_0"], axis=2),
        helper.make_node("Transpose", ["source_0"], ["source_1"], perm=[0, 1, 3, 2]),
    ]
    constants = {
        "pad": np.array(1),
        "minus": np.array(-np.inf, np.float32),
        "zero": np.array(0, np.float32),
        "axes": np.array([1, 2]),
        "first": np.array([0]),
    }
    inputs = [_value("tokens", INTEGER, ["S", "L"])]
    outputs = [
        _value("mask", FLOAT, ["S", 1, 1, "L"]),
        _value("source_0", FLOAT, ["S", HEADS, SIZE, "L"]),
        _value("source_1", FLOAT, ["S", HEADS, "L", SIZE]),
    ]
    return _model(nodes, inputs, outputs, constants)


def decoder_graph(table: np.ndarray) -> "onnx.ModelProto":
    """Looks the log-probabilities up, as the exporter's graph computes them."""
    symbols = len(table)
    nodes = [
        helper.make_node("Gather", ["table", "tokens"], ["after"]),
        helper.make_node("Slice", ["source_1", "from", "to", "dims"], ["start4"]),
        helper.make_node("Squeeze", ["start4", "tail"], ["start1"]),
        helper.make_node("Cast", ["start1"], ["start"], to=INTEGER),
        helper.make_node("Gather", ["table", "start"], ["given"]),
        helper.make_node("Unsqueeze", ["given", "one"], ["given3"]),
        helper.make_node("Add", ["after", "given3"], ["logits"]),
        helper.make_node("LogSoftmax", ["logits"], ["plain"], axis=-1),
        helper.make_node("Add", ["plain", "bias"], ["biased"]),
        helper.make_node("Unsqueeze", ["at_limit", "last"], ["limited"]),
        helper.make_node("And", ["limited", "others"], ["forbidden"]),
        helper.make_node("Where", ["forbidden", "minus", "biased"], ["allowed"]),
        helper.make_node("Unsqueeze", ["scores", "two"], ["before"]),
        helper.make_node("Add", ["allowed", "before"], ["total"]),
        helper.make_node("Flatten", ["total"], ["row"], axis=1),
        helper.make_node("Shape", ["tokens"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["beam"]),
        helper.make_node("Mul", ["beam", "two"], ["count"]),
        helper.make_node("TopK", ["row", "count"], ["best", "numbers"]),
        helper.make_node("Gather", ["past_0", "parents"], ["kept_0"]),
        helper.make_node("Gather", ["past_1", "parents"], ["kept_1"]),
        helper.make_node("Shape", ["parents"], ["rows"]),
        helper.make_node("Concat", ["rows", "rest"], ["added_shape"], axis=0),
        helper.make_node("ConstantOfShape", ["added_shape"], ["added"]),
        helper.make_node("Concat", ["kept_0", "added"], ["present_0"], axis=2),
        helper.make_node("Concat", ["kept_1", "added"], ["present_1"], axis=2),
    ]
    constants = {
        "table": table,
        "from": np.array([0, 0]),
        "to": np.array([1, 1]),
        "dims": np.array([2, 3]),
        "tail": np.array([1, 2, 3]),
        "one": np.array([1]),
        "two": np.array([2]),
        "last": np.array([1, 2]),
        "others": np.arange(symbols) != EOS,
        "minus": np.array(-np.inf, np.float32),
        "rest": np.array([HEADS, 1, SIZE]),
    }
    inputs = [
        _value("tokens", INTEGER, ["S", "B"]),
        _value("position", INTEGER, [1]),
        _value("parents", INTEGER, ["R"]),
        _value("scores", FLOAT, ["S", "B"]),
        _value("bias", FLOAT, [symbols]),
        _value("at_limit", BOOLEAN, ["S"]),
        _value("mask", FLOAT, ["S", 1, 1, "L"]),
        _value("source_0", FLOAT, ["S", HEADS, SIZE, "L"]),
        _value("source_1", FLOAT, ["S", HEADS, "L", SIZE]),
        _value("past_0", FLOAT, ["P", HEADS, "T", SIZE]),
        _value("past_1", FLOAT, ["P", HEADS, "T", SIZE]),
    ]
    outputs = [
        _value("best", FLOAT, ["S", "C"]),
        _value("numbers", INTEGER, ["S", "C"]),
        _value("present_0", FLOAT, ["R", HEADS, "N", SIZE]),
        _value("present_1", FLOAT, ["R", HEADS, "N", SIZE]),
    ]
    return _model(nodes, inputs, outputs, constants)


def make_export(
    folder: Path, table: np.ndarray, symbols=None, extra_symbols=(), **settings
) -> Path:
    """Writes an export with one symbol per byte, unless other symbols are given.

    Args:
        folder: output folder, created if missing.
        table: the model's logits; its length must be that of the dictionary plus Fairseq's four symbols.
        symbols: symbols of the dictionary.
        extra_symbols: symbols after those.
        **settings: for :class:`.ExportSettings`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = [*(BYTE_SYMBOLS if symbols is None else symbols), *extra_symbols]
    for name in SOURCE_DICTIONARY, TARGET_DICTIONARY:
        (folder / name).write_text("".join(f"{symbol} 1\n" for symbol in listed), "utf-8")
    onnx.save(encoder_graph(), folder / ENCODER)
    onnx.save(decoder_graph(table), folder / DECODER)
    given = {
        "encoding": "byte_level" if symbols is None else "none",
        "source_symbols": len(table),
        "target_symbols": len(table),
        "source_positions": 64,
        "target_positions": 64,
        "layers": 1,
        "heads": HEADS,
        "max_len_b": 20,
        **settings,
    }
    ExportSettings(**given).save(folder)
    return folder


def byte_symbols(extra: int = 0) -> int:
    """The size of a byte dictionary."""
    return len(BYTE_SYMBOLS) + 4 + extra


def _value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def _model(nodes, inputs, outputs, constants):
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "made", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    onnx.checker.check_model(model)
    return model
