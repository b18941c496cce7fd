"""Counting words: lines, spaces, carriage returns, broken text, shards and streams."""

import gzip
import hashlib
import io
import lzma
import os
import random
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.counting.word_counts import WordCounts, count_words


def counted(data, **options):
    return dict(count_words(io.BytesIO(data), **options).items())


def by_hand(text):
    """Counts naively: lines end at newlines and words at U+0020, nowhere else."""
    words = Counter()
    for line in text.split("\n"):
        line = line[:-1] if line.endswith("\r") else line
        words.update(word for word in line.split(" ") if word)
    return dict(words)


@settings(max_examples=200)
@given(
    st.text(st.sampled_from("ab \näß中😀\u2028\u0085\t\u00a0\x0c\u200d"), max_size=80),
    st.integers(1, 30),
)
def test_counts_and_order_whatever_the_blocks(text, size):
    class InBlocks(io.BytesIO):
        def read(self, _):
            return super().read(size)

    found = count_words(InBlocks(text.encode()))
    assert found.items() == list(by_hand(text).items())
    assert found.totals["tokens"] == sum(by_hand(text).values())


def test_shards_of_a_large_file(tmp_path):
    draw = random.Random(4)
    words = [
        f"w{draw.randint(0, 3000)}" + "x" * draw.choice([0, 3, 20, 50]) for _ in range(300_000)
    ]
    lines = [" ".join(words[i : i + 11]) for i in range(0, len(words), 11)]
    lines[3] = "long" * 100_000
    path = tmp_path / "text"
    path.write_bytes("\n".join(lines).encode())
    expected = list(by_hand("\n".join(lines)).items())
    for workers in (1, 2, 3, 8):
        found = count_words(path, num_workers=workers)
        assert found.items() == expected  # in order of first occurrence
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_several_inputs_are_one_text(tmp_path):
    (tmp_path / "a").write_bytes(b"x y\n")
    (tmp_path / "b").write_bytes(b"y z")
    found = count_words([tmp_path / "a", tmp_path / "b", io.BytesIO(b"z")])
    assert found.items() == [("x", 1), ("y", 2), ("z", 2)]
    assert found.name.endswith("b, stream")
    assert found.sha256 == hashlib.sha256(b"x y\ny zz").hexdigest()


def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"a b a\n"))
    writer.start()
    found = count_words(path, num_workers=4)
    writer.join()
    assert found.items() == [("a", 2), ("b", 1)]
    assert found.sha256 == hashlib.sha256(b"a b a\n").hexdigest()


def test_carriage_returns_at_line_ends_are_stripped_and_reported(caplog):
    found = count_words(io.BytesIO(b"ab ab\r\n\r\nab\r"))
    assert found.items() == [("ab", 3)]
    assert found.totals["carriage_return_ends"] == 3
    assert "3 lines end in" in caplog.text


def test_a_carriage_return_inside_a_line(tmp_path, caplog):
    data = b"one\ntwo two\na\rb\r\nend"
    path = tmp_path / "corpus.txt"
    path.write_bytes(data)
    for source in (path, io.BytesIO(data)):
        with pytest.raises(ValueError, match=r":3: .*carriage return"):
            count_words(source)
    assert counted(data, carriage_return="replace") == {
        "one": 1,
        "two": 2,
        "a": 1,
        "b": 1,
        "end": 1,
    }
    assert "1 carriage returns inside lines" in caplog.text


@pytest.mark.parametrize("workers", [1, 4])
def test_broken_utf8_names_file_and_line(tmp_path, workers):
    lines = [b"good line number %d" % i for i in range(80_000)]
    lines[70_001] = b"bad \xc3( line"
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=r"corpus.txt:70002: .*0xC3.*UTF-8"):
        count_words(path, num_workers=workers)


@pytest.mark.parametrize(
    "data", [b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"a\xe4"]
)
def test_only_well_formed_utf8_is_text(data):
    with pytest.raises(ValueError, match=r"stream:2: .*UTF-8"):
        count_words(io.BytesIO(b"x\n" + data + b" y"))
    with pytest.raises(UnicodeDecodeError):
        data.decode()


# --- word counts as input --------------------------------------------------------------------------


def test_dictionaries():
    assert counted(b"the 3000000000\nof 2\r\nthe 1\n", dict_input=True) == {
        "the": 3_000_000_001,
        "of": 2,
    }


@pytest.mark.parametrize(
    "line, message",
    [
        (b"", "expected a word"),
        (b"b b 2", "expected a word"),
        (b"b\t2", "tab"),
        (b"b 2.5", "whole number"),
        (b"b -2", "whole number"),
        (b"b 99999999999999999999", "2\\^63"),
        (b"b 9223372036854775807", "together exceed 2\\^63"),
        (b"b\xff 2", "UTF-8"),
        (b"b\rc 2", "carriage return"),
    ],
)
def test_bad_dictionary_lines_are_named(line, message):
    with pytest.raises(ValueError, match=f"stream:2: .*{message}"):
        counted(b"a 1\n" + line + b"\nc 3\n", dict_input=True)


def test_counts_from_a_mapping():
    found = count_words({"b": 2, "a": 3})
    assert found.items() == [("b", 2), ("a", 3)]
    assert count_words(found) is found
    assert len(found) == 2
    for bad in ({"": 1}, {"a b": 1}, {"a\n": 1}, {"a": -1}, {"\ud800": 1}):
        with pytest.raises(ValueError):
            WordCounts.from_mapping(bad)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_text_is_the_text(tmp_path, compress):
    data = b"b a\nb c " * 1000
    (tmp_path / "text").write_bytes(data)
    (tmp_path / "packed").write_bytes(compress(data))
    text = count_words(tmp_path / "text").items()
    for source in (tmp_path / "packed", io.BytesIO(compress(data)), [tmp_path / "packed"]):
        assert (
            count_words(source, num_workers=2).items()
            == text
            == [("b", 2000), ("a", 1000), ("c", 1000)]
        )
    both = count_words([tmp_path / "packed", tmp_path / "text"], num_workers=2)
    assert both.items() == [("b", 4000), ("a", 2000), ("c", 2000)]
    assert both.sha256 == hashlib.sha256(compress(data) + data).hexdigest()
    (tmp_path / "counts").write_bytes(compress(b"b 3\na 2\n"))
    assert count_words(tmp_path / "counts", dict_input=True).items() == [("b", 3), ("a", 2)]
    with pytest.raises(ValueError, match=r"packed: .*is truncated"):
        (tmp_path / "packed").write_bytes(compress(data)[:-9])
        count_words(tmp_path / "packed")


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("text", ["hi there\nyou\n", "Не гулять\nздесь, ёж\n", "मैं घर\n" * 3])
def test_utf16_is_rejected_with_or_without_a_mark(tmp_path, order, text):
    for data in (text.encode(f"utf-16-{order}"), ("\ufeff" + text).encode(f"utf-16-{order}")):
        (tmp_path / "text").write_bytes(data)
        for source in (tmp_path / "text", io.BytesIO(data)):
            with pytest.raises(ValueError, match=r"UTF-16.*iconv -f UTF-16"):
                count_words(source)


def test_text_may_contain_nuls():
    assert count_words(io.BytesIO(b"a\0\0b c\nd e\0 f\n" * 9)).totals["tokens"] == 45


def test_a_byte_order_mark_is_reported_and_kept(tmp_path, caplog):
    for name, text in (("a", "\ufeffx y\n"), ("b", "x\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = count_words([tmp_path / "a", tmp_path / "b"])
    assert found.items() == [("\ufeffx", 1), ("y", 1), ("x", 1)]
    assert "1 of them begin with a byte-order mark (U+FEFF)" in caplog.text
    caplog.clear()
    count_words(io.BytesIO(b"x \xef\xbb\xbf\n"))
    assert caplog.text == ""


def test_globs_are_inputs_like_files(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    found = count_words(str(tmp_path / "*.txt"))
    assert [word for word, _ in found.items()] == ["a.txt", "b.txt"]
    assert [Path(name).name for name in found.names] == ["a.txt", "b.txt"]


def test_numbers_that_are_not_whole_or_do_not_fit():
    for workers in (0, 2.5, "2"):
        with pytest.raises(ValueError, match="num_workers must be"):
            count_words(io.BytesIO(b"a"), num_workers=workers)
    for count in (1.5, 1 << 63, -1):
        with pytest.raises(ValueError, match="the count of 'a' must be"):
            count_words({"a": count})


def test_messages_quote_text_of_any_script_and_length():
    """A quotation may be cut inside a character."""
    for text in ("ක්\u200dර " * 40, "x" + "ක " * 40, "xx" + "ක " * 40):
        with pytest.raises(ValueError, match="stream:1: expected a word, one space and a count"):
            counted(text.encode(), dict_input=True)
    for before in range(75, 85):
        word = b"x" * before + "ක".encode() * 3 + b"\xff"
        with pytest.raises(ValueError, match="stream:2: byte 0xFF is not UTF-8"):
            counted(b"a\n" + word + b"\n")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(OSError, match="missing"):
        count_words(tmp_path / "missing")
    with pytest.raises(OSError):
        count_words(tmp_path)
    with pytest.raises(ValueError, match="no input"):
        count_words([])
