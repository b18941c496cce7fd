"""count-words on a Dask cluster of two processes: the same bytes, even if one is killed."""

import gzip
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from conftest import run_command

pytest.importorskip("distributed")

from distributed import Client, LocalCluster

from fairseq_subword_ext.cli.main import main

pytestmark = pytest.mark.slow

SPANS = 60


def spans_counted(dask_scheduler):
    """The number of spans counted so far; runs on the scheduler."""
    states = [task.state for key, task in dask_scheduler.tasks.items() if "_count" in str(key)]
    return sum(state in ("memory", "released", "forgotten") for state in states), len(states)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    generator = random.Random(1)
    types = [
        "".join(generator.choices("etaoinkක一", k=2 + int(generator.expovariate(0.2))))
        for _ in range(20_000)
    ]
    with (folder / "a.txt").open("w", encoding="utf-8") as out:
        for _ in range(12_000):
            out.write(" ".join(generator.choices(types, k=10)) + "\n")
    text = (folder / "a.txt").read_bytes()
    (folder / "b.txt.gz").write_bytes(
        gzip.compress(text.partition(b"\n")[2][:100_000].rpartition(b" ")[0])
    )
    return folder


@pytest.fixture(scope="module")
def inputs(corpus):
    return ["-i", f"{corpus}/a.txt", f"file://{corpus}/b*.gz"]


@pytest.fixture(scope="module")
def expected(corpus, inputs):
    """The result of one process."""
    assert main(["count-words", *inputs, "-o", str(corpus / "expected")]) == 0
    return (corpus / "expected").read_bytes()


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


def count_on(address, inputs, *flags):
    command = [sys.executable, "-m", "fairseq_subword_ext", "count-words", *inputs]
    return [*command, "--scheduler", address, *flags]


def test_two_workers_give_the_same_bytes(cluster, inputs, expected, tmp_path):
    out = tmp_path / "out"
    run_command(*count_on(cluster.scheduler_address, inputs, "-o", out, "--split-size", "200K"))
    assert out.read_bytes() == expected


def test_counting_survives_a_killed_worker(cluster, corpus, inputs, expected, tmp_path):
    out = tmp_path / "out"
    size = (corpus / "a.txt").stat().st_size // SPANS
    command = count_on(cluster.scheduler_address, inputs, "-o", out, "--split-size", str(size))
    with Client(cluster) as client:
        processes = client.run(os.getpid)
        assert len(processes) == 2
        counting = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        done = total = 0
        while done < SPANS // 4 and time.monotonic() < deadline:
            done, total = client.run_on_scheduler(spans_counted)
        victim = next(iter(processes.values()))
        os.kill(victim, signal.SIGKILL)
        assert SPANS // 4 <= done < total, "it was not killed half-way"
        said = counting.communicate(timeout=120)[1]
        assert counting.returncode == 0, said
        assert victim not in client.run(os.getpid).values()
    assert out.read_bytes() == expected


def test_errors_come_back_from_the_workers(cluster, tmp_path):
    (tmp_path / "text").write_bytes(b"good\n" * 99 + b"a\rb\n")
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"abc" * 99)[:-9])
    for name, message in (
        ("text", "text:100: found a carriage return"),
        ("broken.gz", "the gzip data is truncated"),
    ):
        arguments = ["-i", tmp_path / name, "-o", tmp_path / "out"]
        command = count_on(cluster.scheduler_address, arguments, "--split-size", 64)
        process = run_command(*command, check=False)
        assert process.returncode == 1 and message in process.stderr
        assert len(process.stderr.splitlines()) == 1
        assert not (tmp_path / "out").exists()


def test_a_local_cluster_is_started_and_stopped(inputs, expected, tmp_path):
    out = tmp_path / "out"
    run_command(*count_on("local", inputs, "-o", out, "--num-workers", 2), cwd=tmp_path)
    assert out.read_bytes() == expected


def test_a_missing_dask_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["count-words", "-i", __file__, "--scheduler", "local"]) == 1
    assert "pip install distributed" in capsys.readouterr().err
