"""The recipe of Wang, Cho & Gu 2020 for transfer to Sinhala, from made files to Table 8."""

import argparse
import random
import re
import zipfile

import pytest
import yaml
from conftest import ROOT
from recipe_helpers import (
    TINY_TRANSFORMER,
    bleu,
    lines_of,
    recipe,
    scores_of,
    table_rows,
    translations,
)
from recipes.engine.systems import read_systems
from recipes.flores_si_en import parent_text
from recipes.flores_si_en import recipe as flores

NAME = "flores_si_en"
ROWS = read_systems(flores.RECIPE.home / "systems.tsv")
LETTERS = "abcdefgh"
JOINED = "ක්\u200dර"  # a conjunct, which a zero-width joiner makes


def english(number, seed):
    """Sentences of at least seven words, which every BPE splits into at least six pieces."""
    source = random.Random(seed)
    return [
        " ".join("".join(source.choices(LETTERS, k=4)) for _ in range(source.randint(7, 9)))
        for _ in range(number)
    ]


def in_script(text, first):
    return "".join(chr(first + LETTERS.index(c)) if c in LETTERS else c for c in text)


def sinhala(text):
    return JOINED + in_script(text, 0x0D9A)


def as_bytes(lines):
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """OPUS' archives with their real names and contents such as README, lone \\r and empty sides; FLoRes unpacked."""
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
    sets = folder / flores.FLORES
    sets.mkdir()
    for seed, part in enumerate(("dev", "devtest", "test")):
        lines = english(9, 10 + seed)
        (sets / f"wikipedia.{part}.si-en.si").write_bytes(as_bytes(map(sinhala, lines)))
        (sets / f"wikipedia.{part}.si-en.en").write_bytes(as_bytes(lines))
    return folder


@pytest.fixture(scope="module")
def xen(tmp_path_factory):
    """X-En text of Moses tokens; every ninth Russian line quotes Sinhala."""
    folder = tmp_path_factory.mktemp("xen")
    for language, first in (("el", 0x03B1), ("ru", 0x0430)):
        for seed, (split, count) in enumerate((("train", 40), ("valid", 9))):
            lines = english(count, 20 + seed)
            sources = [in_script(line, first) for line in lines]
            if language == "ru":
                sources = [f"{x} ක" if n % 9 == 0 else x for n, x in enumerate(sources)]
            for side, text in ((language, sources), ("en", lines)):
                tokens = [f"{line} &apos;s , ok ." for line in text]
                (folder / f"{split}.{language}-en.{side}").write_bytes(as_bytes(tokens))
    return folder


@pytest.fixture(scope="module")
def corpus(raw, tmp_path_factory):
    """The first step alone."""
    folder = tmp_path_factory.mktemp("flores")
    ran = recipe(NAME, "--work", folder, "--raw", raw, "--cpu", "--workers", 1)
    return folder / "corpus" / "si", ran.stdout


def test_the_corpus_and_the_papers_figures(corpus):
    _, printed = corpus
    assert (
        "GNOME.en-si: 30 pairs; with an empty side, left out: 1; zero-width joiners, kept: 29"
        in printed
    )
    assert "train: 118 of 119 pairs kept; shorter than 6 pieces: 1" in printed
    assert re.search(r"train .*405K +118\b", printed)
    assert re.search(r"test .*2,766 +9\b", printed)
    # Without any system, the table has only the paper's figures.
    table = table_rows(printed, "Sinhala-English")
    assert [row[2] for row in table if row[1:2] == ["paper"]] == [
        "7.2", "7.1", "0.3", "8.3", "8.1", "9.0", "8.6"
    ]  # fmt: skip


def test_sides_stay_parallel_and_joiners_are_kept(corpus):
    folder, _ = corpus
    sources, targets = (lines_of(folder / f"train.si-en.{side}") for side in ("si", "en"))
    assert len(sources) == len(targets) == 118
    assert all(sinhala(target) == source for source, target in zip(sources, targets))
    assert all(JOINED in source for source in sources)
    # dev and devtest of FLoRes' three; no pair of them is left out.
    assert lines_of(folder / "valid.si-en.en") == english(9, 10)
    assert lines_of(folder / "test.si-en.en") == english(9, 11)


def test_the_parents_text_is_running_text_without_sinhala(corpus, xen, tmp_path, capsys):
    pytest.importorskip("sacremoses")

    def prepare(raw):
        out = tmp_path / str(raw)
        parent_text.prepare(argparse.Namespace(corpus=xen, child=corpus[0], out=out, raw=raw, lines=20, workers=1))  # fmt: skip
        return out, capsys.readouterr().out

    out, printed = prepare(raw=False)
    assert "train: 37 pairs of 2 languages into English; left out for a Sinhala character: 3" in printed  # fmt: skip
    assert "valid: 17 pairs" in printed
    assert "different Sinhala characters in train.si-en.si: 10 (paper: 77)" in printed
    assert lines_of(out / "train.ru-en.en")[0] == f"{english(40, 20)[1]}'s, ok."
    assert all(line.endswith("'s, ok.") for line in lines_of(out / "train.el-en.el"))
    out, _ = prepare(raw=True)
    assert lines_of(out / "train.el-en.en")[0] == f"{english(40, 20)[0]} &apos;s , ok ."
    (out / "valid.el-en.el").write_text("a\nb\u0dff\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"valid\.el-en\.el:2: U\+0DFF"):
        parent_text.check(out)


def test_a_file_that_is_missing_is_named(tmp_path):
    ran = recipe(NAME, "--work", tmp_path / "run", "--raw", tmp_path, "--cpu", check=False)
    assert ran.status == 1
    error = ran.stderr.splitlines()[-1]
    assert f"{flores.FLORES}.tgz" in error and "github.com/facebookresearch/flores" in error


def test_a_row_needs_the_text_of_its_subwords(tmp_path):
    ran = recipe(NAME, "--work", tmp_path / "run", "bpe_5k", "enc", check=False)
    assert ran.status == 1 and "error: enc needs --xen DIR" in ran.stderr
    assert not (tmp_path / "run").exists()


def plan(xen, *rows):
    ran = recipe(NAME, "--work", "/nowhere", "--cpu", "--xen", xen, "--dry-run", "--parent-updates", 7, "--updates", 5, *rows)  # fmt: skip
    return ran.stdout.replace("\\\n", "")


def test_the_parent_is_trained_for_those_who_start_from_it(xen):
    assert re.findall(r"--config-name (\w+)", plan(xen, "bbpe_4k_gru")) == ["scratch"]
    shown = plan(xen, "zero_shot", "bpe_5k", "enc")
    assert re.findall(r"--config-name (\w+)", shown) == ["parent", "baseline", "finetune"]
    assert re.findall(r"max_update=(\d+)", shown) == ["7", "5", "5"]
    assert set(re.findall(r"update_freq=\[(\d+)\]", shown)) == {"4"}
    model = '"$WORK"/systems/xen/checkpoints/checkpoint_best.pt'
    assert f"task.finetune=enc task.parent_checkpoint={model}" in re.sub(r"\s+", " ", shown)
    assert f"--path {model}" in shown  # zero_shot
    assert re.search(r"--beam 5 --lenpen\s+1\.2", shown)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_the_papers_settings(row):
    if not row["config"]:
        return
    path = ROOT / "configs" / NAME / f"{row['config']}.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    model = config["model"]
    for side in ("encoder", "decoder"):
        names = ("layers", "embed_dim", "ffn_embed_dim", "attention_heads")
        assert [model[f"{side}_{name}"] for name in names] == [5, 512, 2048, 2]
        assert model.get(f"{side}_normalize_before", False) == (row.name == "bpe_5k")
    assert model["dropout"] == 0.4
    expected = 0.1 if row.name == "xen" else 0.2
    assert model["attention_dropout"] == model["activation_dropout"] == expected
    assert model["embedding_context"] == ("none" if row.name == "bpe_5k" else "gru")
    assert config["task"].get("valid_sample") == (22000 if row.name == "xen" else None)
    baseline = config["criterion"]["label_smoothing"], config["optimizer"].get("weight_decay")
    assert baseline == ((0.2, 1e-4) if row.name == "bpe_5k" else (0.1, None))
    finetuned = row.name in ("enc", "enc_dec", "embed_enc", "all")
    assert finetuned == (config["task"]["_name"] == "transfer_x_en")
    if finetuned:
        parts = (row.flags("set") or [f"task.finetune={config['task']['finetune']}"])[0]
        assert parts == f"task.finetune={row.name.replace('_', '+')}"


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_from_the_files_to_table_8(raw, xen, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    names = ["bpe_5k", "zero_shot", "embed_enc"]
    ran = recipe(
        NAME, "--work", tmp_path, "--raw", raw, "--xen", xen, "--cpu", "--workers", 1, "--updates", 2,
        *TINY_TRANSFORMER, "--set", "optimization.update_freq=[1]",
        "--generate", "--max-len-a 0 --max-len-b 12", *names,
    )  # fmt: skip
    table = table_rows(ran.stdout, "Sinhala-English")
    reference = lines_of(tmp_path / "corpus" / "si" / "test.si-en.en")
    for row in ROWS:
        if row.name in names:
            folder = tmp_path / "systems" / row.name
            lines = translations(folder / "test.out")
            scores = scores_of(folder / "test.json")["si"].scores
            assert scores["BLEU"] == pytest.approx(bleu(lines, reference))
            place = table.index([row["row"], "paper", row.figures["si"]])
            assert table[place + 2] == ["here, BLEU", f"{scores['BLEU']:.2f}"]
    assert len([row for row in table if row[0] == "here: not run"]) == 4
    segmentations = {row[0]: row[1:] for row in table_rows(ran.stdout, "Segmentations")}
    # The parent's dictionary spells Sinhala, of which its text has nothing.
    assert segmentations["bbpe_4k"][3] == "0.00"
    assert "bpe_5k" in segmentations and "xen_bbpe_4k" not in segmentations

    def weights(system):
        path = tmp_path / "systems" / system / "checkpoints" / "checkpoint_best.pt"
        return torch.load(path, weights_only=True)["model"]

    parent, child = weights("xen"), weights("embed_enc")
    changed = {name for name in parent if not torch.equal(parent[name], child[name])}
    assert changed and not any(name.startswith("decoder.layers") for name in changed)
