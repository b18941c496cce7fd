"""Every code block of README.md and docs/ does what the page says."""

import pytest
from command_lines import check_commands
from page_blocks import PAGES, Page, console_commands, has_slow_blocks, matches


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_blocks_of_a_page_run(path, tmp_path):
    pytest.importorskip("fairseq")
    Page(path, tmp_path, check_commands).run(slow=False)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("path", filter(has_slow_blocks, PAGES), ids=lambda path: path.stem)
def test_the_slow_blocks_of_a_page_run(path, tmp_path):
    pytest.importorskip("fairseq")
    Page(path, tmp_path, check_commands).run(slow=True)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a b", "a b\n", True),
        ("a b", "a c\n", False),
        ("a ... c", "a b b c\n", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd\n", True),
        ("a\n...", "a\nb\n", True),
        ("a\n...", "a\n", True),
        ("...\nd", "a\nd\n", True),
        ("a\n...\nd", "a\nb\n", False),
        ("a", "a\nb\n", False),
        ("", "a\n", False),
        ("a.c", "abc\n", False),
        ("a b", "a\tb\n", False),
        ("a     b", "a\tb\n", True),
    ],
)
def test_output_is_compared_with_what_the_page_shows(shown, printed, same):
    assert matches(shown, printed) == same


def test_a_console_block_is_split_into_commands():
    block = "$ one \\\n    two\nout\n$ three\n$ four <<E\n> x\n> E\nx\n"
    assert list(console_commands(block)) == [
        ("one \\\n    two", "out"),
        ("three", ""),
        ("four <<E\nx\nE", "x"),
    ]


@pytest.mark.parametrize(
    "command",
    [
        ["fairseq-subword", "apply-bpe", "--no-such-flag"],
        ["fairseq-subword", "no-such-command"],
        ["bash", "scripts/no_such_script.sh"],
        ["bash", "scripts/test.sh", "--no-such-flag"],
        ["pip", "install", "fairseq_subword_ext[no-such-extra]"],
        ["fairseq-train", "data-bin", "--no-such-flag"],
        ["fairseq-hydra-train", "--config-dir", "no/such/folder", "--config-name", "x"],
    ],
    ids=lambda command: " ".join(command[:3]),
)
def test_a_wrong_command_line_is_noticed(command):
    with pytest.raises(AssertionError):
        check_commands([command])
