"""What the baselines of segment-baseline can be told, and what cannot be combined."""

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
    """Nothing."""


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
    """Of ``word``."""

    shortlist: Optional[int] = _shortlist()
    parallel: Optional[Tuple[str, ...]] = option(
        None, "word: the translation of the input, line for line; the two are word-aligned (extra "
        "'align')", metavar="FILE", nargs="+", is_file=True,
    )  # fmt: skip
    write_dictionary: Optional[str] = option(
        None, "word: where the back-off dictionary goes, for fairseq-generate --replace-unk FILE",
        type=OutputFile,
        metavar="FILE", is_file=True,
    )  # fmt: skip


@dataclass(frozen=True)
class NgramOptions(CountOptions):
    """Of ``char-ngrams``."""

    n: Optional[int] = option(None, "char-ngrams: characters of a piece (2)", type=int, metavar="N")
    shortlist: Optional[int] = _shortlist()


@dataclass(frozen=True)
class CompoundOptions(CountOptions):
    """Of ``compounds``."""

    min_length: Optional[int] = option(
        None, f"compounds: letters of a part, at least ({compounds.MIN_LENGTH})", type=int, metavar="N"
    )  # fmt: skip
    min_count: Optional[int] = option(
        None, "compounds: count of a part, at least (1)", type=int, metavar="N"
    )
    fillers: Optional[Tuple[str, ...]] = option(
        None, "compounds: what may stand between parts "
        f"({' '.join(compounds.FILLERS)}, which are German)", metavar="LETTERS", nargs="*",
    )  # fmt: skip


@dataclass(frozen=True)
class MorfessorOptions(CountOptions):
    """Of ``morfessor``."""

    model: Optional[str] = option(
        None, "morfessor: a model of --write-model", metavar="FILE", is_file=True
    )
    write_model: Optional[str] = option(
        None, "morfessor: keep the trained model", type=OutputFile, metavar="FILE", is_file=True
    )


@dataclass(frozen=True)
class HyphenationOptions:
    """Of ``hyphenation``."""

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
_ONLY_FOR_A_SHORTLIST = ": all words stay as they are"
_TRAINED = ": that model is trained already"

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
            "has to show them",
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
