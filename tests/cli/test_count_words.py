"""count-words: the same file for the same text, however it is counted."""

import gzip
import io
import os
import random
import resource
import signal
import subprocess
import sys
import time
from argparse import ArgumentTypeError

import pytest
from conftest import heed_interrupts, run_command
from subword_nmt import learn_bpe as reference

from fairseq_subword_ext.cli.count_words import byte_size
from fairseq_subword_ext.cli.main import main

COMMAND = [sys.executable, "-m", "fairseq_subword_ext", "count-words"]


def words_of_many_lengths(number, seed=1):
    """Types and tokens distributed as in text: few words are frequent, and most occur once."""
    generator = random.Random(seed)
    letters = "etaoinkක一"
    return [
        "".join(generator.choices(letters, k=1 + int(generator.expovariate(0.3))))
        for _ in range(number)
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A plain and a compressed file."""
    folder = tmp_path_factory.mktemp("corpus")
    words = words_of_many_lengths(60_000)
    for start in range(0, len(words), 10):
        words[start] += "\n"
    text = " ".join(words).encode()
    (folder / "a.txt").write_bytes(text)
    (folder / "b.txt.gz").write_bytes(gzip.compress(text[:100_000]))
    return folder


@pytest.fixture(scope="module")
def expected(corpus):
    """The counts of one thread, in memory."""
    out = corpus / "expected"
    assert main(["count-words", "-i", f"{corpus}/*.txt*", "-o", str(out)]) == 0
    return out.read_bytes()


def test_the_file_equals_that_of_get_vocab_in_a_total_order(corpus, tmp_path, capsys):
    text, counts, vocabulary = corpus / "a.txt", tmp_path / "counts", tmp_path / "vocabulary"
    assert main(["count-words", "-i", str(text), "-o", str(counts)]) == 0
    assert main(["get-vocab", "-i", str(text), "-o", str(vocabulary)]) == 0
    lines = [line.split(b" ") for line in vocabulary.read_bytes().splitlines()]
    lines.sort(key=lambda columns: (-int(columns[1]), columns[0]))
    assert counts.read_bytes() == b"".join(b"%b %b\n" % tuple(columns) for columns in lines)
    assert "word types, 60000 word tokens" in capsys.readouterr().err


def test_both_tools_learn_from_it_what_they_learn_from_the_text(corpus, tmp_path):
    text, counts = str(tmp_path / "text"), str(tmp_path / "counts")
    (tmp_path / "text").write_bytes((corpus / "a.txt").read_bytes()[:20_000].rpartition(b" ")[0])
    assert main(["count-words", "-i", text, "-o", counts]) == 0
    learn = ["learn-bpe", "-s", "60", "-o"]
    assert main([*learn, str(tmp_path / "whole"), "-i", text]) == 0
    assert main([*learn, str(tmp_path / "counted"), "-i", counts, "--dict-input"]) == 0
    theirs = io.StringIO()
    with open(counts, encoding="utf-8") as lines:  # noqa: PTH123
        reference.learn_bpe(lines, theirs, 60, is_dict=True)
    ours = (tmp_path / "counted").read_text(encoding="utf-8")
    assert ours == (tmp_path / "whole").read_text(encoding="utf-8") == theirs.getvalue()


@pytest.mark.parametrize(
    "flags",
    [
        ["--num-workers", "1"],
        ["--num-workers", "3", "--split-size", "50K"],
        ["--max-memory", "64M", "--split-size", "99999"],
    ],
)
def test_the_result_does_not_depend_on_how_it_is_counted(corpus, expected, tmp_path, flags):
    out = tmp_path / "out"
    assert main(["count-words", "-i", f"{corpus}/*.txt*", "-o", str(out), *flags]) == 0
    assert out.read_bytes() == expected


def test_rare_words_can_be_left_out(corpus, expected, tmp_path):
    out = tmp_path / "out"
    files = ["-i", f"{corpus}/*.txt*", "-o", str(out)]
    assert main(["count-words", *files, "--min-word-count", "3"]) == 0
    kept = [line for line in expected.splitlines() if int(line.split(b" ")[1]) >= 3]
    assert out.read_bytes().splitlines() == kept and kept


def test_carriage_returns_are_reported(tmp_path, capsys):
    (tmp_path / "text").write_bytes(b"a\rb\r\na\r\n")
    arguments = ["count-words", "-i", str(tmp_path / "text")]
    assert main([*arguments, "--carriage-return", "replace", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().err
    assert "2 lines end in \\r\\n" in said and "1 carriage returns inside" in said
    assert main([*arguments, "-o", str(tmp_path / "none")]) == 1
    assert "text:1: found a carriage return" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--max-memory", "1M"], "64M or more"),
        (["--min-word-count", "0"], "--min-word-count 0: expected 1 or more"),
        (["--scheduler", "local", "--max-memory", "1G"], "one machine"),
        (["--scheduler", "local", "-i", "-"], "standard input"),
        (["-i", "nothing*.txt"], "no file matches"),
        (["-i", "-", "-"], "standard input can be read only once"),
    ],
)
def test_flags_that_cannot_be_used(flags, message, capsys):
    assert main(["count-words", "-i", __file__, *flags]) == 1
    assert message in capsys.readouterr().err


def test_sizes():
    assert [byte_size(size) for size in ("7", "2K", "3mb", "1GiB")] == [7, 2048, 3 << 20, 1 << 30]
    for bad in ("", "0", "x", "-1", "1.5G"):
        with pytest.raises(ArgumentTypeError):
            byte_size(bad)


def test_an_interrupt_leaves_nothing(tmp_path):
    """When sorted runs are already on disk."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "temporary").mkdir()
    words = " ".join(words_of_many_lengths(100_000)).encode()
    arguments = "-i pipe -o out --max-memory 64M --temporary-folder temporary".split()
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    )
    # Opened for reading too, so that neither side waits for the other.
    with open(os.open(tmp_path / "pipe", os.O_RDWR), "wb") as pipe:  # noqa: PTH123
        pipe.write(words)  # more than a pipe holds, so it has been read by now
        pipe.flush()
        time.sleep(0.5)
        assert not list((tmp_path / "temporary").iterdir())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert b"interrupted" in process.stderr.read()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "temporary"]
    assert not list((tmp_path / "temporary").iterdir())


def test_a_full_disk_for_sorted_runs(corpus, tmp_path):
    process = subprocess.run(
        [*COMMAND, "-i", corpus / "a.txt", "-o", "out", "--max-memory", "64M",
         "--temporary-folder", tmp_path],
        cwd=tmp_path, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )  # fmt: skip
    assert process.returncode == 1 and "--temporary-folder" in process.stderr
    assert len(process.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("length", [5, 150])
def test_memory_stays_within_the_limit(length, tmp_path):
    """With new words all the time, including long ones as in text without spaces."""
    count = 2_000_000 // (length + 10)
    maker = (
        "import random, sys\ng = random.Random(1)\n"
        f"for _ in range({count} // 10):\n"
        f"    print(*('%0{length}x' % g.getrandbits({4 * length}) for _ in range(10)))\n"
    )
    text = run_command(sys.executable, "-c", maker).stdout
    (tmp_path / "text").write_text(text)
    watch = (
        "import sys\nfrom pathlib import Path\nfrom fairseq_subword_ext.cli.main import main\n"
        "status = main(sys.argv[1:])\n"
        # Not getrusage's ru_maxrss: that includes the process it was forked from.
        "lines = Path('/proc/self/status').read_text().splitlines()\n"
        "print(*(line.split()[1] for line in lines if line.startswith('VmHWM')))\nsys.exit(status)\n"
    )
    flags = ["count-words", "-i", "text", "--num-workers", 2]
    bounded = ["-o", "bounded", "--max-memory", "64M"]
    most = int(run_command(sys.executable, "-c", watch, *flags, *bounded, cwd=tmp_path).stdout)
    run_command(sys.executable, "-c", watch, *flags, "-o", "whole", cwd=tmp_path)
    assert (tmp_path / "bounded").read_bytes() == (tmp_path / "whole").read_bytes()
    assert most <= 64 << 10
