"""The HTML page, as text and in a browser."""

import json
import re
import shutil
import sys
from html.parser import HTMLParser

import pytest
from conftest import run_command

from fairseq_subword_ext.subword.byte_text import to_byte_text

pytest.importorskip("matplotlib")


def in_threes(text):
    """Byte text in pieces of three bytes, which splits characters of two bytes."""
    words = to_byte_text(text).replace("▁", " ▁").split()
    return " ".join(word[start : start + 3] for word in words for start in range(0, len(word), 3))


FILES = {
    # Latin, markup that must not become markup, and right-to-left.
    "raw.de": "Grüße an <b>alle</b>\nja & nein\n",
    "bpe.de": "Grü@@ ße an <b>@@ alle@@ </b>\nja & nein\n",
    # ü is C3 BC and ß is C3 9F, each in two tokens.
    "bbpe.de": "▁GrÃ ¼ Ã Ɵ e ▁an ▁<b>alle </b>\n▁ja ▁& ▁nein\n",
    "raw.he": "שלום LILO עולם\nכן\n",
    "bpe.he": "שלו@@ ם LILO עולם\nכן\n",
    "bbpe.he": f"{in_threes('שלום LILO עולם')}\n{in_threes('כן')}\n",
}
COMMAND = [
    *(sys.executable, "-m", "fairseq_subword_ext", "stats"),
    *("BPE=bpe.de", "BPE=bpe.he", "BBPE=bbpe.de", "BBPE=bbpe.he"),
    *("--raw", "de=raw.de", "--raw", "he=raw.he"),
]
VOID = {"meta", "input", "wbr", "br", "link", "img"}

# Runs in the browser: presses buttons and records the results in the page.
PROBE = """
window.addEventListener("load", () => {
  const seen = {};
  const table = document.querySelector("#corpus table");
  const names = () => Array.from(table.tBodies[0].rows, (row) => row.cells[2].textContent);
  const tokens = Array.from(table.tHead.rows[0].cells)[2];
  tokens.querySelector("button").click();
  seen.ascending = names();
  seen.sort = tokens.getAttribute("aria-sort");
  tokens.querySelector("button").click();
  seen.descending = names();
  const background = () => getComputedStyle(document.body).backgroundColor;
  const ink = () => getComputedStyle(document.querySelector("#corpus svg text")).fill;
  seen.before = [background(), ink()];
  document.getElementById("theme").click();
  seen.after = [background(), ink()];
  const hebrew = document.querySelector('dd[lang="he"][data-of="0"]');
  const places = Array.from(hebrew.querySelectorAll(".t"), (t) => t.getBoundingClientRect().left);
  seen.rightToLeft = places.every((left, i) => i === 0 || left < places[i - 1]);
  const box = document.querySelector('#choice input[value="1"]');
  box.click();
  seen.hidden = document.querySelectorAll('dd[data-of="1"]:not([hidden])').length;
  const focusable = document.querySelectorAll("a[href], button, input, [tabindex='0']");
  seen.reachable = Array.from(focusable).every((e) => { e.focus(); return document.activeElement === e || e.hidden || !e.offsetParent; });
  seen.overflow = document.documentElement.scrollWidth - window.innerWidth;
  seen.loaded = performance.getEntriesByType("resource").length;
  const note = document.createElement("pre");
  note.id = "probe";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
});
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page's path, its text and the finished process."""
    folder = tmp_path_factory.mktemp("page")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    process = run_command(*COMMAND, "--html", "page.html", "--plots", "pictures", cwd=folder)
    return folder, (folder / "page.html").read_text("utf-8"), process


class Structure(HTMLParser):
    """Checks that elements are closed in order, and collects ids and URLs."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.addresses, self.tags = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "srcset", "action", "data"):
                self.addresses.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_structure_and_no_external_urls(page):
    _, text, process = page
    assert process.stderr.endswith("read BPE as generalized_bpe, BBPE as bbpe\n")
    structure = Structure()
    structure.feed(text)
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids))
    assert all(address.startswith("#") for address in structure.addresses)
    assert {address[1:] for address in structure.addresses} <= set(structure.ids)
    assert not re.search(r"url\((?!#)|@import|\bfetch\(", text)
    assert "Content-Security-Policy" in text
    for key in (
        "corpus", "splitting", "lengths", "evenness", "languages", "partial", "frequencies",
        "sharing", "sentences",
    ):  # fmt: skip
        assert key in structure.ids
    assert structure.tags.count("svg") == 8


def test_text_stays_text(page):
    _, text, _ = page
    assert "<b>" not in text
    assert "Grüße an &lt;b&gt;alle&lt;/b&gt;" in text
    assert "ja &amp; nein" in text


def test_sentences_show_words_tokens_and_bytes(page):
    _, text, _ = page
    assert '<span class="x">C3</span>' in text
    assert '<span class="x">BC</span>' in text
    assert (
        '<span class="w split"><span class="t">Grü</span><wbr><span class="t">ße</span></span>'
        in text
    )
    assert '<dd data-of="0" dir="rtl" lang="he">' in text
    assert '<dd data-of="0" dir="ltr" lang="de">' in text


def test_pictures_are_written_as_png_and_svg(page):
    folder, _, process = page
    for key in (
        "corpus",
        "splitting",
        "lengths",
        "characters",
        "partial",
        "frequencies",
        "sharing",
    ):
        assert (folder / "pictures" / f"{key}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (folder / "pictures" / f"{key}.svg").read_text("utf-8")
        assert f"wrote pictures/{key}.svg" in process.stderr


@pytest.mark.slow
def test_a_page_is_the_same_each_time(page, tmp_path):
    folder, text, _ = page
    run_command(*COMMAND, "--html", tmp_path / "again.html", cwd=folder)
    assert (tmp_path / "again.html").read_text("utf-8") == text


@pytest.mark.parametrize("width", [500, pytest.param(1200, marks=pytest.mark.slow)])
def test_in_headless_chromium(page, width, tmp_path):
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if browser is None:
        pytest.skip("no chromium is installed")
    probed = tmp_path / "probed.html"
    probed.write_text(
        page[1].replace("</body>", f"<script>{PROBE}</script></body>"), encoding="utf-8"
    )
    process = run_command(
        browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
        f"--window-size={width},900", "--virtual-time-budget=2000", "--dump-dom", probed.as_uri(),
    )  # fmt: skip
    found = re.search(r'<pre id="probe">(.*?)</pre>', process.stdout)
    assert found, process.stdout[-2000:]
    seen = json.loads(found[1])
    numbers = [int(value.replace(",", "")) for value in seen["ascending"]]
    assert numbers == sorted(numbers)
    assert seen["descending"] == seen["ascending"][::-1]
    assert seen["sort"] == "ascending"
    # Both the page and its pictures change with the theme.
    assert seen["before"][0] != seen["after"][0]
    assert seen["before"][1] != seen["after"][1]
    assert seen["rightToLeft"]
    assert seen["hidden"] == 0
    assert seen["reachable"]
    assert seen["overflow"] <= 0
    assert seen["loaded"] == 0
