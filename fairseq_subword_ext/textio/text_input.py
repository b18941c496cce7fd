"""Reads text: one input as bytes of text, or several inputs as one stream of lines."""

from contextlib import ExitStack, contextmanager
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from fairseq_subword_ext.textio.compression import decompressing_reader
from fairseq_subword_ext.textio.encoding import BYTE_ORDER_MARK, HEAD_SIZE, check_encoding
from fairseq_subword_ext.textio.errors import LineError
from fairseq_subword_ext.textio.inputs import Input, open_input, shown_name
from fairseq_subword_ext.textio.lines import decode_block, read_lines

_BLOCK = 1 << 22


class TextInput:
    """A readable binary stream over several inputs that tracks which input each line came from.

    Inputs compressed with gzip, xz or Zstandard are detected from their content and decompressed. A last
    line without a newline gets one before the next input, so that inputs never share a line.

    Args:
        names: files, fsspec URLs, or ``-`` for standard input.
        progress: called after each read with the number of bytes as stored, before decompression.

    Attributes:
        name: the inputs' names, for messages.
        with_mark: the names of the inputs read so far that start with a byte-order mark.
    """

    def __init__(self, names: Sequence[Input], progress: Callable[[int], None] = lambda size: None):
        self.name = ", ".join(map(shown_name, names))
        self.with_mark: List[str] = []
        self._names = list(names)
        self._progress = progress
        self._held = b""  # read by first_lines
        self._given = 0
        self._opened = 0
        self._stack = ExitStack()
        self._read_current: Optional[Callable[[int], bytes]] = None
        self._ends_in_newline = True
        self._last_byte = b""
        self._lines = 0
        self._first_lines: List[Tuple[int, Input]] = []  # lines before an input, and its name
        self._carriage_returns = 0
        self._line_ends = 0

    def __enter__(self) -> "TextInput":
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @property
    def carriage_return_ends(self) -> int:
        """The number of lines so far that end in ``\\r\\n``."""
        return self._line_ends

    @property
    def lone_carriage_returns(self) -> int:
        """The number of carriage returns inside lines so far."""
        return self._carriage_returns - self._line_ends

    def first_lines(self, number: int) -> List[str]:
        """The first lines, up to ``number`` that are not blank, without line ends and carriage returns.

        Call it once, before anything is read.

        Raises:
            ValueError: If a line is not UTF-8; names it.
        """
        held = bytearray()
        found: List[str] = []
        full = begin = searched = 0
        while full < number:
            end = held.find(b"\n", searched) + 1
            if not end:
                searched = len(held)
                held += self._read_next()
                if len(held) > searched:
                    continue
                end = searched
                if begin == end:
                    break
            line = (
                decode_block(bytes(held[begin:end]), self.name, len(found))
                .rstrip("\r\n")
                .replace("\r", " ")
            )
            found.append(line)
            full += bool(line.strip(" "))
            begin = searched = end
        self._held = bytes(held)
        return found

    def read1(self, size: int = _BLOCK) -> bytes:
        """Returns the bytes of one read; empty at the end of the last input.

        Raises:
            ValueError: If compressed data is broken.
            OSError: If an input cannot be read.
        """
        if self._given < len(self._held):
            block = self._held[self._given : self._given + size]
            self._given += len(block)
            return block
        return self._read_next(size)

    def _read_next(self, size: int = _BLOCK) -> bytes:
        while True:
            block = self._read_current(size) if self._read_current is not None else b""
            if block:
                self._account(block)
                return block
            if self._last_byte == b"\r":  # ends a line that lacks its newline
                self._line_ends += 1
                self._last_byte = b""
            if self._opened == len(self._names):
                return b""
            missing_newline = not self._ends_in_newline
            if missing_newline:
                self._account(b"\n")
            self._open_next()
            if missing_newline:
                return b"\n"

    def read(self, size: int = _BLOCK) -> bytes:
        """Returns as many bytes as asked for, or all that are left."""
        blocks: List[bytes] = []
        while size > 0 and (block := self.read1(size)):
            blocks.append(block)
            size -= len(block)
        return b"".join(blocks)

    def located(self, error: ValueError) -> ValueError:
        """Returns the error with the name of the input that its line is in, or with all their names."""
        if not isinstance(error, LineError):
            if any(str(error).startswith(f"{shown_name(name)}: ") for name in self._names):
                return error
            return ValueError(f"{self.name}: {error}")
        before, name = [entry for entry in self._first_lines if entry[0] < error.line][-1]
        return error.moved(-before, shown_name(name))

    def _open_next(self) -> None:
        name = self._names[self._opened]
        self._opened += 1
        self._first_lines.append((self._lines, name))
        read, has_mark = self._stack.enter_context(open_text(name, self._progress, whole=False))
        self._read_current = read
        if has_mark:
            self.with_mark.append(shown_name(name))

    def _account(self, block: bytes) -> None:
        if b"\r" in block or self._last_byte == b"\r":
            self._carriage_returns += block.count(b"\r")
            self._line_ends += block.count(b"\r\n")
            self._line_ends += self._last_byte == b"\r" and block.startswith(b"\n")
        if self._opened < len(self._names):  # the next input needs the number
            self._lines += block.count(b"\n")
        self._last_byte = block[-1:]
        self._ends_in_newline = self._last_byte == b"\n"


def read_text(path: Input, carriage_return: str = "error") -> List[str]:
    """Reads a text as a list of lines: a line ends at ``\\n`` or ``\\r\\n``, and empty lines count.

    Args:
        path: a file, compressed or not, or ``-`` for standard input. A byte-order mark at its start is
            dropped.
        carriage_return: what to do with a ``\\r`` inside a line: raise an "error", or "replace" it with
            a space.

    Raises:
        LineError: If a line is not UTF-8, or contains a carriage return.
        ValueError: If the text is UTF-16, or compressed data is broken.
        OSError: If the file cannot be read.
    """
    with TextInput([path]) as source:
        lines = list(read_lines(source, carriage_return, source.name))
    if source.with_mark:
        lines[0] = lines[0][1:]
    return lines


@contextmanager
def open_text(
    name: Input, progress: Callable[[int], None] = lambda size: None, whole: bool = True
) -> Iterator[Tuple[Callable[[int], bytes], bool]]:
    """Opens an input as text: decompresses it if its content is compressed, and rejects UTF-16.

    Args:
        name: as for :func:`open_input`; a stream must be at its start.
        progress: called after each read with the number of bytes as stored, before decompression.
        whole: wait for as many bytes as were asked for, not only for what has arrived.

    Yields:
        A function that reads at most the given number of bytes, and none only at the end; and whether
        the text starts with a byte-order mark, which the function returns as part of the text.

    Raises:
        ValueError: If the text is UTF-16 or, while reading, if compressed data is broken.
        ImportError: If the package for Zstandard is missing.
        OSError: If the input cannot be read.
    """
    with open_input(name) as stream:
        read_stream = stream.read if whole else getattr(stream, "read1", stream.read)

        def read_raw(size: int) -> bytes:
            block = read_stream(size)
            progress(len(block))
            return block

        shown = shown_name(name)
        head, read_text = decompressing_reader(read_raw, shown)
        head = head or read_text(HEAD_SIZE)
        # A reader of live input must not wait for more, unless a mark may have been cut.
        while head and head != BYTE_ORDER_MARK and BYTE_ORDER_MARK.startswith(head):
            if not (more := read_text(HEAD_SIZE)):
                break
            head += more
        check_encoding(head, shown)

        def read(size: int) -> bytes:
            nonlocal head
            if not head:
                return read_text(size)
            block, head = head[:size], head[size:]
            return block

        yield read, head.startswith(BYTE_ORDER_MARK)
