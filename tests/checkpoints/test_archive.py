"""Archives whose bytes depend only on their contents."""

import hashlib
import os
import tarfile
from argparse import Namespace

import pytest

from fairseq_subword_ext.checkpoints.archive import name_of, write_archive
from fairseq_subword_ext.checkpoints.packed_checkpoint import (
    without_embedding_files,
    without_folders,
)


def test_the_same_files_give_the_same_bytes(tmp_path):
    contents = {"b": b"x" * 10, "a/ä": b"", "MANIFEST.json": b"{}"}
    for number, names in enumerate((list(contents), list(contents)[::-1])):
        folder = tmp_path / f"made {number}"
        (folder / "a").mkdir(parents=True)
        (tmp_path / str(number)).mkdir()
        for name in names:
            (folder / name).write_bytes(contents[name])
            os.utime(folder / name, (number, number))
            (folder / name).chmod(0o600 + 0o44 * number)
        digest = write_archive(folder, tmp_path / str(number) / "m.tar.gz")
        data = (tmp_path / str(number) / "m.tar.gz").read_bytes()
        assert digest == hashlib.sha256(data).hexdigest()
    archives = [tmp_path / str(number) / "m.tar.gz" for number in (0, 1)]
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as tar:
        members = {m.name: (m.mtime, m.uid, m.uname, m.mode) for m in tar.getmembers()}
        assert members == {f"m/{name}": (0, 0, "", 0o644) for name in contents}
        assert tar.extractfile("m/b").read() == contents["b"]


def test_an_archive_has_a_name_that_says_what_it_is(tmp_path):
    assert name_of(tmp_path / "a.b.tar.gz") == "a.b" and name_of(tmp_path / "c.tgz") == "c"
    for name in "x.zip", ".tar.gz", "tar.gz":
        with pytest.raises(ValueError, match=r"must end in \.tar\.gz or \.tgz"):
            name_of(tmp_path / name)


def test_no_folder_of_the_machine_is_left_in_a_configuration():
    config = {
        "data": "/home/ann/bin:/home/ann/more/",
        "save_dir": "checkpoints/x",
        "lr": [0.1],
        "model": Namespace(parent="/home/ann/parent.pt", layers=2, langs=("/a/b", "de")),
    }
    assert without_folders(config) == {
        "data": "bin:more",
        "save_dir": "checkpoints/x",
        "lr": [0.1],
        "model": Namespace(parent="parent.pt", layers=2, langs=("b", "de")),
    }


def test_no_file_of_embeddings_is_asked_for_again():
    config = {
        "arch": "transformer",
        "encoder_embed_path": "emb.txt",
        "decoder": {"embed_path": "a", "layers": 2},
    }
    expected = {
        "arch": "transformer",
        "encoder_embed_path": None,
        "decoder": {"embed_path": None, "layers": 2},
    }
    assert without_embedding_files(config) == expected
    assert without_embedding_files(Namespace(**config)) == Namespace(**expected)
    assert without_embedding_files(None) is None
