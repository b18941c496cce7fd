"""Submitting a recipe to SLURM, with a made sbatch."""

import stat

import pytest
from conftest import ROOT
from recipe_helpers import recipe

SBATCH = """#!/bin/sh
# Numbers the jobs, and keeps how each was submitted, one argument per line.
count=$(ls "$JOBS" | wc -l)
printf '%s\\n' "$@" > "$JOBS/$count"
echo "$((count + 100));cluster"
"""


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """The submitted jobs, as lists of arguments."""
    folder, bin_folder = tmp_path / "jobs", tmp_path / "bin"
    folder.mkdir()
    bin_folder.mkdir()
    (bin_folder / "sbatch").write_text(SBATCH)
    (bin_folder / "sbatch").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(bin_folder), prepend=":")
    monkeypatch.setenv("JOBS", str(folder))
    return lambda: [
        (folder / str(number)).read_text().splitlines()
        for number in range(len(list(folder.iterdir())))
    ]


def test_one_job_per_system_and_seed(jobs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    ran = recipe(
        "iwslt14_de_en", "frq-10k", "av-10k", "--raw", "raw", "--work", tmp_path / "work", "--seeds", "1,2",
        "--updates", 5, "--cpu", "--launch", "slurm", "--sbatch", "--gpus 1 --time 1:00:00",
    )  # fmt: skip
    prepare, *trainings, tables = jobs()
    job = str(ROOT / "scripts" / "distributed" / "slurm.sh")
    for submitted in (prepare, *trainings, tables):
        assert submitted[0] == "--parsable"
        flags, arguments = submitted[: submitted.index(job)], submitted[submitted.index(job) + 1 :]
        assert flags[-4:] == ["--gpus", "1", "--time", "1:00:00"]
        assert arguments[:2] == ["recipe", "iwslt14_de_en"]
        assert not {"--launch", "--sbatch", "slurm"} & set(arguments)
        assert arguments[arguments.index("--raw") + 1] == str(tmp_path / "raw")
    assert prepare[-2:] == ["--part", "prepare"]
    assert [one[one.index(job) + 3] for one in trainings] == ["frq-10k"] * 2 + ["av-10k"] * 2
    assert [one[-4:] for one in trainings] == [
        ["--seeds", seed, "--part", "system"] for seed in ("1", "2", "1", "2")
    ]
    assert all("--dependency=afterok:100" in one for one in trainings)
    assert "--dependency=afterany:101,afterany:102,afterany:103,afterany:104" in tables
    assert "--part" not in tables
    assert "submitted 6 jobs" in ran.stderr
    script = (tmp_path / "work" / "commands.sh").read_text()
    assert "# train frq-10k.seed2" in script and "# train av-10k\n" in script


def test_without_sbatch(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = [
        "iwslt14_de_en",
        "frq-10k",
        "--work",
        tmp_path / "work",
        "--cpu",
        "--launch",
        "slurm",
    ]
    ran = recipe(*arguments, check=False)
    assert ran.status == 1 and ran.stderr.endswith("there is no sbatch on this machine\n")
