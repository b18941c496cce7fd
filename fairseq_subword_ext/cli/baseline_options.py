"""The options of each baseline of segment-baseline, and which of them exclude each other."""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Type

from fairseq_subword_ext.baselines import compounds
from fairseq_subword_ext.subword.options import Rule, option
from fairseq_subword_ext.textio.output_files import OutputFile


def _shortlist() -> Any:
    return option(
        None, "word, char-ngrams: the N most frequent words stay whole (the paper's 50000)", type=int,
        metavar="N",
    )  # fmt: skip


@dataclass(frozen=True)
class NoOptions:
    """For baselines without options."""


@dataclass(frozen=True)
class CountOptions:
    """The training text, for baselines that learn from its words."""

    vocabulary: Optional[str] = option(
        None, "word counts of the training text, from get-vocab", metavar="FILE", is_file=True
    )
    train: Optional[Tuple[str, ...]] = option(
        None, "the training text, to count", metavar="FILE", nargs="+", is_file=True
    )


@dataclass(frozen=True)
class WordOptions(CountOptions):
    """Options of ``word``."""

    shortlist: Optional[int] = _shortlist()
    parallel: Optional[Tuple[str, ...]] = option(
        None, "word: the translation of the input, line by line; the two are word-aligned (extra "
        "'align')", metavar="FILE", nargs="+", is_file=True,
    )  # fmt: skip
    write_dictionary: Optional[str] = option(
        None, "word: write the back-off dictionary here, for fairseq-generate --replace-unk FILE",
        type=OutputFile,
        metavar="FILE", is_file=True,
    )  # fmt: skip


@dataclass(frozen=True)
class NgramOptions(CountOptions):
    """Options of ``char-ngrams``."""

    n: Optional[int] = option(None, "char-ngrams: characters per piece (2)", type=int, metavar="N")
    shortlist: Optional[int] = _shortlist()


@dataclass(frozen=True)
class CompoundOptions(CountOptions):
    """Options of ``compounds``."""

    min_length: Optional[int] = option(
        None, f"compounds: minimum letters per part ({compounds.MIN_LENGTH})", type=int, metavar="N"
    )  # fmt: skip
    min_count: Optional[int] = option(
        None, "compounds: minimum count of a part (1)", type=int, metavar="N"
    )
    fillers: Optional[Tuple[str, ...]] = option(
        None, "compounds: linking elements allowed between parts "
        f"(German by default: {' '.join(compounds.FILLERS)})", metavar="LETTERS", nargs="*",
    )  # fmt: skip


@dataclass(frozen=True)
class MorfessorOptions(CountOptions):
    """Options of ``morfessor``."""

    model: Optional[str] = option(
        None, "morfessor: a model written by --write-model", metavar="FILE", is_file=True
    )
    write_model: Optional[str] = option(
        None, "morfessor: save the trained model", type=OutputFile, metavar="FILE", is_file=True
    )


@dataclass(frozen=True)
class HyphenationOptions:
    """Options of ``hyphenation``."""

    lang: Optional[str] = option(None, "hyphenation: language, such as de or en_GB", metavar="CODE")


OPTIONS: Dict[str, Type[Any]] = {
    "word": WordOptions,
    "characters": NoOptions,
    "char-ngrams": NgramOptions,
    "compounds": CompoundOptions,
    "morfessor": MorfessorOptions,
    "hyphenation": HyphenationOptions,
}

_ONE_SOURCE = (Rule("vocabulary", without="train"),)
_ONLY_FOR_A_SHORTLIST = ": without it all words stay as they are"
_TRAINED = ": that model is already trained"

RULES: Dict[str, Tuple[Rule, ...]] = {
    "word": (
        *_ONE_SOURCE,
        Rule("vocabulary", needs="shortlist", because=_ONLY_FOR_A_SHORTLIST),
        Rule("train", needs="shortlist", because=_ONLY_FOR_A_SHORTLIST),
        Rule("parallel", needs="write_dictionary"),
        Rule(
            "parallel",
            without="shortlist",
            because=": the dictionary is for the words outside it, and the text that --replace-unk reads "
            "must show them",
        ),
    ),
    "char-ngrams": _ONE_SOURCE,
    "compounds": _ONE_SOURCE,
    "morfessor": (
        *_ONE_SOURCE,
        *(Rule(each, without="model", because=_TRAINED) for each in ("vocabulary", "train")),
        Rule("write_model", without="model", because=_TRAINED),
    ),
}
