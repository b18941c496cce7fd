"""Codes files: every format that is read, what is written, and the message of every error."""

import contextlib
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.subword.merge_table import MergeTable, metadata_path_of

TWO = "#version: 0.2\ne s\nes t</w>\n"


def written(tmp_path, text):
    path = tmp_path / "codes"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    ("text", "version", "merges"),
    [
        (TWO, "0.2", [("e", "s"), ("es", "t</w>")]),
        ("#version: 0.1\ns </w>\n", "0.1", [("s", "</w>")]),
        ("#version: 0.2.0\ne s\n", "0.2", [("e", "s")]),
        ("#version:0.2\ne s\n", "0.2", [("e", "s")]),
        ("#version: byte-1\n▁ ä\n▁ä ¸\n", "byte-1", [("▁", "ä"), ("▁ä", "¸")]),
        ("\ufeff" + TWO, "0.2", [("e", "s"), ("es", "t</w>")]),
        (TWO.replace("\n", "\r\n"), "0.2", [("e", "s"), ("es", "t</w>")]),
        (TWO + "\n\n", "0.2", [("e", "s"), ("es", "t</w>")]),
        ("#version: 0.2\n", "0.2", []),
        ("#version: 0.2", "0.2", []),
        ("e s 9\nes t</w> 5\n", "0.2", [("e", "s"), ("es", "t</w>")]),
        ("#version: 0.2\na\u2028 \x85b\n", "0.2", [("a\u2028", "\x85b")]),
        ("#version: 0.2\n1 2\n", "0.2", [("1", "2")]),
        (
            "#version: 0.2\n#version :\n#version: 0.2\n",
            "0.2",
            [("#version", ":"), ("#version:", "0.2")],
        ),
    ],
)
def test_the_formats_that_are_read(tmp_path, text, version, merges):
    table = MergeTable.load(written(tmp_path, text))
    assert (table.version, table.merges) == (version, merges)
    assert table.unit == ("byte" if version == "byte-1" else "char")
    assert list(table) == merges and len(table) == len(merges)


def test_the_first_merges_only(tmp_path):
    path = written(tmp_path, TWO)
    assert MergeTable.load(path, merges=1).merges == [("e", "s")]
    assert MergeTable.load(path, merges=0).merges == []
    assert MergeTable.load(path, merges=99).merges == [("e", "s"), ("es", "t</w>")]
    with pytest.raises(ValueError, match="must be from 0"):
        MergeTable.load(path, merges=-1)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("l o\nlo w</w>\n", "0.2"),
        ("e </w>\nl o\n", "0.1"),
        ("l o\ne </w>\nr e</w>\n", "0.1"),
        ("< /\n</ w\n</w >\nx</w></w> y\n", None),
        ("< /\n</ w\n</w >\nx </w>\ny z</w>\n", "0.2"),
    ],
)
def test_the_version_is_detected_with_a_warning(tmp_path, caplog, text, version):
    path = written(tmp_path, text)
    if version is None:
        with pytest.raises(ValueError, match="neither a character"):
            MergeTable.load(path)
        return
    with caplog.at_level(logging.WARNING):
        assert MergeTable.load(path).version == version
    assert f"its merges show version {version}" in caplog.text


def test_an_ambiguous_version_is_rejected(tmp_path):
    path = written(tmp_path, "h e\nl l\n")
    with pytest.raises(ValueError, match=r"codes:1: no header.*#version: 0.2.*#version: 0.1"):
        MergeTable.load(path)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "empty"),
        ("\n\n", None, "empty"),
        ("#version: 0.3\ne s\n", 1, "unknown version '0.3'; expected 0.1, 0.2 or byte-1"),
        ("#version: abc\n", 1, "unknown version 'abc'"),
        ("#version: 0.2\ne s\n\nes t\n", 3, "blank line"),
        ("#version: 0.2\ne s 9\n", 2, "fastBPE"),
        ("#version: 0.2\ne\n", 2, "list of words"),
        ("#version: 0.2\ne  s\n", 2, "3 columns"),
        ("#version: 0.2\na b c d\n", 2, "4 columns"),
        ("#version: 0.2\ne s\n#version: 0.2\n", 3, "second header"),
        ("the 120\nof 98\n", 1, "vocabulary"),
        ("e s 9\nes t\n", 2, "symbol symbol count"),
        ("haus house\n", 1, "neither a character nor"),
        ("<unk>\t0\n<s>\t0\n", 1, "SentencePiece .vocab"),
        ("#version: byte-1\nl ක\n", 2, "represents no byte"),
        ("#version: byte-1\nl o</w>\nlo\xa0 w\n", 3, "represents no byte"),
        (b"\xff\xfee\x00 \x00s\x00", 0, "UTF-16"),
        (b"\x1f\x8b\x08\x00", 0, "gzip"),
        (b"#version: 0.2\ne s\n\xff s\n", 3, "byte 0xFF"),
        (b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02\x1a\x00", None, "SentencePiece model"),
    ],
)
def test_errors_name_the_line_and_guess_the_mistake(tmp_path, text, line, words):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        MergeTable.load(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


@given(st.binary())
def test_random_bytes_are_read_or_refused(data):
    with contextlib.suppress(ValueError):
        MergeTable.parse(data)


@given(st.text("#version: 0.21byte-\n </w>abක\r\t"))
def test_random_lines_are_read_or_refused(text):
    try:
        table = MergeTable.parse(text.encode("utf-8"))
    except ValueError:
        return
    assert MergeTable.parse(table.to_text().encode("utf-8")) == table


@pytest.mark.parametrize("version", ["0.1", "0.2", "byte-1"])
def test_round_trip(tmp_path, version):
    unit = "byte" if version == "byte-1" else "char"
    table = MergeTable([("a", "b"), ("ab", "c")], unit, version)
    table.metadata = {"measure": "av", "alphabet": {"a": 3, "b": 2**40}, "merges_asked": 9}
    path = tmp_path / "codes"
    table.save(path)
    assert path.read_text() == f"#version: {version}\na b\nab c\n"
    loaded = MergeTable.load(path)
    assert (loaded.merges, loaded.unit, loaded.version) == (table.merges, unit, version)
    assert loaded.alphabet == {"a": 3, "b": 2**40}
    assert loaded.signature() == table.signature()
    assert list(json.loads(metadata_path_of(path).read_text()))[-1] == "alphabet"


def test_the_version_must_match_the_unit():
    with pytest.raises(ValueError, match="needs unit 'byte', not 'char'"):
        MergeTable([], "char", "byte-1")


def test_metadata_can_go_to_another_file_and_never_to_stdout(tmp_path, capfdbinary):
    table = MergeTable([("a", "b")], metadata={"alphabet": {"a": 1}})
    table.save(tmp_path / "codes", tmp_path / "metadata.json")
    assert not metadata_path_of(tmp_path / "codes").exists()
    assert json.loads((tmp_path / "metadata.json").read_text())["alphabet"] == {"a": 1}


def test_metadata_of_other_codes_is_ignored(tmp_path, caplog):
    path = tmp_path / "codes"
    MergeTable([("a", "b")], metadata={"alphabet": {"a": 1}}).save(path)
    path.write_text("#version: 0.2\nx y\n")
    with caplog.at_level(logging.WARNING):
        assert MergeTable.load(path).metadata == {}
    assert "does not belong to the codes" in caplog.text


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", "[" * 100000, '{"codes_sha256": "x", "alphabet": {"a": "1"}}', "\udcff"],
)
def test_invalid_metadata_is_named(tmp_path, text):
    path = tmp_path / "codes"
    path.write_text(TWO)
    metadata_path_of(path).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"codes\.json: .*delete it"):
        MergeTable.load(path)


def test_the_signature_has_all_metadata_except_the_alphabet():
    table = MergeTable([("a", "b")])
    table.metadata = {
        "measure": "dlg-weighted",
        "tie_break": "greatest",
        "min_frequency": 2,
        "dlg_counts": "types",
        "merges_asked": 10,
        "corpus": "train.de+train.en",
        "corpus_sha256": "0123456789abcdef" * 4,
        "package_version": "9.9",
        "alphabet": {"a": 1},
    }
    assert table.signature() == (
        "unit:char|marker:0.2|merges:1/10|measure:dlg-weighted|ties:greatest|min:2|"
        "corpus:train.de+train.en|sha256:0123456789ab|dlg-counts:types|codes:"
        "45943e2370cc|version:9.9"
    )
