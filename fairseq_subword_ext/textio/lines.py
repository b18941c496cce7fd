"""Lines of UTF-8 text in blocks: the one place that defines where a line ends and what it may contain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Callable, List, Tuple, Union

from fairseq_subword_ext.textio.errors import LONE_CARRIAGE_RETURN, LineError

CARRIAGE_RETURNS = ("error", "replace")

BLOCK_SIZE = 1 << 22

# Bytes, or a view of them.
Block = Union[bytes, memoryview]


@dataclass
class LineCounts:
    """What was counted while converting lines.

    Attributes:
        lines: lines read and written.
        carriage_return_ends: lines that end in ``\\r\\n``, before and after conversion.
        lone_carriage_returns: carriage returns inside a line, which were replaced by spaces.
    """

    lines: int = 0
    carriage_return_ends: int = 0
    lone_carriage_returns: int = 0


def convert_block(
    block: Block,
    convert: Callable[[Sequence[str]], List[str]],
    carriage_return: str,
    name: str,
    counts: LineCounts,
) -> bytes:
    """Converts a block of whole lines.

    Args:
        block: whole lines; a line ends at ``\\n`` and nowhere else, and the text's last line may lack it.
        convert: takes lines without their ends and returns as many.
        carriage_return: what to do with a ``\\r`` inside a line: raise an "error", or "replace" it with
            a space.
        name: the text's name, for messages.
        counts: counts of the text before the block, which give the line numbers in messages; those of
            the block are added.

    Raises:
        LineError: If a line is not UTF-8 or contains a carriage return.
    """
    lines, ends = _split_block(block, carriage_return, name, counts)
    converted = convert(lines)
    assert len(converted) == len(ends)
    if ends and not (converted[-1] or ends[-1]):
        ends[-1] = "\n"  # a last line of which nothing is left stays a line
    return "".join(part for pair in zip(converted, ends) for part in pair).encode("utf-8")


def read_lines(
    source: BinaryIO, carriage_return: str = "error", name: str = "input"
) -> Iterator[str]:
    """Yields the lines of UTF-8 text without their ends, by the rules of :func:`convert_block`.

    Raises:
        LineError: If a line is not UTF-8 or contains a carriage return.
    """
    counts = LineCounts()
    for block in line_blocks(source, whole=True):
        yield from _split_block(block, carriage_return, name, counts)[0]


def _split_block(
    block: Block, carriage_return: str, name: str, counts: LineCounts
) -> Tuple[List[str], List[str]]:
    """Splits a block into lines and their ends, one end per line; updates the counts."""
    block = bytes(block)
    lines = decode_block(block, name, counts.lines).split("\n")
    # There is no line after a final newline.
    ends = ["\n"] * (len(lines) - 1) + [""]
    if not lines[-1]:
        del lines[-1], ends[-1]
    if b"\r" in block:
        _treat_carriage_returns(lines, ends, carriage_return, name, counts)
    counts.lines += len(lines)
    return lines, ends


def line_blocks(source: BinaryIO, size: int = BLOCK_SIZE, whole: bool = False) -> Iterator[Block]:
    """Yields blocks of whole lines.

    Args:
        source: the stream to read.
        size: bytes to ask for at a time.
        whole: wait for a full block, not only for what has arrived.
    """
    read = source.read if whole else getattr(source, "read1", source.read)
    parts: List[Block] = []
    while block := read(size):
        end = block.rfind(b"\n") + 1
        if end:
            lines = memoryview(block)[:end]
            yield b"".join([*parts, lines]) if parts else lines
            parts = []
        if end < len(block):
            parts.append(memoryview(block)[end:])
    if parts:
        yield b"".join(parts)


def decode_block(block: bytes, name: str, lines_before: int) -> str:
    """Decodes whole lines.

    Args:
        block: the lines.
        name: the source's name, for the message.
        lines_before: number of lines of the source before the block.

    Raises:
        LineError: If a line is not UTF-8.
    """
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as error:
        number = lines_before + block.count(b"\n", 0, error.start) + 1
        column = error.start - block.rfind(b"\n", 0, error.start)
        raise LineError(
            f"byte {column} of the line (0x{block[error.start]:02X}) is not UTF-8; convert the file",
            number,
            name,
        ) from None


def _treat_carriage_returns(
    lines: List[str], ends: List[str], carriage_return: str, name: str, counts: LineCounts
) -> None:
    for index, line in enumerate(lines):
        if "\r" not in line:
            continue
        if line.endswith("\r"):
            line = line[:-1]
            ends[index] = "\r" + ends[index]
            counts.carriage_return_ends += 1
        inside = line.count("\r")
        if inside and carriage_return == "error":
            raise LineError(LONE_CARRIAGE_RETURN, counts.lines + index + 1, name)
        counts.lone_carriage_returns += inside
        lines[index] = line.replace("\r", " ")
