"""The command binarize: the same bytes as apply-bpe and fairseq-preprocess."""

import gzip
import json
import random
import shutil
from pathlib import Path

import pytest

from fairseq_subword_ext.cli.main import main

WORDS = [
    "haus",
    "häuser",
    "lower",
    "newest",
    "wider",
    "漢字",
    "東京",
    "x\u200dy",
    "a\xa0b",
    "c\u2003d",
]
ODD = [
    "", "  two  spaces  ", "</s> <unk> <pad> <s>", "madeupword0001 ␛ ▁ @@", "tab\there", "\x1f \x85 \u2028",
    "ends so\r", "😀 emoji",
]  # fmt: skip
OURS_ALONE = {"codes", "codes.json", "binarize.json", ".binarize"}


def text_of(seed, lines):
    generator = random.Random(seed)
    found = [" ".join(generator.choices(WORDS, k=generator.randrange(9))) for _ in range(lines)]
    for odd in ODD * 2:
        found.insert(generator.randrange(len(found)), odd)
    return "\n".join(found) + "\n"


def run(*arguments, status=0):
    assert main([str(argument) for argument in arguments]) == status


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """Texts of a pair, and codes of both units."""
    folder = tmp_path_factory.mktemp("raw")
    for split, lines in (("train", 200), ("valid", 30), ("test", 40)):
        for language in ("de", "en"):
            text = text_of(f"{split}.{language}", lines)
            (folder / f"{split}.{language}").write_bytes(text.encode("utf-8"))
    texts = [folder / "train.de", folder / "train.en"]
    run("learn-bpe", "-i", *texts, "-o", folder / "codes", "-s", 60)
    run("learn-bpe", "-i", *texts, "-o", folder / "bytes", "-s", 60, "--unit", "byte")
    (folder / "bare").write_bytes((folder / "codes").read_bytes())
    return folder


def preprocess(*arguments):
    """Runs fairseq-preprocess in this process."""
    pytest.importorskip("fairseq")
    from fairseq import options
    from fairseq_cli import preprocess

    arguments = [str(argument) for argument in arguments]
    preprocess.main(options.get_preprocessing_parser().parse_args(arguments))


def segment(raw, folder, options):
    """Runs apply-bpe on all texts."""
    folder.mkdir()
    for path in raw.glob("*.??"):
        run("apply-bpe", "-i", path, "-o", folder / path.name, *options)


def data_of(folder):
    names = {path.name for path in folder.iterdir()} - OURS_ALONE - {"preprocess.log"}
    return {name: (folder / name).read_bytes() for name in names}


def assert_same(ours, theirs):
    ours, theirs = data_of(ours), data_of(theirs)
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []


SEGMENTATIONS = {
    "characters": "-c codes",
    "characters without their alphabet": "-c bare",
    "bytes": "-c bytes",
    "bbpe": "--encoder bbpe -c bytes",
    "byte_level": "--encoder byte_level",
    "char_level": "--encoder char_level",
    "options": "-c codes -m 30 --separator ## --glossaries h[aä]us",
    "unknown": "-c codes -m 30 --unknown unk",
    "subword-nmt": "-c codes --compat subword-nmt",
    "fairseq's bytes": "--encoder byte_level --compat fairseq",
    "fairseq's characters": "--encoder char_level --compat fairseq",
}


@pytest.mark.parametrize("name", SEGMENTATIONS)
def test_every_encoding(raw, tmp_path, monkeypatch, name):
    monkeypatch.chdir(raw)
    options = SEGMENTATIONS[name].split()
    segment(raw, tmp_path / "segmented", options)
    for number, kind in enumerate(([], ["--joined-dictionary"])):
        pair = ["-s", "de", "-t", "en", *kind, "--destdir"]
        theirs, ours = tmp_path / f"theirs{number}", tmp_path / f"ours{number}"
        prefix = tmp_path / "segmented"
        preprocess(*pair, theirs, "--trainpref", prefix / "train", "--validpref", prefix / "valid")
        run("binarize", *pair, ours, "--trainpref", "train", "--validpref", "valid", *options)
        assert_same(ours, theirs)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    "kind",
    [
        "--thresholdsrc 3 --thresholdtgt 2",
        "--nwordssrc 40 --nwordstgt 30 --padding-factor 1",
        "--joined-dictionary --thresholdsrc 4 --nwordssrc 60",
        "--only-source",
        "--srcdict given --tgtdict given",
        "--srcdict given",
        "--joined-dictionary --tgtdict given",
    ],
)
def test_every_dictionary(raw, tmp_path, monkeypatch, threads, kind):
    monkeypatch.chdir(tmp_path)
    Path("given").write_text("haus 5\nl@@ 3\no@@ 3\nx 1\n", encoding="utf-8")
    segment(raw, tmp_path / "segmented", ["-c", raw / "codes"])
    pair = ["-s", "de", "-t", "en", *kind.split(), "--destdir"]

    def texts(at):
        splits = "--trainpref {0}/train --validpref {0}/valid,{0}/test --testpref {0}/test"
        return splits.format(at).split()

    preprocess(*pair, "theirs", "--workers", threads, *texts("segmented"))
    run("binarize", *pair, "ours", "--num-workers", 4 - threads, "-c", raw / "codes", *texts(raw))
    assert_same(Path("ours"), Path("theirs"))


def test_without_languages(raw, tmp_path, monkeypatch):
    """Text for a language model."""
    monkeypatch.chdir(tmp_path)
    run("apply-bpe", "-i", raw / "train.de", "-c", raw / "codes", "-o", "segmented")
    preprocess("--only-source", "--trainpref", "segmented", "--destdir", "theirs")
    run(
        "binarize", "--only-source", "--trainpref", raw / "train.de", "-c", raw / "codes",
        "--destdir", "ours",
    )  # fmt: skip
    assert_same(Path("ours"), Path("theirs"))


@pytest.fixture
def many(raw, tmp_path, monkeypatch):
    """Two languages with English, named like the raw text of the X-En task."""
    monkeypatch.chdir(tmp_path)
    Path("text").mkdir()
    for number, language in enumerate(("de", "si")):
        for side in (language, "en"):
            text = text_of(f"{language}{side}", 50 + number)
            Path(f"text/train.{language}-en.{side}").write_bytes(text.encode("utf-8"))
    for side in ("de", "en"):
        shutil.copy(raw / f"valid.{side}", f"text/valid.de-en.{side}")
    return tmp_path


BINARIZE_MANY = "binarize -t en --trainpref text/train --validpref text/valid --destdir data"


def test_many_pairs(many, raw):
    run(*BINARIZE_MANY.split(), "--joined-dictionary", "-c", raw / "codes")
    for path in sorted(Path("text").iterdir()):
        run("apply-bpe", "-i", path, "-c", raw / "codes", "-o", f"{path}.bpe")
    everything = sorted(Path("text").glob("train*.bpe"))
    Path("all.de").write_bytes(b"".join(path.read_bytes() for path in everything))
    preprocess("-s", "de", "--only-source", "--trainpref", "all", "--destdir", "dictionary")
    for path in Path("text").glob("*.bpe"):
        path.rename(f"text/{path.stem}")  # replaces the raw text
    for language in ("de", "si"):
        valid = ["--validpref", "text/valid.de-en"] if language == "de" else []
        preprocess(
            "-s", language, "-t", "en", "--trainpref", f"text/train.{language}-en", *valid,
            "--srcdict", "dictionary/dict.de.txt", "--tgtdict", "dictionary/dict.de.txt", "--destdir",
            "theirs",
        )  # fmt: skip
    assert_same(Path("data"), Path("theirs"))


def test_compressed_text(many, raw):
    run(*BINARIZE_MANY.split(), "-c", raw / "codes")
    for path in sorted(Path("text").iterdir()):
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    run(*BINARIZE_MANY.replace("data", "again").split(), "-c", raw / "codes")
    assert_same(Path("again"), Path("data"))


def test_learning_is_learn_bpe(raw, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    texts = ["-s", "de", "-t", "en", "--trainpref", raw / "train"]
    options = ["--unit", "byte", "--measure", "dlg-weighted"]
    run("binarize", *texts, "--learn", 40, "--joint", *options, "--destdir", "joint")
    said = capfd.readouterr().err
    run("learn-bpe", "-i", raw / "train.de", raw / "train.en", "-s", 40, *options, "-o", "codes")
    assert Path("joint/codes").read_bytes() == Path("codes").read_bytes()
    assert Path("joint/codes.json").read_bytes() == Path("codes.json").read_bytes()
    record = json.loads(Path("joint/binarize.json").read_text(encoding="utf-8"))
    assert f"signature: {record['signatures']['']}\n" in said
    run("binarize", *texts, "-c", "codes", "--destdir", "given")
    assert_same(Path("joint"), Path("given"))
    run("binarize", *texts, "--learn", 30, "--destdir", "apart")
    for side in ("de", "en"):
        run("learn-bpe", "-i", raw / f"train.{side}", "-s", 30, "-o", side)
        assert Path(f"apart/codes.{side}").read_bytes() == Path(side).read_bytes()


def test_codes_and_vocabulary_of_each_side(raw, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("words").write_text("h@@ 1\na@@ 1\n", encoding="utf-8")
    pair = ["-s", "de", "-t", "en", "--destdir"]
    Path("segmented").mkdir()
    run("apply-bpe", "-i", raw / "train.de", "-c", raw / "codes", "-o", "segmented/train.de")
    run(
        "apply-bpe", "-i", raw / "train.en", "-c", raw / "bare", "--vocabulary", "words", "-m", 99,
        "-o", "segmented/train.en",
    )  # fmt: skip
    preprocess(*pair, "theirs", "--trainpref", "segmented/train")
    run(
        "binarize", *pair, "ours", "--trainpref", raw / "train", "-c", raw / "codes",
        "--target-codes", raw / "bare", "--target-vocabulary", "words",
    )  # fmt: skip
    ours, theirs = data_of(Path("ours")), data_of(Path("theirs"))
    assert {name for name in theirs if ours[name] != theirs[name]} == set()
    assert Path("ours/codes.target").read_bytes() == (raw / "bare").read_bytes()


def test_dropout_is_for_training(raw, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    common = ["-s", "de", "-t", "en", "--trainpref", raw / "train", "--validpref", raw / "valid"]
    plain = [*common, "--encoder", "bbpe", "-c", raw / "bytes", "--destdir"]
    run("binarize", *plain, "plain")
    dictionary = ["--srcdict", "plain/dict.de.txt", "--tgtdict", "plain/dict.en.txt"]
    drawn = {}
    for name, seed, threads in (("a", 1, 1), ("b", 1, 3), ("c", 2, 2)):
        options = ["--dropout", 0.3, "--seed", seed, "--num-workers", threads]
        run("binarize", *plain, name, *options, *dictionary)
        drawn[name] = data_of(Path(name))
    assert drawn["a"] == drawn["b"]
    assert drawn["a"]["train.de-en.de.bin"] != drawn["c"]["train.de-en.de.bin"]
    assert drawn["a"]["train.de-en.de.bin"] != data_of(Path("plain"))["train.de-en.de.bin"]
    assert drawn["a"]["valid.de-en.de.bin"] == data_of(Path("plain"))["valid.de-en.de.bin"]
    # The seed of a text is that of apply-bpe --output-dir for a file of its name.
    capfd.readouterr()
    shutil.copy(raw / "train.de", "train.de-en.de")
    run(
        "apply-bpe", "-i", "train.de-en.de", "--encoder", "bbpe", "-c", raw / "bytes", "--dropout", 0.3,
        "--seed", 1, "--output-dir", "segmented",
    )  # fmt: skip
    preprocess(
        "-s", "de", "-t", "en", "--only-source", "--trainpref", "segmented/train.de-en", "--srcdict",
        "plain/dict.de.txt", "--destdir", "theirs",
    )  # fmt: skip
    assert drawn["a"]["train.de-en.de.bin"] == Path("theirs/train.de-en.de.bin").read_bytes()


def test_the_record(raw, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Path("dict").write_text("haus 5\n", encoding="utf-8")
    run(
        "binarize", "-s", "de", "-t", "en", "--trainpref", raw / "train", "-c", raw / "codes",
        "--joined-dictionary", "--srcdict", "dict", "--destdir", "data",
    )  # fmt: skip
    record = json.loads(Path("data/binarize.json").read_text(encoding="utf-8"))
    text = record["texts"]["train.de-en.de"]
    segmented = Path("segmented")
    run("apply-bpe", "-i", raw / "train.de", "-c", raw / "codes", "-o", segmented)
    lines = segmented.read_text(encoding="utf-8").split("\n")[:-1]
    tokens = [token for line in lines for token in line.split()]
    assert text["lines"] == len(lines)
    assert text["tokens"] == len(tokens) + len(lines)
    assert text["unknown"] == sum(token != "haus" for token in tokens)
    assert text["unknown_share"] == text["unknown"] / text["tokens"]
    assert record["dictionaries"]["joined"]["symbols"] == 5
    assert set(record["versions"]) == {"fairseq_subword_ext", "numpy"}
    share = 100 * text["unknown_share"]
    assert f"train.de-en.de: {len(lines)} lines, {text['tokens']} tokens, {share:.3g} % <unk>" in (
        capfd.readouterr().err
    )


def test_the_command_itself(many, raw, subword):
    process = subword(*BINARIZE_MANY.split(), "-c", raw / "codes", cwd=many)
    assert process.stdout == ""
    assert "signature: unit:char|" in process.stderr
    assert (many / "data/train.si-en.si.idx").is_file()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-t en -c codes", "give at least one of --trainpref, --validpref and --testpref"),
        ("--trainpref train -c codes", "give the target language (-t); without -s, every language paired with it is a source"),
        ("-s de --trainpref train -c codes", "give the target language (-t), or --only-source"),
        ("-s en -t en --trainpref train -c codes", "en is the target language, and cannot be a source language"),
        ("-s de,de -t en --trainpref train -c codes", "-s de,de: expected languages such as de,fr, each once"),
        ("-s de -t fr --trainpref train -c codes", "train.fr: no such text (nor train.de-fr.fr), compressed or not"),
        ("-t fr --trainpref train -c codes", "no language is paired with fr: looked for train.XX-fr.XX"),
        ("-s de,en -t fr --trainpref train -c codes", "train.*: no language pair has this text"),
        ("-s de -t en --trainpref train", "--encoder generalized_bpe needs --codes FILE"),
        ("-s de -t en --trainpref train -c codes --learn 9", "--learn makes the codes: leave out -c and --target-codes"),
        ("-s de -t en --validpref valid --learn 9", "--learn needs a text to learn from (--trainpref)"),
        ("-s de -t en --trainpref train --learn 9 --encoder byte_level", "--encoder byte_level has no codes to learn"),
        ("-s de -t en --trainpref train -c codes --joint", "--joint goes with --learn N"),
        ("-s de -t en --validpref valid -c codes", "dict.de.txt, dict.en.txt: no training text to count it from (--trainpref), and no dictionary given"),
        ("-s de -t en --trainpref train -c codes --joined-dictionary --srcdict a --tgtdict b", "--joined-dictionary: give --srcdict or --tgtdict, not both"),
        ("-s de -t en --trainpref train -c codes --padding-factor 0", "--padding-factor 0: expected 1 or more"),
        ("-s de -t en --trainpref short -c codes", "short.de has 3 lines but short.en has 2: they must be the two sides of one text"),
        ("-s de -t en --trainpref broken -c codes", "broken.en:2: byte 3 of the line (0xFF) is not UTF-8"),
        ("-s de -t en --trainpref torn -c codes", "torn.en:2: found a carriage return inside the line"),
        ("-s de -t en --trainpref torn -c codes --compat subword-nmt", "torn.en:2: found a carriage return inside the line, which --compat subword-nmt keeps"),
    ],
)  # fmt: skip
def test_what_is_wrong(raw, tmp_path, monkeypatch, capfd, line, message):
    for name in ("train.de", "train.en", "valid.de", "valid.en", "codes", "codes.json"):
        shutil.copy(raw / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, second in (
        ("short", b"a\nb\n"),
        ("broken", b"a\nb \xff\nc\n"),
        ("torn", b"a\nb\rc\nd\n"),
    ):
        Path(f"{name}.de").write_bytes(b"a\nb\nc\n")
        Path(f"{name}.en").write_bytes(second)
    run("binarize", *line.split(), "--destdir", "data", status=1)
    said = capfd.readouterr().err.strip().split("\n")[-1]
    assert said.startswith(f"fairseq-subword binarize: error: {message}")
    assert not list(Path("data").glob("[!.]*"))
