"""Exports codes to the format of another tool: tokenizer.json of Hugging Face's tokenizers, or tiktoken's.

The ids are those of Fairseq's dictionary (--dict), or of the dictionary that build-dict -c CODES writes;
in tiktoken, ids are ranks. --check segments a text with the export in the target library, and writes
nothing unless every line has the same ids.
"""

import argparse
from enum import Enum

from fairseq_subword_ext.cli.common import (
    add_output_argument,
    add_separator_argument,
    log,
    print_signature,
)
from fairseq_subword_ext.subword.export_check import (
    CheckReport,
    Difference,
    check_tiktoken,
    check_tokenizer_json,
)
from fairseq_subword_ext.subword.export_symbols import check_exportable, symbol_ids
from fairseq_subword_ext.subword.export_tiktoken import format_ranks, tiktoken_ranks
from fairseq_subword_ext.subword.export_tokenizer import tokenizer_json
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.text_input import TextInput


class Target(Enum):
    """The formats. Not strings, which the command line would take for names of input files."""

    TOKENIZER_JSON = "tokenizer.json"
    TIKTOKEN = "tiktoken"

    def __str__(self) -> str:
        return self.value


# Options of apply-bpe that neither format supports, with their names for messages.
_UNSUPPORTED = {
    "--vocabulary": "a vocabulary filter",
    "--vocabulary-threshold": "a vocabulary filter",
    "--glossaries": "glossaries",
    "--glossary-file": "glossaries",
    "--dropout": "BPE-dropout",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the codes, the dictionary, the format and the text to check."""
    parser.add_argument("-c", "--codes", metavar="FILE", required=True, help="codes from learn-bpe")
    parser.add_argument(
        "--dict", metavar="FILE",
        help="the model's dict.txt, whose ids the export keeps (default: as from build-dict -c CODES); "
        "tokenizer.json only",
    )  # fmt: skip
    parser.add_argument(
        "--to", type=_target, required=True, metavar="{tokenizer.json,tiktoken}",
        help="format to write",
    )  # fmt: skip
    add_output_argument(parser, "file to write", required=True)
    parser.add_argument(
        "--check", nargs="+", metavar="FILE",
        help="compare the export with apply-bpe on these texts; needs tokenizers or tiktoken",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--merges", type=int, metavar="N", help="use only the first N merges of the codes"
    )
    add_separator_argument(parser, "-s")
    for flag in _UNSUPPORTED:
        parser.add_argument(flag, nargs="*", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> None:
    """Makes the export, checks it with ``--check``, and writes it."""
    for flag, what in _UNSUPPORTED.items():
        if getattr(args, flag[2:].replace("-", "_")) is not None:
            raise ValueError(
                f"{flag}: {args.to} does not support {what}, so the export would segment differently"
            )
    table = MergeTable.load(args.codes, args.merges)
    check_exportable(table)
    make = _tiktoken if args.to is Target.TIKTOKEN else _tokenizer_json
    content = make(args, table)
    with atomic_text_writer(args.output) as stream:
        stream.write(content)
    print_signature(table.signature())


def _target(argument: str) -> Target:
    try:
        return Target(argument)
    except ValueError:
        names = " or ".join(map(str, Target))
        raise argparse.ArgumentTypeError(f"expected {names}, not {argument!r}") from None


def _tokenizer_json(args: argparse.Namespace, table: MergeTable) -> str:
    ids = symbol_ids(table, args.dict, args.separator)
    content = tokenizer_json(table, ids)
    log(f"{len(ids.symbols)} symbols; ids 0 to {len(ids.tokens) - 1} are the dictionary's")
    if ids.further:
        log(
            f"{ids.further} symbols of the merges are not in the dictionary, but the format needs them: they "
            f"get the ids from {len(ids.tokens)} on, which the model must read as <unk> (3)"
        )
    if args.check is not None:
        with TextInput(args.check) as text:
            report = check_tokenizer_json(content, table, ids, text, args.separator)
        _report(report, args)
    return content


def _tiktoken(args: argparse.Namespace, table: MergeTable) -> str:
    if args.dict is not None:
        raise ValueError(
            "--dict: in tiktoken, ids are ranks, so a dictionary cannot set them; leave out --dict"
        )
    ranks = tiktoken_ranks(table)
    log(f"{len(ranks)} tokens: 256 bytes and {len(table)} merges")
    if args.check is not None:
        with TextInput(args.check) as text:
            report = check_tiktoken(ranks, table, text)
        _report(report, args)
    else:
        log(
            "not checked: tiktoken merges any two neighbours whose concatenation is a token; compare it with "
            "apply-bpe on your text (--check FILE)"
        )
    return format_ranks(ranks)


def _report(report: CheckReport, args: argparse.Namespace) -> None:
    """Logs what the check found.

    Raises:
        ValueError: If a line has different ids.
    """
    name = ", ".join(args.check)
    if report.differing:
        examples = "; ".join(map(_shown, report.examples))
        raise ValueError(
            f"{name}: {report.differing} of {report.lines} lines have different ids in {args.to}, so nothing "
            f"was written. {examples}"
        )
    log(f"checked: {report.lines} lines of {name}, all with the same ids")
    if report.unknown:
        log(f"{report.unknown} lines contain symbols that are <unk> in the dictionary")
    if report.unrestored:
        numbers = ", ".join(map(str, report.unrestored_examples))
        more = " ..." if report.unrestored > len(report.unrestored_examples) else ""
        log(
            f"{report.unrestored} lines come back changed when their ids are decoded (lines {numbers}{more}); "
            "if the unit is the character, repeated spaces and spaces at the ends of lines are lost"
        )
    if report.empty:
        log(f"{report.empty} empty lines become one token in tiktoken: leave them out")


def _shown(difference: Difference) -> str:
    """Shows the two segmentations around the first difference."""
    part = slice(max(0, difference.place - 2), difference.place + 3)
    ours, theirs = (" ".join(tokens[part]) for tokens in (difference.expected, difference.found))
    return f"line {difference.line}: expected {ours!r}, found {theirs!r}"
