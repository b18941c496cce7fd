"""scripts/gpu.sh on a CPU with small sizes: its phases, limits and record."""

import argparse
import json
import subprocess
import sys
import time
import venv

import pytest
from conftest import ROOT, run_command

sys.path.insert(0, str(ROOT / "scripts" / "benchmarks"))
import gpu
import phases

SCRIPT = ROOT / "scripts" / "gpu.sh"


@pytest.fixture
def run(tmp_path):
    return phases.Run(argparse.Namespace(out=tmp_path, seconds=100, minutes=1, cpu=True, tiny=True))


def record(run):
    return json.loads((run.out / "gpu.json").read_text("utf-8"))["phases"]


def test_a_phase_that_fails_is_recorded_and_the_next_one_runs(run):
    def fail(run):
        run.command("log", sys.executable, "-c", "print('first'); print('the reason'); exit(3)")

    run.phase("one", fail)
    run.phase("two", lambda run: {"figure": 7})
    one, two = record(run)["one"], record(run)["two"]
    assert one["status"] == "failed" and one["reason"] == "exit status 3, see log: the reason"
    assert two == {"status": "ok", "figure": 7, "seconds": two["seconds"]}


def test_an_error_of_the_device_is_recorded(run):
    def fail(run):
        raise RuntimeError("CUDA error: out of memory")

    run.phase("device", fail)
    assert record(run)["device"]["reason"] == "RuntimeError: CUDA error: out of memory"


def test_a_phase_has_a_limit(run):
    def wait(run):
        run.command("log", sys.executable, "-c", "import time; time.sleep(60)", limit=1)

    start = time.monotonic()
    run.phase("slow", wait)
    assert time.monotonic() - start < 30
    assert record(run)["slow"]["reason"] == "not finished after 1 s, see log"


def test_a_phase_that_does_not_fit_is_skipped(run):
    run.phase("speed", lambda run: pytest.fail("it ran"), reserve=90)
    assert record(run)["speed"]["reason"] == "skipped: no time left"


def test_figures_of_a_training(tmp_path):
    log = tmp_path / "train.log"
    lines = [
        {"num_updates": "50", "ups": "2", "wps": "10"},
        {"num_updates": "60", "ups": "4", "wps": "30"},
    ]
    lines += [
        {"num_updates": "70", "ups": "3", "wps": "20"},
        {"train_num_updates": "70", "train_loss": "5.5"},
    ]
    lines += [{"valid_num_updates": "70", "valid_loss": "4.25"}]
    text = "".join(f"2026-01-01 | INFO | x | {json.dumps(line)}\n" for line in lines)
    log.write_text(f"num_updates elsewhere\n{text}done\n", "utf-8")
    assert gpu.training_figures(log) == {
        "train_num_updates": 70.0, "train_loss": 5.5, "valid_loss": 4.25, "ups": 3.0, "wps": 20.0
    }  # fmt: skip
    log.write_text("nothing\n", "utf-8")
    with pytest.raises(phases.PhaseError, match=r"no figures in train\.log"):
        gpu.training_figures(log)


def test_no_device_is_one_line(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    path = {"PATH": "/usr/bin:/bin", "PYTHON_BIN": sys.executable}
    process = run_command("bash", SCRIPT, "--out", tmp_path, env=path, check=False)
    assert process.returncode == 1
    assert process.stderr.startswith("error: no Python here has a torch that sees a GPU")
    assert process.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_bare_machine_is_told_what_it_lacks(tmp_path):
    """A Python that has only a torch (here an empty package) and nothing else."""
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    site = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"], text=True
    )
    (tmp_path / "wheels").mkdir()
    (tmp_path / "torch.py").write_text("")
    (tmp_path / "torch.py").rename(f"{site}/torch.py")
    process = run_command(
        "bash", SCRIPT, "--cpu", "--out", tmp_path / "out", "--wheels", tmp_path / "wheels",
        env={"PYTHON_BIN": str(python), "PIP_CONSTRAINT": "", "PIP_FIND_LINKS": ""}, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    last = process.stderr.strip().split("\n")[-1]
    assert last.startswith("error: missing: ") and "pybind11==" in last
    assert f"looked for them in {tmp_path / 'wheels'}" in last
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"scripts/gpu.sh --collect DIR --for {version}" in last


@pytest.mark.slow
def test_all_phases_with_small_sizes(tmp_path):
    pytest.importorskip("fairseq")
    pytest.importorskip("pycountry")
    process = run_command(
        "bash", SCRIPT, "--cpu", "--tiny", "--seconds", 3000, "--minutes", 0.5, "--out", tmp_path,
        env={"PYTHON_BIN": sys.executable}, timeout=3000,
    )  # fmt: skip
    found = json.loads((tmp_path / "gpu.json").read_text("utf-8"))
    done = found["phases"]
    assert {name: phase["status"] for name, phase in done.items()} == dict.fromkeys(
        ["device", "tests", "speed", "training"], "ok"
    ), process.stdout
    assert done["device"]["product_error"] < 1e-5
    assert done["tests"]["tests"] > 20 and not done["tests"]["failed"]
    assert set(done["speed"]["precisions"]) == {"fp32", "bf16"}  # Fairseq's fp16 needs a GPU
    for speeds in done["speed"]["precisions"].values():
        for kind in "training", "generation":
            assert list(speeds[kind]) == ["none", "conv", "gru", "example"]
            assert speeds[kind]["none"]["of_plain"] == speeds[kind]["example"]["of_example"] == 1
            assert all(row["tokens_per_second"] > 0 for row in speeds[kind].values())
    training = done["training"]
    assert training["train_num_updates"] == 2 and training["valid_loss"] > 0
    assert training["wps"] > 0 and training["scores"]["copy"]["chrF"] > 0
    assert set(training["signatures"]) == {"chrF", "BLEU"}
    assert found["versions"]["torch"]
