"""Plots of scores."""

import json
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord
from fairseq_subword_ext.reports.rank_plot import draw_ranks
from fairseq_subword_ext.reports.score_plots import draw_context, draw_merges

pytest.importorskip("matplotlib")

# Wu & Zhao 2018, Table 2, beam search, at 10K to 30K merges.
WU_ZHAO = {
    "FRQ'": [28.86, 28.92, 28.99, 28.81, 28.72],
    "AV'": [29.02, 29.25, 29.46, 29.32, 29.09],
    "DLG'": [29.25, 29.30, 29.36, 29.34, 29.03],
}
MERGES = [10_000, 15_000, 20_000, 25_000, 30_000]


def system(settings, bleu):
    return SystemRecord(
        name=" ".join(map(str, settings.values())), file="f", read_as="text", lines=1,
        settings=settings, scores={"BLEU": bleu},
    )  # fmt: skip


@pytest.fixture
def measures():
    return [
        system({"measure": measure, "merges": merges}, bleu)
        for measure, scores in WU_ZHAO.items()
        for merges, bleu in reversed(list(zip(MERGES, scores)))
    ]


@pytest.fixture
def contexts():
    """Invented scores; each bar of the last two groups is the mean of two seeds."""
    scores = {
        "BBPE 2K": {"gru": [29.9], "none": [28.0], "conv": [28.5]},
        "BPE 32K": {"none": [28.5, 29.1], "gru": [29.2, 29.6]},
    }
    return [
        system({"vocabulary": vocabulary, "context": context, "seed": seed}, bleu)
        for vocabulary, bars in scores.items()
        for context, values in bars.items()
        for seed, bleu in enumerate(values)
    ]


def test_one_line_per_measure_in_the_order_of_merges(measures):
    (axes,) = draw_merges(measures).axes
    drawn = {bars.get_label(): bars.lines[0] for bars in axes.containers}
    assert {label: list(line.get_ydata()) for label, line in drawn.items()} == WU_ZHAO
    assert all(list(line.get_xdata()) == MERGES for line in drawn.values())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(WU_ZHAO)
    assert axes.get_ylabel() == "BLEU"
    assert len({(line.get_color(), line.get_marker()) for line in drawn.values()}) == 3


def test_runs_that_differ_in_the_seed_become_one_point_with_a_range():
    (axes,) = draw_merges(
        [system({"merges": 1000, "seed": seed}, bleu) for seed, bleu in enumerate([10, 11, 15])]
    ).axes
    ((points, (low, high), _),) = axes.containers
    assert list(points.get_ydata()) == [12]
    assert (list(low.get_ydata()), list(high.get_ydata())) == ([10], [15])
    assert axes.get_legend() is None


def test_bars_by_context_in_the_order_of_the_paper(contexts):
    (axes,) = draw_context(contexts).axes
    bars = {
        container.get_label(): container
        for container in axes.containers
        if hasattr(container, "patches")
    }
    assert list(bars) == ["none", "conv", "gru"]
    heights = {name: [bar.get_height() for bar in drawn] for name, drawn in bars.items()}
    assert heights["none"] == pytest.approx([28.0, 28.8])
    assert heights["conv"] == pytest.approx([28.5])
    assert heights["gru"] == pytest.approx([29.9, 29.4])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["BBPE 2K", "BPE 32K"]
    # The bars of a group are around its position, between those of the neighbors.
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars["gru"]]
    assert [round(centre) for centre in centres] == [0, 1]
    bottom = axes.get_ylim()[0]
    assert bottom < 28
    assert axes.get_ylabel() == f"BLEU (axis from {bottom:g})"


def test_the_axis_of_low_scores_starts_at_zero_without_a_remark():
    (axes,) = draw_context([system({"context": "none"}, 0.4), system({"context": "gru"}, 0.9)]).axes
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylabel() == "BLEU"


def group(first, f1):
    return {"first": first, "last": first and 2 * first - 1, "f1": f1}


def test_f1_by_rank():
    """Points are in the middle of their group on the logarithmic axis, OOV words separately at the right."""
    one = system({"n": 1}, 0)
    one.ranks = [group(1, 90), group(2, 80), group(128, 40), group(None, 10)]
    two = system({"n": 2}, 0)
    two.ranks = [group(1, 91), group(64, 50)]
    (axes,) = draw_ranks([one, two]).axes
    line, oov, other, nothing = axes.lines[:4]
    assert list(line.get_xdata()) == pytest.approx([1, 6**0.5, (128 * 255) ** 0.5])
    assert list(line.get_ydata()) == [90, 80, 40]
    assert (list(oov.get_xdata()), list(oov.get_ydata())) == ([4 * 255], [10])
    assert list(other.get_ydata()) == [91, 50]
    assert list(nothing.get_xdata()) == []
    assert line.get_color() == oov.get_color() != other.get_color()
    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "10", "100", "OOV"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1", "2"]


def test_only_oov_words():
    lost = system({"n": 1}, 0)
    lost.ranks = [group(None, 10)]
    (axes,) = draw_ranks([lost]).axes
    assert list(axes.lines[1].get_ydata()) == [10]


def test_rank_plot_from_texts_and_from_records(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref", "a b c\n"), ("sys", "a b x\n"), ("train", "a a b\n")):
        (tmp_path / name).write_text(text)
    arguments = ["-r", "ref", "sys", "--train", "train", "--rank-plot", "ranks.svg"]
    assert main(["score", *arguments, "--json", "scores.json"]) == 0
    assert b"wrote ranks.svg\n" in capfdbinary.readouterr().err
    assert main(["score", "--load", "scores.json", "--rank-plot", "loaded"]) == 0
    assert b"wrote loaded.png and loaded.svg" in capfdbinary.readouterr().err
    assert (tmp_path / "ranks.svg").read_bytes() == (tmp_path / "loaded.svg").read_bytes()
    assert not (tmp_path / "ranks.png").exists()


@pytest.fixture
def saved(tmp_path, monkeypatch, measures, contexts):
    monkeypatch.chdir(tmp_path)
    ScoreRecord({"sha256": "0"}, measures).save("measures.json")
    ScoreRecord({"sha256": "0"}, contexts).save("contexts.json")
    return tmp_path


def test_files_of_both_kinds(saved, capfdbinary):
    for option, record, words in (
        ("--plot-merges", "measures.json", {"FRQ'", "AV'", "DLG'", "20K", "merges"}),
        ("--plot-context", "contexts.json", {"none", "conv", "gru", "BBPE 2K", "28.80"}),
    ):
        for run in "12":
            arguments = ["score", "--load", record, option, f"figure{run}", "--format", "json"]
            assert main(arguments) == 0
            output, remarks = capfdbinary.readouterr()
            assert len(json.loads(output)["systems"]) >= 7
            assert f"wrote figure{run}.png and figure{run}.svg" in remarks.decode()
        assert (saved / "figure1.png").read_bytes().startswith(b"\x89PNG\r\n")
        texts = {
            element.text
            for element in ElementTree.parse(saved / "figure1.svg").iter()
            if element.tag.endswith("}text")
        }
        assert words <= texts
        for kind in ("png", "svg"):
            assert (saved / f"figure1.{kind}").read_bytes() == (
                saved / f"figure2.{kind}"
            ).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["contexts.json", "--plot-merges", "x"], "has no setting 'merges'; give it when scoring"),
        (["measures.json", "--plot-context", "x"], "has no setting 'context'"),
        (["measures.json", "--plot-merges", "x", "--plot-metric", "chrF3"], "no chrF3, only BLEU"),
        (["words.json", "--plot-merges", "x"], "merges='many' is not a number"),
        (["words.json", "--rank-plot", "x"], "has no F1 by rank: score it with the training text"),
        (["measures.json", "--plot-merges", "no/x"], "the folder to write to does not exist"),
    ],
)
def test_plots_that_cannot_be_drawn(saved, capfdbinary, arguments, message):
    ScoreRecord({}, [system({"merges": "many"}, 1.0)]).save("words.json")
    assert main(["score", "--load", *arguments]) == 1
    output, remarks = capfdbinary.readouterr()
    assert output == b""
    assert message in remarks.decode()


def test_without_matplotlib(saved, capfdbinary, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["score", "--load", "measures.json", "--plot-merges", "x"]) == 1
    assert b"pip install 'fairseq_subword_ext[plots]'" in capfdbinary.readouterr().err
    assert main(["score", "--load", "measures.json"]) == 0
