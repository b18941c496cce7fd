"""The back-off dictionary (WDict): its entries, its file, and its effect on the score."""

import random

import pytest
from planted_names import make_corpus

from fairseq_subword_ext.baselines.alignment import aligned_words
from fairseq_subword_ext.baselines.back_off import (
    load_dictionary,
    most_linked,
    replace_unknown,
    save_dictionary,
)
from fairseq_subword_ext.baselines.char_ngrams import most_frequent
from fairseq_subword_ext.evaluation.word_f1 import (
    OOV,
    RARE_OR_OOV,
    count_matches,
    frequency_ranks,
    unigram_matches,
    word_classes,
)
from fairseq_subword_ext.subword.vocabulary import Vocabulary


def test_the_most_linked_word_wins_then_the_rarer_then_the_least():
    links = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("b", "z"), ("c", "v"), ("c", "u")]
    assert most_linked(links) == {"a": "x", "b": "z", "c": "u"}
    assert most_linked([]) == {}


def test_unknown_words_become_the_translation_or_a_copy_of_the_aligned_word():
    source = ["the", "Foo", "of", "Bar"]
    links = [(0, 0), (1, 2), (3, 1), (4, 3)]
    hypothesis = ["<unk>", "<unk>", "<unk>", "<unk>", "x", "<unk>"]
    replaced = replace_unknown(hypothesis, source, links, {"Foo": "Fu", "x": "y"})
    # The fourth is aligned to the end of the sentence, the last is not aligned.
    assert replaced == ["the", "Bar", "Fu", "<unk>", "x", "<unk>"]
    assert hypothesis[0] == "<unk>"


def test_the_file_is_what_fairseq_reads(tmp_path):
    entries = {"b": "ž", "a": "␛A0;x", "ā": "1"}
    save_dictionary(entries, tmp_path / "dict")
    assert (tmp_path / "dict").read_text("utf-8") == "a ␛A0;x\nb ž\nā 1\n"
    assert load_dictionary(tmp_path / "dict") == entries
    (tmp_path / "dict").write_text("")
    assert load_dictionary(tmp_path / "dict") == {}
    (tmp_path / "dict").write_text("a b\na b c\n")
    with pytest.raises(ValueError, match="dict:2: expected 'source target', found 'a b c'"):
        load_dictionary(tmp_path / "dict")


def test_pairs_with_an_empty_or_too_long_side_are_left_out():
    pytest.importorskip("thot")
    passes = []
    links = list(
        aligned_words([["a"], [], ["c"], ["a"]], [["x"], ["y"], ["x"] * 9999, ["x"]], passes.append)
    )
    assert links == [("a", "x"), ("a", "x")]
    assert sum(passes) == 11
    assert list(aligned_words([[]], [["a"]])) == []


@pytest.fixture(scope="module")
def corpus():
    return make_corpus()


@pytest.fixture(scope="module")
def dictionary(corpus):
    pytest.importorskip("thot")
    source, target, _ = zip(*corpus.train)
    return most_linked(aligned_words(source, target))


def test_alignment_finds_the_planted_names(corpus, dictionary):
    forms = {
        source[i]: target[j] for source, target, links in corpus.train
        for i, j in links if source[i].istitle()
    }  # fmt: skip
    right = sum(dictionary.get(name) == form for name, form in forms.items())
    assert right > 0.9 * len(forms)


@pytest.mark.parametrize("misaligned", [0.0, 0.3])
def test_the_dictionary_beats_copying_on_unseen_words(corpus, dictionary, misaligned):
    """A model that knows 24 words and whose attention is sometimes wrong."""
    draw = random.Random(2)
    target_words = Vocabulary.from_lines(corpus.text("train", 1).split("\n")).counts
    vocabulary = most_frequent(target_words, 24)
    # All other words are <unk> in the training text of the network.
    ranks = frequency_ranks({word: target_words[word] for word in vocabulary})
    classes = word_classes(ranks, rare_rank=24, rare_includes_oov=True)
    hypotheses = {"dictionary": [], "copy": []}
    for source, target, links in corpus.test:
        words = [word if word in vocabulary else "<unk>" for word in target]
        if draw.random() < misaligned:
            links = [(draw.randrange(len(source)), place) for _, place in links]
        hypotheses["dictionary"].append(replace_unknown(words, source, links, dictionary))
        hypotheses["copy"].append(replace_unknown(words, source, links, {}))
    reference = [target for _, target, _ in corpus.test]
    scores = {
        name: unigram_matches(count_matches(lines, reference), classes)
        for name, lines in hypotheses.items()
    }
    assert scores["dictionary"][OOV].f1 > scores["copy"][OOV].f1 + 25
    assert scores["dictionary"][RARE_OR_OOV] == scores["dictionary"][OOV]
    assert scores["copy"][OOV].f1 > 20  # names that are copied unchanged
