"""Writes Fairseq's dictionary (dict.txt), for fairseq-preprocess --srcdict and --tgtdict.

From segmented text (-i), it equals the one that fairseq-preprocess writes. From codes (-c) with their
CODES.json, it holds every token that apply-bpe can produce, so that only characters unseen in training
can become <unk>. Byte-level dictionaries, from codes or a SentencePiece model, always hold all 256 bytes.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import List, Optional, Tuple

from fairseq_subword_ext.cli.common import (
    add_output_argument,
    add_separator_argument,
    add_workers_argument,
    log,
    print_signature,
    workers,
)
from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword import dictionary
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.sentencepiece_model import is_sentencepiece_model
from fairseq_subword_ext.subword.symbols import UNITS
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the inputs, text or codes, and the limits of fairseq-preprocess."""
    parser.add_argument(
        "-i", "--input", nargs="+", metavar="FILE",
        help="segmented text; several files, or '-' for standard input, count as one text",
    )  # fmt: skip
    parser.add_argument(
        "-c",
        "--codes",
        metavar="FILE",
        help="codes from learn-bpe, or a SentencePiece model of byte text; with -i as well, counts come "
        "from the text",
    )
    add_output_argument(parser, "dictionary file")
    add_separator_argument(parser, "-s")
    parser.add_argument(
        "--unit", choices=UNITS, help="byte: add all 256 bytes (needed without codes)"
    )
    parser.add_argument(
        "--threshold", type=int, default=0, metavar="N",
        help="drop tokens that occur less often in the text",
    )  # fmt: skip
    parser.add_argument(
        "--nwords", type=int, metavar="N",
        help="maximum number of symbols, including Fairseq's four control symbols",
    )  # fmt: skip
    parser.add_argument(
        "--padding-factor", type=int, default=dictionary.PADDING_FACTOR, metavar="N",
        help="pad to a multiple of N with madeupword0000 ... as fairseq-preprocess does "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="what to do with a lone carriage return inside a line of the segmented text (-i), at which "
        "Fairseq would split it: stop, or read it as a space between tokens (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--lang-tokens", metavar="LANGS",
        help="add <lang:xx> for these languages, separated by commas, for the task's "
        "--source-lang-token",
    )  # fmt: skip
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Collects the symbols, counts those of the text, and writes the dictionary."""
    if args.input is None and args.codes is None and args.unit != "byte":
        raise ValueError("give segmented text (-i), codes (-c), or --unit byte for the bytes alone")
    if args.padding_factor < 1:
        raise ValueError(f"--padding-factor {args.padding_factor}: expected 1 or more")
    keep = list(BYTE_SYMBOLS) if args.unit == "byte" else []
    table = None
    if args.codes is not None:
        keep, table = _tokens_of_codes(args)
    languages = _language_tokens(args.lang_tokens)
    counts = _text_counts(args)
    _warn_about_language_tokens(languages, counts)
    entries = dictionary.finalize(
        counts, args.threshold, args.nwords, args.padding_factor, [*keep, *languages]
    )
    dictionary.save(entries, args.output)
    log(f"{len(entries)} symbols, and the {dictionary.CONTROL_SYMBOLS} that Fairseq adds")
    if keep:
        _report_completeness(table, args)
    if table is not None:
        print_signature(table.signature())


def _tokens_of_codes(args: argparse.Namespace) -> Tuple[List[str], Optional[MergeTable]]:
    """The tokens that the codes can produce, and their merge table (None for a SentencePiece model)."""
    model = args.codes != STANDARD_STREAM and is_sentencepiece_model(Path(args.codes).read_bytes())
    if model:
        table, unit = None, "byte"
        tokens = make_codec("bbpe", args.codes).fixed_symbols
    else:
        table = MergeTable.load(args.codes)
        unit = table.unit
        tokens = dictionary.producible_tokens(table, args.separator)
    if args.unit not in (None, unit):
        raise ValueError(f"--unit {args.unit}: the unit of {args.codes} is {unit}")
    return tokens, table


def _language_tokens(languages: Optional[str]) -> List[str]:
    """The tokens of the given languages, sorted, so that the order on the command line has no effect."""
    if languages is None:
        return []
    try:
        return sorted({dictionary.language_token(name.strip()) for name in languages.split(",")})
    except ValueError as error:
        raise ValueError(f"--lang-tokens {languages}: {error}") from None


def _warn_about_language_tokens(tokens: List[str], counts: Counter) -> None:
    found = [token for token in tokens if counts[token]]
    if found:
        log(
            f"warning: the text itself contains {', '.join(found)}, which the task would read as the "
            "language of a line: remove them from the text; the task adds them itself"
        )


def _text_counts(args: argparse.Namespace) -> Counter:
    if args.input is None:
        return Counter()
    counts = count_words(args.input, False, workers(args), args.carriage_return)
    if not len(counts):
        raise ValueError(f"{counts.name}: the text has no tokens")
    symbols, harmful = dictionary.count_tokens(dict(counts.items()))
    if harmful:
        examples = ", ".join(repr(token) for token, _ in harmful.most_common(5))
        log(
            f"warning: {sum(harmful.values())} tokens contain Unicode spaces or spell Fairseq's control "
            f"symbols ({examples}), and Fairseq will misread them: segment with apply-bpe, without "
            "--compat subword-nmt"
        )
    return symbols


def _report_completeness(table, args: argparse.Namespace) -> None:
    if table is None or table.unit == "byte":
        log("it holds all 256 bytes: no text can become <unk>")
        return
    characters = len(dictionary.alphabet_characters(table))
    log(
        f"only characters unseen in training can become <unk>: the alphabet has {characters}. "
        "(Glossary terms are not included; for those, give segmented text with -i as well)"
    )
    if args.input is None:
        log("all counts are 0, since codes hold none; -i TEXT counts them")
