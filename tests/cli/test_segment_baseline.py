"""fairseq-subword segment-baseline, and learn-joint-bpe-and-vocab --transliterate."""

import json

import pytest
from planted_names import make_corpus

from fairseq_subword_ext.cli.main import main

TEXT = "der Freitag und der  Tag\n\nfrei 10\xa0km </s> @@ \n"
TRAIN = "frei frei frei Tag Tag Tag Freitag der der der der und\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text").write_text(TEXT, encoding="utf-8")
    (tmp_path / "train").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ("word", "der Freitag und der ␛20;@@ Tag"),
        ("characters", "d@@ e@@ r F@@ r@@ e@@ i@@ t@@ a@@ g u@@ n@@ d d@@ e@@ r ␛20;@@ T@@ a@@ g"),
        ("char-ngrams --n 3 --shortlist 2 --train train", "der Fre@@ ita@@ g und der ␛20;@@ Tag"),
        ("char-ngrams", "de@@ r Fr@@ ei@@ ta@@ g un@@ d de@@ r ␛20;@@ Ta@@ g"),
        ("compounds --train train", "der Frei@@ tag und der ␛20;@@ Tag"),
        ("compounds --train train --min-count 2 --fillers", "der Frei@@ tag und der ␛20;@@ Tag"),
        ("morfessor --train train", None),
        ("hyphenation --lang de", "der Frei@@ tag und der ␛20;@@ Tag"),
    ],
)
def test_every_baseline_and_restore(options, first, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    name = options.split()[0]
    assert main(["segment-baseline", *options.split(), "-i", "text", "-o", "out"]) == 0
    assert capfd.readouterr().err.split("\n")[-2].startswith(f"signature: baseline:{name}|")
    out = (folder / "out").read_text("utf-8")
    assert first is None or out.split("\n")[0] == first
    assert main(["restore", "--encoder", name, "-i", "out", "-o", "restored"]) == 0
    assert (folder / "restored").read_text("utf-8") == TEXT


def test_a_shortlist_leaves_unknown_words(folder, subword):
    subword("get-vocab", "-i", "train", "-o", "vocabulary", cwd=folder)
    options = ["word", "--shortlist", 2, "--vocabulary", "vocabulary"]
    process = subword("segment-baseline", *options, input=TEXT, cwd=folder)
    assert process.stdout.split("\n")[0] == "der <unk> <unk> der ␛20;@@ <unk>"
    assert "|vocabulary:sha256=" in process.stderr
    assert "|shortlist:2|" in process.stderr


def test_a_morfessor_model_is_saved(folder, subword):
    train = "morfessor --train train --write-model model -i text -o first".split()
    subword("segment-baseline", *train, cwd=folder)
    again = "morfessor --model model -i text -o second".split()
    subword("segment-baseline", *again, cwd=folder)
    assert (folder / "first").read_bytes() == (folder / "second").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("word --n 2", "word does not take --n"),
        ("characters --shortlist 5 --lang de", "characters does not take --shortlist, --lang"),
        ("compounds", "give its word counts with --vocabulary (from `fairseq-subword get-vocab`)"),
        ("char-ngrams --shortlist 5", "char-ngrams learns from the training text"),
        ("char-ngrams --n 0", "n must be 1 or more, not 0"),
        ("word --train train", "word: --train needs --shortlist"),
        ("word --shortlist -1 --train train", "shortlist's size must be 0 or more"),
        ("hyphenation", "--lang de"),
        (
            "morfessor --model train --write-model m",
            "morfessor: --write-model cannot be combined with --model",
        ),
        ("morfessor --model train", "train:1: expected a count and morphs"),
        ("compounds --vocabulary train", "train:1: expected 'subword count'"),
        ("word --parallel train", "word: --parallel needs --write-dictionary FILE"),
        ("word --parallel train --write-dictionary d", "text has 3 lines but train has 1"),
        (
            "compounds --train train --vocabulary train",
            "--vocabulary cannot be combined with --train",
        ),
        (
            "word --shortlist 2 --train train --parallel text --write-dictionary d",
            "with --shortlist",
        ),
        ("compounds --train -", "--train -: give a file"),
        ("morfessor --model -", "--model -: give a file"),
        ("word -i - --parallel text --write-dictionary d", "-i -: with --parallel"),
        ("compounds --train nowhere", "nowhere: No such file"),
    ],
)
def test_errors_are_one_line(options, message, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    assert main(["segment-baseline", "-i", "text", "-o", "out", *options.split()]) == 1
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert {path.name for path in folder.iterdir()} == {"text", "train"}


def test_a_back_off_dictionary(tmp_path, subword):
    pytest.importorskip("thot")
    corpus = make_corpus(lines=300, names=60)
    for side, name in enumerate(("xx", "yy")):
        (tmp_path / name).write_text(corpus.text("train", side))
    options = "word -i xx -o words --parallel yy --write-dictionary dict".split()
    process = subword("segment-baseline", *options, cwd=tmp_path)
    assert "words, from 300 pairs of lines" in process.stderr
    assert (tmp_path / "words").read_bytes() == (tmp_path / "xx").read_bytes()
    entries = dict(line.split() for line in (tmp_path / "dict").read_text().splitlines())
    assert sum(form == f"{name[:-1]}ovi" for name, form in entries.items()) > 30


def test_joint_merges_across_alphabets(tmp_path, subword):
    (tmp_path / "t.en").write_text("Moskva Vladimir the map of Moskva Vladimir\n" * 3)
    (tmp_path / "t.ru").write_text("Москва Владимир карта Москвы Владимира\n" * 3, encoding="utf-8")
    options = "-i t.en t.ru -o codes -s 20 --write-vocabulary v.en v.ru --transliterate ru=iso9"
    process = subword("learn-joint-bpe-and-vocab", *options.split(), cwd=tmp_path)
    assert "of the 20 merges were also written in Cyrillic" in process.stderr
    assert "|corpus:t.en+t.ru|" in process.stderr
    assert "|transliterate:ru=iso9|" in process.stderr
    cut = subword(
        "apply-bpe", "-c", "codes", input="Moskva Москва Vladimir Владимир\n", cwd=tmp_path
    )
    assert cut.stdout == "Moskva Москва Vladimir Владимир\n"
    vocabulary = (tmp_path / "v.ru").read_text("utf-8")
    assert "Москва 3\n" in vocabulary
    assert not any("a" <= letter <= "z" for letter in vocabulary)
    assert "М" in json.loads((tmp_path / "codes.json").read_text("utf-8"))["alphabet"]
    refused = subword(
        "learn-joint-bpe-and-vocab", *options.split(), "--unit", "byte", cwd=tmp_path, check=False
    )
    assert refused.returncode == 1
    assert "cannot be combined with --unit byte" in refused.stderr
