"""The recipe of Wang, Cho & Gu 2020 for Japanese-English, from made archives to Table 6."""

import json
import re
import shutil
import sys

import made_release as made
import numpy as np
import pytest
import sentencepiece
from recipe_helpers import (
    TINY_TRANSFORMER,
    bleu,
    lines_of,
    make_corpus,
    recipe,
    scores_of,
    table_rows,
    translations,
)
from recipes.engine import sizes
from recipes.engine.commands import tool
from recipes.engine.segmentations import measure
from recipes.engine.steps import Step
from recipes.engine.systems import read_systems
from recipes.ja_en import recipe as ja_en
from recipes.text import pieces
from recipes.text.corpus_files import read_pairs

from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetWriter, id_type

NAME = "ja_en"
ROWS = read_systems(ja_en.RECIPE.home / "systems.tsv")
SIZES = {"kftt": 5, "ted": 12, "jesc": 7}


@pytest.fixture
def unpacked(tmp_path):
    """The corpora, unpacked."""
    raw = tmp_path / "raw"
    raw.mkdir()
    made.write_ja_en(raw)
    for archive in list(raw.iterdir()):
        shutil.unpack_archive(archive, raw)
    return raw


def test_the_corpora_are_joined(unpacked, tmp_path):
    printed = make_corpus(NAME, "--raw", unpacked, "--out", tmp_path / "out").stdout
    assert [line.split() for line in printed.splitlines()[:4]] == [
        ["train", "valid", "test"], ["kftt", "61", "4", "5"], ["ted", "50", "2", "12"],
        ["jesc", "120", "6", "7"],
    ]  # fmt: skip
    assert "with an empty side, skipped: 1" in printed
    sets = {name: read_pairs(tmp_path / "out", name, "ja") for name in ("train", "valid", *SIZES)}
    assert {name: len(pairs) for name, pairs in sets.items()} == {
        "train": 230, "valid": 12, **SIZES
    }  # fmt: skip
    # JESC has English first.
    assert all(
        source.endswith("。") and target.endswith(".")
        for pairs in sets.values()
        for source, target in pairs
    )
    make_corpus(NAME, "--raw", unpacked, "--out", tmp_path / "out", "--lines", 10)
    assert len(read_pairs(tmp_path / "out", "train", "ja")) == 30


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("split/train", lambda text: text + "english only\n", r"split/train:121: expected English and Japanese by a tab, found 1"),
        ("split/dev", lambda text: text.replace("\t", "\t\t", 1), r"split/dev:1: .* found 3 columns"),
        ("split/test", None, r"no split/test in .*split\.tar\.gz"),
        ("kftt-data-1.0/data/orig/kyoto-test.en", lambda text: text + "more\n", r"kyoto-test\.ja has 5 lines, .*kyoto-test\.en has 6"),
        ("ja-en/IWSLT17.TED.tst2015.ja-en.en.xml", lambda text: text.replace('id="2"', 'id="3"'), "first at 2 and 3"),
        ("ja-en/train.tags.ja-en.en", lambda text: text + "more\n", r"has 50 sentences without its metadata.* has 51"),
    ],
)  # fmt: skip
def test_a_broken_corpus_is_one_line(unpacked, tmp_path, name, change, message):
    path = unpacked / name
    path.unlink() if change is None else path.write_text(change(path.read_text("utf-8")), "utf-8")
    ran = make_corpus(NAME, "--raw", unpacked, "--out", tmp_path / "out")
    assert ran.status == 1 and ran.stderr.count("\n") == 1
    assert re.search(message, ran.stderr), ran.stderr


def run_pieces(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["pieces.py", *map(str, arguments)])
    return pieces.main()


def test_pieces_count_each_character_once_and_keep_the_rare_ones(tmp_path, monkeypatch, capsys):
    """The sizes that the dry run shows are those that SentencePiece learns."""
    text, codes = tmp_path / "text", tmp_path / "codes"
    text.write_text("犬が走る。\n" * 9 + "the dog runs.\n" * 9 + "龘 dogs\n", encoding="utf-8")
    characters = len(set(text.read_text("utf-8")) - set(" \n")) + 1  # and the space
    learn = tool("text.pieces", "learn", "-s", characters + 12, "-i", text, "-o", codes)
    step = Step("learn", [learn])
    (size,) = sizes.sizes([step])
    assert (size.asked, size.base, size.left) == (characters + 12, characters, 12)
    assert run_pieces(monkeypatch, *learn.argv[3:]) == 0
    model = sentencepiece.SentencePieceProcessor(model_file=str(codes))
    found = [model.id_to_piece(number) for number in range(1, model.get_piece_size())]
    assert len(found) == characters + 12 and "龘" in found and "<s>" not in found
    # Other scripts and punctuation begin a piece of their own.
    assert not any(re.search(r"\w[.。]", piece) for piece in found)
    assert run_pieces(monkeypatch, "learn", "-s", 3, "-i", text, "-o", codes) == 1
    assert "SentencePiece cannot learn 3 pieces" in capsys.readouterr().err
    with pytest.raises(ValueError, match="fewer than a tenth"):
        sizes.check(
            Step("x", [tool("text.pieces", "learn", "-s", characters, "-i", text, "-o", codes)])
        )


def test_data_without_a_record_are_measured(tmp_path):
    """Those of text.pieces have no binarize.json; the end of a line (2) is no symbol, 3 is <unk>."""
    assert measure(tmp_path, "sentencepiece") is None
    lines = {"train.ja-en.ja": [[4, 2], [4, 5, 4, 2]], "train.ja-en.en": [[5, 2], [5, 2]]}
    lines |= {"test.ja-en.ja": [[3, 4, 2]], "test.ja-en.en": [[5, 5, 2]]}
    for name, content in lines.items():
        with IndexedDatasetWriter(tmp_path / name, id_type(6)) as writer:
            writer.add_ids(np.concatenate([np.array(ids) for ids in content]))
            writer.add_sizes(np.array([len(ids) for ids in content]))
    for side in ("ja", "en"):
        (tmp_path / f"dict.{side}.txt").write_text("▁a 3\n▁b 2\n", encoding="utf-8")
    found = measure(tmp_path, "sentencepiece")
    assert found == ("2", 2.0, 1.0, 25.0, None)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A complete run of all rows on made text."""
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    folder = tmp_path_factory.mktemp("run")
    (folder / "raw").mkdir()
    made.write_ja_en(folder / "raw")
    ran = recipe(
        NAME, "--work", folder / "work", "--raw", folder / "raw", "--cpu", "--workers", 1,
        "--updates", 1, *TINY_TRANSFORMER, "--set", "optimization.update_freq=[1]",
        "--generate", "--max-len-a 0 --max-len-b 12", *(row.name for row in ROWS),
    )  # fmt: skip
    return folder / "work", ran


@pytest.mark.slow
@pytest.mark.timeout(2400)
class TestCompleteRun:
    def test_vocabularies(self, run):
        work, ran = run
        codes = json.loads((work / "segmentations" / "bbpe_4k" / "codes.json").read_text())
        assert (codes["unit"], codes["borders"]) == ("byte", "sentencepiece")
        assert re.search(r"^test, TED +lines +8\.5K +12 +differs$", ran.stdout, re.MULTILINE)
        data = work / "segmentations" / "bpe_16k" / "bin"
        dictionaries = [(data / f"dict.{side}.txt").read_text("utf-8") for side in ("ja", "en")]
        assert dictionaries[0] == dictionaries[1]
        symbols = {line.split(" ")[0] for line in dictionaries[0].splitlines()}
        model = sentencepiece.SentencePieceProcessor(model_file=str(data.parent / "codes"))
        train = [
            [
                " ".join(model.encode(line, out_type=str))
                for line in lines_of(work / "corpus" / f"train.ja-en.{side}")
            ]
            for side in ("ja", "en")
        ]
        # Every character is there, also those that training text shows only inside longer pieces.
        characters = {one for side in train for line in side for one in line} - {" "}
        used = {piece for side in train for line in side for piece in line.split()}
        assert symbols > characters | used and not characters <= used
        table = {row[0]: row[1:] for row in table_rows(ran.stdout, "Segmentations\n")}
        mean = [sum(len(line.split()) for line in side) / len(side) for side in train]
        size = f"{len(symbols):,}"
        assert table["bpe_16k"][:4] == [size, f"{mean[0]:.1f}", f"{mean[1]:.1f}", "12/15"]
        assert re.fullmatch(r"[1-9]\d*\.\d", table["bbpe_4k"][5])
        assert table["bbpe_4k"][3] == "24/17" and table["bbpe_4k"][6] == "47.6"

    def test_table(self, run):
        work, ran = run
        table = table_rows(ran.stdout, "Japanese-English")
        for row in ROWS:
            folder = work / "systems" / row.name
            lines, references, expected, tokenized = [], [], [], []
            for name, size in (*SIZES.items(), ("all", sum(SIZES.values()))):
                if name == "all":
                    text, reference = lines, references
                else:
                    text = translations(folder / f"{name}.out")
                    reference = lines_of(work / "corpus" / f"{name}.ja-en.en")
                    assert lines_of(folder / f"{name}.txt") == text
                    lines, references = lines + text, references + reference
                assert len(text) == size
                system = scores_of(folder / f"{name}.detokenized.json")[f"{row.name}.{name}"]
                assert system.scores["BLEU"] == pytest.approx(bleu(text, reference))
                assert "|tokenized-by:moses" in system.signatures["tokenized BLEU"]
                expected.append(f"{system.scores['BLEU']:.2f}")
                tokenized.append(f"{system.scores['tokenized BLEU']:.2f}")
            paper = [row.figures[name] for name in (*SIZES, "all")]
            place = table.index([row["row"], "paper", *paper])
            assert table[place + 1 : place + 3] == [
                ["here, tokenized BLEU", *tokenized], ["here, BLEU", *expected]
            ]  # fmt: skip
