"""Counting in spans: the result depends only on the text."""

import gzip
import io
import lzma
import os
import random
import sys
import threading
from collections import Counter

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.counting import runs as runs_module
from fairseq_subword_ext.counting import tally as tally_module
from fairseq_subword_ext.counting.local import counted_here
from fairseq_subword_ext.counting.runs import SortedRuns, most_frequent_first, sum_counts
from fairseq_subword_ext.counting.spans import Span, blocks_of, divide, last_cut
from fairseq_subword_ext.counting.tally import Tally
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.textio.inputs import expand

FORMS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,  # like the command zstd
}


def in_order(counts):
    """Sorts into the order of the result, without the code under test."""
    pairs = [(word.encode(), count) for word, count in counts]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def by_hand(text):
    words = Counter(word for line in text.split("\n") for word in line.split(" "))
    words.pop("", None)
    return in_order(words.items())


def counted(*names, **options):
    with counted_here(list(map(str, names)), **options) as (counts, totals):
        return list(counts), totals


@pytest.fixture
def tiny_blocks(monkeypatch):
    """Reads a few bytes at a time, so that short texts have many blocks; and merges few runs at once."""
    monkeypatch.setattr(tally_module, "_SMALLEST_BLOCK", 5)
    monkeypatch.setattr(runs_module, "_FAN_IN", 3)


@settings(max_examples=150)
@given(
    text=st.text("ab \n\té\u3000\u2028ක😀", max_size=80),
    split=st.integers(1, 9),
    threads=st.integers(1, 3),
    limit=st.sampled_from([None, 0, 3000]),
)
def test_no_division_changes_the_counts(tmp_path_factory, text, split, threads, limit):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "_SMALLEST_BLOCK", 5)
        patch.setattr(runs_module, "_FAN_IN", 3)
        counts, totals = counted(path, num_workers=threads, max_memory=limit, split_size=split)
    assert counts == by_hand(text)
    assert totals["tokens"] == sum(count for _, count in counts)


@settings(max_examples=150)
@given(text=st.text("ab \n\r", max_size=60), split=st.integers(1, 9), bounded=st.booleans())
def test_carriage_returns_are_read_as_in_one_piece(tmp_path_factory, text, split, bounded):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "_SMALLEST_BLOCK", 5)
        for rule in ("replace", "error"):
            options = {"max_memory": 0 if bounded else None, "split_size": split}
            try:
                whole = count_words(io.BytesIO(text.encode()), carriage_return=rule)
            except ValueError as error:
                expected = str(error).replace("stream:", f"{path}:")
                with pytest.raises(ValueError) as found:
                    counted(path, carriage_return=rule, **options)
                assert str(found.value) == expected  # including the line
            else:
                counts, totals = counted(path, carriage_return=rule, **options)
                assert counts == in_order(whole.items())
                for name in ("carriage_return_ends", "lone_carriage_returns"):
                    assert totals[name] == whole.totals[name]


@pytest.mark.parametrize("form", FORMS)
def test_compressed_files_are_read_under_any_name(tmp_path, form):
    text = "b a a\n" * 5000 + "".join(f"word{i} " for i in range(5000))
    data = text.encode()
    half = len(data) // 2
    (tmp_path / "one").write_bytes(FORMS[form](data))
    # Concatenated, as by pigz, pzstd and cat; one word spans two members.
    (tmp_path / "two").write_bytes(FORMS[form](data[:half]) + FORMS[form](data[half:]))
    for name in ("one", "two"):
        assert counted(tmp_path / name)[0] == by_hand(text)
        assert counted(tmp_path / name, max_memory=1 << 20)[0] == by_hand(text)
    if form != "zst":
        (tmp_path / "padded").write_bytes(FORMS[form](data) + bytes(512))
        assert counted(tmp_path / "padded")[0] == by_hand(text)


@pytest.mark.parametrize("form", FORMS)
def test_broken_compressed_files_are_named(tmp_path, form):
    data = FORMS[form](random.Random(1).randbytes(9000).hex().encode())
    for broken, message in (
        (data[:-3], "is truncated"),
        (data[:2000], "is truncated"),
        (data + b"rest", "is broken|is truncated"),
        (data[:1000] + bytes(500) + data[1500:], "broken|is truncated|UTF-8"),
    ):
        path = tmp_path / "file"
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=rf"file.*{message}"):
            counted(path)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.zst").write_bytes(zstandard.compress(b"a"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match=r"pip install 'fairseq_subword_ext\[zstd\]'"):
        counted(tmp_path / "a.zst")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"pip install 'fairseq_subword_ext\[cluster\]'"):
        counted("s3://bucket/text")


def test_files_globs_pipes_and_urls(tmp_path, monkeypatch):
    for name, text in {"a.txt": "a\n", "b.txt": "b b", "c.txt": "b c", "[x].txt": "x"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "d.txt").mkdir()
    files = expand([f"{tmp_path}/?.txt", f"{tmp_path}/[x].txt"])
    assert [name.rpartition("/")[2] for name in files] == ["a.txt", "b.txt", "c.txt", "[x].txt"]
    expected = [(b"b", 3), (b"a", 1), (b"c", 1), (b"x", 1)]
    assert counted(*files)[0] == counted(f"file://{tmp_path}/*[!d].txt")[0] == expected
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"b a"))))
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"a"))
    writer.start()
    assert counted(tmp_path / "pipe", "-")[0] == [(b"a", 2), (b"b", 1)]
    writer.join()
    for names, error in (
        ([f"{tmp_path}/*.no"], ValueError),
        ([f"file://{tmp_path}/*.no"], ValueError),
        ([], ValueError),
        ([tmp_path / "missing"], FileNotFoundError),
        ([tmp_path / "d.txt"], IsADirectoryError),
        ([f"file://{tmp_path}/d.txt"], IsADirectoryError),
    ):
        with pytest.raises(error):
            counted(*names)


def test_a_text_without_line_ends_is_divided(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"word " * 20_000)
    spans = divide([str(path)], 30_000)
    parts = [b"".join(blocks_of(span)) for span in spans]
    assert b"".join(parts) == path.read_bytes()
    assert len(parts) == 4 and all(len(part) in (10_000, 30_000) for part in parts)


@pytest.mark.parametrize(
    "block, cut",
    [(b"", 0), (b"ab", 0), (b" ab", 0), (b"\nab", 1), (b"a b", 2), (b"a b\r c", 2), (b"\r \r ", 0)],
)
def test_a_block_is_cut_at_spaces_and_newlines(block, cut):
    assert last_cut(block) == cut


def test_a_file_that_changes_is_noticed(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a b c d\n" * 10)
    for span in divide([str(path)], 30):
        path.write_bytes(b"a b c d\n" * 9)
        with pytest.raises(ValueError, match="had 80 bytes at first and 72 later"):
            Tally().add(span)
        path.write_bytes(b"a b c d\n" * 11)
        with pytest.raises(ValueError, match="had 80 bytes at first and 88 later"):
            Tally().add(span)
    with pytest.raises(ValueError, match="had 0 bytes at first"):
        Tally().add(Span(str(path), size=0))


def test_the_first_error_in_the_text_is_reported(tmp_path):
    path = tmp_path / "text"
    lines = [b"good line"] * 3000
    lines[700] = lines[2500] = b"bad \xff"
    path.write_bytes(b"\n".join(lines))
    for limit in (None, 1 << 20):
        for _ in range(5):
            with pytest.raises(ValueError, match=r"text:701: .*0xFF"):
                counted(path, num_workers=3, split_size=1000, max_memory=limit)


def test_runs_are_merged_level_by_level(tiny_blocks, tmp_path):
    generator = random.Random(3)
    total = Counter()
    with SortedRuns(str(tmp_path), sum_counts) as runs:
        for _ in range(29):
            run = Counter(generator.choices([b"a", b"a\t", b"a!", b"\xe0\xb6\x9a", b"\xff"], k=4))
            total.update(run)
            runs.add(sorted(run.items()))
        assert len(runs) == 3  # 29 = 27 + 1 + 1
        assert list(runs.merged()) == sorted(total.items())
        assert not list(tmp_path.iterdir())  # nothing to clean up, even after kill -9


def test_sorting_beyond_memory():
    counts = [(b"%d" % i, i * 7919 % 5) for i in range(2000)]
    expected = sorted(counts, key=lambda pair: (-pair[1], pair[0]))
    assert list(most_frequent_first(counts, 10_000)) == expected
    assert list(most_frequent_first(counts, 1 << 30)) == expected
