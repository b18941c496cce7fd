"""Commands report invalid input in one line, before they write anything."""

import gzip
import io
import json
import random
import resource
import subprocess
import sys

import pytest

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.utf8 import from_byte_text

TEXT = "low low lower newest newest widest\n" * 9


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "other").write_text(TEXT)
    assert main(["learn-bpe", "-i", "text", "-o", "codes", "-s", "9"]) == 0
    return tmp_path


@pytest.fixture
def say(folder, capfd):
    """Runs a command line; returns its status and messages."""

    def say(line, status=1):
        capfd.readouterr()
        try:
            found = main(line.split() if isinstance(line, str) else line)
        except SystemExit as end:
            found = end.code
        assert found == status, capfd.readouterr()
        return capfd.readouterr().err

    return say


# --- outputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "learn-bpe -i text -o text",
        "learn-bpe -i other text -o ./text",
        "learn-bpe -i text -o link",
        "learn-bpe -i link -o text",
        "learn-bpe -i * -o text",
        "learn-bpe -i text -o new --meta text",
        "learn-bpe -i text.json -o text",
        "learn-bpe -i text -o new --meta new",
        "learn-joint-bpe-and-vocab -i text other -o new --write-vocabulary text other",
        "learn-joint-bpe-and-vocab -i text other -o new --write-vocabulary v v",
        "learn-joint-bpe-and-vocab -i text other -o v --write-vocabulary v w",
        "learn-joint-bpe-and-vocab -i text other -o new --write-vocabulary v new.json",
        "apply-bpe -c codes -i text -o text",
        "apply-bpe -c codes -i text -o codes",
        "restore -i text -o text",
        "get-vocab -i text -o text",
        "count-words -i text -o text",
        "build-dict -i text -o text",
        "build-dict -c codes -o codes",
        "segment-baseline characters -i text -o text",
        "segment-baseline word -i text --parallel other --write-dictionary other -o new",
        "segment-baseline morfessor -i text --train other --write-model other -o new",
        "stats a=text --json text",
        "stats --raw text a=text --html text",
        "score text -r other --json other",
        "score a=text -r other --json text",
        "score text -r other --plot-merges picture --json picture.svg",
        "average-checkpoints -i text other -o other",
    ],
)
def test_no_output_replaces_an_input_or_another_output(say, folder, line):
    (folder / "link").symlink_to("text")
    (folder / "text.json").write_text(TEXT)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = say(line)
    assert "would overwrite the input" in said or "are the same file" in said
    assert said.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "line", ["learn-bpe -i text", "get-vocab -i text", "restore -i text", "count-words -i text"]
)
def test_the_output_path_is_checked_before_the_work(say, folder, line):
    (folder / "sub").mkdir()
    assert "does not exist" in say(f"{line} -o missing/new")
    assert "Is a directory" in say(f"{line} -o sub")
    # Before the input is read: it need not even exist.
    assert "does not exist" in say(f"{line.replace('text', 'nowhere')} -o missing/new")


def test_an_output_may_replace_what_is_not_read(say, folder):
    say("get-vocab -i text -o other", 0)
    say("get-vocab -i text -o other", 0)
    assert (folder / "other").read_text().startswith("low 18\n")


# --- encodings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "learn-bpe -s 3", "apply-bpe -c codes", "get-vocab", "count-words", "restore --encoder bbpe",
        "segment-baseline characters", "build-dict",
    ],
)  # fmt: skip
def test_byte_order_marks_are_reported_and_utf16_is_refused(say, folder, caplog, command):
    (folder / "marked").write_text("\ufeffhello hello\nyou\n", encoding="utf-8")
    said = say(f"{command} -i marked -o out", 0) + caplog.text
    assert (
        "marked: begins with a byte-order mark (U+FEFF)" in said or "1 of the texts begin" in said
    )
    caplog.clear()
    assert "byte-order" not in say(f"{command} -i text -o out", 0) + caplog.text
    (folder / "utf16").write_text("hello you\nand you\n", encoding="utf-16-le")
    said = say(f"{command} -i text utf16 -o out2")
    assert "utf16: this is UTF-16LE text; convert it with `iconv -f UTF-16LE -t UTF-8`" in said
    assert not (folder / "out2").exists()


def test_byte_order_marks_of_many_files(say, folder):
    (folder / "marked").write_text("\ufefflow\n", encoding="utf-8")
    said = say("apply-bpe -c codes -i marked text --output-dir out", 0)
    assert "1 of 2 files begin with a byte-order mark" in said
    assert (folder / "out/marked").read_text(encoding="utf-8") == "\ufeff@@ low\n"


# --- messages --------------------------------------------------------------------------------------


def test_a_target_below_the_base_symbols(say):
    said = say("learn-bpe -i text -o new --total-symbols -s 5")
    assert "5 symbols in total are fewer than the 11 base symbols of the text" in said
    say("learn-bpe -i text -o new --total-symbols -s 11", 0)


def test_a_file_without_its_flag(say):
    said = say("learn-bpe text -s 3", 2)
    assert said.endswith("unrecognized arguments: text (input files are given with -i)\n")
    assert say("learn-bpe -i text --nonsense", 2).endswith("arguments: --nonsense\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learn-bpe -i text -s 100000000000000000000", "must be from 0 to 2^63 - 1, not 1000"),
        ("learn-bpe -i text -s -1", "the number of symbols must be from 0 to"),
        ("learn-bpe -i text --min-frequency 100000000000000000000", "must be from"),
        ("learn-bpe -i text --num-workers 100000000000000000000", "expected a number from 1 to"),
        ("apply-bpe -i text -c codes -m -2", "the number of merges to use must be from 0 to"),
    ],
)
def test_numbers_out_of_range(say, line, message):
    said = say(line)
    assert message in said and said.count("\n") == 1


def test_numbers_that_are_not_integers():
    text = {"low": 3}
    for options in ({"num_symbols": 2.5}, {"num_symbols": 2, "min_frequency": "2"}):
        with pytest.raises(ValueError, match="must be a whole number"):
            learn_bpe(text, **options)
    with pytest.raises(ValueError, match=r"num_workers must be a whole number, not 1\.5"):
        learn_bpe(io.BytesIO(b"a b"), 2, num_workers=1.5)
    table = MergeTable([("l", "o")])
    with pytest.raises(ValueError, match="the number of merges to use must be a whole number"):
        Segmenter(table, merges=0.5)
    with pytest.raises(ValueError, match="num_workers must be from 1"):
        Segmenter(table).segment_lines(["lo"], num_workers=1 << 40)


def test_a_list_of_words_given_as_codes(say, folder):
    for header in ("", "#version: 0.2\n"):
        (folder / "words").write_text(f"{header}low\nlower\n")
        said = say("apply-bpe -i text -c words")
        assert "found 'low': a list of words or single symbols is not a codes file" in said


def test_an_out_of_memory_error_gives_advice(folder):
    """Nine hundred thousand word types do not fit into what is left of 400 MB."""
    generator = random.Random(1)
    with (folder / "many").open("w") as stream:
        for number in range(900_000):
            stream.write(f"{generator.getrandbits(100):x}{number} 1\n")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    process = subprocess.run(
        [sys.executable, "-m", "fairseq_subword_ext", "learn-bpe", "--dict-input", "-i", "many",
         "-o", "new", "--num-workers", "1"],
        preexec_fn=limit, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert "error: out of memory; fewer word types need less memory: " in process.stderr
    assert "count-words --max-memory" in process.stderr and "--min-word-count" in process.stderr
    assert not (folder / "new").exists()


# --- compressed, empty -----------------------------------------------------------------------------


def test_compressed_text_is_read_everywhere(say, folder, monkeypatch, capfd):
    (folder / "text.gz").write_bytes(gzip.compress(TEXT.encode()))
    say("learn-bpe -i text -o a -s 9", 0)
    say("learn-bpe -i text.gz -o b -s 9", 0)
    with (folder / "text.gz").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        say("learn-bpe -o c -s 9", 0)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes() == (folder / "c").read_bytes()
    tables = []
    for name in ("text", "text.gz"):
        capfd.readouterr()
        assert main(["stats", f"a={name}", "--raw", name]) == 0
        assert main(["score", name, "-r", name, "--train", name]) == 0
        tables.append(capfd.readouterr().out.replace("text.gz", "text"))
    assert tables[0] == tables[1] and "100.0" in tables[0]


@pytest.mark.parametrize(
    "line", ["build-dict -i empty -o new", "stats a=empty", "stats --raw empty a=text"]
)
def test_empty_input_is_refused(say, folder, line):
    for content in (b"", gzip.compress(b"")):
        (folder / "empty").write_bytes(content)
        said = say(line)
        assert "empty: the" in said and not (folder / "new").exists()


# --- restore ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["low newest\nlow low\n", "low\xa0low newest\n", "low <s> low\n"])
def test_text_without_any_split_is_restored(say, folder, text):
    """low and newest are whole words of the codes; the space and the control string are escaped."""
    say("learn-bpe -i text -o all -s 99", 0)
    (folder / "raw").write_bytes(text.encode("utf-8"))
    say(
        ["apply-bpe", "-i", "raw", "-c", "all", "-o", "out", "--glossaries", "low\xa0low", "<s>"], 0
    )
    out = (folder / "out").read_text(encoding="utf-8")
    assert "@@" not in out
    assert "restored the text with --encoder generalized_bpe" in say("restore -i out -o again", 0)
    assert (folder / "again").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["▁ක er ▁new\n", "low\xa0low est\n"])
def test_text_not_written_by_apply_bpe_is_not_guessed(say, folder, text):
    (folder / "out").write_text(text, encoding="utf-8")
    assert "say what it is with --encoder" in say("restore -i out -o again")


@pytest.mark.parametrize("line", ["S-0\tlow er", "H-12\t-0.5\tlow@@ er", "D-3\t-0.1\tlower"])
def test_a_log_of_fairseq_generate_is_named(say, folder, line):
    (folder / "out").write_text(f"some log\n{line}\n")
    said = say("restore -i out -o again")
    assert "this is the output of fairseq-generate" in said and "grep ^D-" in said


def test_the_sinhala_sample_of_the_readme():
    assert from_byte_text("▁à¶ ´à·Ɗ") == "ප්"


# --- score -----------------------------------------------------------------------------------------


def test_loaded_runs_that_differ_in_their_settings(say, folder, capfd):
    for merges, text in (("1000", TEXT), ("2000", TEXT.replace("lower", "low"))):
        (folder / "gru").write_text(text)
        line = f"score base=other gru=gru -r text --set gru:merges={merges} --set gru:unit=char"
        say(f"{line} --significance sign --json {merges}.json", 0)
    capfd.readouterr()
    assert main("score --load 1000.json 2000.json --json both.json".split()) == 0
    table = capfd.readouterr().out
    assert "gru (merges=1000)" in table and "gru (merges=2000)" in table and "unit" not in table
    both = json.loads((folder / "both.json").read_text())
    assert [s["name"] for s in both["systems"]] == [
        "base",
        "gru (merges=1000)",
        "gru (merges=2000)",
    ]
    assert {(t["system"], t["baseline"]) for t in both["significance"]} == {
        ("gru (merges=1000)", "base"), ("gru (merges=2000)", "base"),
    }  # fmt: skip
    (folder / "gru").write_text(TEXT)
    say(
        "score base=other gru=gru -r text --set gru:merges=2000 --set gru:unit=char --json 3.json",
        0,
    )
    assert "two different systems are called 'gru" in say("score --load 1000.json 2000.json 3.json")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
@pytest.mark.parametrize("how", ["text", "tsv", "markdown", "json"])
def test_stats_writes_utf8_whatever_the_locale(folder, encoding, how):
    (folder / "raw").write_text("é low\n", encoding="utf-8")
    (folder / "bpe").write_text("é l@@ ow\n", encoding="utf-8")
    line = ["stats", "--format", how, "--raw", "raw", "nämlich=bpe"]
    runs = [
        subprocess.run(
            [sys.executable, "-m", "fairseq_subword_ext", *line],
            env={"PYTHONIOENCODING": used, "LC_ALL": "C.UTF-8"}, capture_output=True, check=True,
        ).stdout
        for used in dict.fromkeys(["utf-8", encoding])
    ]  # fmt: skip
    assert "nämlich".encode() in runs[0] and runs[-1] == runs[0]
