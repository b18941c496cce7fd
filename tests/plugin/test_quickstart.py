"""The main job in small: steps 1-5 through subprocesses, from another folder, with real names."""

import json
import re
import sys

import pytest
from conftest import ROOT, run_command

from fairseq_subword_ext.subword.utf8 import BYTE_SYMBOLS

pytest.importorskip("fairseq")
pytest.importorskip("pycountry")
pytest.importorskip("babel")

SMALL = ["--languages", "be,el", "--lines", "150", "--updates", "4", "--cpu"]
# An untrained model goes on to the limit.
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
    _, process = run
    steps = re.findall(r"^== (\d)\.", process.stderr, re.MULTILINE)
    assert steps == ["1", "2", "3", "4", "5", "5"]
    assert "all 256 bytes among them" in process.stdout
    assert "train_inner" in process.stdout + process.stderr or "valid" in process.stderr


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
        assert len(hypotheses) == len(raw)  # no line lost, not even in the last batch (C20, P28)


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
    assert "@ 4 updates" in process.stdout + process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes"], "--minutes needs a value"),
        (["--minutes", "ten"], "expected a number, found ten"),
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
