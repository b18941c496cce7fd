"""fairseq-subword translate, on synthetic models."""

import io
import math
import subprocess
import sys

import numpy as np
import pytest
from conftest import run_command
from made_export import byte_symbols, copying_table, make_export, random_table

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.cli.translate import REFUSED
from fairseq_subword_ext.runtime.beam_search import SearchOptions
from fairseq_subword_ext.runtime.translator import BatchLimits, Translator, batches_by_length
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS

LETTERS = list("abcdefgh")


@pytest.fixture
def export(tmp_path):
    """A random model of eight letters that reads segmented text."""
    return make_export(tmp_path / "export", random_table(12), symbols=LETTERS, max_len_b=6)


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command on lines; returns the output lines and the messages."""

    def translate(folder, lines, *flags, status=0):
        (tmp_path / "in").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        arguments = [str(folder), "-i", str(tmp_path / "in"), "--num-workers", "1", *flags]
        assert main(["translate", *arguments]) == status
        captured = capsys.readouterr()
        return captured.out.split("\n")[:-1], captured.err

    return translate


def test_one_translation_for_each_line(run, tmp_path):
    export = make_export(tmp_path / "copying", copying_table(12), symbols=LETTERS)
    found, said = run(export, ["c a", "", "h", "  b  b "])
    assert [found[0], found[2], found[3]] == ["c", "h", "b"]
    assert len(found) == 4  # the empty line has a translation, too
    assert "translated 4 lines" in said


def test_no_output_depends_on_the_batch(run, export):
    draw = np.random.default_rng(3)
    lines = [" ".join(draw.choice(LETTERS, draw.integers(0, 9))) for _ in range(30)]
    alone = run(export, lines, "--batch-size", "1", "--scores")[0]
    for flags in (["--batch-size", "7"], ["--max-tokens", "11"], []):
        assert run(export, lines, *flags, "--scores")[0] == alone
    assert [line.split("\t")[0] for line in alone] == [str(n) for n in range(1, 31)]


def test_raw_text_goes_through_the_encoding(tmp_path):
    symbols = byte_symbols()
    table = np.full((symbols, symbols), -9, np.float32)
    # The model outputs ñ in byte text for every source.
    said = [2, *(BYTE_SYMBOLS.index(symbol) + 4 for symbol in "▁Ã±"), 2]
    for number, (last, following) in enumerate(zip(said, said[1:])):
        table[last, following] = 30 + number
    export = make_export(tmp_path / "export", table)
    assert [[best[0].text] for best in Translator(export).translate(["x y", "ю"])] == [["ñ"]] * 2


def test_nbest_and_scores(run, export):
    found, _ = run(export, ["a b", "c"], "--beam", "4", "--nbest", "3")
    rows = [line.split("\t") for line in found]
    assert [row[0] for row in rows] == ["1", "1", "1", "2", "2", "2"]
    scores = [float(row[1]) for row in rows]
    assert scores[:3] == sorted(scores[:3], reverse=True)
    best = Translator(export, SearchOptions(beam=4, max_len_b=6)).translate(["a b"])[0]
    assert math.isclose(best[0].score / math.log(2), scores[0], abs_tol=1e-5)
    assert [t.text for t in best[:3]] == [row[2] for row in rows[:3]]


def test_defaults_are_the_models(tmp_path, run):
    table = random_table(12, seed=4)
    short = make_export(tmp_path / "short", table, symbols=LETTERS, max_len_b=3, beam=2)
    plain = make_export(tmp_path / "plain", table, symbols=LETTERS, max_len_b=20, beam=5)
    given = ["--beam", "2", "--max-len-b", "3", "--scores"]
    assert run(short, ["a", "b c"], "--scores")[0] == run(plain, ["a", "b c"], *given)[0]


def test_language_tokens(tmp_path, run):
    extra = ("<lang:de>", "<lang:si>")
    marks = {"language_token": True, "hides_language_tokens": True}
    table = random_table(14, seed=2)
    table[:, 12:] += 9  # it prefers them
    export = make_export(
        tmp_path / "marked", table, symbols=LETTERS, extra_symbols=extra, max_len_b=6, **marks
    )
    plain = make_export(
        tmp_path / "plain", table, symbols=LETTERS, extra_symbols=extra, max_len_b=6,
        hides_language_tokens=True,
    )  # fmt: skip
    found, _ = run(export, ["a b", "c"], "-s", "si")
    assert found == run(plain, ["<lang:si> a b", "<lang:si> c"])[0]
    assert not any("lang" in line for line in found)
    assert "it knows de, si" in run(export, ["a"], status=1)[1]
    assert "--source-lang ru: the model knows de, si" in run(export, ["a"], "-s", "ru", status=1)[1]
    assert "it takes no language" in run(plain, ["a"], "-s", "si", status=1)[1]


def test_long_sources_are_cut_as_the_task_cuts_them(tmp_path, run):
    table = random_table(12, seed=5)
    export = make_export(tmp_path / "e", table, symbols=LETTERS, source_positions=4, max_len_b=5)
    translator = Translator(export)
    assert [len(s) for s in translator.sources_of(["a b", "a b c", "a b c d", "a b c d e"])] == [
        3,
        4,
        4,
        4,
    ]
    assert translator.counts.cut == [3, 4]
    found, said = run(export, ["a b c d e", "a b c"], "--scores")
    assert found[0].split("\t")[1:] == found[1].split("\t")[1:]
    assert "1 lines are longer than 4 symbols and were cut there (line 1)" in said


def test_warnings(run, export):
    _, said = run(export, ["a ☃ b"] * 3, "--max-len-b", "1", "--min-len", "1")
    assert "3 of 9 source symbols are not in the dictionary" in said
    assert "translations reached the length limit of 0 * source length + 1 symbols" in said


@pytest.mark.parametrize("option", REFUSED)
def test_other_options_of_generate_are_refused(option, capsys):
    with pytest.raises(SystemExit) as end:
        main(["translate", "export", option, "1"])
    assert end.value.code == 2
    assert (
        f"{option}: an option of fairseq-generate that translate does not have"
        in capsys.readouterr().err
    )


def test_help_lists_what_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["translate", "--help"])
    shown = "".join(capsys.readouterr().out.split())
    assert all(option in shown for option in REFUSED)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--nbest", "0"], "--nbest 0: expected at least 1"),
        (["--nbest", "6"], "--nbest 6 needs --beam 6 or more"),
        (["--beam", "0"], "--beam 0: expected 1 to"),
        (["--batch-size", "0"], "at least one line"),
        (["--min-len", "99"], "--min-len 99"),
    ],
)
def test_impossible_options(run, export, flags, message):
    assert message in run(export, ["a"], *flags, status=1)[1]


def test_batches_hold_similar_lengths():
    lengths = [3, 1, 9, 3, 3, 2]
    assert list(batches_by_length(lengths, BatchLimits(lines=2))) == [[2, 0], [3, 4], [5, 1]]
    assert list(batches_by_length(lengths, BatchLimits(tokens=7))) == [[2], [0, 3], [4, 5], [1]]
    assert list(batches_by_length([], BatchLimits())) == []


def test_input_errors_name_the_line(tmp_path, export, capsys):
    (tmp_path / "bad").write_bytes(b"a\nb \xff\n")
    assert main(["translate", str(export), "-i", str(tmp_path / "bad")]) == 1
    assert "bad:2: byte 3 of the line (0xFF) is not UTF-8" in capsys.readouterr().err


def test_standard_input_line_by_line(export, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb c\n")))
    assert main(["translate", str(export), "--line-by-line"]) == 0
    assert capsysbinary.readouterr().out.count(b"\n") == 2


def test_neither_fairseq_nor_torch_is_imported(export):
    code = (
        "import sys\nfrom fairseq_subword_ext.cli.main import main\n"
        f"status = main(['translate', {str(export)!r}])\n"
        "assert not {'torch', 'fairseq', 'onnx', 'sentencepiece', 'tqdm'} & set(sys.modules)\n"
        "sys.exit(status)"
    )
    process = run_command(sys.executable, "-c", code, input="a b\nc\n")
    assert process.stdout.count("\n") == 2


def test_the_installed_command(export):
    process = subprocess.run(
        [sys.executable, "-m", "fairseq_subword_ext", "translate", str(export)],
        input="a b\n", capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert process.stdout.count("\n") == 1


def test_without_onnxruntime(export, monkeypatch, run):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "pip install 'fairseq_subword_ext[onnx]'" in run(export, ["a"], status=1)[1]


def test_codes_of_characters_are_applied_and_undone(tmp_path):
    symbols = ["ab", "a@@", "b@@", "a", "b"]
    export = make_export(
        tmp_path / "export", random_table(9), symbols=symbols, encoding="generalized_bpe", beam=2
    )
    (export / "codes").write_text("#version: 0.2\na b</w>\n", "utf-8")
    translator = Translator(export)
    ids = {symbol: number for number, symbol in enumerate(symbols, 4)}
    pieces = ["ab", "b@@", "a", "a@@", "ab"]
    assert translator.sources_of(["ab ba aab"]) == [[*(ids[piece] for piece in pieces), 2]]
    assert translator.texts_of([[ids[piece] for piece in pieces]]) == ["ab ba aab"]
