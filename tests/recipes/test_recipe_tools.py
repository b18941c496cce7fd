"""What holds for all scripts and recipes: shell settings, the corpus layout, drawn sets, Moses tokens."""

import re

import pytest
from conftest import ROOT
from recipes.text import moses
from recipes.text.corpus_files import find_languages, read_pairs, write_pairs
from recipes.text.drawing import draw_sets


def test_the_corpus_layout(tmp_path):
    pairs = [("ein\u2028e", "one"), ("", "two")]
    write_pairs(tmp_path, "train", "de", pairs)
    assert read_pairs(tmp_path, "train", "de") == pairs
    assert find_languages(tmp_path, "train") == ["de"]
    with pytest.raises(ValueError, match=r"no test\.xx-en\.en file"):
        find_languages(tmp_path, "test")
    (tmp_path / "train.de-en.en").write_bytes(b"one\r\nt\rwo\n")
    assert read_pairs(tmp_path, "train", "de") == [("ein\u2028e", "one"), ("", "t wo")]
    (tmp_path / "train.de-en.en").write_bytes(b"one\n")
    with pytest.raises(ValueError, match=r"has 2 lines, .* has 1"):
        read_pairs(tmp_path, "train", "de")


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("**/*.sh")), ids=str)
def test_no_setting_is_a_variable_that_bash_sets(path):
    """Bash sets LINES and COLUMNS to the terminal's size in every script."""
    code = [line for line in path.read_text().split("\n") if not line.lstrip().startswith("#")]
    assert not re.search(r"\b(LINES|COLUMNS|SECONDS|RANDOM|GROUPS)\b", "\n".join(code))


def test_drawn_sets_are_disjoint_random_and_reproducible():
    items = [f"line {number}" for number in range(1000)]
    sets = draw_sets(items, [100, 50], seed=1)
    assert [len(part) for part in sets] == [100, 50, 850]
    assert sorted(item for part in sets for item in part) == sorted(items)
    assert all(part == sorted(part, key=items.index) for part in sets)
    assert draw_sets(items, [100, 50], seed=1) == sets != draw_sets(items, [100, 50], seed=2)
    # Random, not a block: about half of the set is in each half of the corpus.
    assert 25 < sum(items.index(line) < 500 for line in sets[0]) < 75 and sets[0][:2] != items[:2]
    with pytest.raises(ValueError, match="cannot draw 6969 of 300 pairs"):
        draw_sets(items[:300], [6969], seed=1)


def test_moses_tokens_and_back():
    pytest.importorskip("sacremoses")
    raw_lines = ["It's the dog's house, isn't it?", 'He said "no" & left.', ""]
    tokenized = moses.tokenize_lines(raw_lines, "en", workers=1)
    assert tokenized == [
        "It &apos;s the dog &apos;s house , isn &apos;t it ?",
        "He said &quot; no &quot; &amp; left .",
        "",
    ]
    assert moses.detokenize_lines(tokenized, "en", workers=1) == raw_lines
    many = [f"{line} {number}" for number in range(1001) for line in raw_lines[:2]]
    assert moses.tokenize_lines(many, "en", workers=2) == moses.tokenize_lines(
        many, "en", workers=1
    )
