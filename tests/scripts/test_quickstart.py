"""The quickstart on a small scale: all steps in subprocesses, from another folder, with real names."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, heed_interrupts, run_command
from recipe_helpers import recipe

from fairseq_subword_ext.evaluation.score_record import ScoreRecord
from fairseq_subword_ext.subword.utf8 import BYTE_SYMBOLS

pytest.importorskip("fairseq")
pytest.importorskip("pycountry")
pytest.importorskip("babel")

pytestmark = pytest.mark.timeout(3000)  # other programs may need the processors

UPDATES = 4
SMALL = ["--languages", "be,el", "--lines", "150", "--updates", str(UPDATES), "--cpu"]
# An untrained model runs to the length limit.
SMALL += ["--generate", "--max-len-a 0 --max-len-b 12 --beam 2"]


def quickstart(work, *arguments, cwd, check=True):
    return run_command(
        "bash", ROOT / "scripts" / "quickstart.sh", "--work", work, *SMALL, *arguments,
        cwd=cwd, env={"PYTHON_BIN": sys.executable, "LINES": "7"}, check=check, timeout=1500,
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    # The folder is given relative to the working directory, as a user would.
    return folder / "run", quickstart("run", cwd=folder)


def system_of(work):
    return work / "systems" / "bbpe_1k_gru"


def kept_updates(work):
    """The number of updates of the newest checkpoint, by Fairseq's log."""
    log = (work / "logs" / "train.bbpe_1k_gru.log").read_text(encoding="utf-8")
    return int(re.findall(r"Saved checkpoint .* @ (\d+) updates", log)[-1])


def test_every_step_ran(run):
    work, process = run
    steps = re.findall(r"^step (\d) of 7: (\S+).*\d\w*$", process.stderr, re.MULTILINE)
    assert [name for _, name in dict.fromkeys(steps)] == ["learn", "train"]
    assert "step 7 of 7: score bbpe_1k_gru test_seen" in process.stderr
    assert kept_updates(work) == UPDATES
    assert f"update {UPDATES} of {UPDATES}: validation loss" in process.stderr
    assert process.stderr.splitlines()[-1] == f"== done; everything is in {work}"
    assert (work / "exported").is_dir()


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
    from fairseq.data import Dictionary

    work, _ = run
    data = work / "segmentations" / "bbpe_1k" / "bin"
    dictionary = Dictionary.load(str(data / "dict.en.txt"))
    assert all(dictionary.index(symbol) != dictionary.unk() for symbol in BYTE_SYMBOLS)
    log = (work / "logs" / "train.bbpe_1k_gru.log").read_text(encoding="utf-8")
    # Two languages, and not Sinhala, in the training and the validation text.
    assert (
        re.findall(r"segmented (\d) texts into .* tokens, (\S+) <unk>", log)
        == [("4", "0.000%")] * 2
    )


def test_scores_of_both_test_sets_and_samples(run):
    work, process = run
    # Below the scores of both sets, and below the table at the end.
    assert process.stdout.count("BLEU: nrefs:1|") == process.stdout.count("chrF: nrefs:1|") == 3
    assert process.stdout.count("reference  ") == 20
    for name in "test", "test_seen":
        scored = [
            system.name for system in ScoreRecord.load(system_of(work) / f"{name}.json").systems
        ]
        assert scored == ["be", "el", "all", "copy.be", "copy.el", "copy.all"]
        raw = (work / "corpus" / f"{name}.be-en.be").read_text(encoding="utf-8").splitlines()
        raw += (work / "corpus" / f"{name}.el-en.el").read_text(encoding="utf-8").splitlines()
        hypotheses = re.findall(
            r"^D-\d+", (system_of(work) / f"{name}.out").read_text(encoding="utf-8"), re.M
        )
        assert len(hypotheses) == len(raw)  # no line lost, not even in the last batch


def test_a_second_run_keeps_what_is_done(run):
    work, first = run
    checkpoint = system_of(work) / "checkpoints" / "checkpoint_last.pt"
    before = checkpoint.stat().st_mtime_ns
    second = quickstart("run", cwd=work.parent)
    assert second.stderr.count("(done before)") == 7
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
    before = kept_updates(work)
    for _ in range(2):
        process = quickstart("run", "--updates", "500", "--minutes", "0.0001", cwd=work.parent)
        kept = kept_updates(work)
        assert before < kept < 500
        last = process.stderr.splitlines()[-1]
        assert (
            last == f"== train bbpe_1k_gru: {kept} of 500 updates; run the same command to continue"
        )
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
        if re.search(r": update \d+ of 5000", line):
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
            break
    said += process.stderr.read().splitlines(keepends=True)
    assert process.wait(timeout=60) == 130, "".join(said)
    kept = kept_updates(work)
    assert said[-1] == f"{kept} of 5000 updates; run the same command to continue\n"
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
    systems = [
        f"si_{row}" for row in ("zero_shot", "enc", "enc_dec", "embed_enc", "all", "scratch")
    ]
    options = ["--transfer-updates", "2"]
    process = recipe("names_x_en", "bbpe_1k_gru", *systems, "--work", work, *SMALL, *options)
    assert "Sinhala characters (U+0D80-U+0DFF) in the parent's training data: 0" in run[1].stdout
    log = (work / "logs" / "train.si_enc.log").read_text(encoding="utf-8")
    assert re.search(r"segmented 2 texts into .*train-.* tokens, 0\.000% <unk>", log)
    rows = ["the parent, unchanged", "enc", "enc, dec", "embed, enc", "all", "from scratch"]
    table = process.stdout[process.stdout.index("Transfer to Sinhala") :].splitlines()[4:10]
    cells = [re.split(r"\s{2,}", line.strip()) for line in table]
    assert [row[0] for row in cells] == rows
    trained = {row[0]: int(row[1].replace(",", "")) for row in cells}
    assert trained["the parent, unchanged"] == 0 < trained["enc"] < trained["embed, enc"]
    assert trained["enc"] < trained["enc, dec"] < trained["all"] == trained["from scratch"]
    test_lines = (work / "corpus" / "transfer" / "test.si-en.en").read_text(encoding="utf-8")
    for system in systems:
        scored = ScoreRecord.load(work / "systems" / system / "test.json")
        assert scored.reference["lines"] == test_lines.count("\n")
    again = quickstart("run", "--transfer", *options, cwd=work.parent)
    assert again.stderr.count("(done before)") == 7 + 1 + 2 * len(rows) + 2 * (len(rows) - 1)
    assert again.stdout.splitlines()[-10:] == process.stdout.splitlines()[-10:]
