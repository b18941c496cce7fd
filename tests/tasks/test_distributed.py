"""scripts/distributed: several processes train as one does, even if one of them is killed.

A plug-in of this test records the sentences and the loss of each update in full precision.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import PACKAGE, ROOT, run_command
from task_helpers import run_fairseq
from text_helpers import write_pair

from fairseq_subword_ext.subword.learner import learn_bpe

pytest_plugins = ["task_helpers"]
pytestmark = pytest.mark.slow

RECORDER = """
import json
import os
import signal
from pathlib import Path

import fairseq_subword_ext

fairseq_subword_ext.register()

from fairseq.tasks import register_task
from fairseq_subword_ext.tasks import multilingual_x_en

ATTEMPT = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
RANK = os.environ.get("RANK", "0")


def record(kind, epoch, update, value):
    with (Path(os.environ["RECORDS"]) / f"{kind}.{ATTEMPT}.{RANK}").open("a") as out:
        print(json.dumps([epoch, update, value]), file=out)


def register_recording(name, base, dataclass):
    class Recording(base):
        def begin_epoch(self, epoch, model):
            super().begin_epoch(epoch, model)
            self.recorded_epoch = epoch

        def train_step(self, sample, model, criterion, optimizer, update_num, ignore_grad=False):
            if os.environ.get("KILL") == f"{ATTEMPT} {RANK} {update_num}":
                os.kill(os.getpid(), signal.SIGKILL)
            self.recorded_update = update_num
            if not ignore_grad:  # else it is there to have something to do
                record("ids", self.recorded_epoch, update_num, sample["id"].tolist())
            step = super().train_step
            return step(sample, model, criterion, optimizer, update_num, ignore_grad)

        def reduce_metrics(self, logging_outputs, criterion):
            super().reduce_metrics(logging_outputs, criterion)
            if criterion.training and RANK == "0":
                loss, size = (
                    sum(float(log.get(key, 0)) for log in logging_outputs)
                    for key in ("loss", "sample_size")
                )
                record("loss", self.recorded_epoch, self.recorded_update, loss / size)

    Recording.__name__ = f"Recording{base.__name__}"
    register_task(name, dataclass=dataclass)(Recording)


register_recording(
    "recording_x_en", multilingual_x_en.MultilingualXEnTask, multilingual_x_en.MultilingualXEnConfig
)
try:
    from fairseq_subword_ext.tasks import transfer_x_en
except ImportError:
    pass
else:
    register_recording(
        "recording_transfer", transfer_x_en.TransferXEnTask, transfer_x_en.TransferXEnConfig
    )
"""

MODEL = """--arch contextualized_transformer_tiny --encoder-layers 1 --decoder-layers 1
--encoder-embed-dim 16 --decoder-embed-dim 16 --encoder-ffn-embed-dim 16
--decoder-ffn-embed-dim 16 --encoder-attention-heads 2 --decoder-attention-heads 2
--share-all-embeddings --dropout 0 --attention-dropout 0 --activation-dropout 0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --optimizer adam --lr 0.01
--num-workers 0 --log-format simple --max-tokens 60 --max-epoch 2 --disable-validation
--save-interval-updates 3""".split()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("distributed")


@pytest.fixture
def data(place, make_corpus, sentences):
    """100 sentences in two languages, with batches of different sizes."""
    if not (place / "bin").is_dir():
        for seed, (language, size) in enumerate([("si", 41), ("de", 59)]):
            corpus = make_corpus(place / "bin")
            corpus.add(language, "train", sentences(size, seed))
            corpus.add(language, "valid", sentences(5, 10 + seed))
        (place / "recorder").mkdir()
        (place / "recorder" / "__init__.py").write_text(RECORDER)
    return place / "bin"


class Run:
    """The record of one training; for each update the last attempt, since that one counts."""

    def __init__(self, folder: Path):
        self.losses = {}
        self.sentences = defaultdict(Counter)
        attempts = sorted({path.name.split(".")[1] for path in folder.glob("ids.*")})
        self.attempts = len(attempts)
        self.updates = []
        ids = {}
        for attempt in attempts:
            of_attempt = defaultdict(list)
            for path in folder.glob(f"ids.{attempt}.*"):
                for epoch, update, some in map(json.loads, path.read_text().splitlines()):
                    of_attempt[epoch, update] += some
            self.updates.append(sorted(update for _, update in of_attempt))
            ids.update(of_attempt)
            losses = folder / f"loss.{attempt}.0"
            for _, update, loss in map(json.loads, losses.read_text().splitlines()):
                self.losses[update] = loss
        for (epoch, _), some in ids.items():
            self.sentences[epoch].update(some)


@pytest.fixture
def trained(place, data, monkeypatch):
    """Trains and returns the record.

    ``start`` precedes the arguments of fairseq-train; None trains in this process.
    """

    def run(name, start, *options, env=None, task="recording_x_en", data=data):
        folder, recorder = place / name, place / "recorder"
        folder.mkdir()
        arguments = [data, "--task", task, *MODEL, "--save-dir", folder / "checkpoints", *options]
        if start is None:
            monkeypatch.setenv("RECORDS", str(folder))
            run_fairseq("train", *arguments, user_dir=recorder)
        else:
            settings = {"RECORDS": str(folder), "CPU": "1", "PYTHON_BIN": sys.executable}
            start_all([*start, *arguments, "--user-dir", recorder], {**settings, **(env or {})})
        return Run(folder)

    return run


def start_all(command, settings, cwd=None):
    """Runs a launcher, and leaves no processes behind if it hangs or fails."""
    process = subprocess.Popen(
        list(map(str, command)), cwd=cwd, env={**os.environ, "OMP_NUM_THREADS": "1", **settings},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        printed = process.communicate(timeout=500)[0]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, printed[-5000:]
    return printed


ALONE = None
TORCHRUN = ["bash", ROOT / "scripts" / "distributed" / "torchrun.sh", "--processes", 2]
LIKE_TWO = ["--cpu", "--update-freq", 2]


@pytest.fixture
def alone(place, trained):
    """One process with twice the accumulation, trained once."""
    return (
        Run(place / "alone") if (place / "alone").is_dir() else trained("alone", ALONE, *LIKE_TWO)
    )


def check_same(found, expected):
    assert len(expected.losses) > 10 and len(set(expected.losses.values())) > 10
    assert found.losses == pytest.approx(expected.losses, abs=1e-4)


def check_each_sentence_once(run):
    assert set(run.sentences) == {1, 2}
    for seen in run.sentences.values():
        assert seen == Counter(range(100))


def test_a_killed_process_changes_nothing(trained, alone):
    """Killed in the first epoch, two updates after a checkpoint; torchrun restarts all."""
    kill = {"KILL": "0 1 5"}
    run = trained("torchrun", [*TORCHRUN, "--restarts", 1, "fairseq-train"], env=kill)
    assert run.attempts == 2
    first, second = run.updates
    assert max(first) in (4, 5) and min(second) == 3, "it went on from the checkpoint"
    check_same(run, alone)
    for either in (run, alone):
        check_each_sentence_once(either)


def test_frozen_parts_on_two_machines(place, trained, data):
    """Two calls of torchrun.sh with one process each, as on two machines."""
    pytest.importorskip("fairseq_subword_ext.tasks.transfer_x_en")
    parent = place / "alone" / "checkpoints" / "checkpoint_last.pt"
    if not parent.is_file():
        trained("alone", ALONE, *LIKE_TWO)
    options = ["--parent-checkpoint", parent, "--finetune", "enc"]
    task = "recording_transfer"
    expected = trained("transfer_alone", ALONE, *options, *LIKE_TWO, task=task)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    launch = f"{ROOT}/scripts/distributed/torchrun.sh --processes 1 --nodes 2 --master localhost"
    once = f'bash {launch} --port {port} fairseq-train "$@"'
    start = ["bash", "-c", f"{once} & {once} && wait $!", "both"]
    run = trained("transfer_two", start, *options, task=task)
    check_same(run, expected)
    check_each_sentence_once(run)


def test_raw_text_in_two_processes(trained, place, sentences):
    """One of them segments it for both, and epochs differ."""
    text = place / "text"
    for seed, (language, size) in enumerate([("si", 41), ("de", 59)]):
        write_pair(text, "train", language, sentences(size, seed))
    codes = place / "codes"
    learn_bpe(sorted(map(str, text.glob("train.*"))), 20, unit="byte").save(codes)
    options = ["--from-text", "--bpe", "bbpe", "--bpe-codes", codes, "--bpe-dropout", "0.2"]
    expected = trained("text_alone", ALONE, *options, *LIKE_TWO, data=text)
    run = trained("text_two", [*TORCHRUN, "fairseq-train"], *options, data=text)
    check_same(run, expected)
    for either in (run, expected):
        check_each_sentence_once(either)
    left = [path.name for path in place.glob("text_two/checkpoints/**/epoch-*")]
    assert not left, "the text of epochs is removed when the processes end"


FAKE_SRUN = """#!/usr/bin/env bash
shift  # --kill-on-bad-exit
for i in 0 1; do
  SLURM_PROCID=$i SLURM_LOCALID=$i SLURM_NTASKS=2 "$@" &
  children+=($!)
done
status=0
for child in "${children[@]}"; do wait "$child" || status=$?; done
exit $status
"""
FAKE_SCONTROL = """#!/usr/bin/env bash
case "$1 $2" in
  "show hostnames") echo localhost; echo other ;;
  requeue*) echo "$2" >> "$REQUEUED" ;;
esac
"""


@pytest.fixture
def slurm(tmp_path):
    """Stand-ins for SLURM's commands and the variables of a job."""
    for name, text in (("srun", FAKE_SRUN), ("scontrol", FAKE_SCONTROL)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    return {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_SUBMIT_DIR": str(ROOT),
        "SLURM_JOB_ID": "17", "SLURM_JOB_NODELIST": "two-[1-2]", "MASTER_PORT": str(port),
        "REQUEUED": str(tmp_path / "requeued"),
    }  # fmt: skip


def test_the_launch_under_slurm(trained, alone, slurm, tmp_path):
    copy = tmp_path / "slurm_script"  # sbatch runs a copy
    copy.write_bytes((ROOT / "scripts" / "distributed" / "slurm.sh").read_bytes())
    run = trained("slurm", ["bash", copy, "fairseq-train"], env=slurm)
    check_same(run, alone)
    check_each_sentence_once(run)
    assert not (tmp_path / "requeued").exists()


def test_a_failed_job_is_requeued(slurm, tmp_path):
    command = ["bash", ROOT / "scripts" / "distributed" / "slurm.sh", "fairseq-trai"]
    slurm["PYTHON_BIN"] = sys.executable
    for restarts in ("0", "2", "3"):
        environment = {**slurm, "SLURM_RESTART_COUNT": restarts}
        process = run_command(*command, env=environment, check=False)
        assert process.returncode == 1
        assert "expected fairseq-train or fairseq-hydra-train" in process.stderr
    assert (tmp_path / "requeued").read_text() == "17\n17\n"  # at most three times


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--processes"], "--processes needs a value"),
        (["--nodes", "2", "fairseq-train"], "--nodes 2 needs --master HOST"),
        (["--procs", "2", "fairseq-train"], "unknown option: --procs"),
        (["--processes", "2"], "expected fairseq-train or fairseq-hydra-train"),
        (["fairseq-train", "bin"], "torch sees no GPU here: give --processes N"),
    ],
)
def test_an_invalid_call_of_the_launcher_fails_in_one_line(arguments, message):
    """It fails before torchrun starts, whose own errors are pages long."""
    environment = {"PYTHON_BIN": sys.executable, "CUDA_VISIBLE_DEVICES": ""}
    command = ["bash", ROOT / "scripts" / "distributed" / "torchrun.sh", *arguments]
    process = run_command(*command, env=environment, check=False)
    assert process.returncode == 1
    assert process.stderr.startswith(f"error: {message}") and process.stderr.count("\n") == 1


def test_hydra_in_two_processes(data, tmp_path):
    """The same launcher with overrides instead of flags."""
    config = ROOT / "configs" / "names_x_en"
    small = [
        f"model.{side}_{size}"
        for side in ("encoder", "decoder")
        for size in ("layers=1", "embed_dim=16", "ffn_embed_dim=16", "attention_heads=2")
    ]
    command = [
        *TORCHRUN, "--restarts", 0, "fairseq-hydra-train",
        "--config-dir", config, "--config-name", "tiny",
        f"common.user_dir={PACKAGE}", f"task.data={data}", "task.from_text=false",
        "dataset.num_workers=0", "optimization.max_update=2", "dataset.max_tokens=200",
        f"checkpoint.save_dir={tmp_path}/out", *small,
    ]  # fmt: skip
    printed = start_all(command, {"CPU": "1", "PYTHON_BIN": sys.executable}, cwd=tmp_path)
    assert (tmp_path / "out" / "checkpoint_last.pt").is_file()
    log = printed + "".join(path.read_text() for path in tmp_path.rglob("*.log"))
    assert "training on 2 devices" in log
