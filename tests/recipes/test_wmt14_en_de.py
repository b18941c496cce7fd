"""The recipe of Wang, Cho & Gu 2020 for WMT 2014 English-German, from made archives to Table 5."""

import json
import re
import shutil

import made_release as made
import pytest
from recipe_helpers import TINY_TRANSFORMER, check_bleu, lines_of, recipe, table_rows
from recipes.engine.systems import read_systems
from recipes.wmt14_en_de import recipe as wmt14

NAME = "wmt14_en_de"
ROWS = read_systems(wmt14.RECIPE.home / "systems.tsv")


def unpack(folder):
    """Unpacks all archives of which the checksum is known, which a made one cannot have."""
    for archive in folder.glob("*.tgz"):
        if archive.name != "dev.tgz":
            shutil.unpack_archive(archive, folder)
            archive.unlink()


def test_a_cut_or_missing_archive_is_one_line(tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    made.write_wmt14(raw)

    def error():
        ran = recipe(NAME, "--work", tmp_path / "work", "--raw", raw, "--cpu", check=False)
        assert ran.status == 1 and "Traceback" not in ran.stderr
        return ran.stderr.splitlines()[-1]

    assert re.search(
        r"europarl-v7\.tgz: not the expected file: its SHA-256 is \w{64}, not 0224", error()
    )
    test_set = raw / "test-full.tgz"
    kept = test_set.read_bytes()
    unpack(raw)
    for path in raw.rglob("newstest2014-*"):
        path.unlink()
    test_set.write_bytes(kept)
    assert re.search(r"test-full\.tgz: .* its MD5 is \w{32}, not a8cd", error())
    unpack(raw)
    path = raw / "dev.tgz"
    path.write_bytes(path.read_bytes()[:-40])
    assert "dev.tgz: not a complete archive" in error()
    path.unlink()
    assert "dev.tgz: --raw" in error() and "www.statmt.org/wmt14" in error()


def test_batch():
    """The effective batch is the configuration's: 8 or 16 batches on one device."""
    shown = recipe(NAME, "--cpu", "--dry-run", "base_byte_gru", "big_bpe_32k").stdout
    assert re.findall(r"--config-name (\w+)", shown) == ["base", "big"]
    assert re.findall(r"update_freq=\[(\d+)\]", shown) == ["8", "16"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run of all rows on made text."""
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    folder = tmp_path_factory.mktemp("run")
    (folder / "raw").mkdir()
    made.write_wmt14(folder / "raw")
    unpack(folder / "raw")
    ran = recipe(
        NAME, "--work", folder / "work", "--raw", folder / "raw", "--cpu", "--workers", 1,
        "--updates", 1, *TINY_TRANSFORMER, "--set", "optimization.update_freq=[1]",
        "--generate", "--max-len-a 0 --max-len-b 12", *(row.name for row in ROWS),
    )  # fmt: skip
    return folder / "work", ran


@pytest.mark.slow
@pytest.mark.timeout(2400)
class TestCompleteRun:
    def test_corpus(self, run):
        work, ran = run
        corpus = work / "corpus"
        sizes = {
            name: [len(lines_of(corpus / f"{name}.en-de.{side}")) for side in ("en", "de")]
            for name in ("train", "valid", "newstest2014", "newstest2014.raw")
        }
        # Of 283 pairs one has an empty side and one 251 words.
        assert sizes == {
            "train": [281] * 2, "valid": [12] * 2, "newstest2014": [11] * 2,
            "newstest2014.raw": [11] * 2,
        }  # fmt: skip
        assert "train: 281 of 283 pairs have 1 to 250 words" in ran.stdout
        assert re.search(r"^train +lines +4\.5M +281 +differs$", ran.stdout, re.MULTILINE)
        for side in ("en", "de"):
            assert lines_of(corpus / f"newstest2014.raw.en-de.{side}")[:2] == made.ODD_TEST[side]
        first = lines_of(corpus / "newstest2014.en-de.en")[0]
        assert first == "He said &quot; R &amp; D &quot; costs &lt; 5 ."
        sides = [lines_of(corpus / f"train.en-de.{side}") for side in ("en", "de")]
        assert sides[1][149] != "Leer ."  # and its neighbour is not lost
        assert ("Yes no .", "Ja nein .") in zip(*sides)

    def test_vocabularies(self, run):
        """Bytes have the paper's borders, and its figures are beside ours: Tables 3 and 4."""
        work, ran = run
        codes = json.loads((work / "segmentations" / "bbpe_2k" / "codes.json").read_text())
        assert (codes["unit"], codes["borders"]) == ("byte", "sentencepiece")
        assert codes["corpus"] == "train.en-de.en, train.en-de.de"
        table = {row[0]: row[1:] for row in table_rows(ran.stdout, "Segmentations\n")}
        train = [lines_of(work / "corpus" / f"train.en-de.{side}") for side in ("en", "de")]
        mean = [sum(map(len, side)) / len(side) for side in train]
        assert table["chars"][1:4] == [f"{mean[0]:.1f}", f"{mean[1]:.1f}", "143/157"]
        bytes_of = [sum(len(line.encode()) for line in side) / len(side) for side in train]
        # The space at the beginning of a line is a symbol in byte text.
        assert table["bytes"][1:4] == [
            f"{bytes_of[0] + 1:.1f}", f"{bytes_of[1] + 1:.1f}", "143/160"
        ]  # fmt: skip
        assert re.fullmatch(r"\d+\.\d", table["bbpe_2k"][5]) and table["bbpe_2k"][6] == "4.3"

    def test_table(self, run):
        work, ran = run
        table = table_rows(ran.stdout, "WMT 2014 English-German")
        corpus = work / "corpus"
        for row in ROWS:
            references = (corpus / f"newstest2014{kind}.en-de.de" for kind in ("", ".raw"))
            found = check_bleu(work / "systems" / row.name, "newstest2014", *references)
            place = table.index([row["row"], "paper", row.figures["newstest2014"]])
            assert table[place + 1 : place + 3] == [
                ["here, tokenized BLEU", f"{found[0]:.2f}"], ["here, BLEU", f"{found[1]:.2f}"]
            ]  # fmt: skip
        assert re.search(r"^tokenized BLEU: \S+tok:none", ran.stdout, re.MULTILINE)
        assert re.search(r"^BLEU: \S+tok:13a", ran.stdout, re.MULTILINE)

    def test_unfinished_translations_are_counted(self, run):
        """Untrained models run to the length limit."""
        log = (run[0] / "logs" / f"score.{ROWS[-1].name}.log").read_text()
        assert re.search(r"newstest2014\.out: \d+ translations have 12 symbols", log)
