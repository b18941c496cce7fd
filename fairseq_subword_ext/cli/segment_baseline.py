"""Segments text with the baselines of BPE (Sennrich, Haddow & Birch 2016, Table 1).

  word           words as they are; with --shortlist, <unk> for all others. With --parallel, also
                 writes the back-off dictionary for fairseq-generate --replace-unk
  characters     single characters
  char-ngrams    pieces of --n characters, except for the words of a --shortlist
  compounds      compounds split into known words, by frequency (Koehn & Knight 2003)
  morfessor      morphs of a Morfessor Baseline model (extra 'morfessor')
  hyphenation    split at hyphenation points (extra 'hyphenation')

All write @@ text for fairseq-preprocess; restore recovers the line byte for byte (apart from <unk>).
Baselines that learn do so from the training text: from its word counts (--vocabulary, a file of get-vocab),
or from the text itself (--train).
"""

import argparse
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping

from fairseq_subword_ext.baselines import compounds
from fairseq_subword_ext.baselines.char_ngrams import CharNgrams, most_frequent
from fairseq_subword_ext.baselines.compounds import Compounds
from fairseq_subword_ext.baselines.hyphenation import Hyphenation
from fairseq_subword_ext.baselines.morfs import Morfs
from fairseq_subword_ext.baselines.word_codec import WordCodec
from fairseq_subword_ext.baselines.words import Words
from fairseq_subword_ext.cli.back_off import write_back_off_dictionary
from fairseq_subword_ext.cli.baseline_options import OPTIONS, RULES
from fairseq_subword_ext.cli.common import log, workers
from fairseq_subword_ext.cli.option_arguments import (
    Fields,
    add_option_arguments,
    flag,
    given_options,
)
from fairseq_subword_ext.cli.text_job import (
    TextJob,
    add_text_arguments,
    check_text_arguments,
    run_job,
)
from fairseq_subword_ext.codecs.registry import BASELINES
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.options import check_options, flags_of
from fairseq_subword_ext.subword.signature import format_signature
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.digests import digest_of

# Options that name further output files; the segmented text does not depend on them.
WRITTEN = ("write_model", "write_dictionary")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the baseline's name, input and output, and the options of all baselines."""
    names = list(BASELINES)
    parser.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
    add_option_arguments(parser, all_options())
    add_text_arguments(parser, "segmented text")


def all_options() -> Fields:
    """The options of all baselines."""
    found: Dict[str, Any] = {}
    for options in OPTIONS.values():
        found.update(flags_of(options, "command"))
    return found


def run(args: argparse.Namespace) -> None:
    """Learns the baseline, then segments all inputs as one text, or each into its own file."""
    check_text_arguments(args)
    options = all_options()
    given = given_options(args, options)
    check_options(OPTIONS[args.name], given, args.name, flag, RULES.get(args.name, ()))
    baseline = MAKERS[args.name](args)
    if args.parallel is not None:
        write_back_off_dictionary(args)
    job = TextJob(
        lambda name, first_lines, seed: baseline.block_coder(args.carriage_return, name),
        signature=signature(args.name, given),
        files=[name for name in options if is_input(options, name)],
        ignored=WRITTEN,
    )
    run_job(args, job)


def is_input(options: Fields, name: str) -> bool:
    """Whether an option names a file that is read."""
    return options[name].metadata["is_file"] and name not in WRITTEN


def word_counts(args: argparse.Namespace) -> Dict[str, int]:
    """The word counts of the training text.

    Raises:
        ValueError: If neither the counts nor the text are given, or a file cannot be used.
        OSError: If a file cannot be read.
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
    """Makes the baseline ``word``."""
    if args.shortlist is None:
        return Words()
    return Words(most_frequent(word_counts(args), args.shortlist))


def make_characters(args: argparse.Namespace) -> WordCodec:
    """Makes the baseline ``characters``."""
    return CharNgrams(1)


def make_char_ngrams(args: argparse.Namespace) -> WordCodec:
    """Makes the baseline ``char-ngrams``."""
    n = 2 if args.n is None else args.n
    if not args.shortlist:
        return CharNgrams(n, most_frequent({}, args.shortlist or 0))
    return CharNgrams(n, most_frequent(word_counts(args), args.shortlist))


def make_compounds(args: argparse.Namespace) -> WordCodec:
    """Makes the baseline ``compounds``."""
    return Compounds(
        word_counts(args),
        compounds.MIN_LENGTH if args.min_length is None else args.min_length,
        1 if args.min_count is None else args.min_count,
        compounds.FILLERS if args.fillers is None else args.fillers,
    )


def make_morfs(args: argparse.Namespace) -> WordCodec:
    """Makes the baseline ``morfessor``."""
    if args.model is not None:
        return Morfs.load(args.model)
    counts = word_counts(args)
    log(f"training Morfessor on {len(counts)} word types")
    morfs = Morfs.train(counts)
    if args.write_model is not None:
        morfs.save(args.write_model)
    return morfs


def make_hyphenation(args: argparse.Namespace) -> WordCodec:
    """Makes the baseline ``hyphenation``."""
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


def signature(name: str, given: Mapping[str, Any]) -> str:
    """The settings of the baseline, in one line to quote with results."""
    settings: Dict[str, Any] = {"baseline": name}
    options = flags_of(OPTIONS[name], "command")
    for option in options:
        value = given.get(option)
        if value is None or option in WRITTEN:
            continue
        if is_input(options, option):
            value = _digest([value] if isinstance(value, str) else list(value))
        settings[option] = "+".join(value) if isinstance(value, tuple) else value
    return format_signature(settings)


def _digest(paths: List[str]) -> str:
    """Identifies files by their content; a stream can be read only once."""
    if not all(Path(path).is_file() for path in paths):
        return "stream"
    return f"sha256={digest_of(paths)[:12]}"
