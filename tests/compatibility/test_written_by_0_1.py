"""Files written by release 0.1.0 can be read and give the same output.

``data`` has codes in every format with their metadata, a SentencePiece model of byte text, a
vocabulary, dictionaries, a text in many scripts under every encoding, and a model of a synthetic
language: the checkpoint from fairseq-train, and the archive packed from it.
"""

import shutil
import tarfile
from pathlib import Path

import pytest

from fairseq_subword_ext.cli.main import main

DATA = Path(__file__).resolve().parent / "data"

CODES = ["-c", "char-0.2.codes"]
VOCABULARY = ["--vocabulary", "vocabulary.txt", "--vocabulary-threshold", "2"]

# Name of the encoded text -> flags of apply-bpe, and the --encoder and --compat of restore.
ENCODED = {
    "char-0.2": (CODES, "generalized_bpe", None),
    "char-0.2-subword-nmt": ([*CODES, "--compat", "subword-nmt"], "generalized_bpe", "subword-nmt"),
    "char-0.1": (["-c", "char-0.1.codes"], "generalized_bpe", None),
    "vocabulary": ([*CODES, *VOCABULARY], "generalized_bpe", None),
    "byte-codes": (["-c", "byte.codes"], "bbpe", None),
    "bbpe": (["--encoder", "bbpe", "-c", "byte.codes"], "bbpe", None),
    "bbpe-model": (["--encoder", "bbpe", "-c", "byte.model"], "bbpe", None),
    "byte_level": (["--encoder", "byte_level"], "byte_level", None),
    "char_level": (["--encoder", "char_level"], "char_level", None),
    "bbpe-fairseq": (
        ["--encoder", "bbpe", "-c", "byte.model", "--compat", "fairseq"],
        "bbpe",
        "fairseq",
    ),
    "byte_level-fairseq": (
        ["--encoder", "byte_level", "--compat", "fairseq"],
        "byte_level",
        "fairseq",
    ),
    "char_level-fairseq": (
        ["--encoder", "char_level", "--compat", "fairseq"],
        "char_level",
        "fairseq",
    ),
}

BASELINES = {"word": [], "characters": [], "char-ngrams": ["--n", "3"]}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in ``data`` and returns its output."""
    monkeypatch.chdir(DATA)

    def call(*arguments):
        out = tmp_path / "out"
        assert main([*arguments, "-o", str(out)]) == 0
        return out.read_bytes()

    return call


@pytest.mark.parametrize("name", ENCODED)
def test_text_is_encoded_and_restored_as_before(name, run, capsys):
    flags, encoder, compat = ENCODED[name]
    assert (
        run("apply-bpe", "-i", "lines.txt", *flags) == (DATA / f"encoded/{name}.txt").read_bytes()
    )
    assert "signature: " in capsys.readouterr().err
    back = ["--encoder", encoder, *(["--compat", compat] if compat else [])]
    restored = run("restore", "-i", f"encoded/{name}.txt", *back)
    assert restored == (DATA / f"decoded/{name}.txt").read_bytes()


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_segment_as_before(name, run):
    encoded = run("segment-baseline", name, *BASELINES[name], "-i", "lines.txt")
    assert encoded == (DATA / f"encoded/baseline-{name}.txt").read_bytes()
    restored = run("restore", "--encoder", name, "-i", f"encoded/baseline-{name}.txt")
    assert restored == (DATA / f"decoded/baseline-{name}.txt").read_bytes()
    assert restored == (DATA / "lines.txt").read_bytes()


def test_vocabularies_and_dictionaries_are_as_before(run):
    counted = run("get-vocab", "-i", "encoded/char-0.2.txt")
    assert counted == (DATA / "vocabulary.txt").read_bytes()
    for codes, dictionary in (("char-0.2.codes", "dict.char.txt"), ("byte.codes", "dict.byte.txt")):
        assert run("build-dict", "-c", codes) == (DATA / dictionary).read_bytes()


@pytest.mark.parametrize(
    ("codes", "signature"),
    [
        (
            "char-0.2.codes",
            "unit:char|marker:0.2|merges:60/60|measure:frequency|ties:greatest|min:2|corpus:train.txt|"
            "sha256:e3faedb0d697|codes:544698cd8b4b|version:0.1.0",
        ),
        (
            "byte.codes",
            "unit:byte|marker:byte-1|merges:60/60|measure:dlg-weighted|ties:greatest|min:2|"
            "corpus:train.txt|sha256:e3faedb0d697|dlg-counts:tokens|codes:1ca2639d0d40|version:0.1.0",
        ),
    ],
)
def test_signatures_are_as_before(codes, signature, run, capsys):
    run("apply-bpe", "-i", "lines.txt", "-c", codes)
    assert f"signature: {signature}\n" in capsys.readouterr().err


def translations(folder, checkpoint, **options):
    """Translates the sources with a model in a folder."""
    pytest.importorskip("fairseq")
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    from fairseq.models import BaseFairseqModel

    model = BaseFairseqModel.from_pretrained(str(folder), checkpoint, **options)
    sources = (DATA / "model" / "sources.txt").read_text(encoding="utf-8").split("\n")[:-1]
    # An untrained model would give other lines; this one spells most words correctly.
    expected = (DATA / "model" / "translations.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert len(set(expected)) > 3
    return model.translate(sources, beam=2, max_len_a=0, max_len_b=30), expected


def test_a_checkpoint_translates_as_before(tmp_path):
    shutil.copy(DATA / "model" / "checkpoint.pt", tmp_path)
    shutil.copy(DATA / "model" / "dict.en.txt", tmp_path)
    found, expected = translations(
        tmp_path,
        "checkpoint.pt",
        data_name_or_path=".",
        source_langs=None,  # their data is not here
        bpe="bbpe",
        bpe_codes=str(DATA / "byte.codes"),
    )
    assert found == expected


def test_a_packed_model_translates_as_before(tmp_path):
    with tarfile.open(DATA / "model" / "packed.tar.gz") as archive:
        for member in archive.getmembers():
            target = tmp_path / member.name
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(archive.extractfile(member).read())
    found, expected = translations(tmp_path / "packed", "model.pt")
    assert found == expected
