"""Writes compressed text; the threads that segment a block also compress it.

The output does not depend on the number of threads. A gzip file is one member and a Zstandard file
one frame, since some readers stop after the first; an xz file is one stream per block, which the format
allows and every reader accepts.
"""

import lzma
import zlib
from typing import Any, Callable, Dict, Optional, Tuple

from fairseq_subword_ext.textio.extras import import_extra
from fairseq_subword_ext.textio.lines import Block

_DEFLATE = -15  # window bits; negative means without zlib's own header
# No name and no time, so that the file depends on the text alone.
_GZIP_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"


class PlainOutput:
    """Writes blocks unchanged; the subclasses compress them.

    Attributes:
        name: the format's name.
        levels: the valid compression levels, from lowest to highest.
        default_level: the default of the format's own tool.
        block_size: bytes of text that a block should have.
    """

    name = "plain text"
    levels = range(1)
    default_level = 0
    # Large enough for threads to work without waiting, small enough to stay in a processor's cache.
    block_size = 1 << 19

    def __init__(self, level: Optional[int] = None, num_threads: int = 1):
        """Starts a file.

        Args:
            level: the compression level; None for the default.
            num_threads: threads for formats whose library compresses in threads of its own.

        Raises:
            ValueError: If the format has no such level.
            ImportError: If a package is missing.
        """
        if level is not None and level not in self.levels:
            raise ValueError(
                f"compression level {level}: {self.name} has {self.levels[0]} to {self.levels[-1]}"
            )
        self.level = self.default_level if level is None else level

    def pack(self, block: Block) -> Any:
        """Compresses a block; several threads may call it at once."""
        return block

    def add(self, packed: Any) -> Block:
        """Returns the file's next bytes; takes the packed blocks in order."""
        return packed

    def end(self) -> bytes:
        """Returns the file's last bytes."""
        return b""


class GzipOutput(PlainOutput):
    """One member, built as pigz does: deflated blocks that end on a byte boundary, concatenated."""

    name = "gzip"
    levels = range(10)
    default_level = 6

    def __init__(self, level: Optional[int] = None, num_threads: int = 1):
        super().__init__(level, num_threads)
        self._size = 0
        self._checksum = 0
        self._header = _GZIP_HEADER

    def pack(self, block: Block) -> Tuple[Block, bytes]:
        compressor = zlib.compressobj(self.level, zlib.DEFLATED, _DEFLATE)
        return block, compressor.compress(block) + compressor.flush(zlib.Z_SYNC_FLUSH)

    def add(self, packed: Tuple[Block, bytes]) -> bytes:
        block, deflated = packed
        self._size += len(block)
        self._checksum = zlib.crc32(block, self._checksum)
        header, self._header = self._header, b""
        return header + deflated

    def end(self) -> bytes:
        last = zlib.compressobj(self.level, zlib.DEFLATED, _DEFLATE).flush()
        sums = self._checksum.to_bytes(4, "little") + (self._size % (1 << 32)).to_bytes(4, "little")
        return self._header + last + sums


class XzOutput(PlainOutput):
    """One stream per block. Blocks are large, since streams share no history."""

    name = "xz"
    levels = range(10)
    default_level = 6
    block_size = 1 << 22

    def __init__(self, level: Optional[int] = None, num_threads: int = 1):
        super().__init__(level, num_threads)
        self._empty = True

    def pack(self, block: Block) -> bytes:
        return lzma.compress(block, preset=self.level)

    def add(self, packed: bytes) -> bytes:
        self._empty = False
        return packed

    def end(self) -> bytes:
        return lzma.compress(b"", preset=self.level) if self._empty else b""


class ZstandardOutput(PlainOutput):
    """One frame, compressed in the library's threads; it is the same for any number of them >= 1."""

    name = "Zstandard"
    levels = range(1, 20)
    default_level = 3

    def __init__(self, level: Optional[int] = None, num_threads: int = 1):
        super().__init__(level, num_threads)
        settings = import_extra("zstandard", "zstd").ZstdCompressor(
            level=self.level, threads=num_threads, write_checksum=True
        )
        self._compressor = settings.compressobj()

    def add(self, packed: Block) -> bytes:
        return self._compressor.compress(packed)

    def end(self) -> bytes:
        return self._compressor.flush()


OUTPUTS: Dict[str, Callable[..., PlainOutput]] = {
    "": PlainOutput, ".gz": GzipOutput, ".xz": XzOutput, ".zst": ZstandardOutput,
}  # fmt: skip
