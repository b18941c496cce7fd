"""Opening the binarized pairs of one language."""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import numpy as np
from fairseq.data import ConcatDataset, Dictionary, indexed_dataset

from fairseq_subword_ext.data.mapped_tokens import MappedTokens
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders, side_files


@dataclass
class Pairs:
    """Both sides of some sentence pairs: datasets of token ids, and int32 lengths.

    A test set may have no target side.
    """

    src: object
    src_sizes: np.ndarray
    tgt: Optional[object]
    tgt_sizes: Optional[np.ndarray]

    def __len__(self) -> int:
        return len(self.src_sizes)


def open_pairs(
    prefixes: Sequence[str],
    language: str,
    dictionary: Dictionary,
    implementation: Optional[str],
    source_is_enough: bool = False,
) -> Optional[Pairs]:
    """Opens the parts of one language's split.

    Args:
        prefixes: as :meth:`PairFolders.prefixes` gives them.
        language: the source language.
        dictionary: needed for raw text only.
        implementation: ``--dataset-impl``, or None to go by the file.
        source_is_enough: the target side may be missing (``fairseq-preprocess --only-source``).

    Returns:
        The pairs, memory-mapped where the files allow it; None if there is not one.

    Raises:
        ValueError: If the two sides have different numbers of lines.
        FileNotFoundError: If a side is missing.
    """
    parts = []
    for prefix in prefixes:
        names = side_files(prefix, language)
        source = _open_side(names[0], dictionary, implementation)
        target = None
        if not source_is_enough or _file_of(names[1], implementation).is_file():
            target = _open_side(names[1], dictionary, implementation)
            lines = [0 if side is None else len(side) for side in (source, target)]
            if lines[0] != lines[1]:
                raise ValueError(
                    f"{names[0]} has {lines[0]:,} lines but {names[1]} has {lines[1]:,}; the corpus "
                    "is misaligned: compare the text files and run fairseq-preprocess again"
                )
        if source is not None:
            sizes = None if target is None else np.asarray(target.sizes)
            parts.append(Pairs(source, np.asarray(source.sizes), target, sizes))
    return join_pairs(parts) if parts else None


def open_split(
    folders: PairFolders,
    languages: Sequence[str],
    split: str,
    dictionary: Dictionary,
    implementation: Optional[str] = None,
    epoch: int = 1,
    combine: bool = False,
    source_is_enough: bool = False,
) -> Dict[str, Pairs]:
    """Opens a split of every language that has it; arguments as those of the functions it calls.

    Raises:
        FileNotFoundError: If no language has the split.
        ValueError: If the split has no lines, or only some languages have targets.
    """
    opened, empty = {}, []
    for language in languages:
        prefixes = folders.prefixes(language, split, epoch, combine)
        pairs = open_pairs(prefixes, language, dictionary, implementation, source_is_enough)
        if pairs is not None:
            opened[language] = pairs
        elif prefixes:
            empty += [side_files(prefix, language)[0] for prefix in prefixes]
    if not opened:
        if empty:
            raise ValueError(f"the {split} data has 0 lines ({', '.join(empty)})")
        raise FileNotFoundError(_no_data(folders, languages, split))
    lacking = [language for language, pairs in opened.items() if pairs.tgt is None]
    if lacking and len(lacking) < len(opened):
        raise ValueError(
            f"the {split} data of {', '.join(lacking)} has no target side, that of the other languages "
            "has one: translate them apart, with --source-langs"
        )
    return opened


def _no_data(folders: PairFolders, languages: Sequence[str], split: str) -> str:
    other = folders.other_kind(split)
    if other is not None and folders.raw:
        return f"no raw {split} data, but {other}*.idx is there: leave out --dataset-impl raw"
    if other is not None:
        return f"no binarized {split} data, but {other}* is raw text: give --dataset-impl raw"
    places = ", ".join(map(str, folders.paths))
    return (
        f"no {split} data for {', '.join(languages) or 'any language'} in {places} (looked for "
        f"{split}.XX-{TARGET}.XX.idx and .bin, there and one folder down)"
    )


def join_pairs(parts: List[Pairs]) -> Pairs:
    """One behind the other; nothing but the lengths is copied."""
    if len(parts) == 1:
        return parts[0]
    with_targets = all(part.tgt is not None for part in parts)
    return Pairs(
        ConcatDataset([part.src for part in parts]),
        np.concatenate([part.src_sizes for part in parts]),
        ConcatDataset([part.tgt for part in parts]) if with_targets else None,
        np.concatenate([part.tgt_sizes for part in parts]) if with_targets else None,
    )


def _file_of(path: str, implementation: Optional[str]) -> Path:
    return Path(path if implementation == "raw" else f"{path}.bin")


def _open_side(path: str, dictionary: Dictionary, implementation: Optional[str]):
    data = _file_of(path, implementation)
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
