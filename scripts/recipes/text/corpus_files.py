"""The layout that recipes share: SPLIT.xx-en.xx and SPLIT.xx-en.en in one folder, a sentence a line."""

from contextlib import ExitStack
from pathlib import Path
from typing import Iterable, List, Tuple

from fairseq_subword_ext.textio.files import atomic_text_writer
from recipes.text.raw_text import Pair, read_parallel, unbroken


def paths_of(folder: Path, split: str, language: str, target: str = "en") -> Tuple[Path, Path]:
    """The two files of a pair of languages."""
    stem = f"{split}.{language}-{target}"
    return folder / f"{stem}.{language}", folder / f"{stem}.{target}"


def find_languages(folder: Path, split: str, target: str = "en") -> List[str]:
    """The source languages that have a set of this name in the folder, sorted.

    Raises:
        ValueError: If there is none.
    """
    suffix = f"-{target}.{target}"
    names = [path.name for path in folder.glob(f"{split}.*{suffix}")]
    if not names:
        raise ValueError(f"no {split}.xx{suffix} file in {folder}")
    return sorted(name[len(split) + 1 : -len(suffix)] for name in names)


def read_pairs(folder: Path, split: str, language: str, target: str = "en") -> List[Pair]:
    """Reads the two sides of a set.

    Raises:
        ValueError: As for :func:`.read_parallel`.
        OSError: If a file is missing.
    """
    return list(read_parallel(*paths_of(folder, split, language, target), unbroken))


def short_enough(pair: Pair, max_words: int) -> bool:
    """Whether both sides have 1 to ``max_words`` words."""
    return all(1 <= len(side.split()) <= max_words for side in pair)


def write_pairs(
    folder: Path, split: str, language: str, pairs: Iterable[Pair], target: str = "en"
) -> int:
    """Writes the two sides of a set; they appear completely or not at all.

    Returns:
        The number of pairs.
    """
    lines = 0
    with ExitStack() as stack:
        sides = [
            stack.enter_context(atomic_text_writer(path))
            for path in paths_of(folder, split, language, target)
        ]
        for pair in pairs:
            for stream, line in zip(sides, pair):
                stream.write(f"{line}\n")
            lines += 1
    return lines


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes one file; it appears completely or not at all."""
    with atomic_text_writer(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)
