"""Conversion of text from one binary stream to another, line for line: blocks of lines, in threads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, List, Optional, Tuple

from fairseq_subword_ext.textio.compressed_output import PlainOutput
from fairseq_subword_ext.textio.lines import Block, LineFacts, convert_block, line_blocks
from fairseq_subword_ext.textio.pipeline import Workers


@dataclass(frozen=True)
class BlockCoder:
    """What segments blocks of whole lines.

    Attributes:
        code: gives a block's segmentation; takes the block and the number of lines before it, and may be
            called by several threads at once. It raises ValueError, naming the line.
        count_lines: of a block, whose last line may lack its newline.
    """

    code: Callable[[Block, int], Any]
    count_lines: Callable[[Block], int]


# How items go through threads: what :meth:`.Workers.in_order` does.
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
    """Reads lines, segments them and writes as many.

    Args:
        source: where to read.
        target: where to write; flushed after each block.
        coder: what segments.
        run: by which threads.
        output: how to compress, block by block; None for plain text, of which each block is written as
            soon as it has arrived, however small it is.
        watch: shown each block of segmented text, in order.
        whole_blocks: wait for whole blocks of plain text, too.

    Returns:
        The number of lines.

    Raises:
        ValueError: as the coder and the source do.
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
    """So many threads of this stream's own."""

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
) -> LineFacts:
    """:func:`segment_stream`, on this thread alone, by a function of lines.

    Args:
        source, target, whole_blocks: as for :func:`segment_stream`.
        convert, carriage_return, name: as for :func:`.convert_block`.

    Raises:
        LineError: as :func:`.convert_block`.
    """
    facts = LineFacts()

    def code(block: Block, first_line: int) -> bytes:
        return convert_block(block, convert, carriage_return, name, facts)

    coder = BlockCoder(code, count_lines)
    segment_stream(source, target, coder, by_threads(1), whole_blocks=whole_blocks)
    return facts


def count_lines(block: Block) -> int:
    """The number of lines of a block, without the compiled core."""
    data = bytes(block)
    return data.count(b"\n") + (not data.endswith(b"\n"))
