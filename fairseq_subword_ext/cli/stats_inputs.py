"""Reads the names, languages and files among the arguments of ``fairseq-subword stats``."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from fairseq_subword_ext.codecs.registry import readable
from fairseq_subword_ext.reports.report import NO_SEGMENTATION, Text
from fairseq_subword_ext.subword.escaping import check_separator

_LANGUAGE = re.compile(r"(.+):([A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*)")

ENGLISH = "en"

Key = Tuple[str, str]


def collect_texts(args: argparse.Namespace) -> List[Text]:
    """The segmented texts, each with its held-out text and encoder.

    Raises:
        ValueError: If an argument is malformed, the separator is invalid, a name has a language twice or
            lacks one, or --heldout or --encoder refer to an unknown name.
    """
    check_separator(args.separator)
    paths = _paths(args.texts)
    languages = list(dict.fromkeys(language for _, language in paths))
    names = list(dict.fromkeys(name for name, _ in paths))
    for name in names:
        for language in languages:
            if (name, language) not in paths:
                raise ValueError(
                    f"{name} has no text in {language or 'the language without a name'}: give every "
                    "segmentation the same languages, as NAME:LANGUAGE=FILE or by the files' suffixes"
                )
    heldout = _paths(args.heldout, languages)
    for name, language in heldout:
        if (name, language) not in paths:
            raise ValueError(f"--heldout {name}: there is no such segmentation in {language!r}")
    encoders = _encoders(args.encoder, names)
    return [
        Text(
            name, language, path, heldout.get((name, language)), encoders.get(name), args.separator
        )
        for (name, language), path in paths.items()
    ]


def collect_raw(args: argparse.Namespace, texts: Sequence[Text]) -> List[Text]:
    """The unsegmented texts.

    Raises:
        ValueError: If a language has no segmented text, or is given twice.
    """
    languages = list(dict.fromkeys(text.language for text in texts))
    raw = _by_language(args.raw, "--raw", languages)
    heldout = _by_language(args.heldout_raw, "--heldout-raw", languages)
    if set(heldout) - set(raw):
        raise ValueError("--heldout-raw needs the training text in the same language (--raw)")
    return [
        Text(NO_SEGMENTATION, language, path, heldout.get(language), "words")
        for language, path in raw.items()
    ]


def base_language(args: argparse.Namespace, texts: Sequence[Text]) -> Optional[str]:
    """The language to which the lengths of the others are relative; None for none.

    Raises:
        ValueError: If --relative-to names a language that has no text.
    """
    languages = list(dict.fromkeys(text.language for text in texts))
    if args.relative_to is None:
        return ENGLISH if ENGLISH in languages else None
    if args.relative_to not in languages:
        raise ValueError(
            f"--relative-to {args.relative_to}: the languages are {', '.join(languages) or 'unnamed'}"
        )
    return args.relative_to


def named(arguments: Sequence[str], flag: str, names: Sequence[str]) -> List[Tuple[str, str]]:
    """(name, file) of each NAME=FILE.

    Raises:
        ValueError: If a name is not one of ``names``.
    """
    pairs = []
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or not path or name not in names:
            raise ValueError(
                f"{flag} {argument}: expected NAME=FILE, NAME one of {', '.join(names)}"
            )
        pairs.append((name, path))
    return pairs


def _paths(arguments: Sequence[str], languages: Sequence[str] = ()) -> Dict[Key, str]:
    """(name, language) -> file.

    A language that is not given is the file's suffix if a name has several files, any language is given, or
    ``languages`` (of the texts that these belong to) are distinguished; otherwise it is empty.
    """
    split = [_split(argument) for argument in arguments]
    names = [name for name, _, _ in split]
    distinguished = len(set(names)) < len(names) or bool(languages and languages != [""])
    distinguished = distinguished or any(language for _, language, _ in split)
    paths: Dict[Key, str] = {}
    for name, language, path in split:
        if language is None:
            language = Path(path).suffix[1:] if distinguished else ""
        if (name, language) in paths:
            raise ValueError(
                f"{name} has two texts in {language or 'one language'}, {paths[name, language]} and "
                f"{path}: give their languages, as NAME:LANGUAGE=FILE"
            )
        paths[name, language] = path
    return paths


def _split(argument: str) -> Tuple[str, Optional[str], str]:
    """Name, language and file of NAME[:LANGUAGE]=FILE; the name of a bare file is its file name."""
    name, equals, path = argument.partition("=")
    if not equals:
        return Path(argument).name, None, argument
    if not name or not path:
        raise ValueError(f"{argument}: expected NAME=FILE or NAME:LANGUAGE=FILE")
    match = _LANGUAGE.fullmatch(name)
    return (match[1], match[2], path) if match else (name, None, path)


def _by_language(arguments: Sequence[str], flag: str, languages: Sequence[str]) -> Dict[str, str]:
    paths: Dict[str, str] = {}
    for argument in arguments:
        language, equals, path = argument.partition("=")
        if not equals or language not in languages:
            path = argument
            language = Path(path).suffix[1:] if languages != [""] else ""
        if language not in languages or language in paths:
            raise ValueError(
                f"{flag} {argument}: expected LANGUAGE=FILE, each LANGUAGE once, one of "
                f"{', '.join(languages)}"
                if languages != [""]
                else f"{flag} {argument}: expected one file"
            )
        paths[language] = path
    return paths


def _encoders(arguments: Sequence[str], names: Sequence[str]) -> Dict[str, str]:
    encoders: Dict[str, str] = {}
    for argument in arguments:
        name, equals, encoder = argument.rpartition("=")
        if encoder not in readable() or (equals and name not in names):
            raise ValueError(
                f"--encoder {argument}: expected ENCODER or NAME=ENCODER, NAME one of "
                f"{', '.join(names)}, ENCODER one of {', '.join(readable())}"
            )
        encoders.update({name: encoder} if equals else dict.fromkeys(names, encoder))
    return encoders
