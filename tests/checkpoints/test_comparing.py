"""Which checkpoints can form an ensemble, and which dictionaries are equal."""

import re

import pytest

from fairseq_subword_ext.checkpoints.comparing import (
    X_EN_STATE,
    Symbols,
    compare_dictionaries,
    compare_members,
    first_difference,
)

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def state(symbols="a b c", marked=False, positions=(2048, 2048)):
    own = {
        "symbols": "\n".join([*SPECIAL, *symbols.split()]),
        "source_lang_token": marked,
        "positions": list(positions),
    }
    return {X_EN_STATE: own}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            state(marked=True),
            "1.pt and 2.pt cannot form an ensemble: 2.pt was trained with --source-lang-token, "
            "1.pt without",
        ),
        (
            state("a c b"),
            "the dictionaries of 1.pt and 2.pt differ (line 2: 'b' and 'c'; 7 and 7 entries): they "
            "cannot form an ensemble",
        ),
        (
            state(positions=(512, 2048)),
            "1.pt and 2.pt cannot form an ensemble: 1.pt was trained with --max-source-positions "
            "2048 --max-target-positions 2048, 2.pt with --max-source-positions 512 "
            "--max-target-positions 2048",
        ),
    ],
)
def test_members_that_differ_are_both_named(other, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        compare_members("1.pt", state(), "2.pt", other)


def test_a_parent_and_its_child_form_an_ensemble():
    child = {**state(), "transfer_x_en": {"finetune": "enc", "parent": "1.pt"}}
    compare_members("1.pt", state(), "2.pt", child)


def test_a_model_of_fairseqs_own_task_reads_no_token():
    compare_members("1.pt", {}, "2.pt", state())
    for pair in (({}, state(marked=True)), (state(marked=True), {})):
        with pytest.raises(ValueError, match="cannot form an ensemble"):
            compare_members("1.pt", pair[0], "2.pt", pair[1])


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (["b", "a"], (1, "'a'", "'b'")),
        (["a"], (2, "'b'", "nothing")),
        (["a", "b", "c"], (3, "nothing", "'c'")),
        (["a", "b"], None),
    ],
)
def test_the_first_difference(other, difference):
    assert first_difference(["a", "b"], other) == difference


def test_a_difference_is_counted_in_lines_of_the_file():
    one, other = (Symbols([*SPECIAL, *own], own) for own in ("ab", "ac"))
    with pytest.raises(ValueError, match=r"line 2: 'b' and 'c'; 6 and 6 entries\): do this"):
        compare_dictionaries(one, other, "do this")
