"""``--bpe generalized_bpe``: BPE with any merge table of this package or of subword-nmt.

The merges decide everything, so the encoder needs to know nothing of the goodness measure they were
learned with.
"""

from dataclasses import dataclass, field
from typing import FrozenSet, List, Optional

from fairseq.data.encoders import register_bpe
from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from fairseq_subword_ext.encoders.options import (
    JOINS_AT_SIGNS,
    required_file,
    warn_about_post_process,
)
from fairseq_subword_ext.subword.glossary import read_literal_terms
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.restoring import line_restorer
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary

NAME = "generalized_bpe"


@dataclass
class GeneralizedBpeConfig(FairseqDataclass):
    """The options of ``--bpe generalized_bpe``; Fairseq asks for none unless the encoder is used."""

    bpe_codes: Optional[str] = field(
        default=None, metadata={"help": "codes file from learn-bpe (or subword-nmt, or fastBPE)"}
    )
    bpe_separator: str = field(
        default=SEPARATOR, metadata={"help": "separator that the training text was segmented with"}
    )
    bpe_vocabulary: Optional[str] = field(
        default=None,
        metadata={"help": "vocabulary file from get-vocab; no piece outside it is produced"},
    )
    bpe_vocabulary_threshold: Optional[int] = field(
        default=None, metadata={"help": "use the vocabulary's pieces that occur at least so often"}
    )
    bpe_glossaries: Optional[str] = field(
        default=None,
        metadata={"help": "regular expressions, separated by spaces, whose matches stay whole"},
    )
    bpe_glossary_file: Optional[str] = field(
        default=None, metadata={"help": "file with literal strings that stay whole, one a line"}
    )
    bpe_compat: Optional[ChoiceEnum(["subword-nmt"])] = field(
        default=None,
        metadata={"help": "subword-nmt: no escapes, for models trained on text without them"},
    )


@register_bpe(NAME, dataclass=GeneralizedBpeConfig)
class GeneralizedBpe:
    """Segments a line as ``fairseq-subword apply-bpe`` does with the same options, and undoes it."""

    def __init__(self, cfg: GeneralizedBpeConfig):
        """Reads the files.

        Raises:
            ValueError: naming the flag, where a file is missing or cannot be used.
        """
        codes = required_file(cfg.bpe_codes, "--bpe-codes", NAME, "codes from learn-bpe")
        table = MergeTable.load(codes)
        # OmegaConf may hand over the enumeration's member.
        compat = None if cfg.bpe_compat is None else str(cfg.bpe_compat)
        self._segmenter = Segmenter(
            table,
            cfg.bpe_separator,
            vocabulary=_vocabulary(cfg, compat),
            glossaries=_glossaries(cfg),
            compat=compat,
            # Fairseq splits lines there itself, and a carriage return that is left can be escaped.
            carriage_return="keep",
            # Using a finished model must not need a compiler.
            fallback=True,
        )
        joins = JOINS_AT_SIGNS if (table.unit, cfg.bpe_separator) == ("char", SEPARATOR) else ()
        warn_about_post_process(cfg, NAME, harmless=joins)
        if table.unit == "byte":
            self._restore = line_restorer("bbpe")
        else:
            self._restore = line_restorer(NAME, cfg.bpe_separator, compat)

    def encode(self, x: str) -> str:
        return self._segmenter.segment_line(x)

    def decode(self, x: str) -> str:
        return self._restore([x])[0]


def _vocabulary(cfg: GeneralizedBpeConfig, compat: Optional[str]) -> Optional[FrozenSet[str]]:
    if cfg.bpe_vocabulary is None:
        if cfg.bpe_vocabulary_threshold is not None:
            raise ValueError(
                f"--bpe {NAME}: --bpe-vocabulary-threshold needs --bpe-vocabulary FILE"
            )
        return None
    what = "a vocabulary from get-vocab"
    path = required_file(cfg.bpe_vocabulary, "--bpe-vocabulary", NAME, what)
    vocabulary = Vocabulary.load(path, escaped=compat is None)
    return vocabulary.tokens(cfg.bpe_vocabulary_threshold)


def _glossaries(cfg: GeneralizedBpeConfig) -> List[str]:
    terms = (cfg.bpe_glossaries or "").split()
    if cfg.bpe_glossary_file is not None:
        path = required_file(cfg.bpe_glossary_file, "--bpe-glossary-file", NAME, "a glossary")
        terms += read_literal_terms(path)
    return terms
