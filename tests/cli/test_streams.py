"""Standard streams that are closed or full: one line that names them, exit 1."""

import sys

import pytest
from conftest import run_command

COMMAND = f"{sys.executable} -m fairseq_subword_ext"


def run(line, check=False):
    """One line of a shell."""
    return run_command("bash", "-c", line.replace("fairseq-subword", COMMAND), check=check)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learn-bpe -s 5 <&-", "learn-bpe: error: standard input: it is closed"),
        ("restore <&-", "restore: error: standard input: it is closed"),
        ("count-words <&-", "count-words: error: standard input: it is closed"),
        ("restore <<< 'a@@ b' >&-", "restore: error: standard output: it is closed"),
        ("user-dir >&-", "user-dir: error: standard output: it is closed"),
        ("user-dir >/dev/full", "standard output: No space left on device"),
        ("get-vocab <<< 'a b' >/dev/full", "standard output: No space left on device"),
        ("get-vocab <<< 'a b' -o /dev/full", "/dev/full: No space left on device"),
    ],
)
def test_a_stream_that_cannot_be_used_is_named(line, message):
    process = run(f"fairseq-subword {line}")
    assert process.returncode == 1
    assert process.stderr.endswith(f"{message}\n") and process.stderr.count("\n") == 1


def test_what_is_said_never_gets_into_the_output():
    """Python prints to standard output where standard error is closed."""
    process = run("fairseq-subword restore <<< $'▁ a\\n▁ ÿ' 2>&-", check=True)
    assert process.stdout == "a\n\n"
