"""The recipe for Multi30k: its files, its plan, and a complete run on made text."""

import gzip
import json
import random
import re

import pytest
from made_text import parallel
from recipe_helpers import TINY_TRANSFORMER, bleu, lines_of, recipe, scores_of, table_rows
from recipes.engine.sources import TABLE, read_sources
from recipes.engine.systems import read_systems
from recipes.multi30k_de_en import recipe as multi30k

from fairseq_subword_ext.evaluation.score_record import ScoreRecord

NAME = "multi30k_de_en"
ROWS = {row.name: row for row in read_systems(multi30k.RECIPE.home / "systems.tsv")}
SIZES = {"train": 200, "val": 12, "test_2016_flickr": 15, "test_2017_flickr": 11}


def write_release(folder, form="{0}.{1}.gz", names=SIZES):
    """The files of the release, with other names if wanted."""
    folder.mkdir()
    draw = random.Random(1)
    for name, size in zip(names, SIZES.values()):
        for language, text in parallel(draw, ("de", "en"), size).items():
            data = text.encode("utf-8")
            path = folder / form.format(name, language)
            path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return folder


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("{0}.{1}.gz", SIZES),
        ("{0}.{1}", SIZES),
        ("{0}.de-en.{1}", ("train", "valid", "test", "test2017")),
    ],
)
def test_all_names_of_the_files(tmp_path, form, names):
    folder = write_release(tmp_path / "raw", form, names)
    found = {
        split: multi30k.read_split([tmp_path / "none", folder], split) for split in multi30k.SETS
    }
    assert [len(pairs) for pairs in found.values()] == list(SIZES.values())
    assert len(multi30k.read_split([folder], "train", 7)) == 7


def test_a_missing_file_is_one_line(tmp_path):
    folder = write_release(tmp_path / "raw")
    (folder / "val.en.gz").unlink()
    ran = recipe(NAME, "--work", tmp_path / "work", "--raw", folder, "--cpu", check=False)
    assert ran.status == 1 and "Traceback" not in ran.stderr
    assert "no val.en.gz or val.en or val.de-en.en or valid.en.gz" in ran.stderr


def test_the_download_brings_what_is_read():
    files = {source.file for source in read_sources(TABLE, NAME)}
    assert files == {f"{name}.{language}.gz" for name in SIZES for language in ("de", "en")}


def test_rows():
    measures = ("frequency", "frq-weighted", "av-weighted", "dlg-weighted", "dlg", "dlg-average")
    assert list(ROWS) == [f"{m}-6k{end}" for end in ("", "-dropout") for m in measures]
    for name, row in ROWS.items():
        plain = name.removesuffix("-dropout")
        assert row["segmentation"] == plain
        assert row["learn"] == f"-s 6000 --measure {plain.removesuffix('-6k')}"
        if name != plain:
            assert row["baseline"] == plain and float(row["dropout"]) == 0.1
        else:
            assert row["baseline"] == ("" if plain == "frq-weighted-6k" else "frq-weighted-6k")


def test_dropout_is_all_that_differs():
    """A row with dropout trains on the corpus with the dictionary of the row without."""
    shown = recipe(NAME, "--cpu", "--dry-run", "dlg-6k", "dlg-6k-dropout").stdout
    script = re.sub(r" \\\n +", " ", shown)
    plain, dropped = re.findall(r"^fairseq-hydra-train .*$", script, re.MULTILINE)
    assert "translation_from_text" not in plain and "segmentations/dlg-6k/bin" in plain
    more = set(dropped.split()) - {
        part.replace("dlg-6k", "dlg-6k-dropout") for part in plain.split()
    }
    assert {part.partition("=")[0].strip("'") for part in more} == {
        "task._name", "task.data", "+task.from_text", "+task.bpe_dropout", "+task.text_dict", "+bpe._name",
        "+bpe.bpe_codes",
    }  # fmt: skip
    assert "+task.bpe_dropout=0.1" in more
    dictionary = '"$WORK"/segmentations/dlg-6k/dict.txt'
    assert f"+task.text_dict={dictionary}" in more and f"--srcdict {dictionary}" in script


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run of three rows on made text, one with dropout."""
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    folder = tmp_path_factory.mktemp("run")
    raw = write_release(folder / "raw")
    arguments = [
        NAME, "--work", folder / "work", "--raw", raw, "--cpu", "--workers", 1, "--updates", 3,
        *TINY_TRANSFORMER, "--generate", "--max-len-a 0 --max-len-b 9",
    ]  # fmt: skip
    rows = ("frq-weighted-6k", "dlg-weighted-6k", "frq-weighted-6k-dropout")
    return folder / "work", recipe(*arguments, *rows)


@pytest.mark.slow
@pytest.mark.timeout(1200)
class TestCompleteRun:
    def test_corpus(self, run):
        work, ran = run
        for split, size in (("train", 200), ("valid", 12), ("test2016", 15), ("test2016.raw", 15)):
            assert len(lines_of(work / "corpus" / f"{split}.de-en.de")) == size
        assert all(line.endswith(" .") for line in lines_of(work / "corpus" / "test2017.de-en.en"))
        assert re.search(r"^train +lines +29,000 +200 +differs$", ran.stdout, re.MULTILINE)

    def test_dropout_gives_more_symbols(self, run):
        work, _ = run
        record = json.loads(
            (work / "segmentations" / "frq-weighted-6k" / "bin" / "binarize.json").read_text()
        )
        whole = sum(
            text["tokens"] for name, text in record["texts"].items() if name.startswith("train.")
        )
        log = (work / "logs" / "train.frq-weighted-6k-dropout.log").read_text()
        drawn = re.search(r"/train-\w+/epoch-1: ([\d,]+) tokens", log)
        assert int(drawn[1].replace(",", "")) > 1.05 * whole
        sizes = {
            re.search(r"\[de\] dictionary: ([\d,]+) types", (work / "logs" / f"train.{row}.log").read_text())[1]
            for row in ("frq-weighted-6k", "frq-weighted-6k-dropout")
        }  # fmt: skip
        assert len(sizes) == 1

    def test_table(self, run):
        work, ran = run
        table = {row[0]: row for row in table_rows(ran.stdout, "Multi30k German-English")}
        for name in ("frq-weighted-6k", "dlg-weighted-6k", "frq-weighted-6k-dropout"):
            folder = work / "systems" / name
            for place, column in ((2, "test2016"), (4, "test2017")):
                score = bleu(
                    lines_of(folder / f"{column}.txt"), lines_of(work / "corpus" / f"{column}.raw.de-en.en")
                )  # fmt: skip
                record = scores_of(folder / f"{column}.detokenized.json")[f"{name}.{column}"]
                assert record.scores["BLEU"] == pytest.approx(score)
                assert table[ROWS[name].label][place].split()[0] == f"{score:.2f}"
        assert re.search(r"^BLEU: \S+tok:13a", ran.stdout, re.MULTILINE)
        assert "Figure 2: split words per sentence" in ran.stdout

    def test_marks(self, run):
        work, _ = run
        for name in ("dlg-weighted-6k", "frq-weighted-6k-dropout"):
            found = ScoreRecord.load(work / "significance" / f"{name}.test2016.json").significance
            assert {(one.test, one.system, one.baseline) for one in found} == {
                ("sign-corpus", name, "frq-weighted-6k")
            }
