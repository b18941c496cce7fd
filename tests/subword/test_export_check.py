"""In the target libraries, exports segment as we do; the check notices if not."""

import io

import pytest
from made_languages import NAUGHTY, made_lines

from fairseq_subword_ext.subword.export_check import check_tiktoken, check_tokenizer_json
from fairseq_subword_ext.subword.export_symbols import symbol_ids
from fairseq_subword_ext.subword.export_tiktoken import tiktoken_ranks
from fairseq_subword_ext.subword.export_tokenizer import tokenizer_json
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable


def text_of(lines):
    return io.BytesIO("".join(line + "\n" for line in lines).encode("utf-8"))


@pytest.fixture(scope="module", params=["char", "byte"])
def table(request):
    return learn_bpe(text_of(made_lines(600)), 600, unit=request.param)


def check_json(table, lines, dictionary=None):
    pytest.importorskip("tokenizers")
    ids = symbol_ids(table, dictionary)
    return check_tokenizer_json(tokenizer_json(table, ids), table, ids, text_of(lines), "@@")


def test_tokenizer_json_segments_unseen_text_as_we_do(table):
    report = check_json(table, made_lines(900, seed=1))
    assert (report.lines, report.differing, report.unrestored) == (900, 0, 0)


def test_tokenizer_json_and_naughty_strings(table):
    report = check_json(table, NAUGHTY)
    assert (report.lines, report.differing) == (len(NAUGHTY), 0)
    # With bytes, nothing is unknown and all text is restored.
    assert (report.unknown == 0) == (table.unit == "byte")
    assert (report.unrestored == 0) == (table.unit == "byte")


def test_spaces_that_characters_cannot_carry():
    table = learn_bpe({"low": 9, "lower": 4}, 4)
    report = check_json(table, ["low lower", " low", "low  low", "low ", "", "x"])
    assert (report.differing, report.unrestored, report.unrestored_examples) == (0, 3, [2, 3, 4])
    assert report.unknown == 1


def test_symbols_that_the_dictionary_lacks_count_as_unknown(tmp_path):
    table = learn_bpe({"low": 9, "lower": 4}, 2)
    assert [left + right for left, right in table] == ["lo", "low</w>"]
    (tmp_path / "dict.txt").write_text("low 9\nlo@@ 4\nw@@ 4\nr 4\n")
    report = check_json(table, ["low", "lower", "lo"], tmp_path / "dict.txt")
    assert (report.differing, report.unknown) == (0, 2)


def test_the_check_notices_another_order_of_merging():
    alphabet = dict.fromkeys(["a", "b", "c", "x</w>"], 1)
    table = MergeTable([("abc", "ab"), ("a", "b"), ("ab", "c")], metadata={"alphabet": alphabet})
    report = check_json(table, ["abx", "abcabcx"])
    assert (report.lines, report.differing, len(report.examples)) == (2, 1, 1)
    difference = report.examples[0]
    assert (difference.line, difference.place) == (2, 0)
    assert difference.expected == ["abc@@", "abc@@", "x"]
    assert difference.found == ["abcab", "c", "x</w>"]


def test_tiktoken_segments_as_we_do():
    pytest.importorskip("tiktoken")
    table = learn_bpe(text_of(made_lines(600)), 600, unit="byte")
    lines = [*made_lines(900, seed=1), *NAUGHTY]
    report = check_tiktoken(tiktoken_ranks(table), table, text_of(lines))
    assert (report.lines, report.differing, report.empty) == (len(lines), 0, 1)


def test_the_check_notices_what_tiktoken_merges_besides():
    pytest.importorskip("tiktoken")
    merges = [("a", "b"), ("b", "c"), ("a", "bc")]
    table = MergeTable(merges, "byte", "byte-1")
    report = check_tiktoken(tiktoken_ranks(table), table, text_of(["ab", "abc"]))
    assert report.differing == 1
    assert report.examples[0].expected == ["▁", "ab", "c"]
    assert report.examples[0].found == ["▁", "abc"]
