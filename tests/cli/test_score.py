"""The command ``fairseq-subword score``.

Field cases F14, F15, F17, F18, P45.
"""

import json
import sys

import pytest
from conftest import run_command

from fairseq_subword_ext.cli.main import main

REFERENCE = [
    "The quick brown fox jumps over the lazy dog.",
    "Ein Satz mit Größe, Maß und ü.",
    "ශ්‍රී ලංකා is an island, said (perhaps) nobody.",
    "",
    "Short one.",
    "A line with a\u2028separator and\u00a0a hard space.",
    "It's a 10.5 % rise, isn't it?",
    "Sieben sind es nun.",
    "The last of nine.",
]
SYSTEM = [
    "The quick brown fox jumped over a lazy dog.",
    "Ein Satz mit Grösse, Maß und ü.",
    "ශ්‍රී ලංකා is an isle, said perhaps nobody.",
    "",
    "Short one.",
    "A line with a\u2028separator and\u00a0a space.",
    "It's a 10.5% rise, is it?",
    "Sieben ist es nun.",
    "The last of ten.",
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Changes to a folder with the reference and a system's output, and writes more."""
    monkeypatch.chdir(tmp_path)

    def write(**contents):
        for name, lines in contents.items():
            text = lines if isinstance(lines, str) else "".join(f"{line}\n" for line in lines)
            (tmp_path / name).write_bytes(text.encode("utf-8"))
        return tmp_path

    write(ref=REFERENCE, sys=SYSTEM)
    return write


@pytest.fixture
def score(capfdbinary):
    """Runs the command in this process: its status, output and remarks."""

    def run(*arguments):
        status = main(["score", *map(str, arguments)])
        output, remarks = capfdbinary.readouterr()
        return status, output.decode("utf-8"), remarks.decode("utf-8")

    return run


@pytest.fixture
def scores(score):
    """The record that the command prints as JSON."""

    def run(*arguments):
        status, output, remarks = score(*arguments, "--format", "json")
        assert status == 0, remarks
        return json.loads(output)

    return run


def as_generated(lines, references=REFERENCE):
    """The lines as fairseq-generate prints them, sentences of like length together."""
    order = sorted(range(len(lines)), key=lambda n: (len(references[n]), n))
    return "".join(
        f"S-{n}\tx\nT-{n}\t{references[n].replace('ü', '<<unk>>')}\n"
        f"H-{n}\t-0.3\t{lines[n]}\nD-{n}\t-0.3\t{lines[n]}\nP-{n}\t-0.3\n"
        for n in order
    )


def by_name(record):
    return {system["name"]: system for system in record["systems"]}


def test_scores_of_generated_lines_are_those_of_the_sacrebleu_command(files, scores):
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


def test_detokenized_text_gives_no_remark_and_tokenized_text_does(files, score):
    status, _, remarks = score("-r", "ref", "sys")
    assert (status, remarks) == (0, "")
    files(tok=[line.replace(".", " .") for line in SYSTEM])
    status, _, remarks = score("-r", "ref", "tok")
    assert status == 0
    assert "tok: 7 of 9 lines end in ' .', so the text looks tokenized" in remarks
    assert "tokenized period" not in remarks  # sacreBLEU would say the same once more
    # Where words are to be taken as they are, that is meant.
    assert score("-r", "ref", "tok", "--tokenize", "none")[2] == ""


def test_more_sentences_than_the_reference_has(files, score):
    files(gen=as_generated([*SYSTEM, *SYSTEM[:3]], [*REFERENCE, *REFERENCE[:3]]))
    status, _, remarks = score("-r", "ref", "gen")
    assert status == 1
    assert "gen has 12 lines, but ref has 9;" in remarks
    assert "--ids FIRST-LAST takes one" in remarks


@pytest.mark.parametrize("kept", [8, 10])
def test_other_numbers_of_lines_are_refused_with_both(files, score, kept):
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


def test_rare_and_unseen_words_copies_and_lengths(files, scores):
    files(
        ref=["the cat sat on the mat", "a zyx"],
        sys=["the the the cat", "zyx zyx b"],
        src=["le chat the", "zyx zyx b"],
        train=["the the the the the cat cat cat sat sat on on", "mat a"],
    )
    record = scores("-r", "ref", "sys", "--source", "src", "--rare-rank", 2, "--train", "train")
    (system,) = record["systems"]
    # By hand: see tests/evaluation/test_word_f1.py.
    assert system["words"]["all"]["f1"] == pytest.approx(100 * 8 / 15)
    assert system["words"]["rare"]["f1"] == 25
    assert system["words"]["oov"] == {
        "f1": 50, "precision": pytest.approx(100 / 3), "recall": 100,
        "matched": 1, "system": 3, "reference": 1,
    }  # fmt: skip
    # Line 1: one "the" of three; line 2, a copy of its source: all three, one "zyx" of them right.
    assert system["copies"]["lines"] == 1
    assert system["copies"]["words"]["all"] == {"copied": 4, "correct": 2, "system": 7}
    assert system["copies"]["words"]["oov"] == {"copied": 3, "correct": 1, "system": 3}
    assert system["lengths"] == {
        "words": 7, "reference_words": 8, "ratio": 7 / 8,
        "characters": 24, "reference_characters": 27, "empty_lines": 0,
    }  # fmt: skip


def test_without_training_text_and_source_there_are_no_such_rows(files, score):
    _, output, _ = score("-r", "ref", "sys")
    assert "F1, all words" in output
    assert "OOV" not in output
    assert "copied" not in output


def test_tokenized_bleu_is_labelled_and_signed(files, scores):
    files(ref=["a b c d e."], sys=["a b c d e ."])
    record = scores("-r", "ref", "sys", "--tokenized", "--tokenized-by", "none")
    (system,) = record["systems"]
    # "e." is one word and no match: 4 of 6 unigrams, 3 of 5, 2 of 4 and 1 of 3 longer ones.
    assert system["scores"]["tokenized BLEU"] == pytest.approx(100 * (1 / 15) ** 0.25)
    assert system["scores"]["BLEU"] == pytest.approx(100)
    assert system["signatures"]["tokenized BLEU"].endswith("|tokenized-by:none")
    assert "tok:none" in system["signatures"]["tokenized BLEU"]


def test_moses_tokens(files, scores):
    sacremoses = pytest.importorskip("sacremoses")
    # In French, Moses cuts after the elided article; sacreBLEU's 13a does not.
    files(ref=["l'ami de l'homme vient demain"], sys=["l'ami de l'homme vient hier"])
    record = scores("-r", "ref", "sys", "--tokenized", "--tokenized-lang", "fr")
    (system,) = record["systems"]
    # 6 of 7 unigrams, 5 of 6 bigrams, 4 of 5 trigrams, 3 of 4 four-grams; against 4 of 5 and so on.
    assert system["scores"]["tokenized BLEU"] == pytest.approx(100 * (3 / 7) ** 0.25)
    assert system["scores"]["BLEU"] == pytest.approx(100 * (1 / 5) ** 0.25)
    assert system["signatures"]["tokenized BLEU"].endswith(
        f"|tokenized-by:moses-fr-sacremoses-{sacremoses.__version__}"
    )


def test_moses_without_sacremoses(files, score, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    status, output, remarks = score("-r", "ref", "sys", "--tokenized")
    assert (status, output) == (1, "")
    assert "pip install 'fairseq_subword_ext[recipes]'" in remarks


def test_significance_of_several_systems(files, score):
    reference = [f"sentence number {n} has a reference" for n in range(13)]
    old = [f"sentence no {n} has a reference" for n in range(10)] + reference[10:]
    new = [*reference[:9], "nothing right", *reference[10:]]
    files(ref=reference, old=old, new=new, same=old)
    status, output, _ = score(
        "-r", "ref", "--significance", "sign", "new", "old", "same", "--baseline", "old",
        "--format", "tsv",
    )  # fmt: skip
    assert status == 0
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in output.splitlines()}
    # 9 better and 1 worse: 2 (1 + 10) / 1024 = 0.0215; nothing differs from itself.
    assert rows["p, sign, BLEU"][:3] == ["0.0215 +", "baseline", "1.0000"]
    assert "new over old: sentence BLEU" in rows["p, sign, BLEU"][3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sys"], "give the raw reference with -r"),
        (["-r", "ref"], "no system was given"),
        (["-r", "ref", "--train", "ref", "sys"], "no system was given; give them first"),
        (["-r", "ref", "sys", "sys"], "two systems are called 'sys'; name them, as in a=sys b=sys"),
        (["-r", "ref", "sys", "--significance", "sign"], "compares systems; give two or more"),
        (["-r", "ref", "sys", "--baseline", "x"], "--baseline x: the systems are sys"),
        (["-r", "ref", "sys", "--set", "merges"], "--set merges: expected KEY=VALUE"),
        (["-r", "ref", "sys", "--set", "x:a=b"], "--set x:a=b: no system is called 'x'"),
        (["-r", "ref", "sys", "--rare-rank", "-1", "--train", "ref"], "-1; expected 0 or more"),
        (["-r", "ref", "sys", "--source", "short"], "short has 1 lines, but ref has 9"),
        (["-r", "missing", "sys"], "missing: No such file"),
        (["--load", "sys"], "sys: expected a file written by `fairseq-subword score --json`"),
        (["--load", "x", "-r", "ref", "--set", "a=b"], "found a reference, --set beside it"),
    ],
)
def test_what_is_refused(files, score, arguments, message):
    files(short=["one"])
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
        "|---|---:|---:|",
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


def test_records_of_other_references_are_told(files, scores, score):
    files(other=SYSTEM)
    scores("-r", "ref", "sys", "--json", "a.json")
    scores("-r", "other", "b=sys", "--json", "b.json")
    status, output, remarks = score("--load", "a.json", "b.json")
    assert status == 0
    assert "not all against the same reference" in remarks
    assert output.split("\n")[0].split() == ["sys", "b"]


def test_standard_input_and_a_locale_without_utf8(files, subword):
    folder = files()
    process = subword(
        "score", "-r", "ref", "größe=-", cwd=folder, input=as_generated(SYSTEM),
        env={"LC_ALL": "C", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert process.stdout.split("\n")[0].split() == ["größe"]
    assert "empty lines" in process.stdout
