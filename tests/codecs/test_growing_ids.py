"""Provisional ids before there is a dictionary: every token of a text gets one and is counted."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fairseq_subword_ext.codecs import binarizing
from fairseq_subword_ext.codecs.growing_ids import CountedTokens, FirstIds, GrowingIds
from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetReader
from fairseq_subword_ext.textio.pipeline import Workers

CODES = "#version: 0.2\nl o\nlo w</w>\ne r</w>\n"


@pytest.fixture
def codes(tmp_path):
    (tmp_path / "codes").write_text(CODES)
    return tmp_path / "codes"


def random_blocks(number):
    generator = random.Random(3)
    alphabet = "lower" * 4 + "é\xa0漢␛"
    return [
        "".join(
            " ".join("".join(generator.choices(alphabet, k=4)) for _ in range(5)) + "\n"
            for _ in range(generator.randrange(1, 30))
        ).encode()
        for _ in range(number)
    ]


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_each_id_stands_for_what_is_printed(codes, dropout):
    codec = make_codec("generalized_bpe", codes, dropout=dropout)
    growing = GrowingIds(FirstIds(codec, "error"), "text", 5)
    blocks = random_blocks(20)
    firsts = np.cumsum([0] + [block.count(b"\n") for block in blocks]).tolist()
    with ThreadPoolExecutor(4) as pool:
        encoded = list(pool.map(growing.encode, blocks, firsts))
    for each in encoded:
        growing.add(growing.count(each.ids))
    counted = growing.counted()
    spelled = dict(zip(counted.ids.tolist(), counted.tokens))
    code = codec.block_coder(seed=5).code
    printed = [
        line.split() + ["</s>"]
        for block, first in zip(blocks, firsts)
        for line in bytes(code(block, first)).decode().splitlines()
    ]
    assert [
        [spelled[index] for index in each.line(number)]
        for each in encoded
        for number in range(len(each))
    ] == printed
    expected = Counter(token for line in printed for token in line)
    assert counted.by_token() == expected
    assert CountedTokens.from_lists(counted.to_lists()).by_token() == expected


def test_new_tokens_are_found_in_one_step_later(codes):
    first = FirstIds(make_codec("generalized_bpe", codes), "error")
    growing = GrowingIds(first, "text", None)
    assert "漢" not in first.ids
    growing.encode("漢 low\n".encode(), 0)
    encoder = growing._encoder
    assert encoder is not first.encoder
    growing.encode("low 漢\n".encode(), 1)
    assert growing._encoder is encoder
    assert "漢" not in first.ids


@pytest.mark.parametrize("most", [1 << 16, 24])
def test_a_text_with_more_tokens_than_small_ids(codes, tmp_path, monkeypatch, most):
    """It is read again, with larger ids."""
    monkeypatch.setattr(binarizing, "_MOST_SMALL_IDS", most)
    codec = make_codec("generalized_bpe", codes)
    first = FirstIds(codec, "error")
    assert len(first.ids) <= 24 * 3 // 4
    blocks = random_blocks(5)
    (tmp_path / "text").write_bytes(b"".join(blocks))
    growing = GrowingIds(first, "text", None)
    with Workers(2) as workers:
        done = binarizing.collect(
            tmp_path / "text",
            tmp_path / "ids",
            growing,
            growing.encode,
            binarizing.Machinery(workers),
        )
    reader = IndexedDatasetReader(tmp_path / "ids")
    assert reader.dtype == ("<u2" if most > 24 else "<i4")
    counted = growing.counted()
    spelled = dict(zip(counted.ids.tolist(), counted.tokens))
    found = [spelled[index] for ids in reader.ids() for index in ids.tolist()]
    printed = bytes(codec.block_coder().code(b"".join(blocks), 0)).decode().splitlines()
    assert found == [token for line in printed for token in (*line.split(), "</s>")]
    assert counted.by_token() == Counter(found)
    assert (done.lines, done.tokens) == (len(printed), len(found))


def test_text_without_tokens(codes):
    growing = GrowingIds(FirstIds(make_codec("generalized_bpe", codes), "error"), "text", None)
    assert growing.counted().by_token() == {}
