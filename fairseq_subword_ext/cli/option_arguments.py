"""Makes flags from declared options, so that each option is declared once."""

import argparse
from collections.abc import Mapping
from dataclasses import Field
from typing import Any, Dict

from fairseq_subword_ext.cli.common import text_argument
from fairseq_subword_ext.codecs.registry import ENCODINGS, codec_class
from fairseq_subword_ext.subword.options import flags_of
from fairseq_subword_ext.textio.files import STANDARD_STREAM

Fields = Mapping[str, "Field[Any]"]


# generalized_bpe has all their options too, so they are not imported for the flags.
_FLAGLESS = ("bbpe", "byte_level", "char_level")


def encoding_options() -> Dict[str, "Field[Any]"]:
    """The options of all encodings; the first description of a shared name is used."""
    found: Dict[str, Field[Any]] = {}
    for name in ENCODINGS:
        if name not in _FLAGLESS:
            found = {**flags_of(codec_class(name).Options, "command"), **found}
    return found


def add_option_arguments(parser: argparse.ArgumentParser, options: Fields) -> None:
    """Adds one flag per option."""
    for name, each in options.items():
        metadata = each.metadata
        is_text = metadata["type"] is str and not metadata["choices"] and not metadata["is_file"]
        keywords: Dict[str, Any] = {"metavar": metadata["metavar"]} if metadata["metavar"] else {}
        if metadata["nargs"]:
            keywords["nargs"] = metadata["nargs"]
        is_tuple = isinstance(each.default, tuple)
        parser.add_argument(
            *metadata["flags"],
            flag(name),
            default=list(each.default) if is_tuple else each.default,
            type=text_argument if is_text else metadata["type"],
            choices=metadata["choices"] or None,
            help=metadata["help"].replace("%", "%%"),
            **keywords,
        )


def given_options(args: argparse.Namespace, options: Fields) -> Dict[str, Any]:
    """The options that were given: those whose value is not the default.

    Raises:
        ValueError: If a file is ``-``, the standard stream, which is reserved for the text.
    """
    given = {}
    for name, each in options.items():
        value = getattr(args, name)
        value = tuple(value) if isinstance(value, list) else value
        if value == each.default:
            continue
        if each.metadata["is_file"] and STANDARD_STREAM in (
            value if isinstance(value, tuple) else [value]
        ):
            raise ValueError(f"{flag(name)} -: give a file; '-' is reserved for the text")
        given[name] = value
    return given


def flag(option: str) -> str:
    """The option as users type it."""
    return f"--{option.replace('_', '-')}"
