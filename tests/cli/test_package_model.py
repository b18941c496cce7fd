"""package-model: refusals before it reads a checkpoint; the rest is in tests/checkpoints."""

import pytest

from fairseq_subword_ext.cli.main import main


@pytest.fixture
def model(tmp_path):
    """Arguments that name existing files."""
    for name in "model.pt", "codes", "scores.json":
        (tmp_path / name).write_text("#version: 0.2\n")
    return ["--checkpoint", str(tmp_path / "model.pt"), "--codes", str(tmp_path / "codes")]


@pytest.fixture
def refused(tmp_path, capsys):
    """Runs the command, which must fail; returns its one line."""

    def run(*arguments, output="x.tar.gz"):
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert main(["package-model", *map(str, arguments), "-o", str(tmp_path / output)]) == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and said.startswith("fairseq-subword package-model: error: ")
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        return said

    return run


def test_output_that_cannot_be_written(refused, model, tmp_path):
    assert "must end in .tar.gz or .tgz" in refused(*model, output="x.zip")
    assert "the folder to write to does not exist" in refused(*model, output="none/x.tar.gz")
    (tmp_path / "folder.tgz").mkdir()
    assert "an output must be a file" in refused(*model, output="folder.tgz")


@pytest.mark.parametrize("link", [False, True])
def test_output_that_is_an_input(refused, model, tmp_path, link):
    tool = tmp_path / "tool.tgz"
    tool.write_text("a tool\n")
    (tmp_path / "link.tgz").symlink_to(tool)
    output = "link.tgz" if link else "tool.tgz"
    assert "would overwrite" in refused(*model, "--add", tool, output=output)
    (tmp_path / "y.tgz.sha256").write_text("sums\n")
    assert "would overwrite" in refused(*model, "--add", tmp_path / "y.tgz.sha256", output="y.tgz")


def test_arguments_that_contradict_each_other(refused, model, tmp_path):
    assert "give either RUN" in refused()
    assert "give either RUN" in refused(tmp_path, *model)
    assert "RUN has its own codes" in refused(tmp_path, "--codes", tmp_path / "codes")
    assert "--bpe NAME: say how" in refused(*model[:2])
    assert "--codes" in refused(*model[:2], "--codes", tmp_path / "none")
    assert "no such folder" in refused(*model, "--data", tmp_path / "none")
    assert "no such file" in refused(*model, "--add", tmp_path / "none")
    assert "expected KEY=VALUE" in refused(*model, "--bpe-option", "separator")
