"""The recipe of Table 8 on synthetic text in the layout of the released files."""

import io
import json
import random
import re
import sys
import tarfile
import zipfile

import pytest
from conftest import ROOT, run_command
from recipe_helpers import lines_of

RECIPE = ROOT / "scripts" / "flores_si_en"
SETS = "wikipedia_en_ne_si_test_sets"
LETTERS = "abcdefgh"
JOINED = "ක්\u200dර"  # a conjunct, which a zero-width joiner makes


def english(number, seed):
    """Sentences of at least seven words, which every BPE splits into at least six pieces."""
    source = random.Random(seed)
    return [
        " ".join("".join(source.choices(LETTERS, k=4)) for _ in range(source.randint(7, 9)))
        for _ in range(number)
    ]


def sinhala(text):
    return JOINED + "".join(chr(0x0D9A + LETTERS.index(c)) if c in LETTERS else c for c in text)


def as_bytes(lines):
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """The archives with their real names and contents such as README, lone \\r and empty sides."""
    folder = tmp_path_factory.mktemp("raw")
    for seed, name in enumerate(("GNOME", "Ubuntu", "KDE4", "OpenSubtitles")):
        lines = english(30, seed)
        sources = list(map(sinhala, lines))
        if name == "GNOME":
            sources[4] = sources[4].replace(" ", "\r", 1)
            sources[7] = ""
            lines[8] = lines[8] + "\r"  # before the line's end: no second line
            lines[9] = "ab"  # too short
        with zipfile.ZipFile(folder / f"{name}-en-si.txt.zip", "w") as archive:
            archive.writestr("README", "made")
            archive.writestr(f"{name}.en-si.si", as_bytes(sources))
            archive.writestr(f"{name}.en-si.en", as_bytes(lines))
    with tarfile.open(folder / f"{SETS}.tgz", "w:gz") as archive:
        for seed, part in enumerate(("dev", "devtest", "test")):
            lines = english(9, 10 + seed)
            for side, text in ("si", list(map(sinhala, lines))), ("en", lines):
                content = as_bytes(text)
                member = tarfile.TarInfo(f"{SETS}/wikipedia.{part}.si-en.{side}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return folder


def recipe(work, *arguments, cwd, check=True):
    return run_command(
        "bash", RECIPE / "run.sh", "--work", work, *arguments,
        cwd=cwd, check=check, timeout=1400,
        # A terminal sets LINES; it is not one of our settings.
        env={"PYTHON_BIN": sys.executable, "PYTHONPATH": str(ROOT), "LINES": "7"},
    )  # fmt: skip


SMALL = """--cpu --updates 2 --parent-updates 2 --workers 1
--set model.encoder_layers=1 --set model.decoder_layers=1
--set model.encoder_embed_dim=16 --set model.decoder_embed_dim=16
--set model.encoder_ffn_embed_dim=16 --set model.decoder_ffn_embed_dim=16
--set dataset.num_workers=0 --set +task.max_target_positions=50""".split()


@pytest.fixture(scope="module")
def corpus(raw, tmp_path_factory):
    """The first step alone."""
    folder = tmp_path_factory.mktemp("flores")
    process = recipe(folder / "run", "--raw", raw, "--cpu", "--workers", 1, cwd=folder)
    return folder / "run" / "corpus", process.stdout


def test_each_stage_prints_expected_and_measured_figures(corpus):
    _, printed = corpus
    assert "GNOME.en-si: 30 pairs; lines with a carriage return inside, now a space: 1" in printed
    assert "left out: 1; zero-width joiners, kept: 29" in printed
    assert "train: 118 of 119 pairs kept; shorter than 6 pieces: 1" in printed
    assert re.search(r"train .*405K +118\b", printed)
    assert re.search(r"test .*2,766 +9\b", printed)
    # Without any system, the table has only the paper's figures.
    for row, figure in ("BPE 5K, from scratch", "7.2"), ("fine-tuned embed, enc", "9.0"):
        assert re.search(rf"{row} +paper +{figure}", printed)


def test_sides_stay_parallel_and_joiners_are_kept(corpus):
    folder, _ = corpus
    sources, targets = (lines_of(folder / f"train.si-en.{side}") for side in ("si", "en"))
    assert len(sources) == len(targets) == 118
    assert all(sinhala(target) == source for source, target in zip(sources, targets))
    assert all(JOINED in source for source in sources)
    # dev and devtest of the archive's three; no pair of them is left out.
    assert lines_of(folder / "valid.si-en.en") == english(9, 10)
    assert lines_of(folder / "test.si-en.en") == english(9, 11)


def test_a_file_that_is_missing_is_named(tmp_path):
    process = recipe("run", "--raw", tmp_path, cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert f"{SETS}.tgz" in process.stderr.splitlines()[-1]
    assert "github.com/facebookresearch/flores" in process.stderr


def test_a_system_needs_the_text_of_its_subwords(tmp_path):
    process = recipe("run", "enc", cwd=tmp_path, check=False)
    assert process.returncode == 1 and "enc needs --xen DIR" in process.stderr


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_from_the_archives_to_the_table(raw, corpus, tmp_path):
    pytest.importorskip("fairseq")
    xen = tmp_path / "xen"
    xen.mkdir()
    for language, first in ("el", 0x03B1), ("ru", 0x0430):
        for seed, (split, count) in enumerate((("train", 40), ("valid", 9))):
            lines = english(count, 20 + seed)
            sources = [
                "".join(chr(first + LETTERS.index(c)) if c in LETTERS else c for c in line)
                for line in lines
            ]
            for side, text in (language, sources), ("en", lines):
                (xen / f"{split}.{language}-en.{side}").write_bytes(as_bytes(text))
    systems = ["bpe_5k", "zero_shot", "embed_enc"]
    process = recipe("run", "--raw", raw, "--xen", xen, *SMALL, *systems, cwd=tmp_path)
    printed = process.stdout
    for what in (
        "the text that the BBPE is learned from",
        "the parent's training and validation data",
    ):
        assert re.search(rf"0D80-0DFF in {what}: 0 \(read [1-9]", printed)
    assert "different characters of 0D80-0DFF in train.si-en.si: 10 (paper: 77)" in printed
    assert re.search(r"dict.txt, kept; <unk>: 0 of [1-9]", printed)
    found = printed[printed.index("BPE 5K, from scratch") :]
    assert len(re.findall(r"here, detokenized +\d+\.\d\d", found)) == 3
    assert found.count("here: not run") == 4 and "nrefs:1|" in found
    for system in systems:
        scores = json.loads((tmp_path / "run" / "systems" / system / "scores.json").read_text())
        assert set(scores["figures"]) == {"BLEU"}
        hypotheses = (tmp_path / "run" / "systems" / system / "test.out").read_text(
            encoding="utf-8"
        )
        assert len(re.findall(r"^D-\d+", hypotheses, re.M)) == 9
    import torch

    def weights(folder):
        path = tmp_path / "run" / folder / "checkpoints" / "checkpoint_best.pt"
        return torch.load(path, weights_only=True)["model"]

    parent, child = weights("parent"), weights("systems/embed_enc")
    changed = {name for name in parent if not torch.equal(parent[name], child[name])}
    assert changed and not any(name.startswith("decoder.layers") for name in changed)


@pytest.mark.parametrize("config", sorted((ROOT / "configs" / "flores_si_en").glob("*.yaml")))
def test_every_row_has_the_sizes_of_the_paper(config):
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(config.read_text(encoding="utf-8"))
    model, parts = found["model"], found["task"].get("finetune")
    assert (model["encoder_layers"], model["encoder_embed_dim"]) == (5, 512)
    assert (model["decoder_ffn_embed_dim"], model["decoder_attention_heads"]) == (2048, 2)
    assert model["dropout"] == 0.4
    if config.stem != "parent":
        assert model["attention_dropout"] == model["activation_dropout"] == 0.2
    assert model["embedding_context"] == ("none" if "bpe_5k" in config.stem else "gru")
    if config.stem.startswith("finetune_"):
        assert parts.replace("+", "_") == config.stem[len("finetune_") :]
    else:
        assert parts is None
