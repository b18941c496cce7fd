"""binarize when killed, on a full disk, and resumed."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairseq_subword_ext.cli.main import main

BINARIZE = [
    "binarize", "-t", "en", "--trainpref", "text/train", "--validpref", "text/valid", "--learn", "60",
    "--joint", "--dropout", "0.1", "--seed", "1", "--num-workers", "2", "--destdir",
]  # fmt: skip
LANGUAGES = ("de", "fr", "si")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Raw text of three pairs, and in ``whole`` the data of an undisturbed run."""
    monkeypatch.chdir(tmp_path)
    Path("text").mkdir()
    generator = random.Random(1)
    words = ["".join(generator.choices("etaoinsh", k=generator.randint(2, 8))) for _ in range(900)]
    for split, lines in (("train", 3000), ("valid", 100)):
        for language in LANGUAGES:
            for side in (language, "en"):
                text = "".join(" ".join(generator.choices(words, k=8)) + "\n" for _ in range(lines))
                Path(f"text/{split}.{language}-en.{side}").write_text(text)
    assert main([*BINARIZE, "whole"]) == 0
    return tmp_path


def content(folder):
    """Returns all files that Fairseq reads, and the codes."""
    return {
        path.name: path.read_bytes()
        for path in Path(folder).iterdir()
        if path.is_file() and path.name != "binarize.json"
    }


def start(folder, *options, prepare=None):
    return subprocess.Popen(
        [sys.executable, "-m", "fairseq_subword_ext", *BINARIZE, folder, *options],
        preexec_fn=prepare,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def assert_whole_files(folder, whole):
    """Each file is correct or absent; no index lies beside the ids of another run."""
    found = content(folder) if Path(folder).is_dir() else {}
    temporary = {name for name in found if name.startswith(".") and name.endswith(".tmp")}
    assert {name for name in set(found) - temporary if found[name] != whole[name]} == set()
    for name in found:
        if name.endswith(".idx"):
            assert f"{name[:-4]}.bin" in found
            assert {"codes", "dict.en.txt"} <= set(found)


@pytest.mark.slow
def test_killed_and_resumed(here):
    whole = content("whole")
    started = time.monotonic()
    assert start("timed").wait() == 0
    taken = time.monotonic() - started
    generator = random.Random(2)
    for number in range(8):
        folder = f"killed{number}"
        process = start(folder)
        time.sleep(generator.uniform(0.3, 1) * taken)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert_whole_files(folder, whole)
        assert start(folder, "--resume").wait() == 0
        assert content(folder) == whole
        assert list(Path(folder).rglob("*.tmp")) == []


@pytest.mark.slow
def test_without_room(here):
    whole = content("whole")
    sizes = sorted({len(data) for data in whole.values()})
    for limit in (sizes[len(sizes) // 3], sizes[-1] - 1):

        def prepare(limit=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = start(f"small{limit}", prepare=prepare)
        said = process.stderr.read().decode().strip().split("\n")[-1]
        assert process.wait() == 1
        assert said.startswith("fairseq-subword binarize: error: ")
        assert said.endswith(": File too large")
        assert_whole_files(f"small{limit}", whole)
        assert list(Path(f"small{limit}").rglob("*.tmp")) == []
        assert start(f"small{limit}", "--resume").wait() == 0
        assert content(f"small{limit}") == whole


def test_what_is_there_stays_until_the_text_is_read(here):
    before = content("whole")
    with Path("text/train.si-en.si").open("ab") as stream:
        stream.write(b"one more \xff line\n")
    assert main([*BINARIZE, "whole"]) == 1
    assert content("whole") == before


def test_resume_does_what_is_left(here, capfd):
    whole = content("whole")
    capfd.readouterr()
    assert main([*BINARIZE, "whole", "--resume"]) == 0
    assert "12 of 12 texts are already done\n" in capfd.readouterr().err
    assert content("whole") == whole

    Path("whole/train.fr-en.fr.bin").unlink()
    assert main([*BINARIZE, "whole", "--resume"]) == 0
    said = capfd.readouterr().err
    assert "11 of 12 texts are already done\n" in said
    assert "learned" not in said
    assert content("whole") == whole


@pytest.mark.parametrize("change", ["text", "option", "pair"])
def test_resume_does_again_what_has_changed(here, change):
    arguments = list(BINARIZE)
    if change == "text":
        with Path("text/train.de-en.de").open("a") as stream:
            stream.write("one more line\n")
        with Path("text/train.de-en.en").open("a") as stream:
            stream.write("one more line\n")
    elif change == "option":
        arguments[arguments.index("0.1")] = "0.3"
    else:
        for path in list(Path("text").glob("*.si-en.*")):
            path.unlink()
    assert main([*arguments, "whole", "--resume"]) == 0
    assert main([*arguments, "anew"]) == 0
    anew = content("anew")
    assert {name: data for name, data in content("whole").items() if name in anew} == anew


def test_resume_takes_the_seed_that_was_drawn(here):
    arguments = [word for word in BINARIZE if word not in ("--seed", "1")]
    assert main([*arguments, "drawn"]) == 0
    drawn = content("drawn")
    seed = json.loads(Path("drawn/.binarize/seed.json").read_text())["results"]["seed"]
    Path("drawn/train.de-en.de.idx").unlink()
    assert main([*arguments, "drawn", "--resume"]) == 0
    assert content("drawn") == drawn
    arguments = [str(seed) if word == "1" else word for word in BINARIZE]
    assert main([*arguments, "given"]) == 0
    assert content("given") == drawn
