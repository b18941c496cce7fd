"""Reading the output of fairseq-preprocess, sentence by sentence."""

import pickle

import pytest
import torch
from fairseq.data import indexed_dataset

from fairseq_subword_ext.data.mapped_tokens import MappedTokens

SENTENCES = [[5, 6, 7, 2], [2], [9] * 300 + [2], [4, 2]]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "train.de-en.de")


def write(path, largest, sentences=SENTENCES):
    builder = indexed_dataset.make_builder(f"{path}.bin", "mmap", largest)
    for sentence in sentences:
        builder.add_item(torch.tensor(sentence))
    builder.finalize(f"{path}.idx")


@pytest.mark.parametrize("largest", [300, 70000, 5_000_000_000], ids=["u2", "u4", "i8"])
def test_sentences_as_fairseq_reads_them(path, largest):
    write(path, largest)
    ours, theirs = MappedTokens(path), indexed_dataset.MMapIndexedDataset(path)
    assert len(ours) == len(theirs) == 4
    assert ours.sizes.tolist() == theirs.sizes.tolist() == [4, 1, 301, 2]
    for index, sentence in enumerate(SENTENCES):
        assert ours[index].dtype == torch.int64
        assert ours[index].tolist() == theirs[index].tolist() == sentence


def test_a_worker_process_gets_the_path_and_not_the_text(path):
    write(path, 300)
    copy = pickle.dumps(MappedTokens(path))
    assert len(copy) < 300
    assert pickle.loads(copy)[2].tolist() == SENTENCES[2]


def test_a_sentence_may_be_changed_without_changing_the_file(path):
    write(path, 5_000_000_000)
    data = MappedTokens(path)
    data[0][0] = 1
    assert data[0].tolist() == SENTENCES[0]


def test_broken_files_and_other_formats_are_refused(path, tmp_path):
    write(path, 300)
    index, data = tmp_path / "train.de-en.de.idx", tmp_path / "train.de-en.de.bin"
    good = index.read_bytes()
    for bad, message in (
        (b"TNTIDX\x00\x00" + bytes(40), "is not an index"),
        (b"", "is not an index"),
        (good[:-1], "interrupted"),
        (good[:9] + b"\x02" + good[10:], "version 2"),
        (good[:17] + b"\x07" + good[18:], "type 7"),
    ):
        index.write_bytes(bad)
        with pytest.raises(ValueError, match=message):
            MappedTokens(path)
    index.write_bytes(good)
    data.write_bytes(data.read_bytes()[:-2])
    with pytest.raises(ValueError, match="shorter than its index says"):
        MappedTokens(path)
