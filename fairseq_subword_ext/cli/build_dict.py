"""Writes Fairseq's dictionary (dict.txt), for fairseq-preprocess --srcdict and --tgtdict.

From segmented text (-i) it is the one that fairseq-preprocess makes. From codes (-c) with their
CODES.json it holds every token that apply-bpe can produce, so that only characters unseen in training
can become <unk>. Byte-level dictionaries, from codes or a SentencePiece model, hold all 256 bytes,
whatever the data.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import List, Optional, Tuple

from fairseq_subword_ext.cli.common import (
    add_output_argument,
    add_separator_argument,
    add_workers_argument,
    note,
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
    """The input, as text or as codes, and fairseq-preprocess's limits."""
    parser.add_argument(
        "-i", "--input", nargs="+", metavar="FILE",
        help="segmented text; several files, or '-' for standard input, count as one text",
    )  # fmt: skip
    parser.add_argument(
        "-c",
        "--codes",
        metavar="FILE",
        help="codes from learn-bpe, or a SentencePiece model of byte text; with -i, the counts are the "
        "text's",
    )
    add_output_argument(parser, "dictionary file")
    add_separator_argument(parser, "-s")
    parser.add_argument(
        "--unit", choices=UNITS, help="byte: add all 256 bytes (needed where there are no codes)"
    )
    parser.add_argument(
        "--threshold", type=int, default=0, metavar="N",
        help="leave out tokens of the text that occur less often",
    )  # fmt: skip
    parser.add_argument(
        "--nwords", type=int, metavar="N",
        help="at most so many symbols, Fairseq's four control symbols counted",
    )  # fmt: skip
    parser.add_argument(
        "--padding-factor", type=int, default=dictionary.PADDING_FACTOR, metavar="N",
        help="fill up to a multiple of N with madeupword0000 ... as fairseq-preprocess does "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="a lone carriage return inside a line of the segmented text (-i), at which Fairseq would break "
        "it: stop there, or take it for a space between tokens (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--lang-tokens", metavar="LANGS",
        help="add <lang:xx> for these languages, separated by commas, for the task's "
        "--source-lang-token",
    )  # fmt: skip
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Collects the symbols, counts them where there is text, and writes."""
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
    _warn_of_language_tokens(languages, counts)
    entries = dictionary.finalize(
        counts, args.threshold, args.nwords, args.padding_factor, [*keep, *languages]
    )
    dictionary.save(entries, args.output)
    note(f"{len(entries)} symbols, and the {dictionary.CONTROL_SYMBOLS} that Fairseq adds")
    if keep:
        _report_completeness(table, args)
    if table is not None:
        print_signature(table.signature())


def _tokens_of_codes(args: argparse.Namespace) -> Tuple[List[str], Optional[MergeTable]]:
    """What the codes can produce, and their merge table, which a SentencePiece model does not have."""
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
    """The tokens of the languages given; the order in which they are given does not matter."""
    if languages is None:
        return []
    try:
        return sorted({dictionary.language_token(name.strip()) for name in languages.split(",")})
    except ValueError as error:
        raise ValueError(f"--lang-tokens {languages}: {error}") from None


def _warn_of_language_tokens(tokens: List[str], counts: Counter) -> None:
    found = [token for token in tokens if counts[token]]
    if found:
        note(
            f"warning: the text itself holds {', '.join(found)}, which the task will take for the "
            "language of a line: leave them out of the text, the task puts them there"
        )


def _text_counts(args: argparse.Namespace) -> Counter:
    if args.input is None:
        return Counter()
    counts = count_words(args.input, False, workers(args), args.carriage_return)
    if not len(counts):
        raise ValueError(f"{counts.name}: there are no tokens in it")
    symbols, harmful = dictionary.count_tokens(dict(counts.items()))
    if harmful:
        examples = ", ".join(repr(token) for token, _ in harmful.most_common(5))
        note(
            f"warning: {sum(harmful.values())} tokens hold Unicode spaces or spell Fairseq's control "
            f"symbols ({examples}), and Fairseq will misread them: segment with apply-bpe, without "
            "--compat subword-nmt"
        )
    return symbols


def _report_completeness(table, args: argparse.Namespace) -> None:
    if table is None or table.unit == "byte":
        note("all 256 bytes are in it: no text can become <unk>")
        return
    characters = len(dictionary.alphabet_characters(table))
    note(
        f"only characters unseen in training can become <unk>: the alphabet has {characters}. "
        "(Glossary terms are not in it; give segmented text with -i as well)"
    )
    if args.input is None:
        note("the counts are 0, since codes do not tell them; -i TEXT gives them")
