"""Reads an ONNX file far enough to reject anything that an export never contains.

onnxruntime opens external files that a model names, and runs loops, sub-graphs and operators of any
loaded library. An export is a single file of plain tensor operations; anything else is rejected before
onnxruntime sees it.

Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, whose field numbers never change.
"""

from collections.abc import Iterator
from typing import Tuple

from fairseq_subword_ext.subword.protobuf import Value, read_fields

# onnxruntime's own operators, which are plain data flow, too.
DOMAINS = (b"", b"ai.onnx", b"com.microsoft")

MODEL_GRAPH, MODEL_TRAINING, MODEL_FUNCTIONS = 7, 20, 25
GRAPH_NODE, GRAPH_TENSOR, GRAPH_SPARSE_TENSOR = 1, 5, 15
NODE_ATTRIBUTE, NODE_DOMAIN, NODE_OPERATOR = 5, 7, 4
ATTRIBUTE_TENSORS, ATTRIBUTE_GRAPHS, ATTRIBUTE_SPARSE_TENSORS = (5, 10), (6, 11), (22, 23)
TENSOR_EXTERNAL_DATA, TENSOR_LOCATION = 13, 14
# Operators that run another part of the file, or are not deterministic.
FORBIDDEN = (b"If", b"Loop", b"Scan", b"SequenceMap", b"RandomNormal", b"RandomUniform")


def check_graph(model: bytes, name: str) -> None:
    """Checks that a model is a single graph of tensor operations with all its weights inside.

    Args:
        model: content of an ONNX file.
        name: file name for messages.

    Raises:
        ValueError: If the model is broken, or has external tensors, sub-graphs or foreign operators.
    """
    graphs = 0
    try:
        for number, value in read_fields(memoryview(model)):  # a view: weights are not copied
            if number in (MODEL_FUNCTIONS, MODEL_TRAINING):
                raise ForbiddenContentError("functions of its own")
            if number == MODEL_GRAPH:
                graphs += 1
                _check_fields(_message(value))
    except ForbiddenContentError as error:
        raise ValueError(f"{name}: rejected, since it contains {error}") from None
    except ValueError as error:
        raise ValueError(f"{name}: not an ONNX model ({error})") from None
    if graphs != 1:
        raise ValueError(f"{name}: not an ONNX model ({graphs} graphs in it)")


class ForbiddenContentError(ValueError):
    """Content that no export has."""


def _check_fields(graph: memoryview) -> None:
    for number, value in read_fields(graph):
        if number == GRAPH_TENSOR:
            _check_tensor(_message(value))
        elif number == GRAPH_SPARSE_TENSOR:
            raise ForbiddenContentError("sparse tensors")
        elif number == GRAPH_NODE:
            _check_node(_message(value))


def _check_node(node: memoryview) -> None:
    for number, value in read_fields(node):
        if number == NODE_DOMAIN and value not in DOMAINS:
            raise ForbiddenContentError("an operator of a foreign library")
        if number == NODE_OPERATOR and value in FORBIDDEN:
            raise ForbiddenContentError(f"the operator {bytes(_message(value)).decode('ascii')}")
        if number == NODE_ATTRIBUTE:
            for kind, content in _attribute_parts(_message(value)):
                if kind in ATTRIBUTE_TENSORS:
                    _check_tensor(content)
                elif kind in ATTRIBUTE_GRAPHS:
                    raise ForbiddenContentError("a sub-graph")
                elif kind in ATTRIBUTE_SPARSE_TENSORS:
                    raise ForbiddenContentError("sparse tensors")


def _attribute_parts(attribute: memoryview) -> Iterator[Tuple[int, memoryview]]:
    parts = (*ATTRIBUTE_TENSORS, *ATTRIBUTE_GRAPHS, *ATTRIBUTE_SPARSE_TENSORS)
    for number, value in read_fields(attribute):
        if number in parts:
            yield number, _message(value)


def _check_tensor(tensor: memoryview) -> None:
    for number, value in read_fields(tensor):
        if number == TENSOR_EXTERNAL_DATA or (number == TENSOR_LOCATION and value != 0):
            raise ForbiddenContentError("a tensor in another file")


def _message(value: Value) -> memoryview:
    if not isinstance(value, memoryview):
        raise ValueError("a number instead of a message")
    return value
