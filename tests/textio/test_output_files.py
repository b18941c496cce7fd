"""Outputs that would overwrite an input, or cannot be written, are rejected."""

import os

import pytest

from fairseq_subword_ext.textio.output_files import check_outputs
from fairseq_subword_ext.textio.output_names import name_outputs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("a\n")
    (tmp_path / "dir").mkdir()
    (tmp_path / "other-dir").symlink_to("dir")
    (tmp_path / "symlink").symlink_to("text")
    os.link("text", "hard-link")
    return tmp_path


@pytest.mark.parametrize("name", ["text", "./text", "dir/../text", "symlink", "hard-link"])
def test_an_input_cannot_be_an_output_under_any_name(folder, name):
    with pytest.raises(ValueError, match="would overwrite the input text"):
        check_outputs([name], ["missing", "dir", "text"])
    with pytest.raises(ValueError, match="would overwrite the input"):
        check_outputs([folder / "text"], [name])
    assert (folder / "text").read_text() == "a\n"


@pytest.mark.parametrize("second", ["new", "./new", "dir/../new", "dir/one", "other-dir/one"])
def test_two_outputs_must_be_two_files(folder, second):
    with pytest.raises(ValueError, match="the same file"):
        check_outputs(["new", "dir/one", second])


def test_a_dangling_link_is_the_file_that_it_names(folder):
    (folder / "dangling").symlink_to("new")
    with pytest.raises(ValueError, match="the same file"):
        check_outputs(["new", "dangling"])


def test_valid_outputs(folder):
    check_outputs(["new", "dir/new", "-"], ["text", "-", "symlink", "s3://bucket/new"])
    check_outputs(["/dev/null", "/dev/null"], ["/dev/null"])


def test_folders_are_not_outputs_and_must_exist(folder):
    with pytest.raises(IsADirectoryError, match="dir"):
        check_outputs(["other-dir"])
    with pytest.raises(FileNotFoundError, match=r"does not exist.*missing"):
        check_outputs(["missing/new"])


def test_standard_streams_that_are_files(folder, monkeypatch):
    with open("text") as text, open("text", "a") as out:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", text)
        with pytest.raises(ValueError, match=r"text: .*overwrite the input standard input"):
            check_outputs(["text"], ["-"])
        monkeypatch.setattr("sys.stdout", out)
        with pytest.raises(ValueError, match="would overwrite the input text"):
            check_outputs(["-"], ["text"])


def test_outputs_in_a_folder_never_overwrite_an_input(folder):
    os.link("text", "dir/text")
    with pytest.raises(ValueError, match="overwrite the input text"):
        name_outputs(["text"], "dir")
    (folder / "dir/codes").write_text("")
    (folder / "in").mkdir()
    (folder / "in/codes").write_text("")
    assert name_outputs(["in/codes"], "dir")
    with pytest.raises(ValueError, match="overwrite the input other-dir/codes"):
        name_outputs(["in/codes"], "dir", kept=["other-dir/codes"])
