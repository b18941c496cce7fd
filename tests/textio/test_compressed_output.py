"""Compressed text: threads write it in pieces, any tool reads it, and reading does not wait for more."""

import gzip
import io
import lzma
import random
import subprocess
import zlib

import pytest
import zstandard

from fairseq_subword_ext.textio.compressed_output import OUTPUTS
from fairseq_subword_ext.textio.compression import decompressing_reader, split_suffix
from fairseq_subword_ext.textio.text_input import TextInput

BLOCKS = [b"one two\n" * 5000, b"three\n", b"four five six\n" * 9000]


def written(suffix, blocks, level=None, num_threads=1):
    output = OUTPUTS[suffix](level, num_threads)
    # As in threads: later blocks may be packed before earlier ones.
    packed = [output.pack(memoryview(block)) for block in reversed(blocks)]
    return b"".join([*map(output.add, reversed(packed)), output.end()])


def one_gzip_member(data):
    reader = zlib.decompressobj(wbits=31)
    content = reader.decompress(data)
    assert reader.eof and not reader.unused_data
    return content


def one_zstandard_frame(data):
    reader = zstandard.ZstdDecompressor().decompressobj()
    content = reader.decompress(data)
    assert not reader.unused_data
    return content


READERS = {".gz": one_gzip_member, ".zst": one_zstandard_frame, ".xz": lzma.decompress, "": bytes}


@pytest.mark.parametrize("suffix", OUTPUTS)
@pytest.mark.parametrize("blocks", [[], BLOCKS[1:2], BLOCKS], ids=["empty", "one", "several"])
def test_every_reader_gets_the_text(suffix, blocks, tmp_path):
    data = written(suffix, blocks)
    assert READERS[suffix](data) == b"".join(blocks)
    assert data == written(suffix, blocks, num_threads=3)
    path = tmp_path / f"text{suffix}"
    path.write_bytes(data)
    with TextInput([str(path)]) as source:
        assert source.read(1 << 30) == b"".join(blocks)
    if suffix in (".gz", ".xz"):
        assert subprocess.run([{".gz": "gzip", ".xz": "xz"}[suffix], "-t", path]).returncode == 0


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_levels(suffix):
    words = random.Random(1).choices([b"one ", b"two\n", b"three ", b"four "], k=20_000)
    sizes = [len(written(suffix, [b"".join(words)], level)) for level in (1, 9)]
    assert sizes[0] > sizes[1] > 0
    with pytest.raises(ValueError, match="compression level 99"):
        written(suffix, [], 99)


class Drip:
    """Returns a few bytes at a time, like a pipe, and records whether more was requested than needed."""

    def __init__(self, data, size):
        self.stream, self.size, self.reads = io.BytesIO(data), size, 0

    def read(self, size):
        self.reads += 1
        return self.stream.read(min(size, self.size))


@pytest.mark.parametrize("text", [b"a\n", b"(\n", b"(\xb5", b"\x1f", b"\xfd7zX\n", b""])
def test_plain_text_is_returned_as_soon_as_it_arrives(text):
    drip = Drip(text, 1)
    head, read = decompressing_reader(drip.read, "text")
    first = head or read(100)
    assert text.startswith(first)
    assert drip.reads <= max(len(first), 1) + (first == text)
    rest = b"".join(iter(lambda: read(100), b""))
    assert first + rest == text


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstandard.compress])
@pytest.mark.parametrize("size", [1, 5, 100_000])
def test_compressed_text_is_detected_however_it_arrives(pack, size):
    data = b"".join(BLOCKS)
    head, read = decompressing_reader(Drip(pack(data), size).read, "text")
    assert head == b""
    blocks = list(iter(lambda: read(1000), b""))
    assert b"".join(blocks) == data and max(map(len, blocks)) <= 1000


def test_suffixes():
    assert split_suffix("a/b.txt.gz") == ("a/b.txt", ".gz")
    assert split_suffix("b.zst.xz") == ("b.zst", ".xz")
    assert split_suffix("b.gzip") == ("b.gzip", "") and split_suffix(".gz") == (".gz", "")
