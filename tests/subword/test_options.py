"""Options: each is declared once, and invalid combinations are rejected in one place."""

import pickle
from dataclasses import FrozenInstanceError, dataclass
from typing import Optional

import pytest

from fairseq_subword_ext.subword.learn_options import LearnOptions
from fairseq_subword_ext.subword.learner import learn_bpe, learn_with_trace
from fairseq_subword_ext.subword.options import Rule, check_options, flags_of, option
from fairseq_subword_ext.subword.segmenter import Segmenter, SegmentOptions

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@dataclass(frozen=True)
class Some:
    table: Optional[str] = option(None, "a table", is_file=True, required=True)
    width: int = option(1, "letters", type=int, fairseq=False)
    depth: int = option(1, "lines", type=int, command=False)
    silent: bool = False


RULES = (
    Rule("width", needs="table"),
    Rule("depth", without="width", because=": one of them"),
    Rule("silent", excludes=True, because=": it speaks"),
)


def test_flags_are_those_of_a_front_end():
    assert list(flags_of(Some, "command")) == ["table", "width"]
    assert list(flags_of(Some, "fairseq")) == ["table", "depth"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"table": "x", "length": 1, "height": None}, "it does not take --length$"),
        ({}, "it needs --table FILE: a table"),
        (
            {"table": "x", "depth": 2, "width": 2},
            "--depth cannot be combined with --width: one of them",
        ),
        ({"table": "x", "silent": True}, "it: not with --silent True: it speaks"),
    ],
)
def test_errors_use_the_front_ends_spelling(given, message):
    with pytest.raises(ValueError, match=message):
        check_options(Some, given, "it", lambda name: f"--{name}", RULES)


def test_a_missing_option_is_named():
    rules = [Rule("width", needs="depth", because=" to be of use")]
    with pytest.raises(ValueError, match="it: width needs depth to be of use"):
        check_options(Some, {"table": "x", "width": 2}, "it", rules=rules)
    check_options(Some, {"table": "x", "width": 2, "depth": 1}, "it", rules=rules)


def test_learning_takes_positional_and_keyword_options():
    table = learn_bpe(WORDS, 10, "frequency", "char")
    assert table.merges == learn_bpe(WORDS, num_symbols=10).merges
    assert table.merges == learn_with_trace(WORDS, 10)[0].merges
    with pytest.raises(TypeError, match="symbols"):
        learn_bpe(WORDS, symbols=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "word"}, "unit must be one of char, byte, not 'word'"),
        ({"tie_break": "last"}, "tie_break must be one of greatest, least, first, not 'last'"),
        ({"dlg_counts": "lines"}, "dlg_counts must be one of tokens, types"),
        ({"num_symbols": -1}, "number of symbols must be from 0 to .*, not -1"),
        ({"min_frequency": 1 << 63}, "minimal frequency must be from"),
        ({"version": "0.1", "unit": "byte"}, "version 0.1 needs unit .char., not .byte."),
        ({"unit": "byte", "total_symbols": True}, "fewer than the 256 bytes"),
    ],
)
def test_invalid_learning_options_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        LearnOptions(**{"num_symbols": 10, **options})


def test_options_are_immutable():
    options = SegmentOptions(separator="_")
    with pytest.raises(FrozenInstanceError):
        options.separator = "@@"
    segmenter = Segmenter(learn_bpe(WORDS, 10), "_")
    assert segmenter.options == options
    again = pickle.loads(pickle.dumps(segmenter))
    assert again.segment_line("lowest wider") == segmenter.segment_line("lowest wider")
    assert again.options == options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compat": "fairseq"}, "compat must be one of subword-nmt, not 'fairseq'"),
        ({"unknown": "drop"}, "unknown must be one of keep, error, unk"),
        ({"carriage_return": "drop"}, "carriage_return must be one of"),
        ({"merges": -1}, "merges to use must be from 0 to .*, not -1"),
        ({"separator": ""}, "the separator is empty"),
    ],
)
def test_invalid_segmenting_options_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        Segmenter(learn_bpe(WORDS, 10), **options)
