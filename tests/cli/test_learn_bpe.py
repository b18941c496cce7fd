"""The command learn-bpe: subword-nmt's merges, its output files, and its messages."""

import hashlib
import io
import json
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import heed_interrupts, run_command
from subword_nmt import learn_bpe as reference

LOW = "low 5\nlower 2\nnewest 6\nwidest 3\n"
RAIN = "rain 6\nrains 3\ntrain 4\ntrains 2\nbrain 1\n"


def random_text(seed, lines=60, alphabet="aabbcdé ක</w>@\xa0\u2028"):
    generator = random.Random(seed)
    text = []
    for _ in range(lines):
        words = [
            "".join(generator.choices(alphabet, k=generator.randrange(9)))
            for _ in range(generator.randrange(7))
        ]
        text.append(" ".join(words))
    return "\n".join(text) + "\n"


def reference_codes(text, symbols, **options):
    out = io.StringIO()
    reference.learn_bpe(io.StringIO(text, newline="\n"), out, symbols, **options)
    return out.getvalue()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--min-frequency", 5], {"min_frequency": 5}),
        (["--total-symbols"], {"total_symbols": True}),
        (["-t", "--min-frequency", 3], {"total_symbols": True, "min_frequency": 3}),
    ],
)
def test_the_codes_equal_those_of_subword_nmt(subword, tmp_path, seed, flags, options):
    text = random_text(seed)
    (tmp_path / "text").write_bytes(text.encode("utf-8"))
    subword("learn-bpe", "-i", "text", "-o", "codes", "-s", 80, *flags, cwd=tmp_path)
    assert (tmp_path / "codes").read_bytes().decode() == reference_codes(text, 80, **options)


def test_dictionary_input(subword):
    text = "b\xa0c 3\nthe 3000000000\nthen 7\nb\xa0c 2\n"
    process = subword("learn-bpe", "--dict-input", "-s", 9, input=text)
    assert process.stdout == reference_codes(text, 9, is_dict=True)


def test_the_defaults_equal_those_of_subword_nmt(subword):
    text = random_text(9, lines=300, alphabet="abcdefghij")
    assert subword("learn-bpe", input=text).stdout == reference_codes(text, 10000)


def test_verbose_prints_every_merge_as_subword_nmt_does(subword, capsys):
    text = random_text(4, alphabet="abcdක")
    process = subword("learn-bpe", "-v", "-s", 30, input=text)
    assert process.stdout == reference_codes(text, 30, verbose=True)
    line = re.compile(r"pair \d+: .*\(frequency \d+\)")
    theirs = line.findall(capsys.readouterr().err)
    assert line.findall(process.stderr) == theirs and len(theirs) == 30


def test_kind_of_input_workers_and_hash_seed_do_not_matter(subword, tmp_path):
    text = random_text(5, lines=400, alphabet="abcdක")
    lines = text.splitlines(keepends=True)
    for name, part in ("text", lines), ("first", lines[:100]), ("second", lines[100:]):
        (tmp_path / name).write_text("".join(part), encoding="utf-8")
    runs = [
        subword("learn-bpe", "-s", 99, input=text, env={"PYTHONHASHSEED": "1"}),
        subword("learn-bpe", "-s", 99, "-i", tmp_path / "text", env={"PYTHONHASHSEED": "2"}),
        subword("learn-bpe", "-s", 99, "-i", tmp_path / "first", tmp_path / "second"),
        *(
            subword("learn-bpe", "-s", 99, "-i", tmp_path / "text", "--num-workers", workers)
            for workers in (1, 2, 7)
        ),
    ]
    assert len({run.stdout for run in runs}) == 1


@pytest.mark.parametrize(
    ("text", "merges", "expected"),
    [
        (LOW, 5, ["e s", "es t", "est </w>", "l o", "lo w"]),
        ("ab 5\nac 2\n", 1, ["a b"]),
    ],
)
def test_worked_examples_with_ties_broken_by_position(subword, text, merges, expected):
    process = subword(
        "learn-bpe", "--dict-input", "--marker-version", "0.1", "--tie-break", "first",
        "-s", merges, input=text,
    )  # fmt: skip
    assert process.stdout.splitlines() == ["#version: 0.1", *expected]


def test_the_rain_example(subword):
    process = subword(
        "learn-bpe", "--dict-input", "--marker-version", "0.1", "--tie-break", "least", "-s", 6,
        input=RAIN,
    )  # fmt: skip
    assert process.stdout.splitlines()[1] == "a i"
    assert len(process.stdout.splitlines()) == 7
    # Seven letters, the marker and six merges.
    assert "inventory: 14 symbols (8 base symbols and 6 merges)" in process.stderr


def test_codes_metadata_and_signature(subword, tmp_path):
    (tmp_path / "train.de").write_text(random_text(1), encoding="utf-8")
    process = subword("learn-bpe", "-i", "train.de", "-o", "codes", "-s", 30, cwd=tmp_path)
    metadata = json.loads((tmp_path / "codes.json").read_text(encoding="utf-8"))
    assert metadata["measure"] == "frequency"
    assert metadata["unit"] == "char"
    assert metadata["merges_asked"] == metadata["merges_learned"] == 30
    assert metadata["tie_break"] == "greatest"
    assert metadata["marker_version"] == "0.2"
    assert metadata["corpus"] == "train.de"
    assert len(metadata["corpus_sha256"]) == 64
    assert metadata["alphabet"]["a"] > 0
    last = process.stderr.splitlines()[-1]
    assert last.startswith("signature: unit:char|marker:0.2|merges:30/30|measure:frequency|")
    assert metadata["corpus_sha256"][:12] in last


def test_the_hash_depends_only_on_the_text(subword, tmp_path):
    text = random_text(3)
    (tmp_path / "a").write_text(text, encoding="utf-8")
    for arguments in (["-i", "a"], ["-i", "-"], []):
        subword(
            "learn-bpe", *arguments, "-o", "codes", "-s", 5, cwd=tmp_path,
            input=text,
        )  # fmt: skip
        metadata = json.loads((tmp_path / "codes.json").read_text(encoding="utf-8"))
        assert metadata["corpus_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_metadata_of_codes_on_standard_output(subword, tmp_path):
    process = subword("learn-bpe", "-s", 3, "--meta", "metadata", input="ab ab", cwd=tmp_path)
    assert json.loads((tmp_path / "metadata").read_text())["alphabet"] == {"a": 2, "b</w>": 2}
    assert "--meta" not in process.stderr
    process = subword("learn-bpe", "-s", 3, input="ab ab", cwd=tmp_path)
    assert "--meta FILE" in process.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["metadata"]


def test_too_few_pairs_are_not_an_error(subword, tmp_path):
    process = subword("learn-bpe", "-s", 10, "-o", "codes", input="ab cd\n", cwd=tmp_path)
    assert (tmp_path / "codes").read_text() == "#version: 0.2\n"
    assert "learned 0 of 10 merges" in process.stderr
    assert "normal" in process.stderr
    applied = subword("apply-bpe", "-c", "codes", input="ab cd\n", cwd=tmp_path)
    assert applied.stdout == "a@@ b c@@ d\n"


def test_words_of_one_character(subword):
    assert subword("learn-bpe", input="a b c a\n").stdout == "#version: 0.2\n"


@pytest.mark.parametrize("text", ["", "\n\n", "   \n \n"])
def test_text_without_words_leaves_no_file(subword, tmp_path, text):
    process = subword("learn-bpe", "-o", "codes", input=text, cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert "no word" in process.stderr
    assert "Traceback" not in process.stderr
    assert list(tmp_path.iterdir()) == []


def test_blank_lines_and_double_spaces(subword):
    assert subword("learn-bpe", input="and  x . \n\n and\n").stdout == reference_codes(
        "and  x . \n\n and\n", 10000
    )


@pytest.mark.parametrize("flags", [[], ["--marker-version", "0.1"], ["--unit", "byte"]])
def test_the_expected_vocabulary_is_an_upper_bound(subword, tmp_path, flags):
    text = random_text(7, lines=200, alphabet="abcdeක")
    (tmp_path / "text").write_text(text, encoding="utf-8")
    process = subword("learn-bpe", "-i", "text", "-o", "codes", "-s", 40, *flags, cwd=tmp_path)
    expected = int(process.stderr.split("at most ")[1].split()[0])
    segmented = subword("apply-bpe", "-i", "text", "-c", "codes", cwd=tmp_path).stdout.split()
    found = len(set(segmented))
    # All bytes are counted, whatever the text.
    assert expected - 2 * 40 - (256 if "byte" in flags else 0) <= found <= expected


def test_repeated_characters(subword):
    text = "aaaa aaaa\n"
    assert subword("learn-bpe", input=text).stdout == reference_codes(text, 10000)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 1\n\nb 2\n", "standard input:2"),
        ("a\t1\n", "standard input:1"),
        ("b b 2\n", "standard input:1"),
        ("bb 2.5\n", "standard input:1"),
        ("bb -2\n", "standard input:1"),
    ],
)
def test_errors_in_dictionary_input_name_the_line(subword, text, words):
    process = subword("learn-bpe", "--dict-input", input=text, check=False)
    assert process.returncode == 1
    assert words in process.stderr
    assert "Traceback" not in process.stderr


def test_a_lone_carriage_return(subword, tmp_path):
    (tmp_path / "text").write_bytes(b"ab ab\nab\rcd ab\n")
    process = subword("learn-bpe", "-i", "text", "-o", "codes", cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert "text:2" in process.stderr
    assert "--carriage-return replace" in process.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    process = subword("learn-bpe", "-i", "text", "--carriage-return", "replace", cwd=tmp_path)
    assert process.stdout == reference_codes("ab ab\nab cd ab\n", 10000)


def test_windows_line_ends_are_read_and_reported(subword, tmp_path):
    (tmp_path / "text").write_bytes(b"ab ab\r\nab cd\r\n")
    process = subword("learn-bpe", "-i", "text", cwd=tmp_path)
    assert process.stdout == reference_codes("ab ab\nab cd\n", 10000)
    assert r"\r\n" in process.stderr


def test_bytes_that_are_not_utf8(subword, tmp_path):
    (tmp_path / "text").write_bytes(b"ab ab\n\xff\xfe ab\n")
    process = subword("learn-bpe", "-i", "text", cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert "text:2" in process.stderr


def test_line_separators_are_ordinary_characters(subword, tmp_path):
    text = "ab\u2028cd ab\u2028cd\nx\x85y x\x85y\n"
    (tmp_path / "text").write_text(text, encoding="utf-8")
    subword("learn-bpe", "-i", "text", "-o", "codes", cwd=tmp_path)
    assert (tmp_path / "codes").read_bytes().decode() == reference_codes(text, 10000)
    applied = subword(
        "apply-bpe", "-c", "codes", "--compat", "subword-nmt", input=text, cwd=tmp_path
    )
    assert applied.stdout == text


@pytest.mark.parametrize(
    "measure", ["frq", "av", "dlg", "frq-weighted", "av-weighted", "dlg-weighted", "dlg-average"]
)
def test_every_measure_is_passed_on(subword, tmp_path, measure):
    text = random_text(2, alphabet="abcdක")
    (tmp_path / "text").write_text(text, encoding="utf-8")
    process = subword(
        "learn-bpe", "-i", "text", "-o", "codes", "-s", 20, "--measure", measure, cwd=tmp_path
    )
    metadata = json.loads((tmp_path / "codes.json").read_text(encoding="utf-8"))
    assert metadata["measure"] == measure
    assert f"|measure:{measure}|" in process.stderr.splitlines()[-1]
    from fairseq_subword_ext.subword.learner import learn_bpe

    merges = learn_bpe([tmp_path / "text"], 20, measure=measure).merges
    codes = (tmp_path / "codes").read_text(encoding="utf-8").splitlines()
    assert codes == ["#version: 0.2", *(" ".join(pair) for pair in merges)]


def test_description_length_over_types(subword, tmp_path):
    (tmp_path / "text").write_text(random_text(2, alphabet="abcd"), encoding="utf-8")
    runs = [
        subword(
            "learn-bpe",
            "-i",
            "text",
            "-s",
            20,
            "--measure",
            "dlg",
            "--dlg-counts",
            counts,
            cwd=tmp_path,
        )
        for counts in ("tokens", "types")
    ]
    assert runs[0].stdout != runs[1].stdout
    assert "|dlg-counts:types|" in runs[1].stderr


def test_an_unknown_measure_names_the_known_ones(subword):
    process = subword("learn-bpe", "--measure", "nothing", input="ab ab\n", check=False)
    assert process.returncode in (1, 2)
    assert "dlg-weighted" in process.stderr


def test_a_measure_from_a_module(subword, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from fairseq_subword_ext.subword.goodness import Measure, register_measure\n\n\n"
        '@register_measure("rarest")\n'
        "class Rarest(Measure):\n"
        '    reads = frozenset({"occ"})\n\n'
        "    def score(self, stats):\n"
        "        return -stats.occ.astype(float)\n",
        encoding="utf-8",
    )
    process = subword(
        "learn-bpe", "--dict-input", "--measure", "rarest", "--measure-module", "mine.py", "-s", 1,
        input="ab 9\ncd 3\n", cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout.splitlines()[1:] == ["c d</w>"]
    assert "|measure:rarest|" in process.stderr


def test_bytes(subword, tmp_path):
    process = subword(
        "learn-bpe", "--unit", "byte", "-s", 2, "-o", "codes", input="ක ක\n", cwd=tmp_path
    )
    lines = (tmp_path / "codes").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#version: byte-1"
    assert len(lines) == 3
    assert "256 base symbols" in process.stderr


@pytest.mark.parametrize("borders", ["none", "sentencepiece", "character"])
def test_borders_are_recorded(subword, tmp_path, borders):
    process = subword(
        "learn-bpe", "--unit", "byte", "--borders", borders, "-s", 9, "-o", "codes",
        input="a1 ක a1 ක\n", cwd=tmp_path,
    )  # fmt: skip
    assert json.loads((tmp_path / "codes.json").read_text(encoding="utf-8"))["borders"] == borders
    assert f"|borders:{borders}|" in process.stderr.splitlines()[-1]
    merges = (tmp_path / "codes").read_text(encoding="utf-8").splitlines()[1:]
    made = {merge.replace(" ", "") for merge in merges}
    assert ("▁a1" in made) == (borders != "sentencepiece")
    assert ("▁à¶ƚ" in made) == (borders != "sentencepiece")
    assert ("▁à" in made) == (borders != "character")


def test_borders_need_bytes(subword):
    process = subword("learn-bpe", "--borders", "character", input="ab ab\n", check=False)
    assert process.returncode == 1
    assert "--borders character applies to bytes: add --unit byte" in process.stderr


def test_total_symbols_of_bytes_count_all_256(subword):
    text = random_text(1, lines=300)
    process = subword("learn-bpe", "--unit", "byte", "-s", 300, "--total-symbols", input=text)
    assert len(process.stdout.splitlines()) == 1 + 44


def test_any_locale_works(subword, tmp_path):
    text = random_text(1)
    (tmp_path / "text").write_text(text, encoding="utf-8")
    plain = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONCOERCECLOCALE": "0"}
    process = subword("learn-bpe", "-i", "text", "-s", 20, cwd=tmp_path, env=plain)
    assert process.stdout == reference_codes(text, 20)
    process = subword("learn-bpe", "-s", 20, input=text, env=plain)
    assert process.stdout == reference_codes(text, 20)


def test_a_missing_file_and_a_missing_folder_are_named(subword, tmp_path):
    process = subword("learn-bpe", "-i", "nowhere", cwd=tmp_path, check=False)
    assert process.returncode == 1 and "nowhere" in process.stderr
    process = subword("learn-bpe", "-o", "no/codes", input="ab ab\n", cwd=tmp_path, check=False)
    assert process.returncode == 1 and "folder" in process.stderr


def test_an_interrupt_stops_learning_at_once_and_leaves_no_file(tmp_path):
    generator = random.Random(1)
    words = ["".join(generator.choices("abcdefghij", k=30)) for _ in range(100_000)]
    (tmp_path / "counts").write_text("".join(f"{word} 1\n" for word in words))
    # Every merge scores a hundred thousand pairs in Python, so the whole run would take hours.
    (tmp_path / "slow.py").write_text(
        "from fairseq_subword_ext.subword.goodness import Measure, register_measure\n"
        "import pathlib\n\n\n"
        '@register_measure("slow")\n'
        "class Slow(Measure):\n"
        '    reads = frozenset({"occ", "n"})\n\n'
        "    def score(self, stats):\n"
        '        pathlib.Path("started").touch()\n'
        "        return stats.occ / stats.n\n"
    )
    process = subprocess.Popen(
        [
            sys.executable, "-m", "fairseq_subword_ext", "learn-bpe", "--dict-input", "-i", "counts",
            "-o", "codes", "-s", "1000000", "--min-frequency", "1", "--measure", "slow",
            "--measure-module", "slow.py",
        ],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors and "Traceback" not in errors
    assert not list(tmp_path.glob("*codes*"))


def test_without_the_extension_the_error_says_how_to_build_it(tmp_path):
    hide = "import sys; sys.modules['fairseq_subword_ext._native'] = None\n"
    code = f"{hide}from fairseq_subword_ext.cli.main import main\nsys.exit(main(['learn-bpe']))"
    process = run_command(sys.executable, "-c", code, input="ab ab\n", check=False)
    assert process.returncode == 1
    assert "pip install -e ." in process.stderr
    assert len(process.stderr.splitlines()) == 1
