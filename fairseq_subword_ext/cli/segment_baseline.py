"""Segments text as the systems that BPE is compared with (Sennrich, Haddow & Birch 2016, Table 1).

  word           words as they are; with --shortlist, <unk> for all others. With --parallel it also
                 writes the back-off dictionary for fairseq-generate --replace-unk
  characters     every character
  char-ngrams    stretches of --n characters, but for the words of a --shortlist
  compounds      compounds cut into known words, by frequency (Koehn & Knight 2003)
  morfessor      morphs of a Morfessor Baseline model (extra 'morfessor')
  hyphenation    at hyphenation points (extra 'hyphenation')

All write @@ text for fairseq-preprocess; restore gives the line back, byte for byte (apart from <unk>).
What they learn comes from the training text: its word counts (--vocabulary, a file from get-vocab), or
the text itself (--train).
"""

import argparse
import hashlib
from pathlib import Path
from typing import Callable, Dict, List, Union

from fairseq_subword_ext.cli.back_off import add_back_off_arguments, write_back_off_dictionary
from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    note,
    print_signature,
    text_argument,
    workers,
)
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.baselines import NAMES, compounds
from fairseq_subword_ext.subword.baselines.char_ngrams import CharNgrams, most_frequent
from fairseq_subword_ext.subword.baselines.compounds import Compounds
from fairseq_subword_ext.subword.baselines.hyphenation import Hyphenation
from fairseq_subword_ext.subword.baselines.morfs import Morfs
from fairseq_subword_ext.subword.baselines.word_codec import WordCodec
from fairseq_subword_ext.subword.baselines.words import Words
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.block_stream import convert_stream
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_writer, binary_reader
from fairseq_subword_ext.textio.output_files import OutputFile
from fairseq_subword_ext.version import __version__

# Which options go with which baseline; where one is given in vain, somebody expects something of it.
OPTIONS = {
    "word": ("vocabulary", "train", "shortlist", "parallel", "write_dictionary"),
    "characters": (),
    "char-ngrams": ("vocabulary", "train", "n", "shortlist"),
    "compounds": ("vocabulary", "train", "min_length", "min_count", "fillers"),
    "morfessor": ("vocabulary", "train", "model", "write_model"),
    "hyphenation": ("lang",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The baseline's name, input and output, and the options of all baselines."""
    parser.add_argument("name", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    add_input_arguments(parser)
    add_output_argument(parser, "segmented text")
    counts = parser.add_mutually_exclusive_group()
    counts.add_argument(
        "--vocabulary", metavar="FILE", help="word counts of the training text, from get-vocab"
    )
    counts.add_argument("--train", nargs="+", metavar="FILE", help="the training text, to count")
    parser.add_argument(
        "--shortlist", type=int, metavar="N",
        help="word, char-ngrams: the N most frequent words stay whole (the paper's 50000)",
    )  # fmt: skip
    parser.add_argument("--n", type=int, metavar="N", help="char-ngrams: characters of a piece (2)")
    parser.add_argument(
        "--min-length", type=int, metavar="N",
        help=f"compounds: letters of a part, at least ({compounds.MIN_LENGTH})",
    )  # fmt: skip
    parser.add_argument(
        "--min-count", type=int, metavar="N", help="compounds: count of a part, at least (1)"
    )
    parser.add_argument(
        "--fillers", nargs="*", metavar="LETTERS", type=text_argument,
        help="compounds: what may stand between parts "
        f"({' '.join(compounds.FILLERS)}, which are German)",
    )  # fmt: skip
    parser.add_argument("--model", metavar="FILE", help="morfessor: a model of --write-model")
    parser.add_argument(
        "--write-model", metavar="FILE", type=OutputFile, help="morfessor: keep the trained model"
    )
    parser.add_argument("--lang", metavar="CODE", help="hyphenation: language, such as de or en_GB")
    add_back_off_arguments(parser)
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Learns what is to be learned and segments all inputs as one text."""
    check_options(args)
    baseline = MAKERS[args.name](args)
    if args.parallel is not None:
        write_back_off_dictionary(args)
    with atomic_writer(args.output) as target, JoinedInput(args.input, "segmenting") as source:
        try:
            convert_stream(
                source, target, baseline.encode_lines, args.carriage_return, name=source.name
            )
        except ValueError as error:
            raise source.located(error) from None
    source.report_carriage_returns()
    print_signature(signature(args))


def check_options(args: argparse.Namespace) -> None:
    """Refuses options of other baselines, and '-' where a file is needed.

    Raises:
        ValueError: naming the options.
    """
    every = {option for options in OPTIONS.values() for option in options}
    foreign = [
        flag(option)
        for option in sorted(every - set(OPTIONS[args.name]))
        if getattr(args, option) is not None
    ]
    if foreign:
        raise ValueError(f"{args.name} knows no {', '.join(foreign)}")
    for option in ("vocabulary", "train", "model", "parallel"):
        if STANDARD_STREAM in _listed(getattr(args, option)):
            raise ValueError(f"{flag(option)} -: give a file; '-' is for the text to segment")


def flag(option: str) -> str:
    """How an option is typed."""
    return f"--{option.replace('_', '-')}"


def word_counts(args: argparse.Namespace) -> Dict[str, int]:
    """The word counts of the training text.

    Raises:
        ValueError: where neither they nor the text are given, or a file cannot be used.
        OSError: where a file cannot be read.
    """
    if args.vocabulary is not None:
        return Vocabulary.load(args.vocabulary, escaped=False).counts
    if args.train is not None:
        counts = count_words(
            args.train, num_workers=workers(args), carriage_return=args.carriage_return
        )
        return dict(counts.items())
    raise ValueError(
        f"{args.name} learns from the training text: give its word counts with --vocabulary (from "
        "`fairseq-subword get-vocab`), or the text with --train"
    )


def make_words(args: argparse.Namespace) -> WordCodec:
    """Baseline ``word``."""
    if args.shortlist is None:
        if args.vocabulary is not None or args.train is not None:
            raise ValueError("word leaves all words as they are without --shortlist N")
        return Words()
    return Words(most_frequent(word_counts(args), args.shortlist))


def make_characters(args: argparse.Namespace) -> WordCodec:
    """Baseline ``characters``."""
    return CharNgrams(1)


def make_char_ngrams(args: argparse.Namespace) -> WordCodec:
    """Baseline ``char-ngrams``."""
    n = 2 if args.n is None else args.n
    if not args.shortlist:
        return CharNgrams(n, most_frequent({}, args.shortlist or 0))
    return CharNgrams(n, most_frequent(word_counts(args), args.shortlist))


def make_compounds(args: argparse.Namespace) -> WordCodec:
    """Baseline ``compounds``."""
    return Compounds(
        word_counts(args),
        compounds.MIN_LENGTH if args.min_length is None else args.min_length,
        1 if args.min_count is None else args.min_count,
        compounds.FILLERS if args.fillers is None else args.fillers,
    )


def make_morfs(args: argparse.Namespace) -> WordCodec:
    """Baseline ``morfessor``."""
    if args.model is not None:
        given = [name for name in ("vocabulary", "train", "write_model") if getattr(args, name)]
        if given:
            raise ValueError(f"--model is trained already; {flag(given[0])} goes with a new one")
        return Morfs.load(args.model)
    counts = word_counts(args)
    note(f"training Morfessor on {len(counts)} word types")
    morfs = Morfs.train(counts)
    if args.write_model is not None:
        morfs.save(args.write_model)
    return morfs


def make_hyphenation(args: argparse.Namespace) -> WordCodec:
    """Baseline ``hyphenation``."""
    if args.lang is None:
        raise ValueError("hyphenation needs the language: --lang de, for example")
    return Hyphenation(args.lang)


MAKERS: Dict[str, Callable[[argparse.Namespace], WordCodec]] = {
    "word": make_words,
    "characters": make_characters,
    "char-ngrams": make_char_ngrams,
    "compounds": make_compounds,
    "morfessor": make_morfs,
    "hyphenation": make_hyphenation,
}


def signature(args: argparse.Namespace) -> str:
    """What was done, in one line that can be quoted."""
    facts = [f"baseline:{args.name}"]
    for option in OPTIONS[args.name]:
        value = getattr(args, option)
        if value is None or option.startswith("write_"):
            continue
        if option in ("vocabulary", "train", "model", "parallel"):
            value = _digest(_listed(value))
        facts.append(f"{option}:{'+'.join(value) if isinstance(value, list) else value}")
    return "|".join([*facts, f"version:{__version__}"])


def _listed(value: Union[str, List[str], None]) -> List[str]:
    """The files that an option names, whether it takes one or several."""
    return [value] if isinstance(value, str) else value or []


def _digest(paths: List[str]) -> str:
    """Tells files by their content; a stream can be read only once."""
    if not all(Path(path).is_file() for path in paths):
        return "stream"
    digest = hashlib.sha256()
    for path in paths:
        with binary_reader(path) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return f"sha256={digest.hexdigest()[:12]}"
