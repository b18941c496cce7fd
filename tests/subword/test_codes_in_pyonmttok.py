"""pyonmttok reads our codes of characters and segments as apply-bpe, but for the lines that the docs name."""

import io
import unicodedata

import pytest
from made_languages import NAUGHTY, made_lines

from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.segmenter import Segmenter

pyonmttok = pytest.importorskip("pyonmttok")
pytestmark = pytest.mark.slow


def is_exact(line):
    """Whether the line has no combining marks, no space but U+0020, and no NUL."""
    categories = {unicodedata.category(c) for c in line if c != " "}
    return not categories & {"Mn", "Mc", "Me", "Zs", "Zl", "Zp"} and "\0" not in line


@pytest.mark.parametrize("measure", ["frequency", "dlg-weighted"])
def test_it_segments_as_we_do(tmp_path, measure):
    text = io.BytesIO("".join(f"{line}\n" for line in made_lines(3000)).encode("utf-8"))
    table = learn_bpe(text, 1000, measure=measure)
    table.save(tmp_path / "codes")
    tokenizer = pyonmttok.Tokenizer(
        "space",
        bpe_model_path=str(tmp_path / "codes"),
        joiner="@@",
        joiner_annotate=True,
        no_substitution=True,
    )
    lines = [line for line in [*made_lines(5000, seed=1), *NAUGHTY] if is_exact(line)]
    assert len(lines) > 3000
    expected = Segmenter(table, compat="subword-nmt").segment_lines(lines)
    differing = [
        line
        for line, segmented in zip(lines, expected)
        if tokenizer(line) != [piece for piece in segmented.split(" ") if piece]
    ]
    assert differing == []
