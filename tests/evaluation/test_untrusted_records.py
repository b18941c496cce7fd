"""Records of scores from somebody else: read, or refused in one line."""

import json

import pytest
from damaged_files import damaged, json_values
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.evaluation.score_record import (
    ScoreRecord,
    SignificanceRecord,
    SystemRecord,
    joined,
)

RECORD = ScoreRecord(
    {"file": "test.en", "lines": 2, "sha256": "00"},
    [
        SystemRecord(
            "gru", "gru.out", "D-", 2, {"merges": 100}, {"BLEU": 27.5}, {"BLEU": "nrefs:1"},
            words={"rare": {"f1": 50.0}},
        ),
        SystemRecord("none", "none.out", "text", 2, scores={"BLEU": 20}),
    ],
    "none",
    [SignificanceRecord("bootstrap", "BLEU", "gru", "none", 0.01, True, "+", "seed 1")],
)  # fmt: skip
CONTENT = RECORD.to_json().encode("utf-8")


def read(path, content):
    path.write_bytes(content)
    try:
        record = ScoreRecord.load(path)
    except ValueError as error:
        assert str(error).startswith(f"{path}: expected a file written by") and "\n" not in str(
            error
        )
        return None
    joined([record])
    return record


@settings(max_examples=100)
@given(data=damaged(CONTENT))
def test_damaged_records(tmp_path_factory, data):
    read(tmp_path_factory.getbasetemp() / "record.json", data)


@settings(max_examples=150)
@given(
    st.sampled_from([(), ("systems", 0), ("significance", 0), ("systems", 0, "scores"), ("reference",)]),
    st.dictionaries(
        st.sampled_from([*SystemRecord.__dataclass_fields__, *SignificanceRecord.__dataclass_fields__, "systems", "BLEU"]),
        json_values,
        min_size=1,
        max_size=3,
    ),
)  # fmt: skip
@example((), {"systems": []})  # the significance tests then name systems that are not there
def test_any_values_are_read_or_refused(tmp_path_factory, place, changes):
    content = json.loads(CONTENT)
    part = content
    for step in place:
        part = part[step]
    part.update(changes)
    record = read(tmp_path_factory.getbasetemp() / "record.json", json.dumps(content).encode())
    for system in record.systems if record else ():
        assert all(isinstance(score, (int, float)) for score in system.scores.values())
        assert isinstance(system.name, str) and isinstance(system.lines, int)


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff", b"null", b"9" * 10_000])
def test_other_files_are_refused(tmp_path, content):
    assert read(tmp_path / "record.json", content) is None


def test_the_record_itself_is_whole(tmp_path):
    assert read(tmp_path / "record.json", CONTENT) == RECORD
