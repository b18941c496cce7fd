"""Opens the binarized pairs of each language."""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import numpy as np
from fairseq.data import ConcatDataset, Dictionary, indexed_dataset

from fairseq_subword_ext.data.mapped_tokens import MappedTokens
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders, side_files


@dataclass
class Pairs:
    """Both sides of a set of sentence pairs: datasets of token ids, and int32 lengths.

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
        prefixes: the result of :meth:`PairFolders.prefixes`.
        language: the source language.
        dictionary: needed for raw text only.
        implementation: ``--dataset-impl``, or None to detect it from the file.
        source_is_enough: whether the target side may be missing (``fairseq-preprocess
            --only-source``).

    Returns:
        The pairs, memory-mapped if the files allow it; None if there are none.

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
    """Opens a split of every language that has it; arguments as in the functions it calls.

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
    without_target = [language for language, pairs in opened.items() if pairs.tgt is None]
    if without_target and len(without_target) < len(opened):
        raise ValueError(
            f"the {split} data of {', '.join(without_target)} has no target side, but that of the other "
            "languages does: translate them separately, with --source-langs"
        )
    return opened


def _no_data(folders: PairFolders, languages: Sequence[str], split: str) -> str:
    other = folders.other_kind(split)
    if other is not None and folders.kind == "binarized":
        return (
            f"no binarized {split} data, but found text, {other}*: give --from-text and --bpe, or "
            "--dataset-impl raw if it is segmented already"
        )
    if other is not None:
        flag = "--from-text" if folders.kind == "text" else "--dataset-impl raw"
        return f"no {split} text, but found {other}*.idx: leave out {flag}"
    places = ", ".join(map(str, folders.paths))
    files = {"binarized": ".idx and .bin", "text": f" and .{TARGET}"}.get(folders.kind, "")
    return (
        f"no {split} data for {', '.join(languages) or 'any language'} in {places} (looked for "
        f"{split}.XX-{TARGET}.XX{files}, there and one folder below)"
    )


def join_pairs(parts: List[Pairs]) -> Pairs:
    """Concatenates pairs; only the lengths are copied."""
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
        return None  # an empty file cannot be memory-mapped
    if implementation is None:
        found = indexed_dataset.infer_dataset_impl(path)
        # Fairseq would prefer a text file of the same name.
        implementation = "mmap" if found == "raw" else found or "cached"
    if implementation == "mmap":
        return MappedTokens(path)
    return indexed_dataset.make_dataset(
        path, implementation, fix_lua_indexing=True, dictionary=dictionary
    )
