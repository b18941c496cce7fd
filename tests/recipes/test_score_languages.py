"""Scores of many languages into English: every language and all of them, beside copying the source."""

import random
import re

import pytest
from recipes.engine import score_languages
from sacrebleu.metrics import BLEU, CHRF

from fairseq_subword_ext.evaluation.score_record import ScoreRecord

NAMES = {
    "aa": [("берлін", "Berlin"), ("нова гвінея", "New Guinea"), ("Paris", "paris")],
    "bb": [("ברלין", "Berlin"), ("a\u2028b", "A\u2028B")],
}
TRANSLATIONS = ["Berlin", "New Guinee", "Paris", "Bernil", "A\u2028B"]


def write_files(folder, names, translations):
    """The raw files, what fairseq-generate printed in the order of its batches, and its language ids."""
    blocks, ids, first = [], [], 0
    for language, pairs in names.items():
        for side, suffix in enumerate((language, "en")):
            text = "".join(pair[side] + "\n" for pair in pairs)
            (folder / f"test.{language}-en.{suffix}").write_bytes(text.encode())
        ids.append(f"{language}\t{first}\t{len(pairs)}\n")
        for number, (source, english) in enumerate(pairs, start=first):
            blocks.append(
                f"S-{number}\t{source}\nT-{number}\t{english}\nH-{number}\t-0.25\t▁seg\n"
                f"D-{number}\t-0.25\t{translations[number]}\nP-{number}\t-0.1 -0.4\n"
            )
        first += len(pairs)
    random.Random(1).shuffle(blocks)
    (folder / "ids").write_text("".join(ids), encoding="utf-8")
    (folder / "out").write_bytes(("".join(blocks) + "Generate test: BLEU4 = 1\n").encode())


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    """Runs the command in the folder of the files; returns status, output and errors."""
    write_files(tmp_path, NAMES, TRANSLATIONS)

    def run(*arguments):
        argv = [
            "score",
            "--system",
            "out",
            "--language-ids",
            "ids",
            "--corpus",
            ".",
            "--json",
            "s.json",
            *arguments,
        ]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", argv)
        status = score_languages.main()
        return status, *capsys.readouterr()

    return run


def test_scores_equal_sacrebleu_on_the_raw_references(score, tmp_path):
    status, out, _ = score("--copy", "--prefix", "seen.", "--seed", "3")
    assert status == 0
    record = {s.name: s for s in ScoreRecord.load(tmp_path / "s.json").systems}
    exact = {name: system.scores["exact match"] for name, system in record.items()}
    assert exact["aa"] == pytest.approx(100 / 3)
    assert (exact["bb"], exact["all"], exact["copy.all"]) == (50, 40, 0)
    systems = {"aa": TRANSLATIONS[:3], "bb": TRANSLATIONS[3:], "all": TRANSLATIONS}
    for language, names in {**NAMES, "all": NAMES["aa"] + NAMES["bb"]}.items():
        texts = {"": systems[language], "copy.": [source for source, _ in names]}
        references = [[english for _, english in names]]
        for prefix, text in texts.items():
            scores = record[f"{prefix}{language}"].scores
            chrf, bleu = CHRF(), BLEU()
            assert scores["chrF"] == pytest.approx(chrf.corpus_score(text, references).score)
            assert scores["BLEU"] == pytest.approx(bleu.corpus_score(text, references).score)
        assert record[language].settings == {"decoding": f"seen.{language}", "seed": 3}
    assert "decoding" not in record["copy.aa"].settings  # no column of the table
    for metric in ("chrF", "BLEU"):
        assert f"{metric}: {record['all'].signatures[metric]}" in out
    row = next(line.split() for line in out.splitlines() if line.startswith("all"))
    assert row[:4] == ["all", "5", "40.0", "0.0"]


def test_scores_below_those_of_copying_are_marked(score, tmp_path):
    assert "<" not in score("--copy")[1]
    write_files(tmp_path, NAMES, ["x"] * 5)
    lines = score("--copy")[1].splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("all"))
    # Copying gives no exact match and no BLEU here, so only chrF can be worse than it.
    assert re.fullmatch(r"all +5 +0\.0 +0\.0 +0\.0 +0\.0 +0\.0 < +7\.6", lines[row])
    assert re.fullmatch(
        r"< Over all languages, worse than copying the source: chrF 0\.0 \(copying: 7\.6\); train longer\.",
        lines[row + 1],
    )


def test_samples_show_source_output_and_reference(score):
    out = score("--copy", "--samples", "10")[1]
    assert len(out.split("\n\n")[1:]) == 5  # as many as there are lines
    everything = [pair for language in NAMES.values() for pair in language]
    for (source, english), text in zip(everything, TRANSLATIONS):
        assert (
            f"source     {source}\n        output     {text}\n        reference  {english}" in out
        )


def test_samples_come_from_different_languages(score, tmp_path):
    names = {f"l{i:02}": [(f"s{i}-{j}", f"e{i}-{j}") for j in range(20)] for i in range(12)}
    write_files(tmp_path, names, ["x"] * 240)
    blocks = score("--copy", "--samples", "10")[1].split("\n\n")[1:]
    assert len({block.split()[0] for block in blocks}) == len(blocks) == 10


def test_tokens_are_scored_as_they_are_and_detokenized(score, tmp_path):
    pytest.importorskip("sacremoses")
    names = {"aa": [("x", "It &apos;s late , isn &apos;t it ?"), ("y", "No .")]}
    write_files(tmp_path, names, ["It &apos;s late , is it ?", "No ."])
    assert score("--moses")[0] == 0
    scores = {s.name: s for s in ScoreRecord.load(tmp_path / "s.json").systems}["all"]
    tokens = BLEU(tokenize="none", force=True).corpus_score(
        ["It &apos;s late , is it ?", "No ."], [[english for _, english in names["aa"]]]
    )
    assert scores.scores["tokenized BLEU"] == pytest.approx(tokens.score)
    text = BLEU().corpus_score(["It's late, is it?", "No."], [["It's late, isn't it?", "No."]])
    assert scores.scores["BLEU"] == pytest.approx(text.score)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("D-3\t", "X-3\t").replace("H-3\t", "X-3\t"), "3"),
        (lambda text: "nothing\n", "fewer|no |lacks|expected"),
    ],
)
def test_missing_translations_are_refused(score, tmp_path, change, said):
    text = change((tmp_path / "out").read_bytes().decode())
    (tmp_path / "out").write_bytes(text.encode())
    status, out, err = score()
    assert (status, out) == (1, "") and err.count("\n") == 1 and re.search(said, err)


def test_another_corpus_is_refused(score, tmp_path):
    (tmp_path / "test.bb-en.en").write_text("Berlin\n")
    status, _, err = score()
    assert status == 1 and "has 1 lines, but 2 were translated" in err
    (tmp_path / "ids").write_text("aa\t0\n")
    assert "ids:1: expected language, first id and lines" in score()[2]
