"""The baselines under Fairseq's own commands; --replace-unk with a back-off dictionary."""

import json
import sys

import pytest
from conftest import PACKAGE, run_command
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
--no-epoch-checkpoints --num-workers 0""".split()
GENERATION = [
    "--cpu",
    "--num-workers",
    "0",
    "--required-batch-size-multiple",
    "1",
    "--max-len-b",
    "60",
    "-s",
    "xx",
]
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
