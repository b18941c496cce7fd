"""Flags made of declared options, so that a command states none of them twice."""

import argparse
from collections.abc import Mapping
from dataclasses import Field
from typing import Any, Dict

from fairseq_subword_ext.cli.common import text_argument
from fairseq_subword_ext.codecs.registry import ENCODINGS, codec_class
from fairseq_subword_ext.subword.options import flags_of
from fairseq_subword_ext.textio.files import STANDARD_STREAM

Fields = Mapping[str, "Field[Any]"]


# Their options are among generalized_bpe's: no command has to import them for its flags.
_FLAGLESS = ("bbpe", "byte_level", "char_level")


def encoding_options() -> Dict[str, "Field[Any]"]:
    """The options of all encodings; of those that share a name, the first one is described."""
    found: Dict[str, Field[Any]] = {}
    for name in ENCODINGS:
        if name not in _FLAGLESS:
            found = {**flags_of(codec_class(name).Options, "command"), **found}
    return found


def add_option_arguments(parser: argparse.ArgumentParser, options: Fields) -> None:
    """A flag for each option."""
    for name, each in options.items():
        told = each.metadata
        is_text = told["type"] is str and not told["choices"] and not told["is_file"]
        how: Dict[str, Any] = {"metavar": told["metavar"]} if told["metavar"] else {}
        if told["nargs"]:
            how["nargs"] = told["nargs"]
        several = isinstance(each.default, tuple)
        parser.add_argument(
            *told["flags"],
            flag(name),
            default=list(each.default) if several else each.default,
            type=text_argument if is_text else told["type"],
            choices=told["choices"] or None,
            help=told["help"].replace("%", "%%"),
            **how,
        )


def given_options(args: argparse.Namespace, options: Fields) -> Dict[str, Any]:
    """The options that were given: those whose value is not the default.

    Raises:
        ValueError: If a file is the standard stream, which is for the text.
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
            raise ValueError(f"{flag(name)} -: give a file; '-' is for the text")
        given[name] = value
    return given


def flag(option: str) -> str:
    """How an option is typed."""
    return f"--{option.replace('_', '-')}"
