"""The quickstart on a small scale: steps 1-5 in subprocesses, from another folder, with real names."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, heed_interrupts, run_command

from fairseq_subword_ext.subword.utf8 import BYTE_SYMBOLS

pytest.importorskip("fairseq")
pytest.importorskip("pycountry")
pytest.importorskip("babel")

UPDATES = 4
SMALL = ["--languages", "be,el", "--lines", "150", "--updates", str(UPDATES), "--cpu"]
# An untrained model runs to the length limit.
SMALL += ["--generate", "--max-len-a 0 --max-len-b 12 --beam 2"]


def quickstart(work, *arguments, cwd, check=True):
    return run_command(
        "bash", ROOT / "scripts" / "quickstart.sh", "--work", work, *SMALL, *arguments,
        cwd=cwd, env={"PYTHON_BIN": sys.executable, "LINES": "7"}, check=check,
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    # The folder is given relative to the working directory, as a user would.
    return folder / "run", quickstart("run", cwd=folder)


def test_every_step_ran(run):
    work, process = run
    steps = re.findall(r"^== (\d)\.", process.stderr, re.MULTILINE)
    assert steps == ["1", "2", "3", "4", "5", "5"]
    assert "all 256 bytes among them" in process.stdout
    assert "done training" in (work / "train.log").read_text(encoding="utf-8")
    assert (work / "checkpoints" / "updates").read_text() == f"{UPDATES}\n"
    assert f"update {UPDATES} of {UPDATES}: validation loss" in process.stderr
    assert process.stderr.splitlines()[-1] == f"== done; everything is in {work}"


def test_scores_below_copying_are_named(run):
    _, process = run
    lines = process.stdout.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("all ") and " < " in line:
            assert lines[number + 1].startswith(
                "< Over all languages, worse than copying the source: "
            )
            assert "chrF" in lines[number + 1]
            break
    else:
        pytest.fail("four updates cannot be better than copying")


def test_no_symbol_is_unknown(run):
    from fairseq.data import Dictionary, data_utils

    work, _ = run
    dictionary = Dictionary.load(str(work / "bin" / "el-en" / "dict.el.txt"))
    assert all(dictionary.index(symbol) != dictionary.unk() for symbol in BYTE_SYMBOLS)
    for prefix in work.glob("bin/*/*.idx"):
        data = data_utils.load_indexed_dataset(str(prefix.with_suffix("")), dictionary)
        assert len(data) and not any((line == dictionary.unk()).any() for line in data)


def test_scores_of_both_test_sets_and_samples(run):
    work, process = run
    assert process.stdout.count("BLEU: nrefs:1|") == process.stdout.count("chrF: nrefs:1|") == 2
    assert process.stdout.count("reference  ") == 20
    for name in "test", "test_seen":
        scores = json.loads((work / f"{name}.json").read_text(encoding="utf-8"))["scores"]
        assert set(scores) == {"be", "el", "all"}
        raw = (work / "corpus" / f"{name}.be-en.be").read_text(encoding="utf-8").splitlines()
        raw += (work / "corpus" / f"{name}.el-en.el").read_text(encoding="utf-8").splitlines()
        hypotheses = re.findall(r"^D-\d+", (work / f"{name}.out").read_text(encoding="utf-8"), re.M)
        assert len(hypotheses) == len(raw)  # no line lost, not even in the last batch


def test_a_second_run_keeps_what_is_done(run):
    work, first = run
    checkpoint = work / "checkpoints" / "checkpoint_last.pt"
    before = checkpoint.stat().st_mtime_ns
    second = quickstart("run", cwd=work.parent)
    assert second.stderr.count("done before, kept") == 4
    assert checkpoint.stat().st_mtime_ns == before
    # The same two tables of scores; the first run printed the table of the corpus before them.
    scores = [line for line in second.stdout.splitlines() if line.startswith("all ")]
    assert len(scores) == 2
    assert [line for line in first.stdout.splitlines() if line.startswith("all ")][-2:] == scores


def test_more_updates_resume_the_training(run):
    work, _ = run
    process = quickstart("run", "--updates", "6", cwd=work.parent)
    assert "resuming from update 4" in process.stderr
    assert process.stderr.splitlines()[-1] == f"== done; everything is in {work}"


@pytest.mark.slow
def test_a_time_limit_stops_early_and_the_same_command_continues(run):
    """The limit is for one call: the time of earlier calls does not count."""
    work, _ = run
    before = int((work / "checkpoints" / "updates").read_text())
    for _ in range(2):
        process = quickstart("run", "--updates", "500", "--minutes", "0.0001", cwd=work.parent)
        kept = int((work / "checkpoints" / "updates").read_text())
        assert before < kept < 500
        last = process.stderr.splitlines()[-1]
        assert last == f"== {kept} of 500 updates; run the same command to continue"
        assert "done; everything" not in process.stderr
        before = kept


@pytest.mark.slow
def test_an_interrupt_says_how_to_continue(run):
    work, _ = run
    process = subprocess.Popen(
        ["bash", ROOT / "scripts" / "quickstart.sh", "--work", work, *SMALL, "--updates", "5000"],
        env={**os.environ, "PYTHON_BIN": sys.executable, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, encoding="utf-8",
        start_new_session=True, preexec_fn=heed_interrupts,
    )  # fmt: skip
    said = []
    for line in process.stderr:
        said.append(line)
        if re.match(r"update \d+ of 5000", line):
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
            break
    said += process.stderr.read().splitlines(keepends=True)
    assert process.wait(timeout=60) == 130, "".join(said)
    kept = (work / "checkpoints" / "updates").read_text().strip()
    assert said[-1] == f"== {kept} of 5000 updates; run the same command to continue\n"
    assert "failed" not in "".join(said)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes"], "--minutes needs a value"),
        (["--minutes", "ten"], "expected a number, found ten"),
        (["--updates", "1.5"], "expected a whole number, found 1.5"),
        (["--nonsense"], "unknown option: --nonsense"),
    ],
)
def test_wrong_arguments_get_one_line(arguments, message, tmp_path):
    process = quickstart("run", *arguments, cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert process.stderr.strip().splitlines()[-1] == process.stderr.strip()
    assert message in process.stderr


@pytest.mark.slow
def test_transfer_to_a_language_that_the_model_never_saw(run):
    """Every row is trained, translated and scored; a second call has nothing left to do."""
    work, _ = run
    options = ["--transfer", "--transfer-updates", "2"]
    process = quickstart("run", *options, cwd=work.parent)
    for what in "training and validation data", "the text that the BBPE was learned from":
        assert re.search(rf"0D80-0DFF in .*{what}: 0 \(read [1-9]", process.stdout)
    assert re.search(r"dict.txt, kept; <unk>: 0 of [1-9]", process.stdout)
    rows = ["zero-shot", "enc", "enc+dec", "embed+enc", "all", "scratch"]
    lines = process.stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("trained "))
    cells = [line.split() for line in lines[start + 1 : start + 7]]
    assert [row[0] for row in cells] == rows
    trained = {row[0]: int(row[1].replace(",", "")) for row in cells}
    assert trained["zero-shot"] == 0 < trained["enc"] < trained["embed+enc"] < trained["all"]
    assert trained["enc"] < trained["enc+dec"] < trained["all"] == trained["scratch"]
    test_lines = (work / "corpus" / "transfer" / "test.si-en.en").read_text(encoding="utf-8")
    for row in rows:
        scored = json.loads((work / "transfer" / row / "seed1" / "test.json").read_text())
        assert scored["reference"]["lines"] == test_lines.count("\n")
    again = quickstart("run", *options, cwd=work.parent)
    assert again.stderr.count("done before, kept") == 4 + 2 + 2 * len(rows) - 1
    assert again.stdout.splitlines()[-9:] == lines[-9:]
