"""The baselines under Fairseq's own commands; --replace-unk with a back-off dictionary."""

import json
import sys

import pytest
from conftest import PACKAGE, ROOT, run_command
from planted_names import make_corpus

pytest.importorskip("fairseq")

from fairseq_subword_ext.codecs.registry import BASELINES

# Runs Fairseq's commands in one process, since starting each takes longer than its work.
DRIVER = """
import contextlib, importlib, json, sys
from pathlib import Path
from fairseq_subword_ext.cli.main import main

def fairseq(command, *arguments, output="log"):
    sys.argv = [f"fairseq-{command}", *map(str, arguments)]
    with open(output, "w", encoding="utf-8") as stream, contextlib.redirect_stdout(stream):
        importlib.import_module(f"fairseq_cli.{command}").cli_main()

def subword(*arguments, output=None):
    arguments = [str(argument) for argument in arguments]
    if output:
        arguments += ["-o", str(output)]
    assert main(arguments) == 0, arguments
"""

TRAINING = """--optimizer adam --lr 0.01 --max-tokens 1000 --cpu --log-format simple --seed 3
--criterion cross_entropy --required-batch-size-multiple 1 --arch transformer --dropout 0
--encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 32 --encoder-ffn-embed-dim 64
--decoder-ffn-embed-dim 64 --encoder-attention-heads 1 --decoder-attention-heads 1
--no-epoch-checkpoints""".split()
GENERATION = ["--cpu", "--required-batch-size-multiple", "1", "--max-len-b", "60", "-s", "xx"]
GENERATION += ["-t", "yy", "--user-dir", str(PACKAGE)]

ALL_BASELINES = f"""
OPTIONS = {{
    "word": ["--shortlist", 20, "--train"],
    "characters": [],
    "char-ngrams": ["--shortlist", 10, "--train"],
    "compounds": ["--train"],
    "morfessor": ["--train"],
    "hyphenation": ["--lang", "de"],
}}
for name, options in OPTIONS.items():
    folder = Path(name)
    folder.mkdir()
    for language in "xx", "yy":
        learned = [f"train.{{language}}"] if "--train" in options else []
        for split in "train", "test":
            subword("segment-baseline", name, "-i", f"{{split}}.{{language}}", *options, *learned,
                    output=folder / f"{{split}}.{{language}}")
    fairseq("preprocess", "-s", "xx", "-t", "yy", "--trainpref", folder / "train", "--validpref",
            folder / "test", "--testpref", folder / "test", "--destdir", folder / "bin")
    fairseq("train", folder / "bin", "--save-dir", folder, "--max-update", 2, *{TRAINING!r})
    fairseq("generate", folder / "bin", "--path", folder / "checkpoint_last.pt", *{GENERATION!r},
            output=folder / "generated")
    lines = [line.split("\\t") for line in (folder / "generated").read_text("utf-8").split("\\n")]
    decoded = {{int(line[0][2:]): line[2] for line in lines if line[0].startswith("D-")}}
    (folder / "output").write_text("".join(decoded[i] + "\\n" for i in sorted(decoded)), "utf-8")
    subword("restore", "--encoder", name, "-i", folder / "output", output=folder / "text")
    subword("score", "-r", "test.yy", "--train", "train.yy", "--json", folder / "score.json",
            folder / "text")
"""

BACK_OFF = f"""
subword("segment-baseline", "word", "-i", "train.xx", "--parallel", "train.yy",
        "--write-dictionary", "dict", output="words.xx")
subword("segment-baseline", "word", "-i", "train.yy", "--train", "train.yy", "--shortlist", 24,
        output="unknown.yy")
cut = ["--nwordssrc", 28, "--nwordstgt", 28]
fairseq("preprocess", "-s", "xx", "-t", "yy", "--trainpref", "train", "--validpref", "valid",
        "--destdir", "bin", *cut)
fairseq("preprocess", "-s", "xx", "-t", "yy", "--testpref", "test", "--srcdict", "bin/dict.xx.txt",
        "--tgtdict", "bin/dict.yy.txt", "--dataset-impl", "raw", "--destdir", "raw")
fairseq("train", "bin", "--save-dir", "model", "--max-epoch", 8, *{TRAINING!r})
for name, option in ("dictionary", ["--replace-unk", "dict"]), ("copy", ["--replace-unk"]):
    fairseq("generate", "raw", "--dataset-impl", "raw", "--path", "model/checkpoint_best.pt",
            "--print-alignment", *{GENERATION!r}, *option, output=name)
subword("score", "-r", "test.yy", "--train", "unknown.yy", "--json", "score.json",
        "dictionary", "copy")
"""


def write(folder, corpus):
    for split in "train", "test":
        for side, language in enumerate(("xx", "yy")):
            text = corpus.text(split, side)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
            lines = text.splitlines(keepends=True)[:50]
            (folder / f"valid.{language}").write_text("".join(lines), encoding="utf-8")


def drive(folder, script):
    run_command(sys.executable, "-c", DRIVER + script, cwd=folder, timeout=580)


def scores_of(path):
    return {entry["name"]: entry for entry in json.loads(path.read_text("utf-8"))["systems"]}


@pytest.mark.slow
def test_every_baseline_is_trained_translated_and_scored(tmp_path):
    write(tmp_path, make_corpus(lines=60, test_lines=11, names=20))
    drive(tmp_path, ALL_BASELINES)
    for name in BASELINES:
        folder = tmp_path / name
        text = (folder / "text").read_text("utf-8")
        assert text.count("\n") == 11
        assert "@@" not in text
        assert (
            "num_updates: 2" in (folder / "generated").read_text("utf-8")
            or (folder / "checkpoint_last.pt").is_file()
        )
        (system,) = scores_of(folder / "score.json").values()
        assert system["lines"] == 11
    check_ensemble(tmp_path)


def script(name, *arguments, cwd):
    environment = {"PYTHON_BIN": sys.executable, "PYTHONPATH": str(ROOT)}
    path = ROOT / "scripts" / "baselines" / name
    return run_command("bash", path, *arguments, cwd=cwd, env=environment, timeout=580)


def check_ensemble(folder):
    """An ensemble of four models: the last two epochs of two seeds."""
    options = """--config config/tiny.yaml --data compounds/bin --seeds 3,5 --checkpoints 2 --cpu
    --update-freq 1 --work ensemble --set optimization.max_epoch=2 --set dataset.max_tokens=2000
    --set model.share_all_embeddings=false""".split()
    (folder / "config").symlink_to(ROOT / "configs" / "contextualized_transformer")
    generation = "--beam 2 --max-len-b 8 --required-batch-size-multiple 1"
    process = script("ensemble.sh", *options, "--generate", generation, cwd=folder)
    models = (folder / "ensemble" / "ensemble" / "models.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in models.splitlines()]
    assert [row[0] for row in rows] == ["seed", "3", "3", "5", "5"]
    assert [row[1].rsplit("/", 1)[1] for row in rows[1:]] == [
        "checkpoint1.pt",
        "checkpoint2.pt",
    ] * 2
    assert process.stdout.endswith(models)
    assert (folder / "ensemble" / "ensemble" / "out.txt").read_text("utf-8").count("\nH-") == 11


@pytest.mark.slow
def test_compare_prints_one_row_per_segmentation(tmp_path):
    write(tmp_path, make_corpus(lines=100, names=20))
    options = "train.xx --translation train.yy --lang de --merges 50 --joint-merges 60 --work work"
    process = script("compare.sh", *options.split(), "--shortlist", 30, cwd=tmp_path)
    first_table = process.stdout.split("\n\n")[1].split("\n")
    assert first_table[0].split() == ["Segmentation", "Tokens", "Types", "Unknown"]
    table = {}
    for line in first_table[2:-1]:
        name, *numbers = line.replace(",", "").split()
        table[name] = [int(number) for number in numbers]
    words = (tmp_path / "train.xx").read_text("utf-8").splitlines()[:95]
    assert table["none"][0] == sum(len(line.split(" ")) for line in words)
    assert table["characters"][0] == sum(len(line.replace(" ", "")) for line in words)
    assert {"char-bigrams", "char-trigrams", "compounds", "morfessor", "hyphenation", "BPE",
            "BPE-joint", "char-bigrams-shortlist"} < set(table)  # fmt: skip
    assert table["characters"][1] < table["char-bigrams"][1]
    assert table["none"][2] >= table["BPE"][2]
    # The second run only measures.
    again = script("compare.sh", *options.split(), "--shortlist", 30, cwd=tmp_path)
    assert "BPE.train: done before, kept" in again.stderr
    assert again.stdout == process.stdout


@pytest.mark.slow
def test_the_dictionary_beats_copying_for_a_trained_model(tmp_path):
    """On 2,000 generated lines with planted names; OOVs are words missing from the network's vocabulary."""
    pytest.importorskip("thot")
    write(tmp_path, make_corpus())
    drive(tmp_path, BACK_OFF)
    scores = scores_of(tmp_path / "score.json")
    unknown = {name: scores[name]["words"]["oov"]["f1"] for name in ("dictionary", "copy")}
    assert unknown["dictionary"] > unknown["copy"] + 15
    assert unknown["copy"] > 10
    assert "<unk>" not in "".join(
        line for line in (tmp_path / "copy").read_text().split("\n") if line.startswith("D-")
    )
