"""Exports codes to the format of another tool: tokenizer.json of Hugging Face's tokenizers, or tiktoken's.

The ids are those of Fairseq's dictionary (--dict), or of the one that build-dict -c CODES writes;
tiktoken's are its ranks. --check segments a text with the export, in the library that it is for, and
writes nothing unless every line has the same ids.
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
    """The formats. Not strings, which would be taken for names of input files."""

    TOKENIZER_JSON = "tokenizer.json"
    TIKTOKEN = "tiktoken"

    def __str__(self) -> str:
        return self.value


# Options of apply-bpe that neither format can hold, with what they are called.
_UNSUPPORTED = {
    "--vocabulary": "a vocabulary filter",
    "--vocabulary-threshold": "a vocabulary filter",
    "--glossaries": "glossaries",
    "--glossary-file": "glossaries",
    "--dropout": "BPE-dropout",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The codes, their dictionary, the format and the text to check it on."""
    parser.add_argument("-c", "--codes", metavar="FILE", required=True, help="codes from learn-bpe")
    parser.add_argument(
        "--dict", metavar="FILE",
        help="the model's dict.txt, whose ids are kept (default: those of build-dict -c CODES); "
        "tokenizer.json only",
    )  # fmt: skip
    parser.add_argument(
        "--to", type=_target, required=True, metavar="{tokenizer.json,tiktoken}",
        help="format to write",
    )  # fmt: skip
    add_output_argument(parser, "file to write", required=True)
    parser.add_argument(
        "--check", nargs="+", metavar="FILE",
        help="compare the export with apply-bpe on this text; needs tokenizers or tiktoken",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--merges", type=int, metavar="N", help="use the first N merges of the codes only"
    )
    add_separator_argument(parser, "-s")
    for flag in _UNSUPPORTED:
        parser.add_argument(flag, nargs="*", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> None:
    """Makes the content, checks it where asked, and writes it."""
    for flag, what in _UNSUPPORTED.items():
        if getattr(args, flag[2:].replace("-", "_")) is not None:
            raise ValueError(
                f"{flag}: {args.to} cannot hold {what}, so the export would segment otherwise"
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
            f"have the ids from {len(ids.tokens)} on, which a model has to read as <unk> (3)"
        )
    if args.check is not None:
        with TextInput(args.check) as text:
            report = check_tokenizer_json(content, table, ids, text, args.separator)
        _tell(report, args)
    return content


def _tiktoken(args: argparse.Namespace, table: MergeTable) -> str:
    if args.dict is not None:
        raise ValueError(
            "--dict: ids in tiktoken are ranks, so they cannot be a dictionary's; export without it"
        )
    ranks = tiktoken_ranks(table)
    log(f"{len(ranks)} tokens: 256 bytes and {len(table)} merges")
    if args.check is not None:
        with TextInput(args.check) as text:
            report = check_tiktoken(ranks, table, text)
        _tell(report, args)
    else:
        log(
            "not checked: tiktoken merges any two neighbours whose concatenation is a token, so compare it "
            "with apply-bpe on your text (--check FILE)"
        )
    return format_ranks(ranks)


def _tell(report: CheckReport, args: argparse.Namespace) -> None:
    """Says what the check found.

    Raises:
        ValueError: If a line has other ids.
    """
    name = ", ".join(args.check)
    if report.differing:
        examples = "; ".join(map(_shown, report.examples))
        raise ValueError(
            f"{name}: {report.differing} of {report.lines} lines have other ids in {args.to}, so nothing was "
            f"written. {examples}"
        )
    log(f"checked: {report.lines} lines of {name}, all with the same ids")
    if report.unknown:
        log(f"{report.unknown} lines have symbols that are <unk> in the dictionary")
    if report.unrestored:
        numbers = ", ".join(map(str, report.unrestored_examples))
        more = " ..." if report.unrestored > len(report.unrestored_examples) else ""
        log(
            f"{report.unrestored} lines come back changed when their ids are decoded (lines {numbers}{more}); "
            "with characters as units, repeated spaces and those at the ends of a line are lost"
        )
    if report.empty:
        log(f"{report.empty} empty lines get one token in tiktoken: leave them out")


def _shown(difference: Difference) -> str:
    """The two segmentations around the place where they part."""
    part = slice(max(0, difference.place - 2), difference.place + 3)
    ours, theirs = (" ".join(tokens[part]) for tokens in (difference.expected, difference.found))
    return f"line {difference.line}: expected {ours!r}, found {theirs!r}"
