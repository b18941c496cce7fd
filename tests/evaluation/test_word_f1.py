"""Unigram F1 by word class and by rank, with values computed by hand."""

import random

import pytest

from fairseq_subword_ext.evaluation.rank_f1 import rank_matches
from fairseq_subword_ext.evaluation.word_f1 import (
    CopyCount,
    UnigramMatch,
    copied_lines,
    copied_words,
    count_matches,
    frequency_ranks,
    unigram_matches,
    word_classes,
)
from fairseq_subword_ext.evaluation.words import (
    SACREBLEU_TOKENIZERS,
    count_training_words,
    word_cutter,
)

# Tokenizers that need a model or a package, in tests/evaluation/test_tokenizers.py.
NEED_MORE = ("flores200", "ja-mecab", "ko-mecab")

REFERENCE = ["the cat sat on the mat".split(), "a zyx".split()]
SYSTEM = ["the the the cat".split(), "zyx zyx b".split()]
TRAINING = {"the": 5, "cat": 3, "sat": 2, "on": 2, "mat": 1, "a": 1}
# Words with the same count are in alphabetical order.
RANKS = {"the": 1, "cat": 2, "on": 3, "sat": 4, "a": 5, "mat": 6}


def matches(system, reference, classes=None):
    return unigram_matches(count_matches(system, reference), classes or word_classes(None))


def test_clipping_as_in_the_paper_on_bleu():
    # Papineni et al. 2002, section 2.1: the modified unigram precision of seven times "the" is 2/7.
    found = matches([["the"] * 7], [REFERENCE[0]])["all"]
    assert (found.matched, found.system) == (2, 7)
    assert found.precision == pytest.approx(100 * 2 / 7)


def test_all_words():
    # Line 1: "the" counts twice, as often as in the reference, and "cat" once; line 2: "zyx" once.
    found = matches(SYSTEM, REFERENCE)
    assert found == {"all": UnigramMatch(matched=4, system=7, reference=8)}
    assert found["all"].precision == pytest.approx(100 * 4 / 7)
    assert found["all"].recall == 50
    assert found["all"].f1 == pytest.approx(100 * 8 / 15)  # 2 * 4/7 * 1/2 / (4/7 + 1/2)


def test_rare_words_and_the_unseen():
    found = matches(SYSTEM, REFERENCE, word_classes(RANKS, rare_rank=2))
    # Rare in the reference: sat, on, mat, a; in the output none.
    assert found["rare"] == UnigramMatch(matched=0, system=0, reference=4)
    # Unseen in the reference: zyx; in the output: zyx, zyx, b.
    assert found["oov"] == UnigramMatch(matched=1, system=3, reference=1)
    assert found["oov"].f1 == 50
    assert list(found) == ["all", "rare", "oov"]


def test_rare_words_that_include_the_unseen():
    found = matches(SYSTEM, REFERENCE, word_classes(RANKS, 2, rare_includes_oov=True))
    # In the reference: sat, on, mat, a, zyx; in the output: zyx, zyx, b.
    assert found["rare_or_oov"] == UnigramMatch(matched=1, system=3, reference=5)
    assert found["rare_or_oov"].f1 == 25
    assert list(found) == ["all", "rare_or_oov", "oov"]


def test_classes_are_disjoint_and_cover_all_infrequent_words():
    disjoint, both = (word_classes(RANKS, 3, include) for include in (False, True))
    for word in [*RANKS, "zyx"]:
        rare, oov = disjoint["rare"](word), disjoint["oov"](word)
        assert not (rare and oov)
        assert both["rare_or_oov"](word) == (rare or oov)
        assert (rare or oov) == (word in ("sat", "a", "mat", "zyx"))


def test_words_of_one_count_are_ranked_by_the_alphabet():
    assert frequency_ranks(dict(reversed(TRAINING.items()))) == RANKS


def test_matches_by_rank():
    """Groups of ranks: the; cat, on; sat, a, mat; OOV. Groups without words on either side are left out."""
    system = [*SYSTEM, ["a"]]
    reference = [*REFERENCE, ["a"]]
    found = rank_matches(count_matches(system, reference), RANKS)
    assert [
        (g["first"], g["last"], g["matched"], g["system"], g["reference"]) for g in found
    ] == [
        (1, 1, 2, 3, 2),
        (2, 3, 1, 1, 2),
        (4, 7, 1, 1, 4),
        (None, None, 1, 3, 1),
    ]  # fmt: skip
    assert [g["f1"] for g in found] == pytest.approx([80, 200 / 3, 40, 50])
    assert rank_matches(count_matches([["mat"]], [["mat"]]), RANKS)[0]["first"] == 4
    assert rank_matches(count_matches([[]], [[]]), RANKS) == []


def test_matches_in_other_sentences_do_not_count():
    found = matches([["a"], ["b"]], [["b"], ["a"]])
    assert found["all"].f1 == 0


def test_case_counts():
    assert matches([["The"]], [["the"]])["all"].matched == 0


def test_no_word_of_the_class_at_all():
    found = UnigramMatch(matched=0, system=0, reference=0)
    assert (found.precision, found.recall, found.f1) == (None, None, None)


def test_no_word_of_the_class_on_one_side():
    assert UnigramMatch(matched=0, system=0, reference=3).f1 == 0
    assert UnigramMatch(matched=0, system=0, reference=3).precision is None
    assert UnigramMatch(matched=0, system=3, reference=0).recall is None


def test_rare_rank_below_zero_is_refused():
    with pytest.raises(ValueError, match="-1; expected 0 or more"):
        word_classes(RANKS, -1)


def test_copied_words_are_clipped_by_the_source():
    source = ["le the zyx the".split(), "zyx zyx zyx b".split()]
    found = copied_words(SYSTEM, REFERENCE, source, word_classes(RANKS, rare_rank=2))
    # Line 1: "the" twice, correct both times; line 2: all three words, "zyx" correct once.
    assert found["all"] == CopyCount(copied=5, correct=3, system=7)
    assert found["oov"] == CopyCount(copied=3, correct=1, system=3)


def test_copied_lines():
    assert copied_lines(["a b", " c ", "", "d"], ["a b", "c", "", "e"]) == 2


@pytest.mark.parametrize("tokenizer", [t for t in SACREBLEU_TOKENIZERS if t not in NEED_MORE])
def test_training_words_are_those_of_its_lines(tokenizer, tmp_path):
    randomly = random.Random(5)
    pieces = [*"aB9.,-$'\"(&…。中", "&quot;", "0.5", " ", " ", " ", "\u00a0"]
    lines = ["".join(randomly.choices(pieces, k=30)) for _ in range(2000)]
    path = tmp_path / "train"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    cut = word_cutter(tokenizer)
    expected = {}
    for line in lines:
        for word in cut(line):
            expected[word] = expected.get(word, 0) + 1
    assert count_training_words([str(path)], tokenizer) == expected
