"""Builds a self-contained HTML page with pictures, tables and sentences; it loads nothing else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Dict, List, Optional

from fairseq_subword_ext.reports.inline_svg import inline_svg
from fairseq_subword_ext.reports.marked_sentences import (
    BYTES,
    CODE,
    SPACE,
    Token,
    Word,
    is_right_to_left,
    is_split,
)
from fairseq_subword_ext.reports.statistics_plots import Picture
from fairseq_subword_ext.textio.tables import Table, Value

_ASSETS = Path(__file__).parent / "assets"
# Nothing may be loaded, even if a text manages to smuggle in a URL.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_CLASSES = {SPACE: "s", BYTES: "x", CODE: "u"}
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Sentence:
    """One line of the text under every segmentation.

    Attributes:
        number: line number, from 1.
        language: language of the text; empty if there is only one.
        raw: the unsegmented line; None if unknown.
        marked: name of the segmentation -> words of the line.
    """

    number: int
    language: str
    raw: Optional[str]
    marked: Dict[str, List[Word]]


def build_page(
    title: str,
    tables: Sequence[Table],
    pictures: Iterable[Picture],
    sentences: Sequence[Sentence],
    warnings: Sequence[str] = (),
) -> str:
    """Builds the page.

    Args:
        title: title of the page.
        tables: each appears below the picture with the same key.
        pictures: those without a table get their own section.
        sentences: sentences in display order.
        warnings: shown at the top.
    """
    by_key = {picture.key: picture for picture in pictures}
    sections = []
    for table in tables:
        sections.append(_section(table.key, table.title, by_key.pop(table.key, None), table))
    for key, picture in by_key.items():
        sections.append(_section(key, picture.title, picture, None))
    if sentences:
        sections.append(_sentences(sentences))
    keys = [*(table.key for table in tables), *by_key, *(["sentences"] if sentences else [])]
    navigation = "".join(f'<a href="#{key}">{key.capitalize()}</a>' for key in keys)
    alerts = "".join(f'<p class="warning">{escape(warning)}</p>' for warning in warnings)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="bar"><div>
<nav aria-label="Sections">{navigation}</nav>
<button type="button" id="theme" hidden>Dark / light</button>
</div></div>
<main id="main">
<h1>{escape(title)}</h1>
{alerts}
{"".join(sections)}</main>
<script>
{_asset("page.js")}</script>
</body>
</html>
"""


def _section(key: str, title: str, picture: Optional[Picture], table: Optional[Table]) -> str:
    parts = [f'<section id="{key}">\n<h2>{escape(title)}</h2>\n']
    if picture is not None:
        parts.append(
            f'<figure class="scroll" tabindex="0" role="group" aria-label="Picture: '
            f'{escape(picture.title)}">\n{inline_svg(picture)}</figure>\n'
        )
    if table is not None:
        parts.append(_table(table))
        parts += [f'<p class="note">{escape(note)}</p>\n' for note in table.notes]
    return "".join([*parts, "</section>\n"])


def _table(table: Table) -> str:
    left = table.left_aligned()
    heads = "".join(
        f'<th scope="col"{_left(is_left)}>{escape(column.heading)}</th>'
        for column, is_left in zip(table.columns, left)
    )
    rows = []
    for row in table.rows:
        cells = [
            _cell(value, column.shown(value), is_left, number == 0)
            for number, (value, column, is_left) in enumerate(zip(row, table.columns, left))
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {escape(table.title)}">'
        f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"
    )


def _cell(value: Value, shown: str, left: bool, heads_row: bool) -> str:
    number = f' data-value="{value}"' if isinstance(value, (int, float)) else ""
    start, end = ('th scope="row"', "th") if heads_row else ("td", "td")
    return f"<{start}{_left(left)}{number}>{escape(shown)}</{end}>"


def _left(left: bool) -> str:
    return ' class="l"' if left else ""


def _sentences(sentences: Sequence[Sentence]) -> str:
    names = list(dict.fromkeys(name for sentence in sentences for name in sentence.marked))
    boxes = "".join(
        f'<label><input type="checkbox" value="{number}" checked> {escape(name)}</label>'
        for number, name in enumerate(names)
    )
    parts = [
        '<section id="sentences">\n<h2>The same sentences under every segmentation</h2>\n'
        f"{_KEY}"
        f'<fieldset id="choice" hidden><legend>Show</legend>{boxes}</fieldset>\n'
    ]
    language = ""
    for sentence in sentences:
        if sentence.language != language:
            language = sentence.language
            parts.append(f"<h3>{escape(language)}</h3>\n")
        parts.append(_sentence(sentence, names))
    return "".join([*parts, "</section>\n"])


def _sentence(sentence: Sentence, names: Sequence[str]) -> str:
    plain = sentence.raw
    if plain is None:
        words = next(iter(sentence.marked.values()))
        plain = "".join(text for word in words for token in word for _, text in token.parts)
    attributes = f' dir="{"rtl" if is_right_to_left(plain) else "ltr"}"'
    if _LANGUAGE_TAG.fullmatch(sentence.language):
        attributes += f' lang="{sentence.language}"'
    rows = []
    if sentence.raw is not None:
        rows.append(f"<dt>text</dt><dd{attributes}>{escape(sentence.raw)}</dd>\n")
    for name, words in sentence.marked.items():
        count = sum(map(len, words))
        of = f' data-of="{names.index(name)}"'
        rows.append(
            f"<dt{of}>{escape(name)}<small>{count} token{'s' * (count != 1)}</small></dt>"
            f"<dd{of}{attributes}>{' '.join(map(_word, words))}</dd>\n"
        )
    return (
        f'<article class="sentence"><h4>line {sentence.number:,}</h4>\n<dl>\n'
        f"{''.join(rows)}</dl></article>\n"
    )


def _word(word: Word) -> str:
    kind = "w split" if is_split(word) else "w"
    # Allow line breaks between the tokens of a word, which may be a whole Chinese sentence.
    return f'<span class="{kind}">{"<wbr>".join(map(_token, word))}</span>'


def _token(token: Token) -> str:
    kinds = ["t"] + ["p"] * token.is_partial + ["m"] * token.begins_with_mark
    parts = [
        f'<span class="{_CLASSES[kind]}">{escape(text)}</span>'
        if kind in _CLASSES
        else escape(text)
        for kind, text in token.parts
    ]
    return f'<span class="{" ".join(kinds)}">{"".join(parts)}</span>'


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


_KEY = """<p class="note key">Words are set apart.
<span class="w"><span class="t">Whole</span></span> words have no colour;
<span class="w split"><span class="t">piec</span><span class="t">es</span></span> of a split word touch;
a token with <span class="w"><span class="t p">part of a character
<span class="x">E6</span></span></span> shows its bytes in hexadecimal.
<span class="s">▁</span> is a space inside a token, and <span class="u">U+00A0</span> the code point of an
invisible character. Tokens follow the direction of their sentence.</p>
"""
