"""The command ``fairseq-subword score``."""

import json
import sys

import pytest
from conftest import run_command
from score_helpers import REFERENCE, SYSTEM, as_generated, by_name

pytest_plugins = ["score_fixtures"]


def test_scores_of_generated_lines_equal_those_of_the_sacrebleu_command(files, scores):
    files(gen=as_generated(SYSTEM))
    (system,) = scores("-r", "ref", "gen")["systems"]
    process = run_command(
        sys.executable, "-m", "sacrebleu", "ref", "-i", "sys", "-m", "bleu", "chrf",
        "--chrf-beta", 3, "-f", "json", "--width", 6,
    )  # fmt: skip
    for printed, metric in zip(json.loads(process.stdout), ("BLEU", "chrF3")):
        assert printed["name"] == metric
        assert system["scores"][metric] == pytest.approx(printed["score"], abs=1e-6)
        assert system["signatures"][metric] == printed["signature"]
    assert (system["read_as"], system["lines"]) == ("D-", 9)


def test_scores_by_hand(files, scores):
    files(ref=["a b c d f"], sys=["a b c d e"], chr_ref=["abc"], chr_sys=["ab"])
    # 4 of 5 unigrams, 3 of 4 bigrams, 2 of 3 trigrams, 1 of 2 four-grams.
    (system,) = scores("-r", "ref", "sys")["systems"]
    assert system["scores"]["BLEU"] == pytest.approx(100 * 0.2**0.25)
    assert system["words"]["all"] == {
        "f1": 80, "precision": 80, "recall": 80, "matched": 4, "system": 5, "reference": 5,
    }  # fmt: skip
    # Both letters and the one pair are right: precision 1. Recall 2/3 and 1/2, on average 7/12.
    (system,) = scores("-r", "chr_ref", "chr_sys")["systems"]
    assert system["scores"]["chrF3"] == pytest.approx(100 * 10 * (7 / 12) / (9 + 7 / 12))
    assert system["scores"]["chrF"] == pytest.approx(100 * 5 * (7 / 12) / (4 + 7 / 12))


def test_unknown_symbols_in_fairseqs_echo_do_not_matter(files, scores):
    files(gen=as_generated(REFERENCE))
    (system,) = scores("-r", "ref", "gen")["systems"]
    assert system["scores"] == pytest.approx({"BLEU": 100, "chrF3": 100, "chrF": 100})


def test_carriage_returns_at_line_ends_do_not_matter(files, scores):
    files(
        crlf_ref="".join(f"{line}\r\n" for line in REFERENCE),
        crlf_sys="".join(f"{line}\r\n" for line in SYSTEM),
    )
    expected = scores("-r", "ref", "sys")
    found = scores("-r", "crlf_ref", "sys=crlf_sys")
    for record in (expected, found):
        record["reference"].pop("file")
        record["systems"][0].pop("file")
    assert found == expected


def test_only_tokenized_text_gives_a_remark(files, score):
    status, _, remarks = score("-r", "ref", "sys")
    assert (status, remarks) == (0, "")
    files(tok=[line.replace(".", " .") for line in SYSTEM])
    status, _, remarks = score("-r", "ref", "tok")
    assert status == 0
    assert "tok: 7 of 9 lines end in ' .', so the text looks tokenized" in remarks
    assert "tokenized period" not in remarks  # sacreBLEU would say the same once more
    # With words taken as they are, tokenized text is intended.
    assert score("-r", "ref", "tok", "--tokenize", "none")[2] == ""


def test_more_sentences_than_references(files, score):
    files(gen=as_generated([*SYSTEM, *SYSTEM[:3]], [*REFERENCE, *REFERENCE[:3]]))
    status, _, remarks = score("-r", "ref", "gen")
    assert status == 1
    assert "gen has 12 lines, but ref has 9;" in remarks
    assert "--ids FIRST-LAST selects one" in remarks


@pytest.mark.parametrize("kept", [8, 10])
def test_different_numbers_of_lines_are_refused(files, score, kept):
    files(other=(SYSTEM * 2)[:kept])
    status, output, remarks = score("-r", "ref", "other")
    assert (status, output) == (1, "")
    assert f"other has {kept} lines, but ref has 9;" in remarks


def test_a_last_batch_that_fairseq_dropped(files, score):
    files(gen=as_generated(SYSTEM[:8]))
    status, _, remarks = score("-r", "ref", "gen")
    assert status == 1
    assert "gen has 8 lines, but ref has 9;" in remarks
    assert "--required-batch-size-multiple 1" in remarks


def test_one_language_of_a_run_over_several(files, scores):
    files(gen=as_generated([*SYSTEM, *SYSTEM[:3]], [*REFERENCE, *REFERENCE[:3]]), two=REFERENCE[:3])
    (expected,) = scores("-r", "ref", "sys")["systems"]
    (found,) = scores("-r", "ref", "gen", "--ids", "0-8")["systems"]
    assert found["scores"] == expected["scores"]
    (found,) = scores("-r", "two", "gen", "--ids", "9-11")["systems"]
    assert (found["lines"], found["read_as"]) == (3, "D-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sys"], "give the raw reference with -r"),
        (["-r", "ref"], "no system was given"),
        (["-r", "ref", "--train", "ref", "sys"], "no system was given; put systems first"),
        (["-r", "ref", "sys", "sys"], "two systems are called 'sys'; name them, as in a=sys b=sys"),
        (["-r", "ref", "sys", "--significance", "sign"], "compares systems: give two or more"),
        (["-r", "ref", "sys", "--baseline", "x"], "--baseline x: the systems are sys"),
        (["-r", "ref", "sys", "--set", "merges"], "--set merges: expected KEY=VALUE"),
        (["-r", "ref", "sys", "--set", "x:a=b"], "--set x:a=b: no system is called 'x'"),
        (["-r", "ref", "sys", "--rare-rank", "-1", "--train", "ref"], "-1; expected 0 or more"),
        (["-r", "ref", "sys", "--source", "short"], "short has 1 lines, but ref has 9"),
        (["-r", "ref", "sys", "--rank-plot", "x"], "--rank-plot needs the training text (--train)"),
        (
            ["-r", "ref", "sys", "--segment-scores", "COMET"],
            "COMET: expected NAME:METRIC=FILE, as in",
        ),
        (["-r", "ref", "sys", "--segment-scores", "x:A=b"], "x:A=b: no system is called 'x'"),
        (
            ["-r", "ref", "sys", "--segment-scores", "chrF=b"],
            "chrF is computed here; give the scores",
        ),
        (
            ["-r", "ref", "sys", "b=sys", "--segment-scores", "A=b"],
            "was scored, as in sys:A=b; the",
        ),
        (
            ["-r", "ref", "sys", "--segment-scores", "A=one"],
            "one has 1 scores, but the reference has",
        ),
        (
            ["-r", "ref", "sys", "--segment-scores", "A=short"],
            "short:1: expected a score (one number)",
        ),
        (["-r", "ref", "sys", "--segment-scores", "A=nan"], "nan:2: expected a score (one number)"),
        (
            ["-r", "ref", "sys", "--lower-is-better", "A"],
            "--lower-is-better A: --segment-scores has no",
        ),
        (["-r", "missing", "sys"], "missing: No such file"),
        (["--load", "sys"], "sys: expected a file written by `fairseq-subword score --json`"),
        (
            ["--load", "x", "-r", "ref", "--set", "a=b"],
            "cannot be combined with a reference, --set",
        ),
    ],
)
def test_refusals(files, score, arguments, message):
    files(short=["one"], one=["1"], nan=["1e-3", "nan"])
    status, output, remarks = score(*arguments)
    assert (status, output) == (1, "")
    assert message in remarks
    assert "Traceback" not in remarks


def test_names_and_files_with_equals_signs(files, scores):
    folder = files()
    (folder / "lr=0.1.out").write_bytes((folder / "sys").read_bytes())
    record = scores("-r", "ref", "lr=0.1.out", "b=lr=0.1.out")
    assert [(s["name"], s["file"]) for s in record["systems"]] == [
        ("lr=0.1", "lr=0.1.out"),
        ("b", "lr=0.1.out"),
    ]


def test_formats(files, score):
    files(ref=["a b c d f"], other=["a b c d e"], pipe=["a b c d e"])
    status, text, _ = score("-r", "ref", "other", "p|pe=pipe", "other2=ref")
    assert status == 0
    lines = text.split("\n")
    assert lines[0].split() == ["other", "p|pe", "other2"]
    assert lines[1].split() == ["BLEU", "66.87", "66.87", "100.00"]
    assert "BLEU: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in text
    _, tsv, _ = score("-r", "ref", "other", "p|pe=pipe", "--format", "tsv")
    rows = [line.split("\t") for line in tsv.splitlines()]
    assert {len(row) for row in rows} == {4}
    assert rows[0] == ["", "other", "p|pe", "signature"]
    assert rows[1][:3] == ["BLEU", "66.87", "66.87"]
    assert rows[1][3].startswith("nrefs:1|")
    _, turned, _ = score("-r", "ref", "other", "p|pe=pipe", "--format", "tsv", "--transpose")
    assert [line.split("\t") for line in turned.splitlines()] == [list(row) for row in zip(*rows)]
    _, markdown, _ = score("-r", "ref", "other", "p|pe=pipe", "--format", "markdown")
    assert markdown.splitlines()[:3] == [
        "|  | other | p\\|pe |",
        "| --- | --: | --: |",
        "| BLEU | 66.87 | 66.87 |",
    ]


def test_json_files_keep_settings_and_make_one_table(files, scores, score):
    folder = files(better=REFERENCE)
    settings = ["--set", "merges=10000", "--set", "better:context=gru", "--set", "lr=5e-4"]
    printed = scores("-r", "ref", "sys", "better", "--json", "two.json", *settings)
    assert json.loads((folder / "two.json").read_text(encoding="utf-8")) == printed
    assert by_name(printed)["sys"]["settings"] == {"merges": 10000, "lr": 0.0005}
    assert by_name(printed)["better"]["settings"] == {
        "merges": 10000, "context": "gru", "lr": 0.0005,
    }  # fmt: skip
    scores("-r", "ref", "third=sys", "sys", "--json", "third.json", *settings[:2], *settings[4:])
    joined = scores("--load", "two.json", "third.json")
    assert list(by_name(joined)) == ["sys", "better", "third"]
    assert joined["reference"] == printed["reference"]
    # The same name with other scores is another system.
    scores("-r", "ref", "sys=better", "--json", "clash.json", *settings[:2], *settings[4:])
    status, _, remarks = score("--load", "two.json", "clash.json")
    assert status == 1
    assert "two different systems are called 'sys' (scored from sys and better)" in remarks


def test_records_of_other_references_are_reported(files, scores, score):
    files(other=SYSTEM)
    scores("-r", "ref", "sys", "--json", "a.json")
    scores("-r", "other", "b=sys", "--json", "b.json")
    status, output, remarks = score("--load", "a.json", "b.json")
    assert status == 0
    assert "scored against different references" in remarks
    assert output.split("\n")[0].split() == ["sys", "b"]


def test_standard_input_and_a_locale_without_utf8(files, subword):
    folder = files()
    process = subword(
        "score", "-r", "ref", "größe=-", cwd=folder, input=as_generated(SYSTEM),
        env={"LC_ALL": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert process.stdout.split("\n")[0].split() == ["größe"]
    assert "empty lines" in process.stdout
