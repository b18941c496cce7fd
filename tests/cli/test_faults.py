"""Faults: killed processes, full disks, bad inputs. The old file stays, or the new one is complete.

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

# name -> arguments and the files it writes. Inputs: see `inputs`.
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
    "stats": ("stats --raw text bpe=segmented --json out", ["out"]),
    "segment-baseline": ("segment-baseline char-ngrams -i text -o out", ["out"]),
    "export": ("export -c codes --to tokenizer.json -o out", ["out"]),
    "average-checkpoints": ("average-checkpoints -i a.pt b.pt -o out.pt", ["out.pt"]),
    # Last, since it leaves a file on the small disk.
    "apply-bpe into a folder": (
        "apply-bpe -i ./text ./segmented -c codes -m 200 --output-dir made --compression gz "
        "--num-workers 1",
        ["made/text.gz", "made/segmented.gz"],
    ),
}  # fmt: skip
# The input that is damaged, if not `text`, and what another process reads instead.
INPUT = {
    "restore": "segmented", "score": "few", "export": "codes", "average-checkpoints": "b.pt",
    "apply-bpe into a folder": "./text",
}  # fmt: skip
# The argument that says where to write, if it is not the name of the first output.
TARGET = {"learn-bpe with SentencePiece": "out", "apply-bpe into a folder": "made"}
NO_WRITERS = {"explain", "user-dir"}
TEXTS = {"text": "other", "segmented": "other_segmented", "few": "few_others", "codes": "other_codes",
         "b.pt": "c.pt", "200": "100"}  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Inputs on which each command takes some tenths of a second, and further inputs of the same kind."""
    folder = tmp_path_factory.mktemp("inputs")
    generator = random.Random(1)
    types = ["".join(generator.choices("etaoinක", k=generator.randint(2, 9))) for _ in range(3000)]
    for name in ("text", "other"):
        lines = (" ".join(generator.choices(types, k=8)) for _ in range(2500))
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    main = [sys.executable, "-m", "fairseq_subword_ext"]
    for name, codes in (("text", "codes"), ("other", "other_codes")):
        run_command(*main, "learn-bpe", "-i", name, "-o", codes, "-s", 200, cwd=folder)
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


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """A folder that cannot be written to; None for a superuser who cannot mount one read-only."""
    folder = tmp_path_factory.mktemp("read_only")
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
    elif mount(folder, "ro,size=64k"):
        yield folder
        subprocess.run(["umount", folder], check=True)
    else:
        yield None


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory):
    """A file system of 64 KB; None if none can be mounted."""
    folder = tmp_path_factory.mktemp("small")
    if mount(folder, "size=64k"):
        yield folder
        subprocess.run(["umount", folder], check=True)
    else:
        yield None


def mount(folder, options):
    command = ["mount", "-t", "tmpfs", "-o", options, "none", folder]
    return not subprocess.run(command, capture_output=True, check=False).returncode


@pytest.fixture(scope="module", params=WRITERS)
def tried(request, inputs, read_only, small_disk, tmp_path_factory):
    """One command and the result of each fault."""
    place = tmp_path_factory.mktemp("place")
    for path in inputs.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    arguments, outputs = WRITERS[request.param]
    arguments = arguments.split()
    source = INPUT.get(request.param, "text")
    (place / "folder").mkdir()
    (place / "broken.gz").write_bytes(gzip.compress((place / source).read_bytes())[:-20])
    target = TARGET.get(request.param, outputs[0])
    into_folder = "--output-dir" in arguments
    folders = [place / "codes", "/proc", read_only, small_disk]
    if not into_folder:  # created with its parents
        folders.append(place / "missing")
    changes = {
        source: ["folder", "missing", "broken.gz"],
        target: [f"{folder}/out" for folder in folders if folder is not None],
    }
    faults = {
        "killed": [KILLS], "without_room": [], "shrinking": [4, source], "together": [2, TEXTS],
        "refused": [changes],
    }  # fmt: skip
    if into_folder:
        faults["resumed"] = [KILLS // 2]
    spec = {"arguments": arguments, "outputs": outputs, "faults": faults}
    script = Path(__file__).with_name("fault_trials.py")
    process = run_command(sys.executable, script, json.dumps(spec), cwd=place)
    return request.param, outputs, json.loads(process.stdout.splitlines()[-1])


def is_temporary(name, outputs):
    """Whether a killed process left this file: its name is hidden and names the process."""
    paths = [Path(output) for output in outputs]
    paths += [path.parent / ".fairseq-subword" / f"{path.name}.json" for path in paths]
    return any(
        Path(name).parent == path.parent
        and re.fullmatch(rf"\.{re.escape(path.name)}\.\w+\.tmp", Path(name).name)
        for path in paths
    )


def test_every_command_with_an_output_is_covered():
    """A new command with an output belongs in the table above."""
    tried = {arguments.split()[0] for arguments, _ in WRITERS.values()}
    with_output = {name for name in RUNS if {"-o", "--output", "--json"} & set(RUNS[name])}
    assert with_output <= tried
    assert tried | NO_WRITERS <= set(COMMANDS)


def test_killed(tried):
    command, outputs, found = tried
    results = found["killed"]
    assert [result for result in results if result["neither"]] == []
    assert all(is_temporary(name, outputs) for result in results for name in result["beside"])
    at_random = results[:KILLS]
    # -9: killed before it was done. With one file, all the later moments were reached too.
    assert sum(result["status"] == -9 for result in at_random) >= KILLS // 4
    met = [result for result in results[KILLS:] if result["status"] == -9]
    assert len(met) == 4 * min(len(outputs), 2)
    for result in met:
        if result["moment"].endswith("1"):
            assert result["new"] == (result["moment"] == "after replace 1"), result
    killed = [result for result in results if result["status"] == -9]
    before = sum(result["old"] == len(outputs) for result in killed)
    left = sum(bool(result["beside"]) for result in killed)
    print(
        f"FIGURES {command}: {len(killed)} killed, {before} with the old files, {left} in writing"
    )


def test_killed_and_resumed(tried):
    command, outputs, found = tried
    if "resumed" not in found:
        pytest.skip(f"{command} has no --resume")
    for result in found["resumed"]:
        assert (result["status"], result["new"], result["beside"]) == (0, len(outputs), []), result
    # Some were killed while writing, and their leftovers were removed.
    assert sum(result["killed"] == -9 and result["left"] > 0 for result in found["resumed"]) > 0


def check_refused(result, outputs, *names):
    """One line that names the file; no new files and no partial ones."""
    assert result["status"] == 1, result
    assert result["old"] + result["new"] == len(outputs) and not result["beside"], result
    errors = [line for line in result["said"] if "error:" in line]
    assert len(errors) == 1 and any(name in errors[0] for name in names), result
    assert "Traceback" not in "".join(result["said"])


def test_full_disk(tried):
    _, outputs, found = tried
    assert found["without_room"]
    for result in found["without_room"]:
        if result["limit"] < 1000:  # there was no room for messages either
            result["said"] = [f"error: {outputs[0]}"]
        # It may be the sorted runs that do not fit.
        check_refused(result, outputs, *outputs, "--temporary-folder")


def test_an_input_that_shrinks(tried):
    """The output is that of the old text or of what is left of it, never a crash or half a file."""
    _, outputs, found = tried
    for result in found["shrinking"]:
        assert result["status"] in (0, 1) and not result["beside"], result["said"]
        if result["status"] == 1:
            assert result["old"] + result["new"] == len(outputs), result
            assert "error:" in result["said"][-1]


def test_two_processes_at_once(tried):
    for result in tried[2]["together"]:
        assert result == {"statuses": [0, 0], "whole": True, "beside": []}


def test_unusable_inputs_and_outputs(tried, small_disk):
    """A folder, a missing file, a broken gzip file; folders that cannot be written to, a full disk."""
    command, outputs, found = tried
    for name, result in found["refused"].items():
        fits = name.startswith(f"{small_disk}/") and result["status"] == 0
        if fits:
            assert command.startswith(
                ("learn", "build-dict", "export", "score", "stats", "count-words", "get-vocab")
            )
            continue
        check_refused(result, outputs, name, str(Path(name).parent))


def test_file_systems_were_mounted(read_only, small_disk):
    if read_only is None or small_disk is None:
        pytest.skip("nothing can be mounted here: read-only folders or full disks were not tried")


PRINTERS = [
    *("learn-bpe", "apply-bpe", "restore", "get-vocab", "count-words", "build-dict"),
    *("learn-joint-bpe-and-vocab", "segment-baseline", "score", "stats"),
]


@pytest.mark.parametrize("command", [*PRINTERS, "explain -c codes etain", "user-dir"])
def test_a_reader_that_closes_the_pipe(command, inputs):
    """As in `... | head`: there is no traceback."""
    arguments = WRITERS[command][0].replace(" --json out", "") if command in WRITERS else command
    arguments = arguments.replace(" -o out", " -o -").split()
    process = subprocess.Popen(
        [sys.executable, "-m", "fairseq_subword_ext", *arguments],
        cwd=inputs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.close()
    said = process.stderr.read()
    assert process.wait(60) == 1
    assert "Traceback" not in said and "Exception" not in said
