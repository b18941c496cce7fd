"""Reading compressed text: gzip, xz and Zstandard, detected from the first bytes and not from the name."""

import zlib
from collections.abc import Iterator
from typing import Any, Callable, Optional, Tuple

from fairseq_subword_ext.textio.encoding import HEAD_SIZE

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "Zstandard"}
LONGEST_MAGIC = max(map(len, MAGIC))

# What file names end in.
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "Zstandard"}

# A few bytes may stand for thousands: what one piece becomes has to fit into memory.
_PIECE = 1 << 16


def compression_of(head: bytes) -> Optional[str]:
    """The format's name, by the first :data:`LONGEST_MAGIC` bytes; None for anything else.

    No UTF-8 text begins like any of them.
    """
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


def split_suffix(name: str) -> Tuple[str, str]:
    """A file name without its suffix of compression, and that suffix; empty where it has none."""
    for suffix in SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return name[: -len(suffix)], suffix
    return name, ""


def decompressing_reader(read: Callable[[int], bytes], name: str) -> Callable[[int], bytes]:
    """Puts decompression, where it is needed, behind a stream's ``read`` or ``read1``.

    Args:
        read: of the stream, whose position has to be the start.
        name: of the stream, for messages.

    Returns:
        a function that gives bytes, so many at most, and none at the end only. It raises ValueError
        where compressed data is broken or ends in the middle, and ImportError where Zstandard's package
        is missing. Of text that is not compressed it waits for no more than ``read`` does.

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
    blocks = iter([head]) if form is None else _decompress(head, read, name, form)
    rest = memoryview(b"")

    def read_on(size: int) -> bytes:
        nonlocal rest
        if not rest:
            block = next(blocks, b"")
            if not block and form is None:
                return read(size)
            rest = memoryview(block)
        block, rest = bytes(rest[:size]), rest[size:]
        return block

    return read_on


def _decompress(data: bytes, read: Callable[[int], bytes], name: str, form: str) -> Iterator[bytes]:
    """Member by member: such files may be put together, and many compressors write several."""
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
            f"{name}: the {form} data ends in the middle: was the file copied or written to its end?"
        )


def _decompressor(form: str) -> Callable[[], Any]:
    if form == "gzip":
        return lambda: zlib.decompressobj(wbits=31)
    if form == "xz":
        import lzma  # only where it is needed: every command imports this module

        return lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    return lambda: zstandard_package().ZstdDecompressor().decompressobj()


def zstandard_package() -> Any:
    """The package zstandard.

    Raises:
        ImportError: saying how to install it.
    """
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            "files compressed with Zstandard need the package zstandard: pip install zstandard "
            '(or: pip install -e ".[zstd]")'
        ) from error
    return zstandard
