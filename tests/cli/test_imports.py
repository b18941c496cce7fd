"""No command imports fairseq or torch, which are slow to import and not needed to segment text."""

import sys

import pytest
from conftest import run_command

from fairseq_subword_ext.cli.main import COMMANDS

PREPARE = """
import sys
from pathlib import Path
from fairseq_subword_ext.cli.main import main

def run(*arguments):
    assert main([str(argument) for argument in arguments]) == 0, arguments

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"fairseq", "torch", "subword_nmt"}:
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Forbidden())
Path("text").write_text("low low lower newest newest widest\\n" * 9)
Path("counts").write_text("low 5\\nnewest 6\\n")
"""

RUNS = {
    "user-dir": ["user-dir"],
    "learn-bpe": ["learn-bpe", "-i", "text", "-o", "codes", "-s", 9],
    "apply-bpe": ["apply-bpe", "-i", "text", "-c", "codes", "-o", "segmented"],
    "get-vocab": ["get-vocab", "-i", "segmented", "-o", "vocabulary"],
    "count-words": ["count-words", "-i", "text", "-o", "counted"],
    "learn-joint-bpe-and-vocab": [
        "learn-joint-bpe-and-vocab", "-i", "text", "-o", "joint", "--write-vocabulary", "v", "-s", 9,
    ],
    "build-dict": ["build-dict", "-c", "codes", "-i", "segmented", "-o", "dict.txt"],
    "segment-baseline": ["segment-baseline", "characters", "-i", "text", "-o", "characters"],
    "suggest-size": ["suggest-size", "-i", "text", "--max", 9],
    "export": ["export", "-c", "codes", "--to", "tokenizer.json", "-o", "tokenizer.json"],
    "explain": ["explain", "-c", "codes", "lowest"],
    "stats": ["stats", "--raw", "text", "bpe=segmented"],
    "restore": ["restore", "-i", "segmented", "-o", "restored"],
    "score": ["score", "text", "-r", "text"],
}  # fmt: skip


# These read and write Fairseq's checkpoints, which needs torch.
NEEDS_TORCH = {"average-checkpoints", "package-model", "export-model"}
# Tested with a model in tests/runtime.
NEEDS_MODEL = {"translate"}


def test_every_command_is_run_here():
    assert set(RUNS) == set(COMMANDS) - NEEDS_TORCH - NEEDS_MODEL


def test_commands_import_neither_fairseq_nor_torch(tmp_path):
    lines = [f"run(*{arguments!r})" for arguments in RUNS.values()]
    lines.append("run('explain', '--learn', 'counts', '-s', 3)")
    lines.append("assert not {'fairseq', 'torch', 'subword_nmt'} & set(sys.modules)")
    run_command(sys.executable, "-c", PREPARE + "\n".join(lines), cwd=tmp_path)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_imports_neither_fairseq_nor_torch(command):
    code = (
        "import sys\nfrom fairseq_subword_ext.cli.main import main\n"
        f"try:\n    main([{command!r}, '--help'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not {'fairseq', 'torch', 'subword_nmt'} & set(sys.modules)\n"
    )
    process = run_command(sys.executable, "-c", code)
    assert "usage: fairseq-subword" in process.stdout
