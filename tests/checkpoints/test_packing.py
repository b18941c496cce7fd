"""package-model: archives that from_pretrained loads with nothing else."""

import hashlib
import json
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import run_command
from package_helpers import SEARCH
from task_helpers import PACKAGE

from fairseq_subword_ext.checkpoints import archive as archive_module
from fairseq_subword_ext.checkpoints.packed_checkpoint import option, set_where_present
from fairseq_subword_ext.cli.main import main

pytest_plugins = ["task_helpers", "package_helpers"]
pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch")

# A user's code after unpacking, for several archives in one process.
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


def package(*arguments):
    return main(["package-model", *map(str, arguments)])


def unpack(archive: Path, to: Path) -> dict:
    """Unpacks an archive, checks its manifest against the files, and returns the manifest."""
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
        sys.executable, "-m", "fairseq_subword_ext", "package-model", models.run,
        "-o", archives / "parent.tar.gz", env={"PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert "scores/scores.json" in process.stdout and "sha256" in process.stdout
    parent = [models.run, "-o", archives / "parent.tgz"]
    child = ["--checkpoint", models.child, "--codes", models.work / "segmentations/bbpe_2k/codes"]
    both = models.own("--generate", SEARCH["pair"], "-o", archives / "both.tar.gz")
    both.insert(2, models.pair / "seed2" / "checkpoint_best.pt")
    # The child's parent is missing but not needed.
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
    gone = models.place.rename(tmp_path / "gone")  # the runs have been moved away
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

    assert manifests["both"]["task"] == {"name": "translation", "languages": "de into en"}
    assert " -s de -t en " in manifests["both"]["command"]
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
            if name == "both":
                task = state["cfg"]["task"]
                assert (task["source_lang"], task["target_lang"]) == ("de", "en")
            assert "last_optimizer_state" not in state
            assert str(models.place) not in json.dumps(state["cfg"], default=vars)
        assert str(models.place) not in (place / name / "training.yaml").read_text("utf-8")


def test_an_archive_with_onnx_translates_without_fairseq(models, tmp_path, capsys):
    assert package(models.run, "--with-onnx", "-o", tmp_path / "x.tar.gz") == 0
    unpack(tmp_path / "x.tar.gz", tmp_path)
    assert "translate onnx < text" in (tmp_path / "x" / "README.md").read_text("utf-8")
    text, output = tmp_path / "text", tmp_path / "translated"
    text.write_text("".join(f"{line}\n" for line in models.sources["parent"]), "utf-8")
    assert (
        main(["translate", str(tmp_path / "x" / "onnx"), "-i", str(text), "-o", str(output)]) == 0
    )
    assert output.read_text("utf-8").splitlines() == models.outputs["parent"]


def test_an_ensemble_cannot_be_packed_with_onnx(models, tmp_path, capsys):
    arguments = models.own("--with-onnx", "-o", tmp_path / "x.tar.gz")
    arguments.insert(2, models.pair / "seed2" / "checkpoint_best.pt")
    assert package(*arguments) == 1
    assert "an ensemble cannot be exported" in capsys.readouterr().err


@pytest.fixture
def package_pair(models, tmp_path):
    """Packages the pair's model, with flags that replace or follow the right ones."""

    def call(*flags, **replaced):
        arguments = models.own()
        for key, value in replaced.items():
            arguments[arguments.index(f"--{key}") + 1] = value
        return package(*arguments, *flags, "-o", tmp_path / "x.tar.gz")

    return call


def test_parts_that_do_not_match_are_refused(models, tmp_path, package_pair, capsys):
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
        f"it has {len(lines) + 5} symbols" in message
        and f"the model has {len(lines) + 4}" in message
    )
    # The same number of symbols in another order.
    (data / "dict.de.txt").write_text("\n".join([lines[1], lines[0], *lines[2:]]) + "\n", "utf-8")
    message = refused(data=data)
    assert "(line 1: " in message and "dict.de.txt does not belong to" in message
    (data / "dict.de.txt").write_text("a b c\n", "utf-8")
    assert "expected 'symbol count'" in refused(data=data)
    other = models.work / "segmentations" / "bbpe_2k" / "codes"
    assert "cannot produce" in refused(codes=other)
    assert "cannot produce" in refused("--bpe", "generalized_bpe", codes=other)
    assert "takes no --codes" in refused("--bpe", "char_level")
    assert "Fairseq knows" in refused("--bpe", "bpe")
    assert "has bpe_compat" in refused("--bpe-option", "separator=_")
    assert "expected KEY=VALUE" in refused("--bpe-option", "separator")
    assert "--beam: invalid int" in refused("--generate", "--beam many")
    broken = tmp_path / "broken.pt"
    broken.write_bytes((models.pair / "seed1" / "checkpoint_best.pt").read_bytes()[:5000])
    assert "not a readable checkpoint" in refused(checkpoint=broken)
    assert "either RUN" in refused(models.run)
    assert "must be JSON" in refused("--scores", models.pair / "char.codes")
    assert "another file already has this name" in refused("--add", right, right)
    arguments = models.own("-o", tmp_path / "x.zip")
    assert package(*arguments) == 1 and "must end in .tar.gz or .tgz" in capsys.readouterr().err
    assert "give both -s and -t" in refused("-s", "de")
    message = refused(
        "--checkpoint", models.pair / "seed2" / "checkpoint_best.pt", "-s", "ru", "-t", "en"
    )
    assert (
        "seed2/checkpoint_best.pt translates from de into en, but -s and -t from ru into en"
        in message
    )
    assert package(models.run, "-s", "de", "-t", "en", "-o", tmp_path / "x.tgz") == 1
    assert "leave out -s and -t" in capsys.readouterr().err
    assert package(models.place, "-o", tmp_path / "x.tgz") == 1
    assert "expected the folder of a system" in capsys.readouterr().err
    dictionary = models.work / "segmentations" / "bbpe_2k" / "bin" / "dict.en.txt"
    good = dictionary.read_text("utf-8")
    try:  # the tasks of this package keep their dictionary in the checkpoint
        swapped = good.split("\n")
        dictionary.write_text("\n".join([swapped[1], swapped[0], *swapped[2:]]), "utf-8")
        assert package(models.run, "-o", tmp_path / "x.tgz") == 1
        assert f"does not belong to {models.run}" in capsys.readouterr().err
    finally:
        dictionary.write_text(good, "utf-8")


def test_an_interrupt_keeps_the_old_archive(models, tmp_path, package_pair, monkeypatch):
    assert package_pair() == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {"x.tar.gz", "x.tar.gz.sha256"}
    write = archive_module._Hashed.write
    written = []

    def interrupted(self, data):
        written.append(len(data))
        if sum(written) > 1000:
            raise KeyboardInterrupt
        return write(self, data)

    monkeypatch.setattr(archive_module._Hashed, "write", interrupted)
    assert package_pair("--keep-optimizer") == 130
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_optimizer_is_kept_on_request(models, tmp_path, package_pair):
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


def test_a_package_names_no_file_that_embeddings_were_read_from(models, tmp_path, package_pair):
    state = torch.load(models.pair / "seed1" / "checkpoint_best.pt", weights_only=True)
    for side in "encoder", "decoder":
        set_where_present(state["cfg"]["model"], f"{side}_embed_path", "embeddings.txt")
    torch.save(state, tmp_path / "embedded.pt")
    assert package_pair(checkpoint=tmp_path / "embedded.pt") == 0
    unpack(tmp_path / "x.tar.gz", tmp_path / "out")
    packed = torch.load(tmp_path / "out" / "x" / "model.pt", weights_only=True)["cfg"]["model"]
    assert option(state["cfg"]["model"], "encoder_embed_path") == "embeddings.txt"
    assert option(packed, "encoder_embed_path") is option(packed, "decoder_embed_path") is None


def test_an_ensemble_of_models_that_read_other_input_is_refused(models, tmp_path, capsys):
    first = models.pair / "seed1" / "checkpoint_best.pt"
    state = torch.load(models.pair / "seed2" / "checkpoint_best.pt", weights_only=True)
    state["task_state"] = {"multilingual_x_en": {"source_lang_token": True}}
    other = tmp_path / "marked.pt"
    torch.save(state, other)
    arguments = models.own("-o", tmp_path / "x.tar.gz")
    assert package(*arguments[:2], other, *arguments[2:]) == 1
    assert f"{first} and {other} cannot form an ensemble" in capsys.readouterr().err
    assert not (tmp_path / "x.tar.gz").exists()
