"""Reads WMT 2015's releases: training text, and news test sets in SGML."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

from recipes.text.corpus_files import Pair
from recipes.text.mteval import read_set
from recipes.text.raw_text import find_file, plain, read_lines, read_parallel

# What the releases call their files; {0} is the other language. One file holds both sides of the headlines.
EUROPARL = ("europarl-v7.{0}-en.en", "europarl-v7.{0}-en.{0}")
COMMON_CRAWL = ("commoncrawl.{0}-en.en", "commoncrawl.{0}-en.{0}")
NEWS_COMMENTARY = ("news-commentary-v10.{0}-en.en", "news-commentary-v10.{0}-en.{0}")
YANDEX = ("corpus.en_{0}.1m.en", "corpus.en_{0}.1m.{0}")
HEADLINES = ("wiki.{0}-en",)
TRAINING = {
    "en-de": (EUROPARL, COMMON_CRAWL, NEWS_COMMENTARY),
    "en-ru": (COMMON_CRAWL, NEWS_COMMENTARY, YANDEX, HEADLINES),
}
HEADLINE_SEPARATOR = "|||"
ARCHIVE = "what sources.tsv names for wmt15"
# The sets of 2013 are "src" files in all languages; some copies of the development sets call one side "ref".
VALID = (("newstest2013-src.{0}.sgm", "newstest2013-ref.{0}.sgm"),) * 2
TEST = (("newstest2015-en{1}-src.{0}.sgm",), ("newstest2015-en{1}-ref.{0}.sgm",))


def read_training(
    folders: Sequence[Path], pair: str, limit: Optional[int], counts: Counter
) -> Iterator[Pair]:
    """Yields every training pair, English first.

    Args:
        folders: where the released files lie, at whatever depth.
        pair: ``en-de`` or ``en-ru``.
        limit: only the first so many of each corpus.
        counts: gets the pairs of each corpus.

    Raises:
        ValueError: If a file is missing, or two do not belong together.
        OSError: If one cannot be read.
    """
    other = pair.split("-")[1]
    for names in TRAINING[pair]:
        paths = [find_file(folders, [name.format(other)], ARCHIVE) for name in names]
        pairs = read_headlines(*paths) if names is HEADLINES else read_parallel(*paths)
        for found in islice(pairs, limit):
            counts[paths[0].name] += 1
            yield found


def read_headlines(path: Path) -> Iterator[Pair]:
    """Yields the Wiki Headlines, ``Russian ||| English`` in each line, English first.

    Raises:
        ValueError: With path and line, for a line of another form.
        OSError: If the file cannot be read.
    """
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split(HEADLINE_SEPARATOR)
        if len(cells) != 2:
            raise ValueError(
                f"{path}:{number}: expected two titles and {HEADLINE_SEPARATOR} between them, found {line!r}"
            )
        yield plain(cells[1]), plain(cells[0])


def read_news(folders: Sequence[Path], pair: str, names: Sequence[Sequence[str]]) -> List[Pair]:
    """Reads a test set, English first.

    Raises:
        ValueError: If a side is missing, or the sides have other segments.
        OSError: If a file cannot be read.
    """
    languages = pair.split("-")
    paths = [
        find_file(folders, [name.format(language, languages[1]) for name in of_side], ARCHIVE)
        for language, of_side in zip(languages, names)
    ]
    return read_set(*paths)
