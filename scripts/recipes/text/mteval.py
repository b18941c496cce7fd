"""Test sets in mteval's SGML or XML, as the workshops WMT and IWSLT release them.

A file has documents, a document has segments:

    <srcset setid="newstest2014" srclang="any">
    <doc sysid="ref" docid="abc/123" genre="news" origlang="en">
    <p><seg id="1">Text with &amp; and the like.</seg></p>
    </doc>

and the other side is a file of the same documents and segments. The numbers of segments start at 1 in each
document. No SGML or XML parser reads them here: some have a bare & or < in the text, and nothing in them
can make this module read anything else.
"""

import re
from pathlib import Path
from typing import List, NamedTuple

from recipes.text.corpus_files import Pair
from recipes.text.raw_text import plain, read_text

_PART = re.compile(
    r"<doc\b[^>]*?\bdocid=\"(?P<document>[^\"]*)\"[^>]*>"
    r"|<seg\s+id=\"?(?P<number>\d+)\"?[^>]*>(?P<text>.*?)</seg\s*>",
    re.DOTALL | re.IGNORECASE,
)
_OPENED = re.compile(r"<seg\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Segment(NamedTuple):
    """One sentence, or what its translator took for one.

    Attributes:
        document: its docid; empty where the file names none.
        number: its id, within the document.
        text: without entities, one space between words.
    """

    document: str
    number: int
    text: str


def read_segments(path: Path) -> List[Segment]:
    """Reads all segments of a file.

    Raises:
        ValueError: If there is none, one is not closed, or the text is not UTF-8.
        OSError: If the file cannot be read.
    """
    text = read_text(path)
    found: List[Segment] = []
    document = ""
    for part in _PART.finditer(text):
        if part["number"] is None:
            document = part["document"]
        elif _OPENED.search(part["text"]):
            break
        else:
            found.append(Segment(document, int(part["number"]), plain(unescape(part["text"]))))
    opened = len(_OPENED.findall(text))
    if not found or opened != len(found):
        raise ValueError(
            f'{path}: expected <seg id="1"> ... </seg> for each sentence; found {opened} that open and '
            f"{len(found)} that are whole{_after(found)}"
        )
    return found


def _after(found: List[Segment]) -> str:
    if not found:
        return ""
    last = found[-1]
    return f", the last of them {last.number} of document {last.document!r}"


def unescape(text: str) -> str:
    """Replaces XML's own entities and characters by their numbers, once; all other & stay."""
    return _ENTITY.sub(_character, text)


def _character(match: "re.Match[str]") -> str:
    if match[1]:
        return _NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or not code:
        return match[0]
    return chr(code)


def read_set(source: Path, target: Path) -> List[Pair]:
    """Reads the two sides of a test set.

    Raises:
        ValueError: If the sides do not have the same segments; and as :func:`read_segments`.
        OSError: If a file cannot be read.
    """
    sides = [read_segments(path) for path in (source, target)]
    ids = [[(segment.document, segment.number) for segment in side] for side in sides]
    if ids[0] != ids[1]:
        raise ValueError(
            f"{source.name} has {len(ids[0])} segments, {target.name} has {len(ids[1])}, and they are "
            f"not the same: {_first_difference(*ids)}"
        )
    return [(one.text, other.text) for one, other in zip(*sides)]


def _first_difference(source: list, target: list) -> str:
    for one, other in zip(source, target):
        if one[1] != other[1]:
            return f"first at {one[1]} and {other[1]} of document {one[0]!r}"
        if one[0] != other[0]:
            return f"first at documents {one[0]!r} and {other[0]!r}"
    return "one ends before the other"
