"""The text of raw data of several languages, as fairseq-generate --replace-unk reads it."""

import pytest

pytest.importorskip("fairseq")

from fairseq.data import ConcatDataset, Dictionary
from fairseq.data.indexed_dataset import IndexedRawTextDataset

from fairseq_subword_ext.data.original_text import OriginalText


@pytest.fixture
def sides(tmp_path):
    made = []
    for name, text in (("de", "a@@ b c\nä\n"), ("si", "x@@ y\n")):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        made.append(IndexedRawTextDataset(str(path), Dictionary()))
    return made


def test_lines_of_several_files_are_one_text(sides):
    text = OriginalText(ConcatDataset(sides))
    assert len(text) == 3
    assert [text.pieces(index) for index in range(3)] == ["a@@ b c", "ä", "x@@ y"]
    assert [text.get_original_text(index) for index in range(3)] == ["a@@ b c", "ä", "x@@ y"]
    assert text[2].tolist() == sides[1][0].tolist()


def test_pieces_are_kept_and_printed_text_is_joined(sides):
    text = OriginalText(sides[0], "@@ ")
    assert text.pieces(0) == "a@@ b c"
    assert text.get_original_text(0) == "ab c"
