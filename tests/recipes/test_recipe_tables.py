"""The tables of the recipes: the papers' figures beside ours, means and spreads, marks, segmentations."""

import pytest
from recipes.engine import significance
from recipes.engine.run import Run
from recipes.engine.scores import Results, read_scores
from recipes.engine.segmentations import measure, segmentation_table, unknown_share
from recipes.engine.systems import System
from recipes.engine.tables import Shown, grids, paper_table, results_table

from fairseq_subword_ext.evaluation.score_record import (
    ScoreRecord,
    SignificanceRecord,
    SystemRecord,
)
from fairseq_subword_ext.textio.tables import render


def row(name, down, across, baseline="", **figures):
    columns = {"table": "2", "down": down, "across": across, "baseline": baseline}
    return System(name, columns, {"greedy": "-", "beam10": "", **figures})


ROWS = [
    row("frq-10k", "10K", "FRQ'", greedy="27.36", beam10="28.86"),
    row("dlg-10k", "10K", "DLG'", "frq-*", greedy="27.56", beam10="29.25"),
    row("frq-20k", "20K", "FRQ'", greedy="", beam10="28.99"),
    row("dlg-20k", "20K", "DLG'", "frq-*", greedy="27.76 +", beam10="29.36"),
]


def score(run, name, seed, metric="BLEU", text=None, **columns):
    """Writes the scores of a system as ``score --json`` does."""
    folder = run.folder(System(name, {}, {}), seed)
    settings = {"text": text} if text else {}
    systems = [
        SystemRecord(f"{name}.{column}", "x.out", "D-", 1, {**settings, "decoding": column},
                     {metric: value, "chrF": 1.0}, {metric: f"signature of {text or 'text'}"})
        for column, value in columns.items()
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    ScoreRecord({}, systems).save(folder / f"{text or 'text'}.json")


def write_mark(run, name, seed, column, found):
    record = ScoreRecord({}, [], "frq-20k")
    record.significance = [
        SignificanceRecord("sign-corpus", "BLEU", name, "frq-20k", 0.001, True, found, "")
    ]
    path = significance.path_of(run, System(name, {}, {}), column, seed)
    path.parent.mkdir(exist_ok=True)
    record.save(path)


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path)
    score(run, "frq-10k", 1, text="tokens", beam10=28.0)
    score(run, "dlg-10k", 1, text="tokens", greedy=26.504, beam10=28.0)
    score(run, "dlg-10k", 1, greedy=25.0, beam10=27.0)
    for seed, value in ((1, 28.2), (2, 28.6)):
        score(run, "frq-20k", seed, text="tokens", beam10=value)
    return run


def rows_of(table):
    return [" ".join(line.split()) for line in render([table], "text").splitlines()]


def test_scores_of_tokens_and_of_text(run):
    scores = read_scores(run, ROWS[1], 1)
    assert scores.figures == {
        "greedy": {"tokenized BLEU": 26.504, "BLEU": 25.0, "chrF": 1.0},
        "beam10": {"tokenized BLEU": 28.0, "BLEU": 27.0, "chrF": 1.0},
    }
    assert scores.signatures["tokenized BLEU"] == "signature of tokens"
    assert read_scores(run, ROWS[3], 1).figures == {}
    (run.folder(ROWS[1], 1) / "text.json").write_text("{}")
    with pytest.raises(ValueError, match="expected a file written by"):
        read_scores(run, ROWS[1], 1)


def test_grids_show_paper_and_here(run):
    write_mark(run, "dlg-10k", 1, "beam10", "++")
    (table,) = grids(run, ROWS, "tokenized BLEU")
    assert rows_of(table)[2:] == [
        "FRQ', greedy DLG', greedy FRQ', beam10 DLG', beam10",
        "--- ------------ ------------- -------------------- ----------------",
        "10K 27.36 / - 27.56 / 26.50 28.86 / 28.00 29.25 / 28.00 ++",
        "20K - / - 27.76 + / - 28.99 / 28.40 ± 0.28 29.36 / -",
        "tokenized BLEU: signature of tokens",
        "beam10: ++ (p < 0.01) and + (p < 0.05) by the sign test of Collins et al. 2005, against frq-20k",
    ]


def test_one_row_per_metric_below_the_papers(run):
    lines = rows_of(paper_table(run, ROWS[1:3], "a title", "tokenized BLEU", "BLEU"))
    assert lines[4:10] == [
        "dlg-10k paper 27.56 29.25",
        "here, tokenized BLEU 26.50 28.00",
        "here, BLEU 25.00 27.00",
        "frq-20k paper - 28.99",
        "here, tokenized BLEU, seeds 1,2 - 28.40 ± 0.28",
        "here, BLEU, seeds 1,2 - -",
    ]
    assert rows_of(paper_table(run, ROWS[3:], "t", "BLEU"))[5] == "here: not run - -"


def test_means_and_spreads(run):
    shown = [Shown("BLEU", "beam10", "tokenized BLEU")]
    lines = rows_of(results_table(run, ROWS, "t", shown))
    assert lines[4:7] == ["frq-10k 1 28.00", "dlg-10k 1 28.00", "frq-20k 1,2 28.40 ± 0.28"]
    assert lines[7] == "mean ± standard deviation over the seeds"


def test_the_baseline_is_the_best_that_matches(run):
    results = Results(run)
    best = significance.baseline_of(results, ROWS[1], ROWS, "beam10", "tokenized BLEU")
    assert best.name == "frq-20k"  # 28.4 over 28.0
    assert significance.baseline_of(results, ROWS[1], ROWS, "greedy", "tokenized BLEU") is None
    assert significance.baseline_of(results, ROWS[0], ROWS, "beam10", "tokenized BLEU") is None


@pytest.mark.parametrize(
    ("marks", "shown"),
    [
        (["++", "+"], "+"),
        (["++", "++"], "++"),
        (["+", ""], ""),
        (["+", "-"], ""),
        (["--", "--"], "--"),
    ],
)
def test_the_mark_of_several_seeds_is_the_weakest(run, marks, shown):
    for seed, found in enumerate(marks, start=1):
        write_mark(run, "frq-20k", seed, "beam10", found)
    assert significance.mark(run, Results(run), ROWS[2], "beam10", "tokenized BLEU") == shown
    assert significance.mark(run, Results(run), ROWS[2], "beam10", "chrF") == ""  # not tested


def test_segmentations_beside_the_papers(tmp_path, subword):
    for split in ("train", "valid", "test"):
        (tmp_path / f"{split}.de-en.de").write_text("ö ab\n", encoding="utf-8")
        (tmp_path / f"{split}.de-en.en").write_text("ab\n", encoding="utf-8")
    data = tmp_path / "segmentations" / "bytes"
    subword(
        "binarize", "--encoder", "bbpe", "-s", "de", "-t", "en", "--trainpref", tmp_path / "train",
        "--validpref", tmp_path / "valid", "--testpref", tmp_path / "test", "--joined-dictionary",
        "--learn", 2, "--joint", "--unit", "byte", "--destdir", data / "bin",
    )  # fmt: skip
    found = measure(data / "bin", "bbpe")
    # The merges are "ab" and "▁ab": ▁ and two bytes for ö, then ▁ab; and ▁ab. Two of five symbols are half an ö.
    assert (found.source, found.target, found.unknown) == (4, 1, 0)
    assert found.partial == pytest.approx(100 * 2 / 5)
    columns = {"segmentation": "bytes", "encoder": "bbpe", "lengths": "57/64", "partial": "4.3"}
    (line,) = segmentation_table(Run(tmp_path), [System("x", columns, {})]).rows
    assert line[1] == str(len((data / "bin" / "dict.de.txt").read_text("utf-8").splitlines()))
    assert line[2:] == [4, 1, "57/64", 0, pytest.approx(40), "4.3"]
    assert segmentation_table(Run(tmp_path / "none"), [System("x", columns, {})]) is None


def test_the_share_of_unknown_symbols_in_raw_test_sets(tmp_path):
    """For recipes that train from raw text, and binarize nothing."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dict.en.txt").write_text("a 3\nb 1\n", encoding="utf-8")
    (tmp_path / "test").write_text("aab\nxb\n", encoding="utf-8")
    assert unknown_share(tmp_path, "char_level", [tmp_path / "test"]) == pytest.approx(100 / 5)
    assert unknown_share(tmp_path, "char_level", []) is None
