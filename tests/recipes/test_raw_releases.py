"""Reading raw releases: sets in SGML and XML, parallel text, talks; Fairseq's output."""

import gzip
import random
import sys

import made_text as made
import pytest
from made_release import ja_en_talks
from recipes.engine import translations
from recipes.text import mteval, raw_text
from recipes.text.corpus_files import read_pairs, write_pairs
from recipes.text.talks import read_talks


def test_segments_are_numbered_in_each_document(tmp_path):
    texts = ["one", "two", "three"]
    (tmp_path / "x.sgm").write_text(made.sgml(texts), encoding="utf-8")
    found = mteval.read_segments(tmp_path / "x.sgm")
    assert found == [
        ("paper.example/0", 1, "one"),
        ("paper.example/0", 2, "two"),
        ("paper.example/2", 1, "three"),
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", "a & b <c> \"d\" 'e'"),
        ("&#228;&#xE4;&#x1F600;", "ää😀"),
        ("&amp;lt; stays", "&lt; stays"),  # unescaped once
        ("AT&T, R& D &; &unknown; &nbsp;", "AT&T, R& D &; &unknown; &nbsp;"),
        ("&#0;&#xD800;&#x110000;", "&#0;&#xD800;&#x110000;"),  # no characters
        ("a\u2028b\tc\r\n d&#10;e", "a b c d e"),
        ("a < b <i>c</i>", "a < b <i>c</i>"),
        ("", ""),
    ],
)
def test_text_of_a_segment(tmp_path, written, said):
    path = tmp_path / "x.xml"
    text = f'<doc docid="1">\n<SEG id="3" a="b"> {written} </SEG >\n</doc>'
    path.write_bytes(text.encode("utf-8"))
    assert mteval.read_segments(path) == [("1", 3, said)]


def test_no_entity_is_ever_defined_or_fetched(tmp_path):
    """The billion-laughs attack, and a local file: both are plain text."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = tmp_path / "x.xml"
    path.write_text(
        f'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file://{secret}">]>\n'
        '<doc docid="1"><seg id="1">&b;&c;</seg></doc>'
    )
    assert mteval.read_segments(path)[0].text == "&b;&c;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"x\.sgm: expected <seg id=\"1\"> .* found 0 that open and 0 that are whole"),
        ('<doc docid="d"><seg id="1">a</seg><seg id="2">b', r"2 that open and 1 that are whole, the last of them 1 of document 'd'"),
        ('<doc docid="d"><seg id="1">a<seg id="2">b</seg>', "2 that open and 0 that are whole"),
        ('<seg>a</seg>', "1 that open and 0 that are whole"),
    ],
)  # fmt: skip
def test_a_truncated_or_empty_set(tmp_path, text, message):
    (tmp_path / "x.sgm").write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        mteval.read_segments(tmp_path / "x.sgm")
    assert "\n" not in str(caught.value)


def test_the_sides_of_a_set_must_have_the_same_segments(tmp_path):
    source, target = tmp_path / "src.sgm", tmp_path / "ref.sgm"
    source.write_text(made.sgml(["a", "b", "c", "d"]))
    whole = made.sgml(["A", "B", "C", "D"], "ref")
    target.write_text(whole)
    assert mteval.read_set(source, target) == [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
    target.write_text(whole.replace('<seg id="2">B</seg>', ""))
    with pytest.raises(ValueError, match=r"src\.sgm has 4 segments, ref\.sgm has 3.* first at 2 and 1 of document 'paper"):  # fmt: skip
        mteval.read_set(source, target)
    target.write_text(made.sgml(["A", "B", "C"], "ref", documents=1))
    with pytest.raises(ValueError, match="first at 1 and 3"):
        mteval.read_set(source, target)
    target.write_text(whole.replace("example/2", "example/other"))
    with pytest.raises(
        ValueError, match=r"documents 'paper\.example/2' and 'paper\.example/other'"
    ):
        mteval.read_set(source, target)
    target.write_text(whole[: whole.rindex("<doc")])
    with pytest.raises(ValueError, match=r"ref\.sgm has 2, .*one ends before the other"):
        mteval.read_set(source, target)


def test_parallel_text_line_by_line(tmp_path):
    source, target = tmp_path / "x.en", tmp_path / "x.de.gz"
    source.write_bytes("a\r\n\nb\u2028c\u0085d\re\n".encode())
    with gzip.open(target, "wb") as stream:
        stream.write("ä\nö\n ü　ß".encode())  # the last line has no newline
    pairs = [("a", "ä"), ("", "ö"), ("b c d e", "ü ß")]
    assert list(raw_text.read_parallel(source, target)) == pairs
    whole = target.read_bytes()
    target.write_bytes(whole[:-9])
    with pytest.raises(ValueError, match=r"x\.de\.gz: not a complete gzip file"):
        list(raw_text.read_parallel(source, target))
    target.write_bytes(whole)
    source.write_bytes(b"a\nb\nc\nd\n")
    with pytest.raises(ValueError, match=r"x\.en has 4 lines, .*x\.de\.gz has 3"):
        list(raw_text.read_parallel(source, target))
    source.write_bytes(b"a\nb\xff\nc\n")
    with pytest.raises(ValueError, match=r"x\.en:2: byte 1 is not UTF-8"):
        list(raw_text.read_parallel(source, target))
    with pytest.raises(ValueError, match=r"no x\.fr or y\.fr in .*: it is in here\.tgz"):
        raw_text.find_file([tmp_path], ["x.fr", "y.fr"], "here.tgz")


def test_a_set_is_written_completely_or_not_at_all(tmp_path):
    def broken():
        yield "a", "b"
        raise ValueError("cut off")

    with pytest.raises(ValueError, match="cut off"):
        write_pairs(tmp_path, "train", "ja", broken())
    assert not list(tmp_path.iterdir())
    assert write_pairs(tmp_path, "train", "ja", iter([("a", "b")] * 3), "de") == 3
    assert read_pairs(tmp_path, "train", "ja", "de") == [("a", "b")] * 3


def test_talks_with_and_without_their_titles(tmp_path):
    made.write_files(tmp_path, ja_en_talks(random.Random(1), 4))
    assert read_talks([tmp_path], "ja-en", "x")[:2] == [
        ("ja title 0", "en title 0"),
        ("TED ja", "TED en"),
    ]
    sentences = read_talks([tmp_path], "ja-en", "x", text_tags=())
    assert len(sentences) == 4 and all(source.endswith("。") for source, _ in sentences)


GENERATED = """S-1\ta b
T-1\tx
H-1\t-0.5\tu v w x y z q
D-1\t-0.5\tuv &apos;w
H-1\t-0.7\tu
D-1\t-0.7\tu
S-0\ta
H-0\t-0.5\tu v w x
D-0\t-0.5\tfirst .
"""


@pytest.mark.parametrize(("limit", "reached"), [(7, 1), (4, 2), (8, 0)])
def test_translations_that_may_be_unfinished(limit, reached):
    assert translations.at_limit(GENERATED.splitlines(), limit) == reached


def test_translations_in_order(tmp_path, capsys, monkeypatch):
    (tmp_path / "x.out").write_text(GENERATED, encoding="utf-8")
    (tmp_path / "y.txt").write_text("plain\n", encoding="utf-8")
    out = tmp_path / "all.txt"

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["x", "-o", str(out), *map(str, arguments)])
        assert translations.main() == 0

    run("--limit", 7, tmp_path / "x.out", tmp_path / "y.txt")
    assert out.read_text("utf-8") == "first .\nuv &apos;w\nplain\n"
    assert capsys.readouterr().out == (
        "x.out: 1 translations have 7 symbols, the limit of --max-len-b, and may be unfinished\n"
    )
    pytest.importorskip("sacremoses")
    run("--detokenize", "en", tmp_path / "x.out")
    assert out.read_text("utf-8") == "first.\nuv'w\n"
    assert not capsys.readouterr().out
