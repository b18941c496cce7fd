"""Dictionary files, against Fairseq's own dictionaries."""

import random

import pytest

from fairseq_subword_ext.subword.dictionary_file import DictionaryFile

FAIRSEQ = """\
the 12
▁x 3
a 3
a 1 #fairseq:overwrite
<unk> 2 #fairseq:overwrite
madeupword0000 0
"""


def fairseq_dictionary():
    pytest.importorskip("fairseq")
    from fairseq.data import Dictionary

    return Dictionary


def test_reads_and_writes_as_fairseq(tmp_path):
    (tmp_path / "dict.txt").write_text(FAIRSEQ, encoding="utf-8")
    theirs = fairseq_dictionary().load(str(tmp_path / "dict.txt"))
    ours = DictionaryFile.load(tmp_path / "dict.txt")
    assert ours.indices.indices == theirs.indices
    assert len(ours) == len(theirs)
    theirs.save(str(tmp_path / "theirs"))
    ours.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("limits", [(0, None, 8), (3, None, 8), (0, 20, 1), (2, 30, 16)])
def test_counts_as_fairseq(tmp_path, limits):
    threshold, num_words, padding = limits
    generator = random.Random(1)
    texts = [generator.choices([chr(n) for n in range(161, 240)], k=200) for _ in range(2)]
    theirs = fairseq_dictionary()()
    counts = []
    for text in texts:
        for token in text:
            theirs.add_symbol(token)
        counts.append({token: text.count(token) for token in text} | {"</s>": 7, "<unk>": 2})
    theirs.finalize(threshold, num_words or -1, padding)
    ours = DictionaryFile.counted(counts, threshold, num_words, padding)
    assert ours.indices.indices == theirs.indices
    theirs.save(str(tmp_path / "theirs"))
    ours.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\nb\n", r"dict\.txt:2: expected 'symbol count', found 'b'"),
        ("a 1\nb x\n", r"dict\.txt:2: expected 'symbol count', found 'b x'"),
        ("a 1\nb 2\na 3\n", r"dict\.txt:3: the symbol 'a' occurs twice"),
        ("</s> 1\n", r"dict\.txt:1: the symbol '</s>' occurs twice"),
    ],
)
def test_wrong_dictionaries(tmp_path, text, message):
    (tmp_path / "dict.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        DictionaryFile.load(tmp_path / "dict.txt")


def test_the_digest_tells_content():
    assert DictionaryFile([("a", 1)]).digest != DictionaryFile([("a", 2)]).digest
    assert DictionaryFile([("a", 1)]).digest == DictionaryFile([("a", 1)]).digest
