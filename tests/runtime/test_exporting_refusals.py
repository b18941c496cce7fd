"""export-model refuses what it cannot export in one line, before it writes anything."""

import argparse
import io
import json
import tarfile

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("fairseq")

from fairseq.data import Dictionary  # noqa: E402
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_REGISTRY  # noqa: E402

import fairseq_subword_ext  # noqa: E402
from fairseq_subword_ext.checkpoints.exporting import ModelSource, encoding_of  # noqa: E402
from fairseq_subword_ext.checkpoints.exporting_model import check_supported  # noqa: E402
from fairseq_subword_ext.cli.main import main  # noqa: E402


@pytest.fixture
def refused(tmp_path, capsys):
    """Runs export-model and returns its error line."""

    def run(*arguments):
        output = tmp_path / "never written"
        assert main(["export-model", *map(str, arguments), "-o", str(output)]) == 1
        assert not output.exists()
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        return lines[0]

    return run


def test_not_a_model(refused, tmp_path):
    assert "no such file" in refused(tmp_path / "nowhere.pt")
    assert "neither a packed model nor checkpoint_best.pt" in refused(tmp_path)
    (tmp_path / "nothing.pt").write_bytes(b"nothing")
    assert "nothing.pt" in refused(
        tmp_path / "nothing.pt", "--data", tmp_path, "--bpe", "byte_level"
    )
    assert "expected KEY=VALUE" in refused("x.pt", "--bpe-option", "separator")


def test_other_folders_are_not_touched(tmp_path, capsys):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").touch()
    (tmp_path / "file").touch()
    (tmp_path / "model.pt").touch()
    for name, message in (("thesis", "has other content"), ("file", "this is a file")):
        arguments = [tmp_path / "model.pt", "--data", tmp_path, "-o", tmp_path / name]
        assert main(["export-model", *map(str, arguments)]) == 1
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("{", "not a manifest"),
        ('{"checkpoints": {}}', "an ensemble of 0 models"),
        ('{"checkpoints": {"model1.pt": 1, "model2.pt": 1}}', "an ensemble of 2 models"),
        ('{"checkpoints": {"../model.pt": 1}}', "leads out of the folder"),
    ],
)
def test_packed_folders(refused, tmp_path, manifest, message):
    (tmp_path / "MANIFEST.json").write_text(manifest, "utf-8")
    assert message in refused(tmp_path)


def test_hostile_archives_write_nothing_outside(refused, tmp_path):
    archive = tmp_path / "model.tar.gz"
    for name, message in (
        ("../escaped", "not an archive of package-model"),
        ("x/y", "no MANIFEST"),
    ):
        with tarfile.open(archive, "w:gz") as tar:
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
        assert message in refused(archive)
    assert not (tmp_path.parent / "escaped").exists()


def checked(**options):
    """Checks an untrained model."""
    fairseq_subword_ext.register()
    dictionary = Dictionary()
    for number in range(20):
        dictionary.add_symbol(f"s{number}")
    task = argparse.Namespace(source_dictionary=dictionary, target_dictionary=dictionary)
    sizes = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in {"layers": 1, "embed_dim": 8, "ffn_embed_dim": 8, "attention_heads": 2}.items()
    }  # fmt: skip
    arch = options.pop("arch", "contextualized_transformer")
    args = argparse.Namespace(**{**sizes, **options})
    ARCH_CONFIG_REGISTRY[arch](args)
    model = ARCH_MODEL_REGISTRY[arch].build_model(args, task)
    check_supported(model, "model.pt")


def test_supported_models():
    for arch in ("transformer", "gru_transformer", "contextualized_transformer"):
        checked(arch=arch)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adaptive_softmax_cutoff": "5,10"}, "--adaptive-softmax-cutoff"),
        ({"cross_self_attention": True, "no_cross_attention": True}, "--cross-self-attention"),
        ({"arch": "lstm"}, "LSTMModel cannot be exported; contextualized_transformer"),
    ],
)
def test_unsupported_models(options, message):
    if options.get("arch") == "lstm":
        options = {**options, "encoder_hidden_size": 8, "decoder_hidden_size": 8, "criterion": ""}
    with pytest.raises(ValueError, match=message):
        checked(**options)


@pytest.mark.parametrize(
    ("own", "encoder", "options", "message"),
    [
        (None, None, {}, "give --bpe NAME and --codes FILE"),
        (None, "subword_nmt", {}, "--bpe generalized_bpe --bpe-option bpe_compat=subword-nmt"),
        (None, "bbpe", {}, "--bpe bbpe needs --codes FILE"),
        (None, "byte_level", {"bpe_colour": "red"}, "--bpe-option bpe_colour: expected one of"),
        ({"_name": "bbpe", "bpe_codes": "gone"}, None, {}, "--bpe-codes .*gone: no such file"),
        ({"_name": "bbpe", "bpe_codes": "gone"}, "generalized_bpe", {}, "needs --codes"),
    ],
)
def test_encoders_that_are_not_enough(own, encoder, options, message, tmp_path):
    source = ModelSource(tmp_path / "model.pt", tmp_path, encoder, options)
    with pytest.raises(ValueError, match=message):
        encoding_of(source, argparse.Namespace(bpe=own))


def test_encoders_of_the_checkpoint(tmp_path):
    (tmp_path / "bpecodes").write_text("#version: byte-1\n", "utf-8")
    own = {"_name": "bbpe", "bpe_codes": "bpecodes", "bpe_errors": None}
    source = ModelSource(tmp_path / "model.pt", tmp_path)
    found = encoding_of(source, argparse.Namespace(bpe=own))
    assert found == {"_name": "bbpe", "bpe_codes": tmp_path / "bpecodes"}
    given = ModelSource(tmp_path / "model.pt", tmp_path, "none", {})
    assert encoding_of(given, argparse.Namespace(bpe=own)) == {"_name": "none"}
    assert json.dumps(own)
