"""The part of the protocol buffers wire format that editing a SentencePiece model needs.

A message is a sequence of fields: a number, a wire type and a value. Only types 0 (varint), 1 and 5
(eight and four bytes) and 2 (length and bytes) are in use today. Values of types 1, 5 and 2 are kept as
bytes.

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from collections.abc import Iterator
from typing import Tuple, Union

Value = Union[int, bytes, "Fixed"]


class Fixed(bytes):
    """A value of four or eight bytes, as opposed to bytes with a length."""


def read_fields(message: bytes) -> Iterator[Tuple[int, Value]]:
    """Yields the fields of a message in order, as numbers and values.

    Raises:
        ValueError: If the bytes are not a message.
    """
    position = 0
    while position < len(message):
        key, position = _read_varint(message, position)
        number, wire_type = key >> 3, key & 7
        if number == 0:
            raise ValueError(f"byte {position}: field number 0")
        if wire_type == 0:
            value, position = _read_varint(message, position)
            yield number, value
            continue
        if wire_type == 2:
            length, position = _read_varint(message, position)
        elif wire_type in (1, 5):
            length = 8 if wire_type == 1 else 4
        else:
            raise ValueError(f"byte {position}: wire type {wire_type}")
        value = message[position : position + length]
        if len(value) < length:
            raise ValueError(f"byte {position}: the message ends inside field {number}")
        position += length
        yield number, value if wire_type == 2 else Fixed(value)


def encode_field(number: int, value: Value) -> bytes:
    """Encodes one field as yielded by :func:`read_fields`."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, Fixed):
        return _varint(number << 3 | (1 if len(value) == 8 else 5)) + value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _read_varint(message: bytes, position: int) -> Tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            break
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError(f"byte {position}: an unfinished number")


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
