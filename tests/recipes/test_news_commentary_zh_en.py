"""The recipe of Wu & Zhao 2018 for Chinese-English, from made raw text to its table."""

import json
import re
from argparse import ArgumentParser

import pytest
import wu_zhao_raw as raw
import yaml
from conftest import ROOT
from recipe_helpers import (
    TINY_LSTM,
    cells_of,
    check_bleu,
    lines_of,
    make_corpus,
    recipe,
    scores_of,
)
from recipes.engine.systems import read_systems
from recipes.news_commentary_zh_en import recipe as news

from fairseq_subword_ext.evaluation.score_record import ScoreRecord

NAME = "news_commentary_zh_en"
ROWS = read_systems(news.RECIPE.home / "systems.tsv")


def test_missing_or_unequal_files_are_reported(tmp_path):
    call = [NAME, "--raw", tmp_path, "--out", tmp_path / "out"]
    assert "no news-commentary-v12.zh-en.zh in" in make_corpus(*call).stderr
    raw.write_news(tmp_path, raw.news_pairs(20))
    with (tmp_path / "news-commentary-v12.zh-en.en").open("a") as stream:
        stream.write("more\n")
    assert re.search(r"\.zh has 20 lines, .*\.en has 21", make_corpus(*call).stderr)


def test_chinese_punctuation_is_separate():
    """As in Table 4 of the paper; a number and a name in Latin letters stay whole."""
    pytest.importorskip("sacremoses")
    text = "2008年，《时代》周刊（U.S.）说：增长2.5%、3,000人。"
    separated = news.separate_punctuation(text)
    ((tokens, _),) = news.tokenize_pairs([(separated, "a")], news.LANGUAGES, 1)
    assert tokens == "2008年 ， 《 时代 》 周刊 （ U.S. ） 说 ： 增长2.5 % 、 3,000人 。"


def test_the_configuration_is_the_papers():
    """256 per direction, embedding and attention 256; 40 epochs, 0.001 halved every ten epochs."""
    config = yaml.safe_load((ROOT / "configs" / NAME / "lstm.yaml").read_text())
    german = yaml.safe_load((ROOT / "configs" / "iwslt14_de_en" / "lstm.yaml").read_text())
    assert config["dataset"]["batch_size"] == news.RECIPE.sentences == 64
    for section in ("model", "optimizer", "optimization", "lr_scheduler", "criterion"):
        assert config[section] == german[section]
    lstm = pytest.importorskip("fairseq.models.lstm")
    parser = ArgumentParser()
    lstm.LSTMModel.add_args(parser)
    # Fairseq silently ignores a mistyped key.
    known = {action.dest for action in parser._actions}
    assert set(config["model"]) - known == {"_name", "criterion"}


def test_the_rows_are_the_papers():
    measures = {"FRQ'": "frq-weighted", "AV'": "av-weighted", "DLG'": "dlg-weighted"}
    assert {(row["down"], row["across"]) for row in ROWS} == {
        (source, target) for source in measures for target in measures
    }
    for row in ROWS:
        for column, label in (("learn", row["down"]), ("learn_target", row["across"])):
            assert row.flags(column) == ["-s", "30000", "--measure", measures[label]]
        assert row["baseline"] == ("" if row.name == "frq-frq" else "frq-frq")
    assert all(row.figures["beam10"] for row in ROWS)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run of all rows on made text."""
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    folder = tmp_path_factory.mktemp("run")
    raw.write_news(folder, raw.news_pairs(300))
    work = folder / "work"
    ran = recipe(
        NAME, "--work", work, "--cpu", "--workers", 1, "--updates", 3, *TINY_LSTM, "--raw", folder,
        "--generate", "--max-len-a 0 --max-len-b 20", "--valid", 20, "--test", 30,
        *(row.name for row in ROWS),
    )  # fmt: skip
    return work, ran


@pytest.mark.slow
@pytest.mark.timeout(1800)
class TestCompleteRun:
    def test_corpus(self, run):
        work, ran = run
        corpus = work / "corpus"
        sides = {
            split: [lines_of(corpus / f"{split}.zh-en.{language}") for language in ("zh", "en")]
            for split in ("train", "valid", "test", "test.raw")
        }
        sizes = {split: [len(side) for side in pair] for split, pair in sides.items()}
        assert sizes == {
            "train": [250] * 2, "valid": [20] * 2, "test": [30] * 2, "test.raw": [30] * 2
        }  # fmt: skip
        assert set(zip(*sides["test.raw"])) <= set(filter(None, raw.news_pairs(300)))
        # Chinese is not split into words, its full stop is separate; English is tokenized.
        chinese = [line.replace("。", " 。") for line in sides["test.raw"][0]]
        assert sides["test"][0] == chinese
        assert all(line.endswith(" .") for line in sides["train"][1])
        assert re.search(r"^all sets +lines +227K +300 +differs$", ran.stdout, re.MULTILINE)

    def test_segmentation(self, run):
        folder = run[0] / "segmentations" / "frq-av"
        learned = [
            json.loads((folder / name).read_text()) for name in ("codes.json", "codes.target.json")
        ]
        assert [(one["measure"], one["corpus"]) for one in learned] == [
            ("frq-weighted", "train.zh-en.zh"),
            ("av-weighted", "train.zh-en.en"),
        ]
        sides = [(folder / "bin" / f"dict.{side}.txt").read_bytes() for side in ("zh", "en")]
        assert sides[0] != sides[1]

    def test_table(self, run):
        work, ran = run
        corpus = work / "corpus"
        for row in ROWS:
            folder = work / "systems" / row.name
            found, _ = check_bleu(
                folder, "beam10", corpus / "test.zh-en.en", corpus / "test.raw.zh-en.en"
            )
            (system,) = scores_of(folder / "tokenized.json").values()
            for column, key in (("learn", "source_measure"), ("learn_target", "target_measure")):
                assert system.settings[key] == row.flags(column)[-1]
            cell = cells_of(ran.stdout, "Table 3", row["down"])[f"{row['across']}, beam10"]
            shown = f"{row.figures['beam10']} / {found:.2f}"
            assert re.fullmatch(rf"{re.escape(shown)}( [+-]+)?", cell), cell
            if row.name != "frq-frq":
                path = work / "significance" / f"{row.name}.beam10.json"
                (test,) = ScoreRecord.load(path).significance
                assert (test.test, test.baseline) == ("sign-corpus", "frq-frq")
                assert cell == f"{shown} {test.mark}".rstrip()
        assert "Figure 2" not in ran.stdout

    def test_figure_3(self, run):
        """Bars by the target's measure, in groups by the source's."""
        pytest.importorskip("matplotlib")
        picture = (run[0] / "figure.beam10.svg").read_text(encoding="utf-8")
        for measure in ("frq", "av", "dlg"):
            for side in ("source", "target"):
                assert f"{measure}-weighted ({side})" in picture
