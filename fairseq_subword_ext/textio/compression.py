"""Reads compressed text: gzip, xz and Zstandard, detected from the content, not from the file name."""

import zlib
from collections.abc import Iterator
from typing import Any, Callable, Optional, Tuple

from fairseq_subword_ext.textio.encoding import HEAD_SIZE
from fairseq_subword_ext.textio.extras import import_extra

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "Zstandard"}
LONGEST_MAGIC = max(map(len, MAGIC))

# File name suffixes.
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "Zstandard"}

# Bytes to decompress at once. A few can expand to thousands, and the result must fit in memory.
_PIECE = 1 << 16


def compression_of(head: bytes) -> Optional[str]:
    """Detects the format from the first :data:`LONGEST_MAGIC` bytes; None if they are not compressed.

    No UTF-8 text starts with any of the magic numbers.
    """
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


def split_suffix(name: str) -> Tuple[str, str]:
    """Splits a file name into the name without its compression suffix, and that suffix, if any."""
    for suffix in SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return name[: -len(suffix)], suffix
    return name, ""


def decompressing_reader(
    read: Callable[[int], bytes], name: str
) -> Tuple[bytes, Callable[[int], bytes]]:
    """Wraps a stream's ``read`` or ``read1`` so that compressed data is decompressed.

    Args:
        read: the method of a stream that is at its start.
        name: the stream's name, for messages.

    Returns:
        The first bytes of text, if they had to be read to detect the format, and a function that reads the
        rest: ``read`` itself if the data is not compressed; otherwise one that returns at most the given
        number of bytes, and none only at the end. It raises ValueError if compressed data is broken or
        truncated, and ImportError if the package for Zstandard is missing.

    Raises:
        OSError: If the stream cannot be read.
    """
    head = read(HEAD_SIZE)
    while any(magic.startswith(head) and magic != head for magic in MAGIC) and head:
        more = read(LONGEST_MAGIC - len(head))
        if not more:
            break
        head += more
    form = compression_of(head)
    if form is None:
        return head, read
    blocks = _decompress(head, read, name, form)
    rest = memoryview(b"")

    def read_on(size: int) -> bytes:
        nonlocal rest
        rest = rest or memoryview(next(blocks, b""))
        block, rest = bytes(rest[:size]), rest[size:]
        return block

    return b"", read_on


def _decompress(data: bytes, read: Callable[[int], bytes], name: str, form: str) -> Iterator[bytes]:
    """Decompresses member by member: files can be concatenated, and many compressors write several."""
    begin = _decompressor(form)
    inside = False
    while data:
        if not inside:
            member = begin()
            data = data if form == "Zstandard" else data.lstrip(b"\0")  # padding between members
        if data:
            try:
                block = member.decompress(data)
            except Exception as error:  # each library has its own classes
                raise ValueError(f"{name}: the {form} data is broken: {error}") from error
            if block:
                yield block
            inside = not member.eof
            data = member.unused_data if member.eof else b""
        data = data or read(_PIECE)
    if inside:
        raise ValueError(
            f"{name}: the {form} data is truncated: was the file copied or written completely?"
        )


def _decompressor(form: str) -> Callable[[], Any]:
    if form == "gzip":
        return lambda: zlib.decompressobj(wbits=31)
    if form == "xz":
        import lzma  # imported late, since every command imports this module

        return lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    return lambda: import_extra("zstandard", "zstd").ZstdDecompressor().decompressobj()
