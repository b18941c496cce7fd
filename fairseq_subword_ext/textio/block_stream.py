"""Converts text from one binary stream to another, line by line, in blocks shared among threads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, List, Optional, Tuple

from fairseq_subword_ext.textio.compressed_output import PlainOutput
from fairseq_subword_ext.textio.lines import Block, LineCounts, convert_block, line_blocks
from fairseq_subword_ext.textio.pipeline import Workers


@dataclass(frozen=True)
class BlockCoder:
    """The functions that convert blocks of whole lines.

    Attributes:
        code: converts a block, given the number of lines before it. Several threads may call it at
            once. Raises a ValueError that names the line.
        count_lines: counts the lines of a block, whose last line may lack its newline.
    """

    code: Callable[[Block, int], Any]
    count_lines: Callable[[Block], int]


# Runs items through threads, as :meth:`.Workers.in_order` does.
Runner = Callable[[Any, Callable[[Any], Any], Callable[[Any], None]], None]


def segment_stream(
    source: BinaryIO,
    target: BinaryIO,
    coder: BlockCoder,
    run: Runner,
    output: Optional[PlainOutput] = None,
    watch: Callable[[Block], None] = lambda block: None,
    whole_blocks: bool = False,
) -> int:
    """Reads lines, segments them and writes one line for each.

    Args:
        source: the stream to read.
        target: the stream to write; flushed after each block.
        coder: segments the blocks.
        run: runs the work in threads.
        output: compresses the output, block by block. None writes plain text, each block as soon as it
            has arrived, however small.
        watch: called with each block of segmented text, in order.
        whole_blocks: wait for full blocks of plain text too.

    Returns:
        The number of lines.

    Raises:
        ValueError: If the coder or the source raises it.
        OSError: If the streams cannot be read or written.
    """
    lines = 0
    whole = output is not None or whole_blocks
    output = output or PlainOutput()

    def numbered_blocks() -> Iterator[Tuple[Block, int]]:
        nonlocal lines
        for block in line_blocks(source, output.block_size, whole):
            yield block, lines
            lines += coder.count_lines(block)

    def work(numbered: Tuple[Block, int]) -> Tuple[Any, Any]:
        segmented = coder.code(*numbered)
        return segmented, output.pack(segmented)

    def use(results: Tuple[Any, Any]) -> None:
        segmented, packed = results
        watch(segmented)
        target.write(output.add(packed))
        target.flush()

    run(numbered_blocks(), work, use)
    target.write(output.end())
    return lines


def by_threads(num_workers: int) -> Runner:
    """A runner with ``num_workers`` threads that serve one stream only."""

    def run(items: Any, work: Callable[[Any], Any], use: Callable[[Any], None]) -> None:
        with Workers(num_workers) as workers:
            workers.in_order(items, work, use)

    return run


def convert_stream(
    source: BinaryIO,
    target: BinaryIO,
    convert: Callable[[Sequence[str]], List[str]],
    carriage_return: str = "error",
    name: str = "input",
    whole_blocks: bool = False,
) -> LineCounts:
    """Like :func:`segment_stream`, but with a function of lines and on the calling thread.

    Args:
        source, target, whole_blocks: as for :func:`segment_stream`.
        convert, carriage_return, name: as for :func:`.convert_block`.

    Raises:
        LineError: If a line is not UTF-8 or contains a carriage return.
    """
    counts = LineCounts()

    def code(block: Block, first_line: int) -> bytes:
        return convert_block(block, convert, carriage_return, name, counts)

    coder = BlockCoder(code, count_lines)
    segment_stream(source, target, coder, by_threads(1), whole_blocks=whole_blocks)
    return counts


def count_lines(block: Block) -> int:
    """Counts the lines of a block without the compiled core."""
    data = bytes(block)
    return data.count(b"\n") + (not data.endswith(b"\n"))
