"""The recipe of Wu & Zhao 2018 for German-English, from made raw text to its tables."""

import json
import re
import shutil

import pytest
import wu_zhao_raw as raw
import yaml
from conftest import ROOT, run_command
from made_text import write_archive, write_files
from recipe_helpers import TINY_LSTM, cells_of, check_bleu, lines_of, recipe
from recipes.engine.measures import splitting
from recipes.engine.systems import read_systems
from recipes.iwslt14_de_en import recipe as iwslt
from recipes.text import mteval
from recipes.text.talks import read_talks

from fairseq_subword_ext.checkpoints.recipe_run import parts_of_runs
from fairseq_subword_ext.evaluation.score_record import ScoreRecord
from fairseq_subword_ext.subword.goodness import get_measure
from fairseq_subword_ext.subword.merge_table import MergeTable

NAME = "iwslt14_de_en"


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("iwslt")
    write_files(folder / "de-en", raw.iwslt_files(lines=60))
    return folder


def read_train(folder):
    return read_talks([folder], "de-en", iwslt.ARCHIVE)


def test_training_text(release):
    pairs = read_train(release)
    # Sentences, titles and descriptions of two talks, and four odd lines.
    assert len(pairs) == 60 + 2 * 2 + 4
    assert pairs[0] == ("de title 0", "en title 0")
    assert pairs[1] == ("TED de", "TED en")
    assert ("Ja nein.", "Yes no.") in pairs  # U+2028 and U+00A0 are spaces
    assert ("Leer hier.", "") in pairs
    assert not any("<" in side or "ted.com" in side for pair in pairs for side in pair)


def test_test_sets(release):
    pairs = iwslt.read_test([release], "TED.tst2012")
    assert len(pairs) == raw.TEST_SETS["TED.tst2012"]
    assert [pair[0] for pair in pairs[:2]] == [said for _, said in raw.RAW_TEST.values()]
    assert len(iwslt.read_test([release], "TEDX.dev2012")) == raw.TEST_SETS["TEDX.dev2012"]


def test_a_tedx_set_under_the_name_of_the_others(release, tmp_path):
    for language in ("de", "en"):
        text = (release / "de-en" / f"IWSLT14.TEDX.dev2012.de-en.{language}.xml").read_text()
        (tmp_path / f"IWSLT14.TED.dev2012.de-en.{language}.xml").write_text(text)
    assert len(iwslt.read_test([tmp_path], "TEDX.dev2012")) == 9


def test_errors_in_the_files_are_reported(release, tmp_path):
    english = (release / "de-en" / "train.tags.de-en.en").read_text(encoding="utf-8")
    german = (release / "de-en" / "train.tags.de-en.de").read_bytes()
    (tmp_path / "train.tags.de-en.en").write_text(english.split("\n", 20)[20], encoding="utf-8")
    with pytest.raises(ValueError, match=r"no train\.tags\.de-en\.de in .*de-en\.tgz"):
        read_train(tmp_path)
    (tmp_path / "train.tags.de-en.de").write_bytes(german)
    with pytest.raises(ValueError, match=r"has 68 sentences without its metadata.* has 53"):
        read_train(tmp_path)
    (tmp_path / "train.tags.de-en.de").write_bytes(german[:40] + b"\xff" + german[40:])
    with pytest.raises(ValueError, match=r"train\.tags\.de-en\.de: byte 40 is not UTF-8"):
        read_train(tmp_path)
    xml = tmp_path / "IWSLT14.TED.tst2010.de-en.de.xml"
    xml.write_text('<seg id="1"> a </seg>\n<seg id="2"> b')
    with pytest.raises(ValueError, match="2 that open and 1 that are whole"):
        mteval.read_segments(xml)
    xml.write_text('<seg id="1"> a </seg>\n<seg id="3"> b </seg>')
    xml.with_name(xml.name.replace("de.xml", "en.xml")).write_text(
        '<seg id="1"> a </seg>\n<seg id="2"> b </seg>\n'
    )
    with pytest.raises(ValueError, match="first at 3 and 2"):
        iwslt.read_test([tmp_path], "TED.tst2010")


def test_splitting_of_figure_2(tmp_path):
    """low low lower, newest: with the merges lo, low and low</w>, "low" is whole; "lower" has three
    pieces (low e r) and "newest" six: two split words in two sentences; 1 + 1 + 3 + 6 symbols for four
    words, an increase of 175 %."""
    MergeTable([("l", "o"), ("lo", "w</w>"), ("lo", "w")], "char", "0.2").save(tmp_path / "codes")
    counts = [{"low": 2, "lower": 1}, {"newest": 1}]
    assert splitting([tmp_path / "codes"] * 2, counts, sentences=2) == (1.0, 175.0)


def test_the_configuration_is_the_papers():
    """256 per direction, embedding and attention 256; 40 epochs, 0.001 halved every ten epochs."""
    config = yaml.safe_load((ROOT / "configs" / NAME / "lstm.yaml").read_text())
    model = config["model"]
    assert {model[key] for key in model if key.endswith(("_dim", "_size"))} == {256}
    rates = config["optimization"]["lr"]
    assert config["optimization"]["max_epoch"] == len(rates) == 40
    assert rates == pytest.approx([0.001 / 2 ** (n // 10) for n in range(40)])
    assert config["dataset"]["batch_size"] == iwslt.RECIPE.sentences == 32


def test_the_rows_are_the_papers():
    rows = read_systems(iwslt.RECIPE.home / "systems.tsv")
    assert len(rows) == 7 * 5
    for row in rows:
        flags = row.flags("learn")
        assert flags[0] == "-s" and flags[2] == "--measure"
        assert row.name == f"{get_measure(flags[3]).name}-{int(flags[1]) // 1000}k"
    given = [row.figures[name] for row in rows for name in ("greedy", "beam10")]
    assert sum(map(bool, given)) == 9 + 2 * 15


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run of two rows on made text."""
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    folder = tmp_path_factory.mktemp("run")
    (folder / "source").mkdir()
    files = {f"de-en/{name}": text for name, text in raw.iwslt_files().items()}
    write_archive(folder / "source" / "de-en.tgz", files)
    arguments = [
        NAME, "--work", folder / "work", "--cpu", "--workers", 1, "--updates", 4, *TINY_LSTM,
        "--raw", folder / "source", "--valid", 20, "--generate", "--max-len-a 0 --max-len-b 12",
    ]  # fmt: skip
    return arguments, folder / "work", recipe(*arguments, "frq-weighted-10k", "dlg-weighted-10k")


@pytest.mark.slow
@pytest.mark.timeout(1200)
class TestCompleteRun:
    def test_corpus(self, run):
        _, work, ran = run
        corpus = work / "corpus"
        sides = {
            split: [lines_of(corpus / f"{split}.de-en.{language}") for language in ("de", "en")]
            for split in ("train", "valid", "test", "test.raw")
        }
        # 300 sentences, titles and descriptions of six talks, and of the four odd lines two: 51 words and
        # the pair with an empty side are left out.
        sizes = {split: [len(side) for side in pair] for split, pair in sides.items()}
        assert sizes == {
            "train": [294] * 2, "valid": [20] * 2, "test": [47] * 2, "test.raw": [47] * 2
        }  # fmt: skip
        assert max(len(line.split()) for side in sides["train"] for line in side) <= 50
        assert sides["test.raw"][1][0] == "It’s the dog’s house."
        assert sides["test"][1][0] == "It &apos;s the dog &apos;s house ."
        german, said = raw.RAW_TEST[1]
        assert said in sides["test.raw"][0] and german != said
        assert re.search(r"^valid +lines +6,969 +20 +differs$", ran.stdout, re.MULTILINE)

    def test_segmentation(self, run):
        _, work, _ = run
        folder = work / "segmentations" / "dlg-weighted-10k"
        codes = json.loads((folder / "codes.json").read_text())
        assert codes["measure"] == "dlg-weighted" and codes["merges_asked"] == 10000
        assert codes["corpus"] == "train.de-en.de, train.de-en.en"
        dictionaries = [(folder / "bin" / f"dict.{x}.txt").read_bytes() for x in ("de", "en")]
        assert dictionaries[0] == dictionaries[1]

    def test_tables(self, run):
        _, work, ran = run
        row = cells_of(ran.stdout, "Table 2", "10K")
        for system, label, paper in (
            ("frq-weighted-10k", "FRQ'", {"greedy": "27.36", "beam10": "28.86"}),
            ("dlg-weighted-10k", "DLG'", {"greedy": "27.56", "beam10": "29.25"}),
        ):
            for figure, figure_of_paper in paper.items():
                references = (work / "corpus" / f"{name}.de-en.en" for name in ("test", "test.raw"))
                found, _ = check_bleu(work / "systems" / system, figure, *references)
                cell = row[f"{label}, {figure}"]
                assert re.fullmatch(rf"{figure_of_paper} / {found:.2f}( [+-]+)?", cell), cell
        assert row["AV', beam10"] == "29.02 / -"
        test = ScoreRecord.load(work / "significance" / "dlg-weighted-10k.beam10.json").significance
        assert [(t.test, t.system, t.baseline) for t in test] == [
            ("sign-corpus", "dlg-weighted-10k", "frq-weighted-10k")
        ]
        assert set(cells_of(ran.stdout, "Figure 2", "10K")) == {"FRQ'", "DLG'"}

    def test_progress(self, run):
        _, _, ran = run
        assert "step 4 of 11: train frq-weighted-10k\n" in ran.stderr
        assert "train frq-weighted-10k: update 4 of 4: validation loss" in ran.stderr

    def test_a_second_run_keeps_what_is_done(self, run):
        arguments, _, ran = run
        again = recipe(*arguments, "frq-weighted-10k")
        assert again.stderr.count("(done before)") == 6 + 2  # and the comparisons of the other row
        table = ran.stdout[ran.stdout.index("Segmentations") :]
        assert again.stdout == table

    def test_a_packed_model_finds_its_parts(self, run):
        _, work, _ = run
        parts = parts_of_runs([work / "systems" / "dlg-weighted-10k"], None)
        assert parts.about["recipe"] == NAME and parts.encoder == "generalized_bpe"
        assert all(path.exists() for path in [*parts.checkpoints, *parts.data, parts.codes])
        assert len(parts.scores) == 2

    def test_the_commands_give_the_same_scores_without_the_recipe(self, run, tmp_path):
        """Only the source files are taken from the run: everything else is made by the commands."""
        arguments, work, _ = run
        recipe(*arguments, "dlg-weighted-10k")  # writes the commands of this row
        script = tmp_path / "commands.sh"
        shutil.copy(work / "commands.sh", script)
        assert "recipe.py iwslt14_de_en" in script.read_text()
        run_command("bash", script, env={"WORK": str(tmp_path / "again")}, timeout=900)
        for name in ("tokenized.json", "detokenized.json"):
            scores = [
                {s.name: s.scores for s in ScoreRecord.load(folder / name).systems}
                for folder in (
                    work / "systems" / "dlg-weighted-10k",
                    tmp_path / "again" / "systems" / "dlg-weighted-10k",
                )
            ]
            assert scores[0] == scores[1] and len(scores[0]) == 2


def test_missing_files_stop_the_recipe_with_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    arguments = [NAME, "--work", tmp_path / "work", "--raw", tmp_path / "empty", "--cpu"]
    ran = recipe(*arguments, "frq-10k", check=False)
    assert ran.status == 1
    error = ran.stderr.splitlines()[-1]
    assert error.startswith("error: step 1 of 6: corpus failed") and "de-en.tgz" in error
    assert "wit3.fbk.eu" in error and "corpus.log" in error and "Traceback" not in ran.stderr


def test_a_mistyped_row_stops_before_anything_is_done(tmp_path):
    ran = recipe(NAME, "--work", tmp_path / "work", "frq-10", check=False)
    assert ran.status == 1 and "has no row 'frq-10'; did you mean frq-10k" in ran.stderr
    assert not (tmp_path / "work").exists()
