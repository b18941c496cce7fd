"""apply-bpe --output-dir: many files at once, compressed files, and resuming after an interrupt."""

import contextlib
import fcntl
import gzip
import io
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zstandard
from conftest import heed_interrupts

from fairseq_subword_ext.cli.folder_progress import ProgressReport
from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.textio.digests import text_seed

COMMAND = [sys.executable, "-m", "fairseq_subword_ext", "apply-bpe"]
PACK = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
UNPACK = {
    "": bytes,
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".zst": lambda data: zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read(),
}
SOURCES = {"a.txt": "", "b.txt.gz": ".gz", "sub/c.txt.xz": ".xz", "sub/d.txt.zst": ".zst"}


def text(seed, lines=400):
    generator = random.Random(seed)
    words = ["".join(generator.choices("abcdeé", k=generator.randint(1, 8))) for _ in range(200)]
    return "".join(" ".join(generator.choices(words, k=9)) + "\n" for _ in range(lines)).encode()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Files of all kinds in a folder `in`, codes and a vocabulary."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "in" / "sub").mkdir(parents=True)
    for seed, (name, packed) in enumerate(SOURCES.items()):
        (folder / "in" / name).write_bytes(PACK[packed](text(seed, 400 if seed else 25_000)))
    (folder / "in" / "empty").write_bytes(b"")
    with contextlib.chdir(folder) if hasattr(contextlib, "chdir") else in_folder(folder):
        (folder / "some").write_bytes(text(9))
        assert main(["learn-bpe", "-i", "some", "-o", "codes", "-s", "60"]) == 0
        assert main(["learn-bpe", "-i", "some", "-o", "bytes", "-s", "60", "--unit", "byte"]) == 0
        assert main(["apply-bpe", "-i", "some", "-c", "codes", "-o", "segmented"]) == 0
        assert main(["get-vocab", "-i", "segmented", "-o", "vocabulary"]) == 0
    return folder


@contextlib.contextmanager
def in_folder(folder):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture
def run(corpus, tmp_path, monkeypatch):
    """Runs apply-bpe in a folder where `in` is a copy of the corpus; returns its status."""
    for path in corpus.rglob("*"):
        target = tmp_path / path.relative_to(corpus)
        target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return lambda arguments: main(["apply-bpe", *arguments.split()])


def outputs(folder="out"):
    """name -> content of the visible files of a folder."""
    paths = [path for path in Path(folder).rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(".")}


ALL = "-i in/**/* --relative-to in --output-dir out"


@pytest.mark.parametrize(
    "flags",
    [
        "-c codes",
        "-c codes --vocabulary vocabulary --vocabulary-threshold 3 --glossaries ab",
        "-c bytes",
        "--encoder bbpe -c bytes",
        "--encoder byte_level",
        "--encoder char_level",
    ],
)
def test_each_file_is_segmented_as_if_alone(run, flags):
    assert run(f"{ALL} {flags} --suffix .bpe --num-workers 3") == 0
    found = outputs()
    assert set(found) == {
        "a.txt.bpe", "b.txt.bpe.gz", "sub/c.txt.bpe.xz", "sub/d.txt.bpe.zst", "empty.bpe",
    }  # fmt: skip
    for name, packed in SOURCES.items():
        assert run(f"-i in/{name} -o alone {flags}") == 0
        name = name[: len(name) - len(packed)] + ".bpe" + packed
        assert UNPACK[packed](found[name]) == Path("alone").read_bytes()
    assert found["empty.bpe"] == b""


def test_output_does_not_depend_on_the_workers(run):
    expected = None
    for compression in ("none", "gz", "xz", "zst"):
        level = "" if compression == "none" else "--compression-level 1"
        for workers in (1, 2, 5):
            flags = f"--compression {compression} --num-workers {workers} --output-dir out{workers}"
            assert run(f"-c codes -i in/a.txt in/b.txt.gz {flags} {level}") == 0
        assert outputs("out1") == outputs("out2") == outputs("out5")
        suffix = "" if compression == "none" else f".{compression}"
        plain = {n: UNPACK[suffix](outputs("out1")[n + suffix]) for n in ("a.txt", "b.txt")}
        assert plain == (expected := expected or plain)


def test_dropout_depends_only_on_file_name_and_seed(run):
    flags = "-c codes --dropout 0.3 --seed 5"
    assert run(f"{ALL} {flags} --num-workers 4") == 0
    first = outputs()
    assert run(f"-i in/sub/d.txt.zst in/a.txt {flags} --relative-to in --output-dir other") == 0
    second = outputs("other")
    assert set(second) == {"a.txt", "sub/d.txt.zst"} and second.items() <= first.items()
    assert (
        run(f"-i in/b.txt.gz -o alone -c codes --dropout 0.3 --seed {text_seed(5, 'b.txt')}") == 0
    )
    assert gzip.decompress(first["b.txt.gz"]) == Path("alone").read_bytes()
    assert run(f"{ALL} -c codes --dropout 0.3 --seed 6") == 0
    assert all(outputs()[name] != first[name] for name in first if name != "empty")


def segmented_again(folder="out"):
    """Returns a function that lists the outputs written since."""
    before = {name: (Path(folder) / name).stat().st_ino for name in outputs(folder)}
    return lambda: {
        name for name in outputs(folder) if (Path(folder) / name).stat().st_ino != before.get(name)
    }


def test_resume_skips_complete_outputs(run, capsys):
    flags = f"{ALL} -c codes"
    assert run(f"{flags} --resume") == 0
    expected = outputs()
    changed = segmented_again()
    assert run(f"{flags} --resume") == 0 and changed() == set()
    assert "5 of 5 files are already done" in capsys.readouterr().err
    Path("out/b.txt.gz").unlink()
    with Path("out/a.txt").open("r+b") as stream:  # as left by a disk that was full once
        stream.truncate(1000)
    Path("out/.fairseq-subword/sub/c.txt.xz.json").write_text('{"settings": {')
    changed = segmented_again()
    assert run(f"{flags} --resume --num-workers 1") == 0
    assert changed() == {"a.txt", "b.txt.gz", "sub/c.txt.xz"} and outputs() == expected
    changed = segmented_again()
    assert run(flags) == 0 and changed() == set(
        expected
    )  # without it, all files are converted again


def test_resume_converts_a_changed_input_again(run, capsys):
    assert run(f"{ALL} -c codes") == 0
    Path("in/b.txt.gz").write_bytes(gzip.compress(b"abc abd\n"))
    changed = segmented_again()
    assert run(f"{ALL} -c codes --resume") == 0 and changed() == {"b.txt.gz"}
    assert "in/b.txt.gz: has changed since" in capsys.readouterr().err


def test_resume_refuses_other_settings_until_a_fresh_start(run, capsys):
    assert run(f"{ALL} -c codes") == 0
    before = outputs()
    changed = segmented_again()
    assert run(f"{ALL} -c codes -m 20 --resume") == 1
    assert "a.txt was made with other settings (merges -1 then, 20 now)" in capsys.readouterr().err
    assert changed() == set() and outputs() == before
    # Codes with the same name, and options without influence.
    Path("codes").write_bytes(b"\n".join(Path("codes").read_bytes().split(b"\n")[:9]) + b"\n")
    Path("codes.json").unlink()
    assert run(f"{ALL} -c codes --resume") == 1 and "codes" in capsys.readouterr().err
    # Started again, and stopped by a file that cannot be read.
    broken = Path("in/b.txt.gz").read_bytes()
    Path("in/b.txt.gz").write_bytes(broken[:-9])
    assert run(f"{ALL} -c codes -m 5 --num-workers 1") == 1
    Path("in/b.txt.gz").write_bytes(broken)
    changed = segmented_again()
    assert run(f"{ALL} -c codes -m 5 --resume") == 0
    assert changed() == {"b.txt.gz", "empty", "sub/c.txt.xz", "sub/d.txt.zst"}


def test_resume_reuses_the_drawn_seed(run):
    assert run("-i in/a.txt in/b.txt.gz -c codes --dropout 0.5 --output-dir out") == 0
    expected = outputs()
    Path("out/a.txt").unlink()
    changed = segmented_again()
    assert run("-i in/a.txt in/b.txt.gz -c codes --dropout 0.5 --output-dir out --resume") == 0
    assert changed() == {"a.txt"} and outputs() == expected


def test_two_sets_of_settings_in_one_folder(run):
    """As with a vocabulary for each language."""
    one = "-i in/a.txt --output-dir out -c codes"
    two = "-i in/b.txt.gz --output-dir out -c codes -m 9"
    assert run(one) == run(two) == 0
    changed = segmented_again()
    assert run(f"{one} --resume") == run(f"{two} --resume") == 0 and changed() == set()


def test_leftovers_of_killed_processes_are_removed_but_not_files_in_progress(run):
    Path("out").mkdir()
    left, held, foreign = (Path("out", name) for name in (
        ".a.txt.abcdefg_.tmp", ".a.txt.abcdefg1.tmp", ".other.abcdefg1.tmp"
    ))  # fmt: skip
    for path in (left, held, foreign):
        path.write_bytes(b"half")
    with held.open("r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert run("-i in/a.txt --output-dir out -c codes --resume") == 0
    assert [path.exists() for path in (left, held, foreign)] == [False, True, True]


BAD = {
    "cut": (gzip.compress(text(1))[:-30], "b.txt.gz: the gzip data is truncated"),
    "no UTF-8": (b"abc\nab\xff\n", "b.txt.gz:2: "),
    "no UTF-8, compressed": (gzip.compress(b"abc\nab\xff\n"), "b.txt.gz:2: "),
    "carriage return": (b"abc\nab\rc\n", "b.txt.gz:2: "),
}


@pytest.mark.parametrize("flags, bad", [
    ("-c codes", "cut"), ("-c codes", "no UTF-8"), ("-c codes", "carriage return"),
    ("--encoder byte_level", "cut"), ("--encoder byte_level", "no UTF-8, compressed"),
])  # fmt: skip
def test_a_bad_file_is_named_and_complete_outputs_are_kept(run, capsys, flags, bad):
    content, said = BAD[bad]
    Path("in/b.txt.gz").write_bytes(content)
    assert run(f"{ALL} {flags} --num-workers 1") == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if "error:" in line]
    assert len(errors) == 1 and f"error: in/{said}" in errors[0]
    assert set(outputs()) == {"a.txt"} and not list(Path("out").glob(".*.tmp"))
    assert run(f"{ALL} {flags} --keep-going") == 1
    said_now = capsys.readouterr().err
    assert f"left out: in/{said}" in said_now and "1 of 5 files could not" in said_now
    assert set(outputs()) == {"a.txt", "empty", "sub/c.txt.xz", "sub/d.txt.zst"}
    Path("in/b.txt.gz").write_bytes(gzip.compress(b"abc\n"))
    changed = segmented_again()
    assert run(f"{ALL} {flags} --resume") == 0 and changed() == {"b.txt.gz"}


def test_a_full_disk_stops_everything_even_with_keep_going(run):
    process = subprocess.run(
        ["bash", "-c", "ulimit -f 20; trap '' XFSZ; exec \"$@\"", "-", *COMMAND,
         *f"{ALL} -c codes --keep-going".replace("in/**/*", "in/a.txt in/empty").split()],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert "error: out/a.txt: File too large" in process.stderr
    assert not list(Path("out").glob(".*.tmp")) and "a.txt" not in outputs()


@pytest.mark.parametrize("flags, message", [
    ("-i in/a.txt in/sub/../a.txt --output-dir out", "would both become a.txt in out"),
    ("-i in/a.txt --output-dir in", "would overwrite the input in/a.txt"),
    ("-i in/a.txt in/sub --output-dir out", "in/sub: Is a directory"),
    ("-i in/a.txt nothing --output-dir out", "nothing: No such file"),
    ("-i in/*.none --output-dir out", "no file matches"),
    ("--output-dir out", "use -o for '-'"),
    ("-i in/a.txt --output-dir out -o x", "give only one of them"),
    ("-i in/a.txt --output-dir out --suffix a/b", "without a /"),
    ("-i in/a.txt --output-dir out --relative-to in/sub", "is not below"),
    ("-i in/a.txt --output-dir codes", "codes"),
    ("-i in/a.txt --output-dir codes/out", "codes"),
    ("-i in/a.txt -o out --resume --suffix x", "--suffix, --resume needs --output-dir"),
    ("-i in/b.txt.gz --output-dir out --compression-level 10", "gzip has 0 to 9"),
    ("-i in/a.txt -o out --compression zst --compression-level 20", "1 to 19"),
    ("-i in/a.txt -o out --compression-level 3", "no output is compressed"),
    ("-i in/a.txt --output-dir out --dropout 2", "dropout"),
    ("-i in/a.txt --output-dir out --num-workers 0", "--num-workers 0"),
])  # fmt: skip
def test_refusals_are_one_line(run, capsys, flags, message):
    assert run(f"-c codes {flags}") == 1
    said = capsys.readouterr().err.splitlines()
    assert message in said[-1] and sum("error:" in line for line in said) == 1
    assert not outputs() and Path("codes").is_file()


def test_an_output_is_refused_as_input(run, capsys):
    """If a glob matches what an earlier run wrote."""
    assert run("-c codes -i in/a.txt --output-dir in/bpe") == 0
    assert run("-c codes -i in/**/a.txt --output-dir in/bpe --relative-to in --resume") == 1
    assert "is itself an output" in capsys.readouterr().err


def test_files_that_break_apart_are_named(run, capsys):
    for number in range(5):
        Path(f"in/{number}.ru").write_text("привет мир снова\n" * 9, encoding="utf-8")
    assert run("-c codes -i in/*.ru in/a.txt --output-dir out") == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert warnings[0].startswith("warning: in/0.ru: 100 %") and "2 more" in warnings[3]
    assert len(warnings) == 4


def test_carriage_returns_are_counted(run, capsys):
    Path("in/x").write_bytes(b"ab\r\nc\r\n")
    Path("in/y").write_bytes(b"ab\rc\n")
    assert run("-c codes -i in/x in/y --output-dir out --carriage-return replace") == 0
    said = capsys.readouterr().err
    assert "2 files: 2 lines end in \\r\\n" in said and "2 files: 1 carriage returns" in said


def test_an_interrupt_leaves_complete_files_and_can_be_resumed(run):
    for number in range(4):
        Path(f"in/{number}").write_bytes(text(number, 1000))
    Path("in/large").write_bytes(text(5, 10_000) * 40)  # enough work to interrupt
    flags = (
        "-c codes -i in/0 in/1 in/2 in/large in/3 --output-dir out --num-workers 2 "
        "--compression gz --compression-level 3"
    )
    assert run(flags) == 0
    expected = outputs()
    for name in expected:
        Path("out", name).unlink()
    process = subprocess.Popen(
        [*COMMAND, *flags.split()], stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    deadline = time.monotonic() + 60
    while not outputs() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    there = outputs()
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert f"{len(there)} of 5 files were done; continue with --resume" in said
    assert there and there.items() < expected.items() and not list(Path("out").glob(".*.tmp"))
    changed = segmented_again()
    assert run(f"{flags} --resume") == 0
    assert changed() == set(expected) - set(there) and outputs() == expected


def test_file_names_that_are_not_utf8(run):
    name = os.fsdecode(b"caf\xe9")
    Path("in", name).write_bytes(b"abc\n")
    assert run("-c codes -i in/caf* --output-dir out") == 0
    changed = segmented_again()
    assert run("-c codes -i in/caf* --output-dir out --resume") == 0
    assert set(outputs()) == {name} and changed() == set()


def test_a_record_says_how_a_file_was_made(run):
    assert run("-c codes -i in/sub/c.txt.xz --output-dir out --dropout 0.1 --seed 4") == 0
    record = json.loads(Path("out/.fairseq-subword/c.txt.xz.json").read_text())
    assert record["lines"] == 400 and record["source"] == "in/sub/c.txt.xz"
    assert record["settings"]["dropout"] == 0.1 and record["settings"]["seed"] == 4


def test_progress_shows_speed_and_time_left(capsys, monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with ProgressReport("segmented", 4, 2_000_000) as report:
        report.progress.add(files=1, bytes=500_000, lines=9000)
        now = 130.0
        report.tick()
        assert capsys.readouterr().err == ""
        now = 190.0
        report.tick()
        line = "1 of 4 files, 25.0 % of 2.0 MB read, 100 lines/s, 0:04:30 left\n"
        assert capsys.readouterr().err == line
        report.progress.add(files=3, bytes=1_500_000, lines=900)
    assert "4 files, 9900 lines, 2.0 MB in 90.0 s: 110 lines/s" in capsys.readouterr().err


@pytest.mark.parametrize("packed", PACK)
def test_one_output_compressed_by_its_suffix(run, packed, capsysbinary):
    level = "--compression-level 1" if packed else ""
    assert run(f"-c codes -i in/a.txt in/**/*.txt.* -o out.txt{packed} {level}") == 0
    parts = [text(0, 25_000), *map(text, (1, 2, 3))]
    Path("whole").write_bytes(b"".join(parts))
    assert run("-c codes -i whole -o plain") == 0
    plain = Path("plain").read_bytes()
    assert UNPACK[packed](Path(f"out.txt{packed}").read_bytes()) == plain
    capsysbinary.readouterr()
    flag = f"--compression {packed[1:]} {level}" if packed else ""
    assert run(f"-c codes -i whole {flag}") == 0
    assert UNPACK[packed](capsysbinary.readouterr().out) == plain
    assert main(["restore", "-i", f"out.txt{packed}", "-o", "restored"]) == 0
    assert Path("restored").read_bytes() == Path("whole").read_bytes()
