"""Links between the repository's pages, and to its files, lead somewhere, anchors included."""

import re

import pytest
from conftest import ROOT
from page_blocks import PAGES

from fairseq_subword_ext.cli.main import COMMANDS

# The pages of the documentation, and those beside the code.
ALL_PAGES = [
    *PAGES,
    *sorted(ROOT.glob("scripts/**/*.md")),
    *sorted(ROOT.glob("fairseq_subword_ext/**/*.md")),
]
_FENCED = re.compile(r"^(`{3,}).*?^\1", flags=re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)")


def anchors(text: str) -> set:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#{1,6} (.+)$", _FENCED.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_anchors_exist(page):
    for path, anchor in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / path if path else page
        if "reference/" in path:  # written by the build, which checks links to it
            continue
        assert target.exists(), f"{path} does not exist"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{path}#{anchor}"


def test_every_page_is_in_the_table_of_contents():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([\w-]+)$", index, flags=re.MULTILINE))
    pages = {page.stem for page in PAGES if page.parent == ROOT / "docs"} - {"index"}
    assert pages == listed & pages, f"missing: {sorted(pages - listed)}"


def test_the_readme_fits():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_recipes_that_are_named_exist(page):
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    for path in re.findall(r"`((?:scripts|configs|tests|docs|fairseq_subword_ext)/[\w./-]+)", text):
        if not re.search(r"\b[A-Z]+\b(?!\.)", path):  # NAME and the like are placeholders
            assert (ROOT / path).exists(), f"{path} does not exist"
    for name in re.findall(r"recipe\.py (\w+)", text):
        recipe = ROOT / "scripts" / "recipes" / name / "recipe.py"
        assert name == "NAME" or recipe.is_file(), f"no recipe {name}"


@pytest.mark.parametrize("page", ["README.md", "docs/fairseq.md"])
def test_everything_that_registers_is_named(page):
    pytest.importorskip("fairseq")
    from fairseq_subword_ext import encoders, models, tasks

    text = (ROOT / page).read_text(encoding="utf-8")
    for name in (*encoders.NAMES, *models.NAMES, *tasks.NAMES):
        suffix = name.rpartition("_")[2]  # a preset may be named by its suffix alone
        assert f"`{name}`" in text or f"`_{suffix}`" in text, f"{name} is missing"


def test_every_command_is_in_the_overview():
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"[`{command}`](reference/commands/{command}.md)" in text, f"{command} is missing"
