"""Fairseq's memory-mapped format, against Fairseq's own writer and reader."""

import random

import numpy as np
import pytest

from fairseq_subword_ext.textio import indexed_dataset
from fairseq_subword_ext.textio.indexed_dataset import (
    IndexedDatasetReader,
    IndexedDatasetWriter,
    dataset_files,
    id_type,
)


def random_lines(seed, lines, largest):
    generator = random.Random(seed)
    return [
        [generator.randrange(largest) for _ in range(generator.randrange(1, 9))]
        for _ in range(lines)
    ]


def write(prefix, lines, dtype):
    with IndexedDatasetWriter(prefix, dtype) as writer:
        for line in lines:
            writer.add_ids(np.array(line, np.int32))
        writer.add_sizes(np.array([len(line) for line in lines], np.int64))
    return writer


@pytest.mark.parametrize("symbols", [10, 65499, 65500, 70000])
@pytest.mark.parametrize("count", [0, 1, 57])
def test_as_fairseq_writes_it(tmp_path, monkeypatch, symbols, count):
    pytest.importorskip("fairseq")
    import torch
    from fairseq.data.indexed_dataset import make_builder

    monkeypatch.setattr(indexed_dataset, "_BLOCK", 8)
    lines = random_lines(symbols, count, symbols)
    builder = make_builder(str(tmp_path / "theirs.bin"), "mmap", symbols)
    for line in lines:
        builder.add_item(torch.IntTensor(line))
    builder.finalize(str(tmp_path / "theirs.idx"))
    writer = write(tmp_path / "ours", lines, id_type(symbols))
    assert (writer.lines, writer.tokens) == (count, sum(map(len, lines)))
    for ours, theirs in zip(dataset_files(tmp_path / "ours"), dataset_files(tmp_path / "theirs")):
        assert ours.read_bytes() == theirs.read_bytes()


def test_reads_what_it_wrote(tmp_path, monkeypatch):
    monkeypatch.setattr(indexed_dataset, "_BLOCK", 8)
    lines = random_lines(1, 30, 1 << 20)
    write(tmp_path / "data", lines, np.dtype("<i4"))
    reader = IndexedDatasetReader(tmp_path / "data")
    assert reader.lines == 30
    assert [n for block in reader.sizes() for n in block] == [len(line) for line in lines]
    assert [n for block in reader.ids() for n in block] == [n for line in lines for n in line]


def test_a_failure_leaves_what_was_there(tmp_path):
    write(tmp_path / "data", [[1, 2]], id_type(9))
    before = [path.read_bytes() for path in dataset_files(tmp_path / "data")]
    with pytest.raises(KeyError), IndexedDatasetWriter(tmp_path / "data", id_type(9)) as writer:
        writer.add_ids(np.array([3], np.int32))
        raise KeyError
    assert [path.read_bytes() for path in dataset_files(tmp_path / "data")] == before
    assert len(list(tmp_path.iterdir())) == 2


def test_another_file_is_no_index(tmp_path):
    (tmp_path / "data.idx").write_bytes(b"TNTIDX\x00\x00" + bytes(40))
    with pytest.raises(
        ValueError, match=r"data\.idx: expected the index of a memory-mapped dataset"
    ):
        IndexedDatasetReader(tmp_path / "data")
