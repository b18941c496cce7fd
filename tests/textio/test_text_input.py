"""Several inputs as one text: decompression, the line numbers of errors, and UTF-16."""

import bz2
import gzip
import io
import lzma
import pickle

import pytest

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.textio.errors import LONE_CARRIAGE_RETURN, LineError, whole_number
from fairseq_subword_ext.textio.lines import read_lines
from fairseq_subword_ext.textio.text_input import TextInput, read_text


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_a_text_is_read_compressed_or_not(write, compress):
    data = "\ufeffä\n\nb\r\nc\u2028d".encode()
    path = write("text", compress(data))
    assert read_text(path) == ["ä", "", "b", "c\u2028d"]
    with TextInput([path, path]) as source:
        assert source.read(1 << 20) == data + b"\n" + data
        assert source.with_mark == [path, path] and source.carriage_return_ends == 2


def test_a_line_as_short_as_a_part_of_a_mark_does_not_wait(write):
    class Slowly(io.RawIOBase):
        def __init__(self):
            self.parts = [b"a\n", b"\xef", b"\xbb\xbfb\n"]
            self.name = "slowly"

        def read(self, size=-1):
            return self.parts.pop(0) if self.parts else b""

    slow = Slowly()
    with TextInput([slow]) as source:
        assert source.read1() == b"a\n" and len(slow.parts) == 2
    slow = Slowly()
    del slow.parts[0]
    with TextInput([slow]) as source:
        assert source.read1() == b"\xef\xbb\xbfb\n" and source.with_mark == ["slowly"]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_rejected(write, compress, encoding):
    path = write("text", compress("one two\nthree\n".encode(encoding)))
    with pytest.raises(ValueError, match=r"text: this is UTF-16.*iconv -f UTF-16"):
        read_text(path)


def test_other_formats_are_not_text(write):
    with pytest.raises(LineError, match="not UTF-8"):
        read_text(write("text", bz2.compress(b"a" * 999)))


@pytest.mark.parametrize("bad", [b"x\ry\n", b"x\xff\n"])
def test_an_error_has_the_line_in_its_input(write, bad):
    first, second = write("first", b"a\nb"), write("second", b"c\n" + bad)
    with TextInput([first, second]) as source:
        with pytest.raises(LineError) as caught:
            list(read_lines(source, name=source.name))
        assert caught.value.line == 4
        error = source.located(caught.value)
    assert (error.line, error.name) == (2, second) and str(error).startswith(f"{second}:2: ")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.problem) == (str(error), 2, error.problem)


def test_the_core_says_the_same_of_a_carriage_return():
    counter = native_core().WordCounter(split_at_carriage_return=False)
    counter.feed(b"a\nb\rc\n")
    with pytest.raises(LineError) as caught:
        counter.finish()
    assert (caught.value.line, caught.value.problem) == (2, LONE_CARRIAGE_RETURN)


def test_whole_numbers():
    assert whole_number("n", 0) == 0 and whole_number("n", (1 << 63) - 1) == (1 << 63) - 1
    for bad, message in (
        (2.5, "n must be a whole number, not 2.5"),
        (2.0, "n must be a whole number, not 2.0"),
        ("2", "n must be a whole number, not '2'"),
        (-1, r"n must be from 0 to 2\^63 - 1, not -1"),
        (1 << 63, r"n must be from 0 to 2\^63 - 1, not 9223372036854775808"),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            whole_number("n", bad)
