"""compat="subword-nmt": subword-nmt's output, on random tables with all options.

The reference implementation that the encoders fall back to is tested alike.
"""

import io
import random
import sys

import pytest
from conftest import run_command
from subword_nmt import apply_bpe as oracle

from fairseq_subword_ext.subword.fallback import ReferenceSegmenter
from fairseq_subword_ext.subword.glossary import SubwordNmtGlossary
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

GLOSSARIES = ["a", "ab", "b.*", "[bc]+", "a|b", "c?", "x*", "a.", "abc", "(?:ab)+", "^a", "b$"]


def random_merges(generator, version):
    """Pairs of symbols made by earlier merges, some repeated, some never reached."""
    symbols = list("abc")
    marked = ["</w>"] if version == "0.1" else [f"{symbol}</w>" for symbol in symbols]
    merges = []
    for _ in range(generator.randrange(1, 8)):
        left = generator.choice(symbols)
        right = generator.choice(symbols + marked)
        merges.append((left, right))
        (marked if right.endswith("</w>") else symbols).append(left + right)
    return merges, symbols


@pytest.mark.parametrize("version", ["0.1", "0.2"])
@pytest.mark.parametrize("seed", range(300))
def test_equals_subword_nmt(seed, version):
    generator = random.Random(seed)
    merges, symbols = random_merges(generator, version)
    tokens = [token for symbol in symbols for token in (symbol, f"{symbol}@@")]
    vocabulary = {token for token in tokens if generator.random() < 0.5} if seed % 2 else None
    glossaries = generator.sample(GLOSSARIES, generator.randrange(3)) if seed % 3 else []
    codes = f"#version: {version}\n" + "".join(f"{a} {b}\n" for a, b in merges)
    theirs = oracle.BPE(io.StringIO(codes), -1, "@@", vocabulary, glossaries or None)
    ours = Segmenter(
        MergeTable(merges, "char", version),
        vocabulary=vocabulary,
        glossaries=glossaries,
        compat="subword-nmt",
    )
    cut = SubwordNmtGlossary(glossaries) if glossaries else None
    reference = ReferenceSegmenter(
        merges, version, "@@", vocabulary or None, "keep", None, True, False, "keep", cut
    )
    for _ in range(6):
        words = ["".join(generator.choices("abc", k=generator.randrange(1, 7))) for _ in range(3)]
        expected = theirs.process_line(" ".join(words))
        assert ours.segment_line(" ".join(words)) == expected
        assert reference.segment_lines([" ".join(words)], 0.0, 0, 0, 1) == [expected]


def test_groups_do_not_duplicate_text():
    # subword-nmt prints "x@@ ab@@ b@@ y", whose text is xabby.
    segmenter = Segmenter(MergeTable([]), glossaries=["(a|b)+"], compat="subword-nmt")
    assert segmenter.segment_line("xaby") == "x@@ ab@@ y"


def test_an_empty_vocabulary_filters_nothing_there_and_everything_here():
    table = MergeTable([("a", "b</w>")])
    assert Segmenter(table, vocabulary=set(), compat="subword-nmt").segment_line("ab") == "ab"
    assert Segmenter(table, vocabulary=set()).segment_line("ab") == "a@@ b"


def test_a_last_piece_of_version_0_1_is_split_here_only():
    table = MergeTable([("a", "b")], version="0.1")
    vocabulary = {"a@@", "b"}
    assert Segmenter(table, vocabulary=vocabulary, compat="subword-nmt").segment_line("ab") == "ab"
    assert Segmenter(table, vocabulary=vocabulary).segment_line("ab") == "a@@ b"


def test_a_glossary_that_is_not_a_regular_expression():
    with pytest.raises(ValueError, match="not a regular expression"):
        Segmenter(MergeTable([]), glossaries=["["], compat="subword-nmt")


@pytest.mark.parametrize("space", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\x1f\xa0\u2003")
def test_the_command_ends_lines_where_the_api_does_not(tmp_path, space):
    """docs/compatibility.md on the command of subword-nmt."""
    (tmp_path / "codes").write_text("#version: 0.2\nl o\nlo w</w>\n")
    (tmp_path / "text").write_text(f"low{space}er low\n", encoding="utf-8")
    run_command(
        sys.executable, "-c", "from subword_nmt.subword_nmt import main; main()", "apply-bpe",
        "-c", "codes", "-i", "text", "-o", "out", cwd=tmp_path,
    )  # fmt: skip
    command = (tmp_path / "out").read_bytes().decode()
    api = f"lo@@ w@@ {space}@@ e@@ r low\n"
    segmenter = Segmenter(MergeTable.load(tmp_path / "codes"), compat="subword-nmt")
    assert segmenter.segment_line(f"low{space}er low\n") == api
    breaks = space in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
    assert command == (api.replace(f"{space}@@ ", space) if breaks else api)
