"""Faults: killed processes, full disks, bad inputs. What was there stays, or the new file is whole.

Each command that writes runs through each fault. ``pytest -rP`` prints the counts.
"""

import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import run_command
from test_imports import RUNS

from fairseq_subword_ext.cli.main import COMMANDS

pytestmark = pytest.mark.slow

KILLS = 20

# name -> arguments, the files that it writes. Inputs: see `place`.
WRITERS = {
    "learn-bpe": ("learn-bpe -i text -o out -s 300", ["out", "out.json"]),
    "learn-bpe with SentencePiece": (
        "learn-bpe -i text -o out --trainer sentencepiece --unit byte -t -s 290", ["out.model"],
    ),
    "apply-bpe": ("apply-bpe -i text -c codes -o out", ["out"]),
    "apply-bpe in bytes": ("apply-bpe -i text --encoder byte_level -o out", ["out"]),
    "restore": ("restore -i segmented -o out", ["out"]),
    "get-vocab": ("get-vocab -i text -o out", ["out"]),
    "count-words": ("count-words -i text -o out", ["out"]),
    "count-words through runs": ("count-words -i text -o out --max-memory 64M", ["out"]),
    "learn-joint-bpe-and-vocab": (
        "learn-joint-bpe-and-vocab -i text segmented -o out --write-vocabulary v1 v2 -s 100",
        ["out", "out.json", "v1", "v2"],
    ),
    "build-dict": ("build-dict -c codes -i text -o out", ["out"]),
    "score": ("score few -r few_others --json out", ["out"]),
    "average-checkpoints": ("average-checkpoints -i a.pt b.pt -o out.pt", ["out.pt"]),
}  # fmt: skip
NO_WRITERS = {"explain", "user-dir"}
TEXTS = {"text": "other", "segmented": "other_segmented", "few": "few_others", "b.pt": "c.pt"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Inputs on which each command takes some tenths of a second, and more of the same kind."""
    folder = tmp_path_factory.mktemp("inputs")
    generator = random.Random(1)
    types = ["".join(generator.choices("etaoinක", k=generator.randint(2, 9))) for _ in range(9000)]
    for name in ("text", "other"):
        lines = (" ".join(generator.choices(types, k=8)) for _ in range(6000))
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    main = [sys.executable, "-m", "fairseq_subword_ext"]
    run_command(*main, "learn-bpe", "-i", "text", "-o", "codes", "-s", 200, cwd=folder)
    for name, segmented in (("text", "segmented"), ("other", "other_segmented")):
        run_command(*main, "apply-bpe", "-i", name, "-c", "codes", "-o", segmented, cwd=folder)
    for name in ("few", "few_others"):
        lines = (" ".join(generator.choices(types[:50], k=8)) for _ in range(40))
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    torch = pytest.importorskip("torch")
    for name in ("a.pt", "b.pt", "c.pt"):
        weights = {"w": torch.rand(400, 500)}
        torch.save({"model": weights, "optimizer_history": [], "extra_state": {}}, folder / name)
    return folder


@pytest.fixture
def place(inputs, tmp_path):
    """A folder with the inputs, each a copy."""
    for path in inputs.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "said").touch()
    return tmp_path


def trials(place, command, fault, *options):
    arguments, outputs = WRITERS[command]
    spec = {
        "arguments": arguments.split(), "outputs": outputs, "fault": fault, "options": options,
    }  # fmt: skip
    script = Path(__file__).with_name("fault_trials.py")
    process = run_command(sys.executable, script, json.dumps(spec), cwd=place)
    return json.loads(process.stdout.splitlines()[-1])


def is_temporary(name, outputs):
    """A file that a killed process left; its name says whose it is, and a listing does not show it."""
    return any(re.fullmatch(rf"\.{re.escape(output)}\.\w+\.tmp", name) for output in outputs)


def test_every_command_is_tried_or_writes_nothing():
    """A new command with an output belongs into the table above."""
    tried = {arguments.split()[0] for arguments, _ in WRITERS.values()}
    with_output = {name for name in RUNS if {"-o", "--output", "--json"} & set(RUNS[name])}
    assert with_output <= tried
    assert tried | NO_WRITERS <= set(COMMANDS)


@pytest.mark.parametrize("command", WRITERS)
def test_killed(command, place):
    results = trials(place, command, "killed", KILLS)
    outputs = WRITERS[command][1]
    assert [result for result in results if result["neither"]] == []
    assert all(is_temporary(name, outputs) for result in results for name in result["beside"])
    at_random = results[:KILLS]
    # -9: killed before it was done. The moments behind the random ones were met, all for one file.
    assert sum(result["status"] == -9 for result in at_random) >= KILLS // 2
    met = [result for result in results[KILLS:] if result["status"] == -9]
    assert len(met) == 4 * min(len(outputs), 2)
    for result in met:
        if result["moment"].endswith("1"):
            expected = 1 if result["moment"] == "after replace 1" else 0
            assert result["new"] == expected, result
    killed = [result for result in results if result["status"] == -9]
    before = sum(result["old"] == len(outputs) for result in killed)
    left = sum(bool(result["beside"]) for result in killed)
    print(
        f"FIGURES {command}: {len(killed)} killed, {before} with the old files, {left} in writing"
    )


@pytest.mark.parametrize("command", WRITERS)
def test_no_room(command, place):
    results = trials(place, command, "without_room")
    outputs = WRITERS[command][1]
    for result in results:
        assert result["status"] == 1 and not result["beside"] and not result["neither"], result
        if result["limit"] >= 1000:
            errors = [line for line in result["said"] if "error:" in line]
            assert len(errors) == 1 and any(output in errors[0] for output in outputs), result
            assert "Traceback" not in "".join(result["said"])


@pytest.mark.parametrize(
    "command", [name for name in WRITERS if "text" in WRITERS[name][0].split()]
)
def test_an_input_that_shrinks(command, place):
    """The text is what it was, or what is left of it; never a crash or half a file."""
    for result in trials(place, command, "shrinking", 6, "text"):
        assert result["status"] in (0, 1), result
        assert not result["beside"]
        if result["status"] == 1:
            assert result["old"] + result["new"] == len(WRITERS[command][1]), result
            assert "error:" in result["said"][-1]


@pytest.mark.parametrize("command", WRITERS)
def test_two_at_once(command, place):
    for result in trials(place, command, "together", 3, TEXTS):
        assert result == {"statuses": [0, 0], "whole": True, "beside": []}


def run_writer(command, place, changes=None, **options):
    arguments = [(changes or {}).get(word, word) for word in WRITERS[command][0].split()]
    main = [sys.executable, "-m", "fairseq_subword_ext"]
    return run_command(*main, *arguments, cwd=place, check=False, **options)


def listing(place):
    return {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}


def check_refused(process, place, before, *names):
    assert process.returncode == 1, process.stderr
    errors = [line for line in process.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1 and any(name in errors[0] for name in names), process.stderr
    assert "Traceback" not in process.stderr
    assert listing(place) == before


INPUT = {"restore": "segmented", "score": "few", "average-checkpoints": "b.pt"}


@pytest.mark.parametrize("command", WRITERS)
def test_inputs_that_are_none(command, place):
    """A folder, a file that is missing, and a broken gzip file under the name of the input."""
    name = INPUT.get(command, "text")
    data = (place / name).read_bytes()
    (place / "folder").mkdir()
    (place / "broken.gz").write_bytes(gzip.compress(data)[:-20])
    before = listing(place)
    for bad in ("folder", "missing", "broken.gz"):
        process = run_writer(command, place, {name: bad})
        check_refused(process, place, before, bad)


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """A folder in which nobody can write; a superuser needs a file system that is read-only."""
    folder = tmp_path_factory.mktemp("read_only")
    mounted = os.geteuid() == 0
    if mounted:
        mount = ["mount", "-t", "tmpfs", "-o", "ro,size=64k", "none", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("a superuser can write everywhere, and nothing can be mounted here")
    else:
        folder.chmod(0o555)
    yield folder
    if mounted:
        subprocess.run(["umount", folder], check=True)
    else:
        folder.chmod(0o755)


@pytest.mark.parametrize("command", WRITERS)
def test_outputs_that_cannot_be_written(command, place, read_only):
    out = WRITERS[command][1][0].replace(".model", "")
    (place / "file").touch()
    before = listing(place)
    for folder in (read_only, place / "file", place / "missing", "/proc"):
        process = run_writer(command, place, {out: f"{folder}/out"})
        check_refused(process, place, before, str(folder))


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory):
    """A file system of 64 KB."""
    folder = tmp_path_factory.mktemp("small")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs a superuser who may mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize(
    "command", [name for name in WRITERS if not name.startswith(("learn", "build-dict", "score"))]
)
def test_a_full_disk(command, place, full_disk):
    """Those whose output is larger than the disk."""
    out = WRITERS[command][1][0].replace(".model", "")
    before = listing(place)
    process = run_writer(command, place, {out: f"{full_disk}/out"})
    check_refused(process, place, before, str(full_disk))
    assert not list(full_disk.iterdir())


@pytest.mark.parametrize(
    "command", ["learn-bpe", "apply-bpe", "restore", "get-vocab", "count-words", "build-dict"]
)
def test_a_reader_that_goes_away(command, place):
    """As in `... | head`: no traceback. A short output fits into the pipe, and is no fault."""
    arguments = [word for word in WRITERS[command][0].split() if word not in ("-o", "out")]
    process = subprocess.Popen(
        [sys.executable, "-m", "fairseq_subword_ext", *arguments],
        cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.close()
    said = process.stderr.read()
    assert process.wait(60) == 1
    assert "Traceback" not in said and "Exception" not in said
