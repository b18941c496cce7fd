"""Packed models and checkpoints from somebody else: read, or refused in one line."""

import contextlib
import gzip
import io
import json
import pickle
import tarfile
import tracemalloc

import pytest
from damaged_files import damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.checkpoints.archive import write_archive
from fairseq_subword_ext.checkpoints.exporting_source import source_of


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The content of a packed model, as far as finding its checkpoint needs it."""
    folder = tmp_path_factory.mktemp("packed") / "model"
    folder.mkdir()
    (folder / "MANIFEST.json").write_text(json.dumps({"checkpoints": {"checkpoint.pt": {}}}))
    (folder / "checkpoint.pt").write_bytes(bytes(range(256)) * 4)
    (folder / "dict.en.txt").write_text("a 1\nb 1\n")
    archive = folder.with_name("model.tar.gz")
    write_archive(folder, archive)
    return archive.read_bytes()


def found(archive):
    with contextlib.ExitStack() as stack:
        return source_of(archive, None, None, {}, stack).checkpoint.read_bytes()


def archive_of(path, *members):
    """Writes members (TarInfo, content) as they are."""
    with tarfile.open(path, "w:gz") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def refusal(archive) -> str:
    with pytest.raises(ValueError) as error:
        found(archive)
    assert str(error.value).startswith(str(archive)) and "\n" not in str(error.value)
    return str(error.value)


def test_the_archive_itself_is_whole(packed, tmp_path):
    (tmp_path / "model.tar.gz").write_bytes(packed)
    assert found(tmp_path / "model.tar.gz") == bytes(range(256)) * 4


@settings(max_examples=80)
@given(data=st.data())
def test_damaged_archives(packed, tmp_path_factory, data):
    """Damage within the compressed stream, and below it, where no checksum finds it."""
    archive = tmp_path_factory.getbasetemp() / "damaged.tar.gz"
    if data.draw(st.booleans()):
        archive.write_bytes(b"\x1f\x8b" + data.draw(damaged(packed[2:])))
    else:
        archive.write_bytes(gzip.compress(data.draw(damaged(gzip.decompress(packed))), 1))
    try:
        found(archive)
    except ValueError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["../outside", "/outside", "model/../../outside"])
def test_members_that_lead_out_of_the_folder(tmp_path, name):
    archive = archive_of(tmp_path / "a.tar.gz", (tarfile.TarInfo(name), b"x"))
    assert "not an archive of package-model" in refusal(archive)
    assert not (tmp_path / "outside").exists() and not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_that_lead_out_and_devices(tmp_path, kind):
    member = tarfile.TarInfo("model/checkpoint.pt")
    member.type, member.linkname = kind, "/etc/passwd"
    assert "not an archive of package-model" in refusal(
        archive_of(tmp_path / "a.tar.gz", (member, b""))
    )


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_header_that_would_fill_the_memory(tmp_path, kind):
    member = tarfile.TarInfo("name")
    member.type = kind
    archive = archive_of(tmp_path / "a.tar.gz", (member, b"\0" * (1 << 25)))
    tracemalloc.start()
    try:
        assert "a header with a false length" in refusal(archive)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def test_an_archive_that_would_fill_the_disk(tmp_path):
    member = tarfile.TarInfo("model/checkpoint.pt")
    archive = archive_of(tmp_path / "a.tar.gz", (member, b"\0" * (1 << 26 | 1)))
    assert "it unpacks to more than 64 MiB" in refusal(archive)


@pytest.mark.parametrize(
    "manifest",
    ["", "[]", "{", "[" * 100_000, '{"checkpoints": 5}', '{"checkpoints": ["../x"]}', "\ud800"],
)
def test_a_broken_manifest(tmp_path, manifest):
    content = manifest.encode("utf-8", "surrogatepass")
    archive = archive_of(tmp_path / "a.tar.gz", (tarfile.TarInfo("model/MANIFEST.json"), content))
    with pytest.raises(ValueError, match=r"MANIFEST\.json: "):
        found(archive)


@pytest.fixture(scope="module")
def checkpoint():
    torch = pytest.importorskip("torch")
    pytest.importorskip("fairseq")
    written = io.BytesIO()
    torch.save({"model": {"weight": torch.ones(3, 2)}, "cfg": {"task": {"_name": "x"}}}, written)
    return written.getvalue()


@settings(max_examples=80)
@given(data=st.data())
def test_damaged_checkpoints(checkpoint, tmp_path_factory, data):
    from fairseq_subword_ext.checkpoints.reading import read_checkpoint

    path = tmp_path_factory.getbasetemp() / "damaged.pt"
    path.write_bytes(data.draw(damaged(checkpoint)))
    try:
        assert isinstance(read_checkpoint(path)["model"], dict)
    except ValueError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)


@settings(max_examples=80)
@given(data=st.data())
def test_damaged_pickles(tmp_path_factory, data):
    pytest.importorskip("fairseq")
    from fairseq_subword_ext.checkpoints.reading import read_checkpoint

    path = tmp_path_factory.getbasetemp() / "pickle.pt"
    whole = pickle.dumps({"model": {"weight": [1.0] * 20}, "extra": "text"}, protocol=2)
    path.write_bytes(data.draw(damaged(whole)))
    try:
        read_checkpoint(path)
    except ValueError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
