"""scripts/package_model.sh: archives that from_pretrained loads with nothing else."""

import hashlib
import json
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT, run_command
from task_helpers import PACKAGE, TINY, Corpus, cipher, make_sentences
from transfer_helpers import ARCH

from fairseq_subword_ext.cli.main import main as subword
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.line_codecs import make_codec
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
sys.path.insert(0, str(ROOT / "scripts" / "packaging"))
import packed_archive
from package_model import build_parser, run
from script import run_script

pytest_plugins = ["task_helpers"]
pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch")

SEARCH = {
    "parent": "--beam 5",
    "child": "--beam 4 --lenpen 0.6",
    "pair": "--beam 2 --max-len-a 0 --max-len-b 9",
}
# What a user types after unpacking, for several archives in one process.
LOADING = """
import json, sys
import fairseq_subword_ext
from fairseq.models import BaseFairseqModel

fairseq_subword_ext.register()
for folder, beam, *sentences in json.load(sys.stdin):
    checkpoints = "model1.pt:model2.pt" if folder == "both" else "model.pt"
    model = BaseFairseqModel.from_pretrained(folder, checkpoints)
    print(json.dumps(model.translate(sentences, beam=beam)))
"""


class Models:
    """A many-to-English run of a recipe with byte-level subwords, its child in another script, and a
    model of the user's own for one pair with character-level subwords."""

    def __init__(self, place: Path, fairseq_command):
        self.place, self.command = place, fairseq_command
        self.work = place / "runs" / "some work"
        self.sources, self.outputs = {}, {}
        self.run = self.make_recipe_run()
        self.child = self.make_child()
        self.pair = self.make_pair()

    def learn(self, codes: Path, corpus: Path, *flags) -> None:
        codes.parent.mkdir(parents=True)
        texts = [str(path) for path in sorted(corpus.glob("train.*")) if path.suffix != ".idx"]
        assert not subword(
            ["learn-bpe", "-i", *texts, "-o", str(codes), "--num-workers", "1", *flags]
        )

    def binarize(self, folder: Path, texts: Path, languages, symbols, encode) -> None:
        corpus = Corpus(folder)
        corpus.dictionary, corpus.encode = type(corpus.dictionary)(), encode
        for symbol in symbols:
            corpus.dictionary.add_symbol(symbol, 2)
        for language in languages:
            for split in "train", "valid", "test":
                sides = [
                    (texts / f"{split}.{language}-en.{side}").read_text("utf-8").split("\n")[:-1]
                    for side in (language, "en")
                ]
                corpus.add(language, split, sides[1], sides[0])

    def write_texts(self, folder: Path, languages) -> Path:
        folder.mkdir()
        for language in languages:
            for seed, (split, lines) in enumerate((("train", 24), ("valid", 9), ("test", 5))):
                english = make_sentences(lines, seed)
                for side, text in (
                    ("en", english),
                    (language, [cipher(x, language) for x in english]),
                ):
                    path = folder / f"{split}.{language}-en.{side}"
                    path.write_text("".join(f"{line}\n" for line in text), "utf-8")
        return folder

    def translate(self, name: str, data: Path, checkpoint, language: str, *flags) -> None:
        printed = self.command(
            "generate", data, "--path", checkpoint, "--cpu", "-s", language, "-t", "en", "--batch-size", 2,
            "--required-batch-size-multiple", 1, *flags, *SEARCH[name].split(),
        )  # fmt: skip
        found = printed.outputs()
        self.outputs[name] = [found[number] for number in sorted(found)]

    def make_recipe_run(self) -> Path:
        texts = self.write_texts(self.place / "texts", ("de", "ru"))
        segmentation = self.work / "segmentations" / "bbpe_2k"
        codes = segmentation / "codes"
        self.learn(codes, texts, "--unit", "byte", "-s", "20")
        codec = make_codec("bbpe", codes)
        self.symbols = list(dict.fromkeys([*BYTE_SYMBOLS, *codec.symbols]))
        self.binarize(segmentation / "bin", texts, ("de", "ru"), self.symbols, codec.encode)
        folder = self.work / "systems" / "bbpe_2k_gru"
        self.command(
            "train", segmentation / "bin", *TINY, *ARCH, "--save-dir", folder / "checkpoints",
            "--source-langs", "de,ru", "--max-epoch", 3,
        )  # fmt: skip
        scores = {"figures": {"all": {"BLEU": 1.5}}, "file": str(folder / "test.out")}
        (folder / "scores.json").write_text(json.dumps(scores), "utf-8")
        (self.work / "recipe").write_text("ted58_x_en\n", "utf-8")
        self.sources["parent"] = (texts / "test.ru-en.ru").read_text("utf-8").split("\n")[:-1]
        checkpoint = folder / "checkpoints" / "checkpoint_best.pt"
        self.translate(
            "parent", segmentation / "bin", checkpoint, "ru", "--task", "multilingual_x_en",
            "--bpe", "bbpe", "--bpe-codes", codes,
        )  # fmt: skip
        return folder

    def make_child(self) -> Path:
        texts = self.write_texts(self.place / "child texts", ("si",))
        segmentation = self.work / "segmentations" / "bbpe_2k"
        codec = make_codec("bbpe", segmentation / "codes")
        data = self.place / "child data"
        self.binarize(data, texts, ("si",), self.symbols, codec.encode)
        folder = self.place / "child"
        parent = self.run / "checkpoints" / "checkpoint_best.pt"
        self.command(
            "train", data, *TINY, *ARCH, "--save-dir", folder, "--task", "transfer_x_en",
            "--parent-checkpoint", parent, "--finetune", "embed+enc",
        )  # fmt: skip
        self.sources["child"] = (texts / "test.si-en.si").read_text("utf-8").split("\n")[:-1]
        self.translate(
            "child", data, folder / "checkpoint_best.pt", "si", "--task", "transfer_x_en",
            "--bpe", "bbpe", "--bpe-codes", segmentation / "codes",
        )  # fmt: skip
        return folder / "checkpoint_best.pt"

    def make_pair(self) -> Path:
        texts = self.place / "texts"
        codes = self.place / "pair" / "char.codes"
        self.learn(codes, texts, "-s", "12", "--measure", "dlg-weighted")
        segmenter = Segmenter(MergeTable.load(codes))
        subword(["build-dict", "-c", str(codes), "-o", str(self.place / "pair" / "dict.txt")])
        lines = (self.place / "pair" / "dict.txt").read_text("utf-8").split("\n")[:-1]
        symbols = [line.rpartition(" ")[0] for line in lines]
        data = self.place / "pair" / "bin"
        self.binarize(data, texts, ("de",), symbols, segmenter.segment_line)
        for seed in 1, 2:
            self.command(
                "train", data, *TINY, "--task", "translation", "-s", "de", "-t", "en", "--seed", seed,
                "--save-dir", self.place / "pair" / f"seed{seed}", "--max-epoch", 2,
            )  # fmt: skip
        self.sources["pair"] = (texts / "test.de-en.de").read_text("utf-8").split("\n")[:-1]
        checkpoints = [self.place / "pair" / f"seed{n}" / "checkpoint_best.pt" for n in (1, 2)]
        self.translate(
            "pair", data, ":".join(map(str, checkpoints)), "de", "--task", "translation",
            "--bpe", "generalized_bpe", "--bpe-codes", codes,
        )  # fmt: skip
        return self.place / "pair"

    def own(self, *flags) -> list:
        """The arguments for the pair's first model."""
        return [
            "--checkpoint", self.pair / "seed1" / "checkpoint_best.pt", "--data", self.pair / "bin",
            "--codes", self.pair / "char.codes", *flags,
        ]  # fmt: skip


_made = {}


@pytest.fixture
def models(tmp_path_factory, fairseq_command):
    if not _made:
        _made["models"] = Models(tmp_path_factory.mktemp("models"), fairseq_command)
    return _made["models"]


def package(*arguments):
    return run_script(build_parser(), run, [str(argument) for argument in arguments])


def unpack(archive: Path, to: Path) -> dict:
    """Unpacks, checks the manifest against the files, and gives it."""
    with tarfile.open(archive) as tar:
        tar.extractall(to, filter="data")
        members = tar.getmembers()
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {
        (0, 0, 0, "", "", 0o644)
    }
    folder = to / archive.name.split(".")[0]
    manifest = json.loads((folder / "MANIFEST.json").read_text("utf-8"))
    listed = {item["name"]: item for item in manifest["files"]}
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    assert set(found) == {*listed, "MANIFEST.json"}
    for name, item in listed.items():
        content = found[name].read_bytes()
        assert (item["size"], item["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    checksum = archive.with_name(archive.name + ".sha256").read_text()
    assert checksum == f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
    return manifest


def test_unpacked_models_translate_as_fairseq_generate_did(models, tmp_path, capsys):
    archives = tmp_path / "archives"
    archives.mkdir()
    process = run_command(
        "bash", ROOT / "scripts" / "package_model.sh", models.run, "-o", archives / "parent.tar.gz",
        env={"PYTHON_BIN": sys.executable, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert "scores/scores.json" in process.stdout and "sha256" in process.stdout
    parent = [models.run, "-o", archives / "parent.tgz"]
    child = ["--checkpoint", models.child, "--codes", models.work / "segmentations/bbpe_2k/codes"]
    both = models.own("--generate", SEARCH["pair"], "-o", archives / "both.tar.gz")
    both.insert(2, models.pair / "seed2" / "checkpoint_best.pt")
    # The child's parent is not at hand, and not needed.
    checkpoint = models.run / "checkpoints" / "checkpoint_best.pt"
    hidden = checkpoint.rename(checkpoint.with_name("hidden"))
    try:
        assert not package(*child, "--generate", SEARCH["child"], "-o", archives / "child.tar.gz")
    finally:
        hidden.rename(checkpoint)
    assert not package(*both)
    assert not package(*parent)
    # The same input gives the same bytes, in another process and with other hashes too.
    assert (archives / "parent.tgz").read_bytes() == (archives / "parent.tar.gz").read_bytes()
    assert sorted(path.name for path in archives.iterdir()) == sorted(
        name + end for name in ("parent.tgz", "parent.tar.gz", "child.tar.gz", "both.tar.gz") for end in ("", ".sha256")
    )  # fmt: skip

    place = tmp_path / "elsewhere"
    place.mkdir()
    manifests = {
        name: unpack(archives / f"{name}.tar.gz", place) for name in ("parent", "child", "both")
    }
    gone = models.place.rename(tmp_path / "gone")  # nothing of the runs is where it was
    try:
        beams = {"parent": 5, "child": 4, "both": 2}
        asked = [
            [name, beam, *models.sources["pair" if name == "both" else name]]
            for name, beam in beams.items()
        ]
        process = run_command(
            sys.executable, "-c", LOADING, cwd=place, input=json.dumps(asked), env={"PYTHONPATH": str(PACKAGE.parent)}
        )  # fmt: skip
    finally:
        gone.rename(models.place)
    translated = dict(zip(beams, map(json.loads, process.stdout.split("\n")[:-1])))
    assert translated["parent"] == models.outputs["parent"]
    assert translated["child"] == models.outputs["child"]
    assert translated["both"] == models.outputs["pair"]
    assert len({*models.outputs["parent"], *models.outputs["child"], *models.outputs["pair"]}) > 3

    about = manifests["parent"]
    assert about["about"] == {"recipe": "ted58_x_en", "system": "bbpe_2k_gru", "row": "BBPE 2K+"}
    assert about["task"]["languages"] == "de,ru into en"
    assert "unit:byte" in about["codes"] and about["checkpoints"]["model.pt"]["updates"] > 3
    assert {"fairseq_subword_ext", "torch"} < set(about["versions"])
    readme = (place / "parent" / "README.md").read_text("utf-8")
    assert "\n".join(about["load"]) in readme and 'from_pretrained("parent")' in readme
    assert manifests["both"]["load"][4].endswith('from_pretrained("both", "model1.pt:model2.pt")')
    scores = json.loads((place / "parent" / "scores" / "scores.json").read_text("utf-8"))
    assert scores == {"figures": {"all": {"BLEU": 1.5}}, "file": "test.out"}
    metadata = json.loads((place / "parent" / "bpecodes.json").read_text("utf-8"))
    assert metadata["unit"] == "byte" and len(metadata["alphabet"]) > 10
    for name in "parent", "child", "both":
        for path in (place / name).glob("*.pt"):
            state = torch.load(path, weights_only=True)
            assert "last_optimizer_state" not in state
            assert str(models.place) not in json.dumps(state["cfg"], default=vars)
        assert str(models.place) not in (place / name / "training.yaml").read_text("utf-8")


@pytest.fixture
def package_pair(models, tmp_path):
    """Packages the pair's model, with flags that replace or follow the right ones."""

    def call(*flags, **replaced):
        arguments = models.own()
        for key, value in replaced.items():
            arguments[arguments.index(f"--{key}") + 1] = value
        return package(*arguments, *flags, "-o", tmp_path / "x.tar.gz")

    return call


def test_what_does_not_belong_together_is_refused(models, tmp_path, package_pair, capsys):
    def refused(*flags, **replaced):
        assert package_pair(*flags, **replaced) == 1
        assert not list(tmp_path.glob("*.gz*")) and not list(tmp_path.glob(".x*"))
        message = capsys.readouterr().err
        assert message.count("\n") == 1 and "Traceback" not in message
        return message

    assert "there is no such file" in refused(checkpoint=models.pair / "none.pt")
    data = tmp_path / "data"
    data.mkdir()
    assert "no dict.de.txt in" in refused(data=data)
    right = models.pair / "bin" / "dict.de.txt"
    lines = right.read_text("utf-8").split("\n")[:-1]
    (data / "dict.en.txt").write_text(right.read_text("utf-8"), "utf-8")
    (data / "dict.de.txt").write_text("\n".join([*lines, "more 1"]) + "\n", "utf-8")
    message = refused(data=data)
    assert f"dict.de.txt does not belong to {models.pair}" in message
    assert (
        f"it has {len(lines) + 5} symbols" in message and f"the model {len(lines) + 4}" in message
    )
    # As many symbols, in another order.
    (data / "dict.de.txt").write_text("\n".join([lines[1], lines[0], *lines[2:]]) + "\n", "utf-8")
    message = refused(data=data)
    assert "symbol 5 is" in message and "which it was trained with" in message
    (data / "dict.de.txt").write_text("a b c\n", "utf-8")
    assert "not a dictionary of fairseq-preprocess" in refused(data=data)
    other = models.work / "segmentations" / "bbpe_2k" / "codes"
    assert "never make" in refused(codes=other)
    assert "never make" in refused("--bpe", "generalized_bpe", codes=other)
    assert "takes no --codes" in refused("--bpe", "char_level")
    assert "Fairseq knows" in refused("--bpe", "bpe")
    assert "has bpe_compat" in refused("--bpe-option", "separator=_")
    assert "expected KEY=VALUE" in refused("--bpe-option", "separator")
    assert "--beam: invalid int" in refused("--generate", "--beam many")
    broken = tmp_path / "broken.pt"
    broken.write_bytes((models.pair / "seed1" / "checkpoint_best.pt").read_bytes()[:5000])
    assert "torch cannot read this as a checkpoint" in refused(checkpoint=broken)
    assert "either RUN" in refused(models.run)
    assert "has to be JSON" in refused("--scores", models.pair / "char.codes")
    assert "another file of this name" in refused("--add", right, right)
    arguments = models.own("-o", tmp_path / "x.zip")
    assert package(*arguments) == 1 and "has to end in .tar.gz or .tgz" in capsys.readouterr().err
    assert package(models.place, "-o", tmp_path / "x.tgz") == 1
    assert "expected the folder of a system" in capsys.readouterr().err
    dictionary = models.work / "segmentations" / "bbpe_2k" / "bin" / "dict.en.txt"
    good = dictionary.read_text("utf-8")
    try:  # the tasks of this package keep their dictionary in the checkpoint
        swapped = good.split("\n")
        dictionary.write_text("\n".join([swapped[1], swapped[0], *swapped[2:]]), "utf-8")
        assert package(models.run, "-o", tmp_path / "x.tgz") == 1
        assert "in the checkpoint" in capsys.readouterr().err
    finally:
        dictionary.write_text(good, "utf-8")


def test_an_interrupt_leaves_what_was_there(models, tmp_path, package_pair, monkeypatch):
    assert package_pair() == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {"x.tar.gz", "x.tar.gz.sha256"}
    write = packed_archive._Hashed.write
    written = []

    def interrupted(self, data):
        written.append(len(data))
        if sum(written) > 1000:
            raise KeyboardInterrupt
        return write(self, data)

    monkeypatch.setattr(packed_archive._Hashed, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        package_pair("--keep-optimizer")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_optimizer_stays_where_asked(models, tmp_path, package_pair):
    assert (
        package_pair("--keep-optimizer", "--bpe-option", "bpe-separator=@@", "--add", __file__) == 0
    )
    manifest = unpack(tmp_path / "x.tar.gz", tmp_path / "out")
    assert manifest["optimizer_state"] == "kept"
    state = torch.load(tmp_path / "out" / "x" / "model.pt", weights_only=True)
    assert state["last_optimizer_state"]["state"]
    assert (tmp_path / "out" / "x" / "more" / Path(__file__).name).is_file()
    assert manifest["encoder"] == {
        "_name": "generalized_bpe", "bpe_codes": "bpecodes", "bpe_separator": "@@"
    }  # fmt: skip
