"""Finds language pairs, binarized or as text, in folders with Fairseq's file names."""

import copy
import re
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

TARGET = "en"

# What follows the language in the names of files, by kind.
SUFFIXES = {
    "binarized": (".idx",),
    "segmented": ("",),
    "text": ("", ".gz", ".xz", ".zst"),
}

# train.de-en.de.idx, or train.en-de.de.idx if the corpus was binarized in the other direction. The language
# is repeated after the pair, so a code may contain a hyphen (valid.zh-tw-en.zh-tw.idx).
_INDEX_FILE = re.compile(
    rf"(?P<split>[^.]+)\.(?:(?P<forward>[^.]+)-{TARGET}\.(?P=forward)"
    rf"|{TARGET}-(?P<backward>[^.]+)\.(?P=backward))"
)


class PairFolders:
    """The languages that are paired with English, and their folders.

    A path is a folder that directly holds ``SPLIT.xx-en.xx.idx``, for one pair or for all, or a folder
    of such folders. A language found in several paths is read from them in turn, epoch by epoch, which is
    what a colon means to Fairseq; if no two paths share a language, all are read together.

    Args:
        paths: folders, in the order given.
        kind: one of :data:`SUFFIXES`: ``binarized``, ``segmented`` text (``--dataset-impl raw``), or raw
            ``text`` (``--from-text``), possibly compressed.

    Raises:
        FileNotFoundError: If a path does not exist; names it.
    """

    def __init__(self, paths: Sequence[str], kind: str = "binarized"):
        self.paths = [Path(path) for path in paths]
        self.kind = kind
        self._prefixes: Dict[str, List[Dict[str, str]]] = {}
        for folder in self._folders():
            for language, splits in _scan(folder, SUFFIXES[kind]).items():
                self._prefixes.setdefault(language, []).append(splits)

    def _folders(self) -> Iterator[Path]:
        for path in self.paths:
            if not path.is_dir():
                raise FileNotFoundError(2, "the data folder does not exist", str(path))
            yield path
            yield from sorted(entry for entry in path.iterdir() if entry.is_dir())

    def other_kind(self, split: str) -> Optional[str]:
        """The prefix of a split's text if binarized files are wanted, or the reverse; None if none."""
        other = "text" if self.kind == "binarized" else "binarized"
        for folder in self._folders():
            for splits in _scan(folder, SUFFIXES[other]).values():
                if split in splits:
                    return splits[split]
        return None

    @property
    def languages(self) -> List[str]:
        """All languages found, in alphabetical order."""
        return sorted(self._prefixes)

    def choose(self, source_lang: Optional[str], source_langs: Optional[str]) -> List[str]:
        """The languages asked for by ``-s`` and ``--source-langs``, in alphabetical order.

        Raises:
            ValueError: If the two contradict each other, name no language, or ask for English.
            FileNotFoundError: If ``--source-langs`` names a language that has no data.
        """
        if source_langs is None:
            wanted = self.languages if source_lang is None else [source_lang]
        else:
            wanted = sorted({name.strip() for name in source_langs.split(",")} - {""})
            if not wanted:
                raise ValueError(
                    f"--source-langs {source_langs!r} names no language: leave it out to read all, or "
                    "name some, as in si,de"
                )
            absent = [name for name in wanted if name not in self._prefixes and name != TARGET]
            if absent:
                raise FileNotFoundError(
                    f"--source-langs names {', '.join(absent)}, but there is data only for "
                    f"{', '.join(self.languages) or 'no language'}"
                )
            if source_lang is not None and source_lang not in wanted:
                raise ValueError(f"--source-lang {source_lang} is not among --source-langs")
            wanted = wanted if source_lang is None else [source_lang]
        if TARGET in wanted:
            raise ValueError(f"{TARGET} is the target language, and cannot be a source language")
        return wanted

    def is_sharded(self, languages: Sequence[str]) -> bool:
        """Whether a language lies in several folders, so that epochs read different data."""
        return any(len(self._prefixes.get(language, [])) > 1 for language in languages)

    def prefixes(
        self, language: str, split: str, epoch: int = 1, combine: bool = False
    ) -> List[str]:
        """The file prefixes (``folder/train.de-en.``) of one split of one language.

        Args:
            language: source language code.
            split: ``train``, ``valid``, ...
            epoch: counted from 1; selects the folder if the language has several.
            combine: include ``train1``, ``train2``, ..., as Fairseq does for training.

        Returns:
            Prefixes to append ``de`` or ``en`` to; empty if the split is missing.
        """
        folders = [splits for splits in self._prefixes.get(language, []) if split in splits]
        if not folders:
            return []
        splits = folders[(epoch - 1) % len(folders)]
        prefixes = [splits[split]]
        while combine and f"{split}{len(prefixes)}" in splits:
            prefixes.append(splits[f"{split}{len(prefixes)}"])
        return prefixes

    def moved_to(self, folder: Path) -> "PairFolders":
        """The same pairs, all of whose files lie in one folder instead."""
        moved = copy.copy(self)
        moved._prefixes = {
            language: [
                {split: str(folder / Path(prefix).name) for split, prefix in splits.items()}
                for splits in found
            ]
            for language, found in self._prefixes.items()
        }
        return moved

    def dictionary_files(self, languages: Sequence[str]) -> List[Path]:
        """All existing ``dict.xx.txt`` and ``dict.en.txt`` files of the languages."""
        folders = list(self.paths)
        for language in languages:
            for splits in self._prefixes.get(language, []):
                folders += [Path(prefix).parent for prefix in splits.values()]
        candidates = [
            folder / f"dict.{language}.txt"
            for folder in dict.fromkeys(folders)
            for language in (TARGET, *languages)
        ]
        return [path for path in candidates if path.is_file()]


def side_files(prefix: str, language: str) -> Tuple[str, str]:
    """The two sides of a pair: ``folder/train.de-en.de`` and ``folder/train.de-en.en``."""
    return prefix + language, prefix + TARGET


def text_file(path: str) -> Optional[Path]:
    """The file of a text, which may be compressed; None if there is none."""
    candidates = (Path(path + suffix) for suffix in SUFFIXES["text"])
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _scan(folder: Path, suffixes: Sequence[str]) -> Dict[str, Dict[str, str]]:
    """The prefixes of a folder's files, by language and split."""
    found: Dict[str, Dict[str, str]] = {}
    for name in sorted(path.name for path in folder.iterdir()):
        stems = (name[: len(name) - len(suffix)] for suffix in suffixes if name.endswith(suffix))
        match = next(filter(None, map(_INDEX_FILE.fullmatch, stems)), None)
        if match is None:
            continue
        language = match["forward"] or match["backward"]
        pair = f"{language}-{TARGET}" if match["forward"] else f"{TARGET}-{language}"
        if language != TARGET:
            prefix = str(folder / f"{match['split']}.{pair}.")
            found.setdefault(language, {}).setdefault(match["split"], prefix)
    return found
