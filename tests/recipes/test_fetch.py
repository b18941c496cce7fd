"""Bringing the recipes' files: interrupted downloads resume, files are checked, missing ones are named."""

import hashlib
import http.server
import io
import shutil
import tarfile
import threading
from dataclasses import replace

import pytest
from conftest import ROOT
from recipes.engine import fetch
from recipes.engine.archives import find, what_is_wrong
from recipes.engine.sources import TABLE, Source, for_languages, read_sources

pytest_plugins = ["recipe_helpers"]

TEXT = "".join(f"line {number}\n" for number in range(5000)).encode()


def archive(names, content=TEXT):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as made:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return stream.getvalue()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves ``files``; supports ranges if ``ranges`` is set, and truncates answers at ``cut`` bytes."""

    files, ranges, cut, asked = {}, True, None, []

    def do_GET(self):
        body = self.files.get(self.path)
        start = 0
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        if body is None:
            self.send_error(404)
            return
        if wanted and self.ranges:
            start = int(wanted.partition("=")[2].rstrip("-"))
            if start >= len(body):
                self.send_error(416)
                return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start : self.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    served = type("Served", (Server,), {"files": {}, "asked": []})
    http_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), served)
    thread = threading.Thread(target=http_server.serve_forever, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{http_server.server_port}"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield served
    http_server.shutdown()
    http_server.server_close()


@pytest.fixture
def source(server):
    server.files["/talks.tar.gz"] = archive(["a.tsv", "deep/b.tsv"])
    return Source(
        recipe="r", file="talks.tar.gz", address=f"{server.address}/talks.tar.gz",
        holds="a.tsv b.tsv", sha256="", page="https://example.org/page", licence="", tried="no",
    )  # fmt: skip


def test_a_download_is_unpacked_and_not_repeated(server, source, tmp_path):
    fetch.bring(source, tmp_path, None)
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes() == TEXT
    fetch.bring(source, tmp_path, None)
    assert len(server.asked) == 1


def test_an_interrupted_download_resumes(server, source, tmp_path):
    server.cut = 500
    with pytest.raises(ValueError, match=r"cut off at 500 of .* run again to resume"):
        fetch.bring(source, tmp_path, None)
    assert not (tmp_path / "talks.tar.gz").exists()
    server.cut = None
    fetch.bring(source, tmp_path, None)
    assert server.asked == [None, "bytes=500-"]
    assert (tmp_path / "a.tsv").read_bytes() == TEXT


@pytest.mark.parametrize("left", [500, 10**6])
def test_it_starts_over_if_the_server_cannot_resume(server, source, tmp_path, left):
    server.ranges = left > 500  # in the second case, the partial file is longer than the file
    (tmp_path / "talks.tar.gz.part").write_bytes(bytes(left))
    fetch.bring(source, tmp_path, None)
    assert (tmp_path / "a.tsv").read_bytes() == TEXT


def test_what_is_gone_is_named_with_its_page(server, source, tmp_path):
    del server.files["/talks.tar.gz"]
    with pytest.raises(ValueError) as error:
        fetch.bring(source, tmp_path, None)
    message = str(error.value)
    assert message.startswith("talks.tar.gz: the server answers 404")
    assert "https://example.org/page" in message and "--raw DIR" in message
    assert "has not been tested" in message
    with pytest.raises(ValueError, match="available only on request"):
        fetch.bring(replace(source, address=""), tmp_path, None)


def test_a_web_page_in_place_of_an_archive_is_removed(server, source, tmp_path):
    server.files["/talks.tar.gz"] = b"\n<!DOCTYPE html><html>moved</html>"
    with pytest.raises(
        ValueError, match="not this file: it is a web page; it was removed"
    ) as error:
        fetch.bring(source, tmp_path, None)
    assert source.address in str(error.value) and source.page in str(error.value)
    assert list(tmp_path.iterdir()) == []
    server.files["/talks.tar.gz"] = archive(["a.tsv", "b.tsv"])
    fetch.bring(source, tmp_path, None)
    assert (tmp_path / "a.tsv").read_bytes() == TEXT


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        pytest.param("a.tar.gz", archive(["x"]), "", id="an archive"),  # contains the time
        ("a.tgz", b"PK\3\4", "begins with b'PK"),
        ("a.zip", b"PK\3\4", ""),
        ("a.tsv", b"a\tb\n", ""),
        ("a.tsv", b" <HTML>", "it is a web page"),
        ("a.xml", b"<?xml version='1.0'?>", ""),
        ("a.tsv", b"", "it is empty"),
    ],
)
def test_what_a_file_begins_with(tmp_path, name, content, wrong):
    (tmp_path / "file").write_bytes(content)
    found = what_is_wrong(tmp_path / "file", name)
    assert wrong in found and bool(found) == bool(wrong)


def test_the_checksum_of_a_first_download_is_recorded(server, source, tmp_path):
    fetch.bring(source, tmp_path, None)
    digest = hashlib.sha256(server.files["/talks.tar.gz"]).hexdigest()
    recorded = (tmp_path / "sha256.tsv").read_text().split("\t")
    assert recorded[:2] == [digest, "talks.tar.gz"]
    fetch.bring(replace(source, sha256=digest), tmp_path / "again", None)
    assert not (tmp_path / "again" / "sha256.tsv").exists()


def test_an_archive_without_what_it_should_hold(server, source, tmp_path):
    server.files["/talks.tar.gz"] = archive(["a.tsv"])
    with pytest.raises(ValueError, match=r"no b\.tsv in it"):
        fetch.bring(source, tmp_path, None)


@pytest.mark.parametrize("name", ["../out.tsv", "/out.tsv"])
def test_nothing_lands_outside_the_folder(server, source, tmp_path, name):
    server.files["/talks.tar.gz"] = archive([name])
    with pytest.raises(ValueError, match="lies outside the archive"):
        fetch.bring(source, tmp_path / "raw", None)
    assert not (tmp_path / "out.tsv").exists()


def test_another_file_than_expected(server, source, tmp_path):
    other = replace(source, sha256="0" * 64)
    with pytest.raises(ValueError, match=r"its SHA-256 is .*, not 0000.*; it was removed"):
        fetch.bring(other, tmp_path, None)
    assert not (tmp_path / "talks.tar.gz").exists()
    mine = tmp_path / "mine" / "talks.tar.gz"
    mine.parent.mkdir()
    mine.write_bytes(server.files["/talks.tar.gz"])
    with pytest.raises(ValueError, match=r"mine/talks\.tar\.gz: not the expected file"):
        fetch.bring(other, tmp_path / "to", mine.parent)
    assert mine.exists()  # the user's own file stays


def test_a_local_folder_as_downloaded_or_unpacked(server, source, tmp_path):
    (tmp_path / "down").mkdir()
    (tmp_path / "down" / "talks.tar.gz").write_bytes(server.files["/talks.tar.gz"])
    (tmp_path / "open" / "x").mkdir(parents=True)
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / "open" / "x" / name).write_bytes(TEXT)
    for folder in ("down", "open"):
        to = tmp_path / f"to-{folder}"
        fetch.bring(source, to, tmp_path / folder)
        assert (to / "a.tsv").read_bytes() == (to / "b.tsv").read_bytes() == TEXT
    assert server.asked == []
    (tmp_path / "open" / "x" / "b.tsv").unlink()
    with pytest.raises(ValueError, match=r"has none of talks\.tar\.gz, a\.tsv, b\.tsv"):
        fetch.bring(source, tmp_path / "to", tmp_path / "open")


def test_one_row_per_language(source):
    row = replace(source, file="help-{language}", address="apt:help-{language}")
    made = for_languages([row, source], ["de", "pt-br"])
    assert [one.file for one in made] == ["help-de", "help-pt-br", "talks.tar.gz"]
    assert made[1].address == "apt:help-pt-br"
    with pytest.raises(ValueError, match="say for which --languages"):
        for_languages([row], [])


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_a_debian_package_is_unpacked_and_not_installed(source, tmp_path, debian, monkeypatch):
    (tmp_path / "tree" / "usr").mkdir(parents=True)
    (tmp_path / "tree" / "usr" / "page.html").write_bytes(TEXT)
    debian.offer("help-de", tmp_path / "tree")
    row = replace(source, file="help-de", address="apt:help-de", holds="")
    fetch.bring(row, tmp_path / "to", None)
    assert (tmp_path / "to" / "help-de" / "usr" / "page.html").read_bytes() == TEXT
    assert [path.name for path in (tmp_path / "to").iterdir()] == ["help-de"]
    missing = replace(row, file="help-xx", address="apt:help-xx")
    with pytest.raises(ValueError, match="help-xx: E: no package help-xx"):
        fetch.bring(missing, tmp_path / "to", None)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(ValueError, match="this machine has no apt-get"):
        fetch.bring(missing, tmp_path / "to", None)


def test_the_table_of_all_recipes():
    rows = [line for line in TABLE.read_text("utf-8").split("\n") if line and line[0] != "#"][1:]
    recipes = {row.split("\t")[0] for row in rows}
    for recipe in recipes:
        folders = [ROOT / "scripts" / recipe, ROOT / "scripts" / "recipes" / recipe]
        assert any(folder.is_dir() for folder in folders)
        for row in read_sources(TABLE, recipe):
            assert row.tried in ("yes", "no") and row.licence
            assert row.address.startswith(("http://", "https://", "apt:")) or not row.address
            assert row.page.startswith(("http://", "https://"))
    with pytest.raises(ValueError, match="no files for the recipe 'nonsense'"):
        read_sources(TABLE, "nonsense")


def test_the_highest_file_of_a_name_is_found(tmp_path):
    for folder in ("b/c", "a"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.tsv").touch()
    assert find(tmp_path, "x.tsv") == tmp_path / "a" / "x.tsv"
    assert find(tmp_path, "c/x.tsv") == tmp_path / "b" / "c" / "x.tsv"
    assert find(tmp_path, "y") is None
