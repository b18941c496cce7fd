"""The training text of TED talks as WIT3 made it for IWSLT: ``train.tags.xx-yy.xx`` and ``.yy``.

Line by line parallel, a talk's lines after some lines of metadata, each in one pair of tags
(``<url>...</url>``, ``<title>...</title>``).
"""

import re
from pathlib import Path
from typing import List, Sequence

from recipes.text.corpus_files import Pair
from recipes.text.raw_text import find_file, plain, read_text

# A talk's title and description are sentences in both languages; the other tags hold no translations.
TEXT_TAGS = ("title", "description")
METADATA_TAGS = ("url", "keywords", "speaker", "talkid", "reviewer", "translator", "doc", "transcript")  # fmt: skip
TAGGED = re.compile(
    rf"\s*</?({'|'.join(TEXT_TAGS + METADATA_TAGS)})\b[^>]*>(?:(.*)</\1>)?\s*", re.DOTALL
)


def read_talks(
    folders: Sequence[Path], pair: str, archive: str, text_tags: Sequence[str] = TEXT_TAGS
) -> List[Pair]:
    """Reads the training text of a pair of languages.

    Args:
        folders: folders to search, at any depth.
        pair: of the release, such as ``de-en``.
        archive: the release, for messages.
        text_tags: the tags whose content belongs to the text.

    Raises:
        ValueError: If a file is missing or the sides do not have the same number of sentences.
        OSError: If a file cannot be read.
    """
    paths = [find_file(folders, [f"train.tags.{pair}.{side}"], archive) for side in pair.split("-")]
    sides = [read_tags(path, text_tags) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{paths[0]} has {len(sides[0])} sentences without its metadata, {paths[1]} has "
            f"{len(sides[1])}: they belong to different releases, or are incomplete"
        )
    return list(zip(*sides))


def read_tags(path: Path, text_tags: Sequence[str] = TEXT_TAGS) -> List[str]:
    """Reads the sentences of one file; empty lines stay, since the sides are parallel.

    Raises:
        ValueError: If the text is not UTF-8.
        OSError: If the file cannot be read.
    """
    sentences = []
    for line in read_text(path).removesuffix("\n").split("\n"):
        tagged = TAGGED.fullmatch(line)
        if tagged is None:
            sentences.append(plain(line))
        elif tagged[1] in text_tags:
            sentences.append(plain(tagged[2] or ""))
    return sentences
