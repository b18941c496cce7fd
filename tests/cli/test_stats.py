"""The command stats, end to end."""

import io
import json
import math
import sys
from subprocess import CompletedProcess

import pytest
from conftest import run_command

from fairseq_subword_ext.cli.main import main

# The raw text is "low lower", "newest é low".
RAW = "low lower\nnewest é low\n"
PIECES = "low low@@ er\nn@@ e@@ w@@ est é low\n"
BYTES = "▁lo w ▁low er\n▁newest ▁ Ã ± ▁low\n"
SENNRICH = """\
Corpus statistics (layout of Sennrich et al. 2016, Table 1)

Segmentation  Tokens  Types  Unknown
------------  ------  -----  -------
none               5      4        2
BPE                9      8        1
"""
WU_AND_ZHAO = """\
Split words and length per sentence, on average (Wu & Zhao 2018, Figure 2)

Segmentation  Words  Split words  Split, %  Tokens  Increase  Increase, %
------------  -----  -----------  --------  ------  --------  -----------
BPE            2.50         1.00      40.0    4.50     +2.00        +80.0
BBPE           2.50         1.50      60.0    4.50     +2.00        +80.0
"""
WANG_TABLE_3 = """\
| Language | BBPE |
| --- | --: |
| de | 22.2 |
| en | 0.0 |
| all | 14.3 |
"""
WANG_TABLE_4 = """\
Language\tBPE\tBBPE
de\t4.5\t4.5
en\t1.5\t2.5
"""


@pytest.fixture
def stats(tmp_path, monkeypatch, capsys):
    """Runs the command in a folder with these files; in this process, which is faster."""
    files = {
        "raw.de": RAW,
        "bpe.de": PIECES,
        "bbpe.de": BYTES,
        "raw.en": "a bc\na\n",
        "bpe.en": "a bc\na\n",
        "bbpe.en": "▁a ▁b c\n▁ a\n",
        "heldout": "low lowest\n",
        "heldout.bpe": "low low@@ est\nx\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    monkeypatch.chdir(tmp_path)

    def run(*arguments, check=True):
        capsys.readouterr()
        status = main(["stats", *arguments])
        captured = capsys.readouterr()
        assert status == 0 or not check, captured.err
        return CompletedProcess(arguments, status, captured.out, captured.err)

    return run


def test_corpus_statistics(stats, tmp_path):
    """low, low@@, est are known; lowest and x are unknown words, and x is an unknown token."""
    (tmp_path / "heldout").write_text("low lowest\nx\n", encoding="utf-8")
    options = ["--raw", "raw.de", "--heldout-raw", "heldout", "--heldout", "BPE=heldout.bpe"]
    process = stats(*options, "BPE=bpe.de")
    assert SENNRICH in process.stdout
    assert process.stderr == "read BPE as generalized_bpe\n"


def test_split_words(stats):
    """Of low lower newest é low: BPE splits lower, newest; BBPE splits low, lower and the bytes of é."""
    assert WU_AND_ZHAO in stats("BPE=bpe.de", "BBPE=bbpe.de").stdout


def test_partial_characters_and_lengths(stats):
    """Byte text: Ã and ± of 9 tokens in German, none of 5 in English."""
    texts = ["BPE=bpe.de", "BPE=bpe.en", "BBPE=bbpe.de", "BBPE=bbpe.en"]
    assert WANG_TABLE_3 in stats(*texts, "--format", "markdown").stdout
    assert WANG_TABLE_4 in stats(*texts, "--format", "tsv").stdout


# Types: low 2; low@@ er n@@ e@@ w@@ est é 1. low is type 0 of 8, of which 0 to 5 are in the middle.
ZOUHAR = """\
Segmentation\tRényi entropy\tRényi efficiency\tPercentile frequency
BPE\t2.842\t0.9473\t0.7778
"""
# 9 tokens in German and 3 in English, of two sentences each: Gini (9 - 3) / 2 / (9 + 3); 9 and 5.
LANGUAGES = """\
Language\tBPE\tBBPE
de\t3.000\t1.800
en\t1.000\t1.000
Gini coefficient\t0.250\t0.143
"""


def test_evenness(stats):
    """As tokenization-scorer 1.1.8 computes it with power=2.5: 2.84197702, 0.94732567, 0.77777778."""
    assert ZOUHAR in stats("BPE=bpe.de", "--format", "tsv").stdout
    several = stats("BPE=bpe.de", "BPE=bpe.en", "--format", "json")
    both = json.loads(several.stdout)["evenness"]["BPE"]
    german, english = json.loads(several.stdout)["segmentations"]
    assert english["renyi_efficiency"] < german["renyi_efficiency"]
    # a and low twice, eight others once, of 12.
    moment = 2 * (2 / 12) ** 2.5 + 8 * (1 / 12) ** 2.5
    assert both["renyi_entropy"] == pytest.approx(math.log2(moment) / -1.5)


def test_languages_relative_to_english(stats, tmp_path):
    texts = ["BPE=bpe.de", "BPE=bpe.en", "BBPE=bbpe.de", "BBPE=bbpe.en"]
    printed = stats(*texts, "--format", "tsv").stdout
    assert f"# Tokens per sentence, relative to en\n{LANGUAGES}" in printed
    turned = stats(*texts, "--relative-to", "de", "--format", "json").stdout
    languages = json.loads(turned)["languages"]
    assert languages["base"] == "de"
    assert languages["relative_lengths"]["BPE"] == {"de": 1, "en": pytest.approx(1 / 3)}
    assert languages["gini"]["BPE"] == pytest.approx(0.25)
    without = stats("BPE:de=bpe.de", "BPE:xx=bpe.en", "--format", "tsv").stdout
    assert "by language\nLanguage\tBPE\nGini coefficient\t0.250\n" in without
    assert "have different numbers of sentences" not in stats(*texts).stdout
    (tmp_path / "bpe.en").write_text("a bc\n", encoding="utf-8")
    assert "have different numbers of sentences" in stats(*texts[:2]).stdout


def test_json_has_all_measurements(stats, tmp_path):
    texts = ["A:xx=bpe.de", "A:yy=bpe.en"]
    process = stats(*texts, "--raw", "xx=raw.de", "--format", "json", "--json", "out.json")
    data = json.loads(process.stdout)
    assert data == json.loads((tmp_path / "out.json").read_text("utf-8"))
    german, english = data["segmentations"]
    assert (german["language"], german["tokens"], german["split_share"]) == ("xx", 9, 40)
    assert (english["language"], english["words"], english["mean_length"]) == ("yy", 3, 1.5)
    # low occurs twice and a twice; low@@ er n@@ e@@ w@@ est é and bc once.
    assert data["symbol_frequencies"] == {"A": {"0": 8, "1": 2}}
    assert data["shared_symbols"] == {"A": [10, 0]}
    assert data["raw"][0]["types"] == 4


def test_a_wrong_codes_file_gives_a_warning(stats, tmp_path):
    """Of 6 tokens, 4 are single characters of a split word."""
    (tmp_path / "a").write_text("a@@ b@@ c@@ d ab xy\n", encoding="utf-8")
    (tmp_path / "b").write_text("a@@ bcd a@@ bx xy\n", encoding="utf-8")
    process = stats("A=a", "--raw", "raw.de", check=False)
    assert "a has 1 lines, but raw.de has 2" in process.stderr
    warned = stats("A=a").stderr
    assert "warning: A: 67 % of the tokens are single characters of split words" in warned
    assert "warning" not in stats("A=b").stderr
    (tmp_path / "c").write_text("a b ▁ c d\n", encoding="utf-8")
    assert "warning" not in stats("A=c").stderr


def test_different_texts_give_a_warning(stats, tmp_path):
    (tmp_path / "other").write_text("low lower .\nnewest é low\n", encoding="utf-8")
    process = stats("A=other", "B=bpe.de", "--raw", "raw.de")
    assert "warning: A has 6 words, none has 5: the texts differ" in process.stderr


def test_a_segmentation_is_detected_from_all_its_languages(stats, tmp_path):
    (tmp_path / "spm.en").write_text("▁lo w\n", encoding="utf-8")
    (tmp_path / "spm.de").write_text("▁Gr üße\n", encoding="utf-8")
    assert "read A as bbpe" in stats("A=spm.en").stderr
    assert stats("A=spm.en", "A=spm.de").stderr == "read A as sentencepiece\n"
    assert "read A as words" in stats("A=spm.en", "--encoder", "A=words").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["A=bpe.de", "B=nowhere"], "nowhere: No such file"),
        (["A=bpe.de", "A=bpe.de"], "A has two texts in de, bpe.de and bpe.de"),
        (["A=bpe.de", "A=bpe.en", "B=bbpe.de"], "B has no text in en"),
        (["=bpe.de"], "expected NAME=FILE"),
        (["A=bpe.de", "--encoder", "bpe"], "ENCODER one of byte_level, bbpe, generalized_bpe"),
        (["A=bpe.de", "--heldout", "B=bpe.de"], "--heldout B: there is no such segmentation"),
        (["A=bpe.de", "--heldout-raw", "raw.de"], "--heldout-raw needs the training text"),
        (["A=bpe.de", "--raw", "raw.de", "--raw", "raw.en"], "expected one file"),
        (["A=bpe.de", "--train-log", "B=bpe.de"], "NAME one of A"),
        (["A=bpe.de", "-s", " "], "separator"),
        (["A=bpe.de", "A=bpe.en", "--relative-to", "fr"], "fr: the languages are de, en"),
        (["A=bpe.de", "--relative-to", "de"], "--relative-to de: the languages are unnamed"),
        (["A=bpe.de", "--num-workers", "0"], "--num-workers 0"),
        (["A=bpe.de", "--scores", "s.json"], "give --html FILE"),
        (["A=bpe.de", "--sentences", "-1"], "--sentences -1: expected 0 or more"),
    ],
)
def test_errors_are_one_line(options, message, stats):
    process = stats(*options, "--json", "out", check=False)
    assert process.returncode == 1
    assert message in process.stderr
    assert process.stderr.count("\n") == 1


def test_cost_per_sentence_and_per_1000_characters(stats, tmp_path):
    """Training 10 sentences took 2 s, decoding 4 took 1 s; a pair has (21 + 5) / 2 characters.

    The sources in the log, low and er, have 5.
    """
    (tmp_path / "train.log").write_text(
        "... | INFO | train | epoch 001 | wpb 9 | bsz 5 | num_updates 2 | train_wall 2 | wall 3\n",
        encoding="utf-8",
    )
    (tmp_path / "generate.log").write_text(
        "S-0\tlow\nS-1\te@@ r\nTranslated 4 sentences (9 tokens) in 1.0s (4 sentences/s)\n",
        encoding="utf-8",
    )
    logs = ["--train-log", "BPE=train.log", "--generate-log", "BPE=generate.log"]
    table = stats("BPE=bpe.de", "BPE=bpe.en", *logs, "--format", "tsv").stdout.split("\n\n")
    [cost] = [part for part in table if part.startswith("# Time")]
    # 200 ms and 250 ms per sentence; 200 / 13 * 1000, and 1000 / 5 * 1000.
    assert cost.split("\n")[2] == "BPE\t200.000\t15384.615\t250.000\t200000.000"
    measured = json.loads(stats("BPE=bpe.de", *logs, "--format", "json").stdout)
    assert measured["training"]["BPE"] == {"sentences": 10, "tokens": 18, "seconds": 2.0}
    assert measured["decoding"]["BPE"]["source_characters"] == 5


def test_without_matplotlib_tables_still_work(stats, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "Corpus statistics" in stats("BPE=bpe.de").stdout
    for option in ("--plots", "--html"):
        process = stats("BPE=bpe.de", option, "out", check=False)
        assert process.returncode == 1
        assert process.stderr.count("\n") == 1
        assert "pip install 'fairseq_subword_ext[plots]'" in process.stderr
        assert not (tmp_path / "out").exists()


def test_matplotlib_is_not_imported_for_tables(tmp_path):
    (tmp_path / "text").write_text(PIECES, encoding="utf-8")
    code = (
        "import sys; from fairseq_subword_ext.cli.main import main; main(['stats', 'A=text']); "
        "assert not {'matplotlib', 'sacrebleu'} & set(sys.modules)"
    )
    run_command(sys.executable, "-c", code, cwd=tmp_path)


SCORES = {
    "format": "fairseq-subword scores 1",
    "reference": {"file": "test.en", "lines": 2, "sha256": "0"},
    "baseline": None,
    "significance": [],
    "systems": [
        {
            "name": f"gru-{merges}",
            "file": "gru.out",
            "read_as": "text",
            "lines": 2,
            "settings": {"merges": merges, "context": "gru"},
            "scores": {"BLEU": bleu},
            "signatures": {"BLEU": "nrefs:1"},
            "lengths": {},
            "words": {},
            "copies": None,
        }
        for merges, bleu in ((4000, 27.25), (8000, 28.5))
    ],
}


def test_a_page_needs_files(stats, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PIECES.encode())))
    process = stats("BPE=-", "--html", "page.html", check=False)
    assert "- cannot be read a second time for its sentences" in process.stderr
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PIECES.encode())))
    assert "BPE                9      8" in stats("BPE=-").stdout


@pytest.mark.slow
def test_the_page_shows_scores_too(stats, tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "scores.json").write_text(json.dumps(SCORES), encoding="utf-8")
    stats("BPE=bpe.de", "--html", "page.html", "--lines", "2", "--scores", "scores.json")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert '<th scope="row" class="l">gru-8000</th><td data-value="28.5">28.50</td>' in page
    assert "BLEU: nrefs:1" in page
    assert '<section id="merges">' in page
    assert '<section id="context">' in page
    assert page.count("<article") == 1
    assert "line 2<" in page
    process = stats("BPE=bpe.de", "--html", "other.html", "--lines", "3", check=False)
    assert "line 3 was requested, but the text has 2 lines" in process.stderr


def test_texts_without_tokens(stats, tmp_path):
    (tmp_path / "none").write_text("", encoding="utf-8")
    (tmp_path / "empty").write_text("\n\n", encoding="utf-8")
    data = json.loads(stats("A=empty", "--format", "json").stdout)
    assert data["segmentations"][0]["sentences"] == 2
    assert data["segmentations"][0]["tokens"] == 0
    assert stats("A=empty").stderr == "read A as words\n"
    assert "none: the file has no text" in stats("A=none", check=False).stderr
