"""Opening the binarized pairs of one language, and the text file that an interactive run reads."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import numpy as np
from fairseq.data import ConcatDataset, Dictionary, indexed_dataset

from fairseq_subword_ext.data.mapped_tokens import MappedTokens
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders, side_files

_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n|\Z)")


@dataclass
class Pairs:
    """Both sides of some sentence pairs: datasets of token ids, and int32 lengths."""

    src: object
    tgt: object
    src_sizes: np.ndarray
    tgt_sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.src_sizes)


def open_pairs(
    prefixes: Sequence[str], language: str, dictionary: Dictionary, implementation: Optional[str]
) -> Optional[Pairs]:
    """Opens the parts of one language's split.

    Args:
        prefixes: as :meth:`PairFolders.prefixes` gives them.
        language: the source language.
        dictionary: needed for raw text only.
        implementation: ``--dataset-impl``, or None to go by the file.

    Returns:
        The pairs, memory-mapped where the files allow it; None where there is not one.

    Raises:
        ValueError: where the two sides have different numbers of lines.
        FileNotFoundError: where a side is missing.
    """
    parts = []
    for prefix in prefixes:
        source, target = (
            _open_side(path, dictionary, implementation) for path in side_files(prefix, language)
        )
        lines = [0 if side is None else len(side) for side in (source, target)]
        if lines[0] != lines[1]:
            names = side_files(prefix, language)
            raise ValueError(
                f"{names[0]} has {lines[0]:,} lines but {names[1]} has {lines[1]:,}; the corpus is "
                "misaligned: compare the text files and run fairseq-preprocess again"
            )
        if source is not None:
            parts.append(Pairs(source, target, np.asarray(source.sizes), np.asarray(target.sizes)))
    return join_pairs(parts) if parts else None


def open_split(
    folders: PairFolders,
    languages: Sequence[str],
    split: str,
    dictionary: Dictionary,
    implementation: Optional[str] = None,
    epoch: int = 1,
    combine: bool = False,
) -> Dict[str, Pairs]:
    """Opens a split of every language that has it; arguments as those of the functions it calls.

    Raises:
        FileNotFoundError: where no language has a single pair.
    """
    opened = {}
    for language in languages:
        prefixes = folders.prefixes(language, split, epoch, combine)
        pairs = open_pairs(prefixes, language, dictionary, implementation)
        if pairs is not None:
            opened[language] = pairs
    if not opened:
        places = ", ".join(map(str, folders.paths))
        raise FileNotFoundError(
            f"no {split} data for {', '.join(languages) or 'any language'} in {places} (looked for "
            f"{split}.XX-{TARGET}.XX.idx and .bin, there and one folder down)"
        )
    return opened


def join_pairs(parts: List[Pairs]) -> Pairs:
    """One behind the other; nothing but the lengths is copied."""
    if len(parts) == 1:
        return parts[0]
    return Pairs(
        ConcatDataset([part.src for part in parts]),
        ConcatDataset([part.tgt for part in parts]),
        np.concatenate([part.src_sizes for part in parts]),
        np.concatenate([part.tgt_sizes for part in parts]),
    )


def _open_side(path: str, dictionary: Dictionary, implementation: Optional[str]):
    data = Path(path if implementation == "raw" else f"{path}.bin")
    if not data.is_file():
        raise FileNotFoundError(2, "one side of a language pair is missing", str(data))
    if data.stat().st_size == 0:
        return None  # no line at all, which cannot be mapped into memory
    if implementation is None:
        found = indexed_dataset.infer_dataset_impl(path)
        # Fairseq prefers a text file of the same name, if there is one.
        implementation = "mmap" if found == "raw" else found or "cached"
    if implementation == "mmap":
        return MappedTokens(path)
    return indexed_dataset.make_dataset(
        path, implementation, fix_lua_indexing=True, dictionary=dictionary
    )


def refuse_lone_carriage_return(path: str) -> None:
    r"""Makes sure that Fairseq's reader sees the lines of a file as everybody else does.

    Raises:
        ValueError: with the line, where a ``\r`` stands within one: fairseq-interactive splits there.
    """
    with Path(path).open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            match = _LONE_CARRIAGE_RETURN.search(line)
            if match is not None:
                raise ValueError(
                    f"{path}, line {number}: a carriage return within the line (byte "
                    f"{match.start() + 1}), at which fairseq-interactive would split it, so that "
                    "outputs no longer match inputs; replace it (tr '\\r' ' ' if lines end in \\n "
                    "alone), or give the text on standard input"
                )
