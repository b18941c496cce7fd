"""The files of the IWSLT 2014 German-English release (de-en.tgz), as WIT3 made them.

Training text: ``train.tags.de-en.de`` and ``.en``, line by line parallel, a talk's lines after some
lines of metadata, each in one pair of tags (``<url>...</url>``, ``<title>...</title>``).
Test text: ``IWSLT14.TED.tst2010.de-en.de.xml`` and the like: mteval's XML, a sentence in each
``<seg id="1"> ... </seg>``.
"""

import re
from pathlib import Path
from typing import List, Sequence, Tuple
from xml.sax.saxutils import unescape

Pair = Tuple[str, str]

LANGUAGES = ("de", "en")
# The paper's test set. dev2012 is a set of TEDx talks and has that in its name.
TEST_SETS = ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")

# A talk's title and description are sentences in both languages and belong to the text, as in the
# usual preparation of this corpus; the other tags hold no translations.
TEXT_TAGS = ("title", "description")
METADATA_TAGS = ("url", "keywords", "speaker", "talkid", "reviewer", "translator", "doc", "transcript")  # fmt: skip
TAGGED = re.compile(
    rf"\s*</?({'|'.join(TEXT_TAGS + METADATA_TAGS)})\b[^>]*>(?:(.*)</\1>)?\s*", re.DOTALL
)
SEGMENT = re.compile(r"<seg\s+id=\"?(\d+)\"?\s*>(.*?)</seg>", re.DOTALL)


def read_train(folders: Sequence[Path]) -> List[Pair]:
    """Reads the training text: the talks' sentences, titles and descriptions.

    Raises:
        ValueError: where a file is missing or the sides do not have the same number of sentences.
        OSError: where a file cannot be read.
    """
    paths = [find_file(folders, [f"train.tags.de-en.{side}"]) for side in LANGUAGES]
    sides = [read_tags(path) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{paths[0]} has {len(sides[0])} sentences without its metadata, {paths[1]} has "
            f"{len(sides[1])}: they are not of one release, or not whole"
        )
    return list(zip(*sides))


def read_tags(path: Path) -> List[str]:
    """Reads the sentences of one ``train.tags`` file; empty lines stay, since the sides are parallel.

    Raises:
        ValueError: for bytes that are no UTF-8.
        OSError: where the file cannot be read.
    """
    sentences = []
    for line in _text(path).removesuffix("\n").split("\n"):
        tagged = TAGGED.fullmatch(line)
        if tagged is None:
            sentences.append(_plain(line))
        elif tagged[1] in TEXT_TAGS:
            sentences.append(_plain(tagged[2] or ""))
    return sentences


def read_test(folders: Sequence[Path], name: str) -> List[Pair]:
    """Reads one of :data:`TEST_SETS`.

    Raises:
        ValueError: where a file is missing or holds no segments, or where the sides have other ones.
        OSError: where a file cannot be read.
    """
    sides = []
    for language in LANGUAGES:
        names = [f"IWSLT14.{name}.de-en.{language}.xml"]
        names.append(names[0].replace("TEDX", "TED"))  # some copies call dev2012 so
        sides.append(read_xml(find_file(folders, list(dict.fromkeys(names)))))
    ids = [[number for number, _ in side] for side in sides]
    if ids[0] != ids[1]:
        differ = [pair for pair in zip(*ids) if pair[0] != pair[1]]
        where = (
            f"first at {differ[0][0]} and {differ[0][1]}" if differ else "one ends before the other"
        )
        raise ValueError(
            f"IWSLT14.{name}: the German side has {len(ids[0])} segments, the English {len(ids[1])}, "
            f"and their numbers differ ({where})"
        )
    return [(german, english) for (_, german), (_, english) in zip(*sides)]


def read_xml(path: Path) -> List[Tuple[int, str]]:
    """Reads the segments of an mteval file with their numbers.

    Raises:
        ValueError: where there is none, or one is not closed.
        OSError: where the file cannot be read.
    """
    # No XML parser: some of these files have a bare & or < in the text.
    text = _text(path)
    found = [(int(number), _plain(unescape(words, {"&quot;": '"', "&apos;": "'"})))
             for number, words in SEGMENT.findall(text)]  # fmt: skip
    opened = text.count("<seg")
    if not found or opened != len(found):
        raise ValueError(
            f'{path}: expected <seg id="1"> ... </seg> for each sentence; found {opened} that open and '
            f"{len(found)} that are whole"
        )
    return found


def find_file(folders: Sequence[Path], names: Sequence[str]) -> Path:
    """Finds a file by its name, anywhere below one of the folders.

    Raises:
        ValueError: where there is none.
    """
    for folder in folders:
        for name in names:
            for path in sorted(folder.rglob(name)):
                return path
    raise ValueError(
        f"no {' or '.join(names)} in {' or '.join(map(str, folders))}: it is in the release's de-en.tgz"
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8") from error


def _plain(line: str) -> str:
    """The words, one space between them: tabs, carriage returns, U+2028 and the like are spaces."""
    return " ".join(line.split())
