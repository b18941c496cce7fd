"""What recipes make corpora with: drawn sets, Moses tokens."""

import pytest
from recipes.text import moses
from recipes.text.drawing import draw_sets


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
