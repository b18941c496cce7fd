"""The texts that ``binarize`` reads, and the names of the files that it writes."""

import argparse
import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Tuple

_SUFFIXES = ("", ".gz", ".xz", ".zst")

# Options that name texts -> names of their splits.
SPLITS = {"trainpref": "train", "validpref": "valid", "testpref": "test"}


@dataclass(frozen=True)
class RawText:
    """One side of one split of one language pair.

    Attributes:
        name: name of the binary files without ``.bin`` and ``.idx``: ``train.de-en.de``.
        path: of the text.
        language: of the side; None for a text without a language.
        is_target: whether this is the target side.
        is_training: whether dictionaries are counted from it and dropout applies to it.
        pair: name of its split and pair, for messages.
    """

    name: str
    path: Path
    language: Optional[str]
    is_target: bool
    is_training: bool
    pair: str


def find_texts(args: argparse.Namespace) -> List[RawText]:
    """Returns the texts of all pairs and splits, source sides before target sides.

    Raises:
        ValueError: If the flags name no text or cannot be combined.
        FileNotFoundError: If a text is missing.
    """
    prefixes = _split_prefixes(args)
    if not prefixes:
        raise ValueError("give at least one of --trainpref, --validpref and --testpref")
    sources = _sources(args, list(prefixes.values()))
    texts = []
    for split, prefix in prefixes.items():
        found = [_texts_of(args, split, prefix, source, len(sources) > 1) for source in sources]
        if not any(found):
            raise FileNotFoundError(2, "no language pair has this text", f"{prefix}.*")
        texts += [text for pair in found for text in pair]
    return sorted(texts, key=lambda text: text.is_target)


def _split_prefixes(args: argparse.Namespace) -> Dict[str, str]:
    """Returns split -> prefix; further validation and test sets are numbered as in Fairseq."""
    found = {}
    for option, split in SPLITS.items():
        given = getattr(args, option)
        prefixes = [given] if split == "train" else (given or "").split(",")
        for number, prefix in enumerate(prefixes):
            if prefix:
                found[f"{split}{number or ''}"] = prefix
    return found


def _sources(args: argparse.Namespace, prefixes: List[str]) -> List[Optional[str]]:
    """Returns the source languages: those of -s, or all that are paired with the target."""
    if args.source_lang is not None:
        names = [name.strip() for name in args.source_lang.split(",")]
        if not all(names) or len(set(names)) < len(names):
            raise ValueError(f"-s {args.source_lang}: expected languages such as de,fr, each once")
        sources: List[Optional[str]] = list(names)
    elif args.only_source:
        return [None]
    elif args.target_lang is None:
        raise ValueError(
            "give the target language (-t); without -s, every language paired with it is a source"
        )
    else:
        sources = list(_paired_with(args.target_lang, prefixes))
        if not sources:
            raise ValueError(
                f"no language is paired with {args.target_lang}: looked for "
                f"{', '.join(f'{prefix}.XX-{args.target_lang}.XX' for prefix in prefixes)}"
            )
    if args.target_lang is None and not args.only_source:
        raise ValueError("give the target language (-t), or --only-source")
    if args.target_lang in sources:
        raise ValueError(
            f"{args.target_lang} is the target language, and cannot be a source language"
        )
    return sources


def _paired_with(target: str, prefixes: List[str]) -> List[str]:
    found = set()
    for prefix in map(Path, prefixes):
        start = f"{prefix.name}."
        for path in prefix.parent.glob(f"{glob.escape(prefix.name)}.*-{glob.escape(target)}.*"):
            name = path.name
            for suffix in _SUFFIXES[1:]:
                name = name[: -len(suffix)] if name.endswith(suffix) else name
            source, _, side = name[len(start) :].partition(f"-{target}.")
            if source and side == source:
                found.add(source)
    return sorted(found)


def _texts_of(
    args: argparse.Namespace, split: str, prefix: str, source: Optional[str], is_one_of_many: bool
) -> List[RawText]:
    """Returns one or both sides of a pair; empty if there are several pairs and this one lacks the split."""
    is_training = split == "train"
    if source is None:
        return [RawText(split, _existing([prefix]), None, False, is_training, split)]
    pair = f"{source}-{args.target_lang}"
    sides = [(source, False)] + ([] if args.only_source else [(args.target_lang, True)])
    candidates = {
        language: _candidates(prefix, pair, language, is_one_of_many) for language, _ in sides
    }
    if is_one_of_many and not any(_find(paths) for paths in candidates.values()):
        return []
    return [
        RawText(
            f"{split}.{pair}.{language}",
            _existing(candidates[language]),
            language,
            is_target,
            is_training,
            f"{split}.{pair}",
        )
        for language, is_target in sides
    ]


def _candidates(prefix: str, pair: str, language: str, is_one_of_many: bool) -> List[str]:
    """Returns the possible names of a text. With several pairs, the name includes the pair."""
    with_pair = f"{prefix}.{pair}.{language}"
    return [with_pair] if is_one_of_many else [f"{prefix}.{language}", with_pair]


def _find(candidates: List[str]) -> Optional[Path]:
    for name in candidates:
        for suffix in _SUFFIXES:
            path = Path(name + suffix)
            if path.is_file():
                return path
    return None


def _existing(candidates: List[str]) -> Path:
    path = _find(candidates)
    if path is None:
        others = f" (nor {', '.join(candidates[1:])})" if candidates[1:] else ""
        raise FileNotFoundError(2, f"no such text{others}, compressed or not", candidates[0])
    return path


def dictionary_name(language: Optional[str]) -> str:
    """Returns Fairseq's name for the dictionary of a language."""
    return "dict.txt" if language is None else f"dict.{language}.txt"


def same_length(texts: List[Tuple[RawText, int]]) -> None:
    """Checks that both sides of each pair have the same number of lines.

    Args:
        texts: with their numbers of lines.

    Raises:
        ValueError: If they differ.
    """
    first: Dict[str, Tuple[RawText, int]] = {}
    for text, lines in texts:
        other, expected = first.setdefault(text.pair, (text, lines))
        if lines != expected:
            raise ValueError(
                f"{other.path} has {expected} lines but {text.path} has {lines}: they must be the two "
                "sides of one text"
            )
