"""News Commentary, Chinese and English, in the two forms that statmt.org has released.

Up to version 13: two parallel files, ``news-commentary-v12.zh-en.zh`` and ``.en``. From version 14 on:
one file of two columns by a tab, ``news-commentary-v14.en-zh.tsv.gz``, whose name says which language
comes first. Both have empty lines between the articles.
"""

import re
from pathlib import Path
from typing import List, Sequence, Tuple

from recipes.text.corpus_files import Pair
from recipes.text.raw_text import plain, read_lines, read_parallel

TABLE_NAME = re.compile(r"news-commentary-(v\d+)\.(zh-en|en-zh)\.tsv(\.gz)?")
SIDE_NAME = re.compile(r"news-commentary-(v\d+)\.zh-en\.zh")


def read_pairs(folders: Sequence[Path], release: str) -> Tuple[List[Pair], List[Path]]:
    """Reads a release in either form, from anywhere below the folders.

    Returns:
        the pairs (Chinese, English) that have words on both sides, and the files that they come from.

    Raises:
        ValueError: If there is no such file or there are several, and for what is wrong in one.
        OSError: If a file cannot be read.
    """
    found = {
        path.resolve(): path
        for folder in folders
        for path in sorted(folder.rglob(f"news-commentary-{release}.*"))
        if TABLE_NAME.fullmatch(path.name) or SIDE_NAME.fullmatch(path.name)
    }
    if len(found) != 1:
        names = ", ".join(map(str, found)) or "none"
        raise ValueError(
            f"{' or '.join(map(str, folders))}: expected news-commentary-{release}.zh-en.zh and .en, or "
            f"one of news-commentary-{release}.zh-en.tsv, .en-zh.tsv and their .gz; found {names}"
        )
    path = next(iter(found.values()))
    if SIDE_NAME.fullmatch(path.name):
        paths = [path, path.with_suffix(".en")]
        if not paths[1].exists():
            raise ValueError(f"{path} is there, but not {paths[1].name} beside it")
        pairs = list(read_parallel(*paths))
    else:
        paths = [path]
        pairs = read_table(path)
    return [pair for pair in pairs if all(pair)], paths


def read_table(path: Path) -> List[Pair]:
    """Reads the tab-separated form; empty lines give empty pairs.

    Raises:
        ValueError: With path and line, for a line that has not two columns.
        OSError: If the file cannot be read.
    """
    swapped = TABLE_NAME.fullmatch(path.name)[2] == "en-zh"
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = [plain(cell) for cell in line.split("\t")]
        if not any(cells):
            cells = ["", ""]
        if len(cells) != 2:
            raise ValueError(f"{path}:{number}: expected two columns by a tab, found {len(cells)}")
        pairs.append((cells[1], cells[0]) if swapped else (cells[0], cells[1]))
    return pairs
