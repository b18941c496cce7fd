"""fairseq-subword stats, as it is run."""

import json

import pytest

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
Split words and length of a sentence, on average (Wu & Zhao 2018, Figure 2)

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
def stats(subword, tmp_path):
    """Runs the command in a folder with these files."""
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

    def run(*arguments, **options):
        return subword("stats", *arguments, cwd=tmp_path, **options)

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


def test_a_wrong_codes_file_is_noticed(stats, tmp_path):
    """Field case B23. Of 6 tokens, 4 are single characters of a split word."""
    (tmp_path / "a").write_text("a@@ b@@ c@@ d ab xy\n", encoding="utf-8")
    (tmp_path / "b").write_text("a@@ bcd a@@ bx xy\n", encoding="utf-8")
    process = stats("A=a", "--raw", "raw.de", check=False)
    assert "a has 1 lines, and raw.de has 2" in process.stderr
    warned = stats("A=a").stderr
    assert "warning: A: 67 % of the tokens are single characters of split words" in warned
    assert "warning" not in stats("A=b").stderr
    (tmp_path / "c").write_text("a b ▁ c d\n", encoding="utf-8")
    assert "warning" not in stats("A=c").stderr


def test_what_is_not_the_same_text_is_noticed(stats, tmp_path):
    (tmp_path / "other").write_text("low lower .\nnewest é low\n", encoding="utf-8")
    process = stats("A=other", "B=bpe.de", "--raw", "raw.de")
    assert "warning: A has 6 words, none has 5: they are not the same text" in process.stderr


def test_the_languages_of_a_segmentation_tell_together_what_it_is(stats, tmp_path):
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
        (["A=bpe.de", "--encoder", "bpe"], "ENCODER one of generalized_bpe, bbpe"),
        (["A=bpe.de", "--heldout", "B=bpe.de"], "--heldout B: there is no such segmentation"),
        (["A=bpe.de", "--heldout-raw", "raw.de"], "--heldout-raw needs the training text"),
        (["A=bpe.de", "--raw", "raw.de", "--raw", "raw.en"], "expected one file"),
        (["A=bpe.de", "--train-log", "B=bpe.de"], "NAME one of A"),
        (["A=bpe.de", "-s", " "], "separator"),
        (["A=bpe.de", "--num-workers", "0"], "--num-workers 0"),
    ],
)
def test_errors_are_one_line(options, message, stats):
    process = stats(*options, "--json", "out", check=False)
    assert process.returncode == 1
    assert message in process.stderr
    assert process.stderr.count("\n") == 1
