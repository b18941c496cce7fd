"""Standard streams that are closed or full: one line that names them, exit 1."""

import ast
import sys

import pytest
from conftest import PACKAGE, run_command

COMMAND = f"{sys.executable} -m fairseq_subword_ext"


def run(line, check=False):
    """One line of a shell."""
    return run_command("bash", "-c", line.replace("fairseq-subword", COMMAND), check=check)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learn-bpe -s 5 <&-", "learn-bpe: error: standard input: the stream is closed"),
        ("restore <&-", "restore: error: standard input: the stream is closed"),
        ("count-words <&-", "count-words: error: standard input: the stream is closed"),
        ("restore <<< 'a@@ b' >&-", "restore: error: standard output: the stream is closed"),
        ("user-dir >&-", "user-dir: error: standard output: the stream is closed"),
        ("user-dir >/dev/full", "standard output: No space left on device"),
        ("get-vocab <<< 'a b' >/dev/full", "standard output: No space left on device"),
        ("get-vocab <<< 'a b' -o /dev/full", "/dev/full: No space left on device"),
    ],
)
def test_a_stream_that_cannot_be_used_is_named(line, message):
    process = run(f"fairseq-subword {line}")
    assert process.returncode == 1
    assert process.stderr.endswith(f"{message}\n") and process.stderr.count("\n") == 1


def test_messages_never_go_into_the_output():
    """Python prints to standard output if standard error is closed."""
    process = run("fairseq-subword restore <<< $'▁ a\\n▁ ÿ' 2>&-", check=True)
    assert process.stdout == "a\n\n"


# These put a model together in a temporary folder, which is renamed or packed once it is complete.
IN_A_TEMPORARY_FOLDER = {
    f"checkpoints/{name}.py"
    for name in ("archive", "exporting", "exporting_onnx", "model_folder", "packing")
} | {"subword/export_check.py"}  # this one reads its temporary file back
# The state of a lock is in the file that is locked, which another one cannot replace.
IN_PLACE = {"data/writer_lock.py"}


def writes(call):
    """Whether a call directly opens a file for writing."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("write_text", "write_bytes"):
        return True
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    modes = [mode for mode in modes if isinstance(mode, str) and {*mode} <= {*"rwaxbt+"}]
    return name in ("open", "fdopen") and any({*mode} & {*"wax+"} for mode in modes)


def test_every_file_is_written_atomically():
    """Including plots, pages and models, which the fault trials do not cover one by one."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and writes(node)
    }
    assert found == {"textio/files.py"} | IN_A_TEMPORARY_FOLDER | IN_PLACE
