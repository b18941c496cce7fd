"""explain: the two worked examples from the literature, step by step."""

import re

import pytest

LOW = "low 5\nlower 2\nnewest 6\nwidest 3\n"
RAIN = "rain 6\nrains 3\ntrain 4\ntrains 2\nbrain 1\n"
OLD = ["--marker-version", "0.1"]


def table(stdout):
    """The rows of a trace: tab-separated cells below a header."""
    header, *rows = [line.split("\t") for line in stdout.splitlines()]
    return [dict(zip(header, row)) for row in rows]


def test_low_and_lower(subword, tmp_path):
    (tmp_path / "counts").write_text(LOW)
    process = subword(
        "explain", "--learn", "counts", *OLD, "--tie-break", "first", "-s", 5, cwd=tmp_path
    )  # fmt: skip
    rows = table(process.stdout)
    assert [(row["merge"], row["count"]) for row in rows[1:]] == [
        ("e s", "9"),
        ("es t", "9"),
        ("est </w>", "9"),
        ("l o", "7"),
        ("lo w", "7"),
    ]


def test_an_unseen_word(subword, tmp_path):
    (tmp_path / "counts").write_text(LOW)
    subword(
        "learn-bpe", "--dict-input", *OLD, "--tie-break", "first", "-s", 5, "-i", "counts", "-o", "codes",
        cwd=tmp_path,
    )  # fmt: skip
    process = subword("explain", "-c", "codes", "lowest", cwd=tmp_path)
    assert process.stdout.splitlines() == [
        "lowest",
        "\tstart\tl o w e s t </w>",
        "1\te s\tl o w es t </w>",
        "2\tes t\tl o w est </w>",
        "3\test </w>\tl o w est</w>",
        "4\tl o\tlo w est</w>",
        "5\tlo w\tlow est</w>",
        "\tprinted\tlow@@ est",
    ]


def test_rain_and_train(subword, tmp_path):
    (tmp_path / "counts").write_text(RAIN)
    process = subword(
        "explain", "--learn", "counts", *OLD, "--tie-break", "least", "-s", 6, cwd=tmp_path
    )
    rows = table(process.stdout)
    assert (rows[0]["merge"], rows[0]["symbols"]) == ("", "92")
    assert (rows[1]["merge"], rows[1]["count"]) == ("a i", "16")
    assert len(rows) == 7
    assert rows[6]["symbols"] == "23"
    subword(
        "learn-bpe", "--dict-input", *OLD, "--tie-break", "least", "-s", 6, "-i", "counts", "-o", "codes",
        cwd=tmp_path,
    )  # fmt: skip
    trace = subword("explain", "-c", "codes", "brains", cwd=tmp_path).stdout.splitlines()
    assert trace[-2].endswith("\tb rains</w>")
    # The segmented text shows four different symbols.
    words = "rain rains train trains brain"
    text = subword("explain", "-c", "codes", *words.split(), cwd=tmp_path).stdout
    lines = text.splitlines()
    final = [lines[at - 1].split("\t")[2] for at, line in enumerate(lines) if "\tprinted\t" in line]
    assert len({symbol for line in final for symbol in line.split()}) == 4
    # The kept inventory: seven letters, the marker and six merges.
    letters = set("".join(words.split()))
    assert len(letters) + 1 + 6 == 14
    process = subword(
        "explain", "-c", "codes", "--unknown", "error", "rainy", cwd=tmp_path, check=False
    )
    assert process.returncode == 1 and "'y'" in process.stderr


@pytest.mark.parametrize(
    ("rules", "pieces"), [(["a b", "b c"], "ab@@ c"), (["b c", "a b"], "a@@ bc")]
)
def test_the_order_of_the_merges_decides(subword, tmp_path, rules, pieces):
    (tmp_path / "codes").write_text("\n".join(["#version: 0.1", *rules]) + "\n")
    process = subword("explain", "-c", "codes", "abc", cwd=tmp_path)
    assert process.stdout.splitlines()[-1] == f"\tprinted\t{pieces}"
    assert subword("apply-bpe", "-c", "codes", input="abc\n", cwd=tmp_path).stdout == pieces + "\n"


def test_ties_are_broken_by_position(subword, tmp_path):
    (tmp_path / "counts").write_text("ab 5\nac 2\n")
    process = subword(
        "explain", "--learn", "counts", *OLD, "--tie-break", "first", "-s", 1, cwd=tmp_path
    )
    assert table(process.stdout)[1]["merge"] == "a b"


@pytest.mark.parametrize("measure", ["frequency", "frq", "av", "dlg", "dlg-weighted"])
def test_every_statistic_is_shown(subword, tmp_path, measure):
    (tmp_path / "counts").write_text(LOW)
    process = subword("explain", "--learn", "counts", "--measure", measure, "-s", 3, cwd=tmp_path)
    rows = table(process.stdout)[1:]
    assert len(rows) == 3
    for row in rows:
        for name in (
            "score",
            "count",
            "types",
            "wf",
            "L",
            "R",
            "c(a)",
            "c(b)",
            "n",
            "m",
            "symbols",
        ):
            assert re.fullmatch(r"-?\d+(\.\d+)?", row[name]), (name, row)
    assert f"|measure:{measure}|" in process.stderr.splitlines()[-1]


def test_several_words_and_markers_joined(subword, tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\ne s\nes t</w>\n")
    process = subword("explain", "-c", "codes", "west", "x", cwd=tmp_path)
    assert process.stdout.splitlines() == [
        "west",
        "\tstart\tw e s t</w>",
        "1\te s\tw es t</w>",
        "2\tes t</w>\tw est</w>",
        "\tprinted\tw@@ est",
        "x",
        "\tstart\tx</w>",
        "\tprinted\tx",
    ]


def test_words_from_standard_input(subword, tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\ne s\n")
    by_argument = subword("explain", "-c", "codes", "es", "se", cwd=tmp_path).stdout
    assert subword("explain", "-c", "codes", input="es\nse\n", cwd=tmp_path).stdout == by_argument


def test_neither_and_both_inputs_are_refused(subword, tmp_path):
    for arguments in ([], ["-c", "codes", "--learn", "counts"]):
        process = subword("explain", *arguments, cwd=tmp_path, check=False, input="")
        assert process.returncode in (1, 2)
        assert "--learn" in process.stderr
