"""The ids of exported symbols, and which merge tables cannot be exported."""

import base64
import json

import pytest

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.export_symbols import check_exportable, symbol_ids
from fairseq_subword_ext.subword.export_tiktoken import format_ranks, tiktoken_ranks
from fairseq_subword_ext.subword.export_tokenizer import tokenizer_json
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable

COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
# Four control symbols, then these.
DICTIONARY = "est 9\nlo@@ 7\nw 5\n␛A0;@@ 2\na@␛40; 1\n<lang:si> 0\nmadeupword0000 0\n"


def made(merges, unit="char", version="0.2"):
    return MergeTable([tuple(merge.split()) for merge in merges], unit, version)


def test_ids_are_those_of_the_dictionary(tmp_path):
    (tmp_path / "dict.txt").write_text(DICTIONARY, encoding="utf-8")
    ids = symbol_ids(made(["l o", "e s", "es t</w>"]), tmp_path / "dict.txt")
    assert list(ids.tokens)[:5] == ["<s>", "<pad>", "</s>", "<unk>", "est"]
    assert ids.symbols == {
        "<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "est</w>": 4, "lo": 5, "w</w>": 6, "\xa0": 7,
        "a@@</w>": 8, "<lang:si>": 9, "madeupword0000": 10,
        # Symbols that merges need and the dictionary lacks come after its last id.
        "l": 11, "o": 12, "e": 13, "s": 14, "es": 15, "t</w>": 16,
    }  # fmt: skip
    assert len(ids.tokens) == 11 and ids.further == 6


def test_without_a_dictionary_they_are_those_of_build_dict(subword, tmp_path):
    table = learn_bpe(COUNTS, 6)
    table.save(tmp_path / "codes")
    subword("build-dict", "-c", "codes", "-o", "dict.txt", cwd=tmp_path)
    assert symbol_ids(table) == symbol_ids(table, tmp_path / "dict.txt")
    assert symbol_ids(table).further == 0


def test_another_separator(tmp_path):
    (tmp_path / "dict.txt").write_text("lo￭ 7\nw@@ 5\n", encoding="utf-8")
    ids = symbol_ids(made([]), tmp_path / "dict.txt", "￭")
    assert ids.symbols["lo"] == 4 and ids.symbols["w@@</w>"] == 5


def test_bytes_are_complete(tmp_path):
    (tmp_path / "dict.txt").write_text("▁a 3\n▁ 2\n", encoding="utf-8")
    ids = symbol_ids(made(["▁ a"], "byte", "byte-1"), tmp_path / "dict.txt")
    assert set(BYTE_SYMBOLS) <= set(ids.symbols)
    assert (ids.symbols["▁a"], ids.symbols["▁"], ids.further) == (4, 5, 255)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1\nb\n", "dict.txt:2: expected 'symbol count', found 'b'"),
        ("a 1\na 2\n", "dict.txt:2: the symbol 'a' is listed twice"),
        ("<unk> 2\n", "dict.txt:1: the symbol '<unk>' is listed twice"),
    ],
)
def test_broken_dictionaries(tmp_path, content, message):
    (tmp_path / "dict.txt").write_text(content)
    with pytest.raises(ValueError, match=message):
        symbol_ids(made([]), tmp_path / "dict.txt")


def test_a_dictionary_of_characters_is_not_one_of_bytes(tmp_path):
    (tmp_path / "dict.txt").write_text("දු 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not byte text"):
        symbol_ids(made(["▁ a"], "byte", "byte-1"), tmp_path / "dict.txt")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (made(["a b"], version="0.1"), "version 0.1"),
        (made(["a b", "<s ></w>"]), r"merge 2 \(<s ></w>\) makes '<s>'"),
        (made(["<s >"]), "makes '<s>'"),
        (made(["madeupword000 1</w>"]), "makes 'madeupword0001'"),
        (made(["< unk>"], "byte", "byte-1"), "makes '<unk>'"),
        (made(["</w >"]), "spells the end-of-word marker"),
        (made(["</w ></w>"]), "spells the end-of-word marker"),
        (made(["abc ab", "a b", "ab c"]), r"merge 3 \(ab c\) .* merge 1 \(abc ab\)"),
    ],
)
def test_what_cannot_be_exported(table, message):
    with pytest.raises(ValueError, match=message):
        check_exportable(table)


def test_what_can():
    # Two merges with the same spelling alone are allowed.
    check_exportable(made(["a b", "b c", "a bc", "ab c", "x </w>"]))
    check_exportable(made(["</w> x", "< /w>"], "byte", "byte-1"))


def test_bytes_are_spelled_by_gpt2s_table():
    table = made(["▁ Ċ", "a \u017f"], "byte", "byte-1")
    model = json.loads(tokenizer_json(table, symbol_ids(table)))["model"]
    # The byte 0xAD is U+0143 in GPT-2's table; in ours it is U+01AD.
    for byte, spelling in [(0x20, "Ġ"), (0x0A, "Ċ"), (0x00, "Ā"), (0x7F, "ġ"), (0xAD, "Ń")]:
        assert model["vocab"][spelling] == symbol_ids(table).symbols[BYTE_SYMBOLS[byte]]
    assert model["merges"] == [["Ġ", "Ċ"], ["a", "ġ"]]
    assert len(model["vocab"]) == len(symbol_ids(table).symbols)


def test_ranks_of_tiktoken():
    ranks = tiktoken_ranks(made(["▁ a", "Ã ©"], "byte", "byte-1"))
    assert len(ranks) == 258
    assert [ranks[token] for token in (b"\x00", b"\xff", b" a", "é".encode())] == [0, 255, 256, 257]
    lines = format_ranks(ranks).splitlines()
    assert lines[0] == "AA== 0" and lines[256] == "IGE= 256"
    assert {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)} == ranks


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (made(["a b"]), "byte-level codes only"),
        (
            made(["a b", "b c", "ab c", "a bc"], "byte", "byte-1"),
            r"merge 4 \(a bc\) makes a token that merge 3 makes too",
        ),
    ],
)
def test_what_tiktoken_cannot_hold(table, message):
    with pytest.raises(ValueError, match=message):
        tiktoken_ranks(table)
