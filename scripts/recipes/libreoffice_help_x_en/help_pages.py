"""Reads LibreOffice's offline help: HTML pages whose headings and paragraphs have ids.

A help folder is an unpacked package libreoffice-help-LANG, or the help folder of an installation: .../help/LANG/text/MODULE/.../PAGE.html. The same heading or paragraph has the same
page and id in every language.
"""

import re
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Set

BLOCKS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
ID = re.compile(r"(par|hd)_id\w+")
# What HTML means by white space; a no-break space or a zero-width one is text.
SPACE = re.compile("[ \t\n\f\r]+")
# Characters that would tear a line in two for one reader or another, or that no text has.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Page = Dict[str, str]  # id -> text


class HelpFolder(NamedTuple):
    """One language's pages.

    Attributes:
        language: as files of a corpus name it: "en", "de", "pt_br".
        text: the folder that holds the modules.
    """

    language: str
    text: Path


def language_code(folder: str) -> str:
    """The code for file names, in which "-" stands between source and target: pt-BR is pt_br.

    en-US is plain en, since all other languages are translated from it.
    """
    return "en" if folder.lower() == "en-us" else folder.lower().replace("-", "_")


def find_help(folders: Iterable[Path]) -> List[HelpFolder]:
    """Finds the languages in folders, at whatever depth, sorted by code.

    Raises:
        ValueError: If a folder holds no help, or two of them the same language.
    """
    found: Dict[str, HelpFolder] = {}
    for folder in folders:
        texts = [path.parent for path in sorted(folder.rglob("text/shared")) if path.is_dir()]
        if not texts:
            raise ValueError(
                f"{folder}: it has no help (.../LANG/text/shared): expected an unpacked package "
                "libreoffice-help-LANG, or the help folder of an installed LibreOffice"
            )
        for text in texts:
            language = language_code(text.parent.name)
            if language in found and found[language].text.resolve() != text.resolve():
                raise ValueError(f"{language} is there twice: {found[language].text} and {text}")
            found[language] = HelpFolder(language, text)
    return [found[language] for language in sorted(found)]


def read_pages(help_folder: HelpFolder) -> Iterator[tuple]:
    """Yields (page, its texts by id), the page as a path below ``text``, sorted.

    Raises:
        ValueError: If a page is not HTML.
    """
    for path in sorted(help_folder.text.rglob("*.html")):
        yield path.relative_to(help_folder.text).as_posix(), read_page(path)


def read_page(path: Path) -> Page:
    """Reads the headings and paragraphs of one page.

    White space is collapsed as a browser does it, which also joins the lines of the file. An id that
    occurs twice with different texts is left out.

    Raises:
        ValueError: If the page cannot be read as HTML in UTF-8.
    """
    from lxml import etree, html

    # The pages say that they are UTF-8, but only after their title.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True)
    try:
        root = html.fromstring(path.read_bytes(), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read as HTML ({error})") from error
    page: Page = {}
    ambiguous: Set[str] = set()
    for block in root.iter(*BLOCKS):
        name = block.get("id", "")
        if ID.fullmatch(name) is None:
            continue
        text = text_of(block)
        if page.setdefault(name, text) != text:
            ambiguous.add(name)
    return {name: text for name, text in page.items() if text and name not in ambiguous}


def text_of(block: Any) -> str:
    """What a reader sees of an HTML element, in one line; empty if it would hold a control character."""
    for line_break in block.iter("br"):
        line_break.tail = " " + (line_break.tail or "")
    for unseen in list(block.iter("script", "style")):
        unseen.text = None
    text = SPACE.sub(" ", str(block.text_content())).strip(" ")
    return "" if CONTROL.search(text) else text
