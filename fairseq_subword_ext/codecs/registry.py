"""The registry of encodings: the one place that lists them and looks them up by name.

An encoding is a module with a :class:`.Codec` and one line here. The commands, Fairseq's encoders,
detection, statistics, packing and the recipes all use this registry, and only the encoding in use is
imported. A plug-in adds its own with :func:`register_encoding`.
"""

import importlib
from typing import Any, Callable, Dict, List, Optional, Type

from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.files import PathLike

_PACKAGE = "fairseq_subword_ext"

# Name -> module and class. Text of unknown encoding is tested in this order.
ENCODINGS: Dict[str, str] = {
    "byte_level": f"{_PACKAGE}.codecs.byte_level:ByteLevel",
    "bbpe": f"{_PACKAGE}.codecs.bbpe:ByteLevelBPE",
    "generalized_bpe": f"{_PACKAGE}.codecs.bpe:MergeTableCodec",
    "char_level": f"{_PACKAGE}.codecs.char_level:CharLevel",
}

# The forms that other tools write: --compat.
FORMS: Dict[str, Dict[str, str]] = {
    "subword-nmt": {"generalized_bpe": f"{_PACKAGE}.codecs.bpe:SubwordNmtCodec"},
    "fairseq": {
        "bbpe": f"{_PACKAGE}.codecs.fairseq_forms:FairseqByteBPE",
        "byte_level": f"{_PACKAGE}.codecs.fairseq_forms:FairseqBytes",
        "char_level": f"{_PACKAGE}.codecs.fairseq_forms:FairseqCharacters",
    },
}

# The baselines that BPE is compared with: written by segment-baseline, without an encoder for Fairseq.
BASELINES: Dict[str, str] = {
    "word": f"{_PACKAGE}.baselines.words:Words",
    "characters": f"{_PACKAGE}.baselines.char_ngrams:CharNgrams",
    "char-ngrams": f"{_PACKAGE}.baselines.char_ngrams:CharNgrams",
    "compounds": f"{_PACKAGE}.baselines.compounds:Compounds",
    "morfessor": f"{_PACKAGE}.baselines.morfs:Morfs",
    "hyphenation": f"{_PACKAGE}.baselines.hyphenation:Hyphenation",
}

# Notations that are read but never written.
READ_ONLY: Dict[str, str] = {
    "sentencepiece": f"{_PACKAGE}.codecs.plain_text:SentencePieceText",
    "words": f"{_PACKAGE}.codecs.plain_text:PlainWords",
}

_watchers: List[Callable[[str], None]] = []


def register_encoding(name: str, target: str) -> None:
    """Adds an encoding to every command and to Fairseq's ``--bpe``.

    Args:
        name: the encoding's name.
        target: ``module:class``, imported on first use.

    Raises:
        ValueError: If the name is taken.
    """
    if any(name in table for table in (ENCODINGS, BASELINES, READ_ONLY)):
        raise ValueError(f"an encoding named {name} exists already")
    ENCODINGS[name] = target
    for watcher in _watchers:
        watcher(name)


def for_each_encoding(watcher: Callable[[str], None]) -> None:
    """Calls a function with the name of every encoding, now and whenever one is added later."""
    _watchers.append(watcher)
    for name in list(ENCODINGS):
        watcher(name)


def forms_of(name: str) -> List[str]:
    """The names of the tools whose form of an encoding is supported."""
    return [compat for compat, forms in FORMS.items() if name in forms]


def codec_class(name: str, compat: Optional[str] = None) -> Type[Codec]:
    """Returns the class of an encoding.

    Args:
        name: one of :data:`ENCODINGS`.
        compat: the tool whose form to use; None for this package's.

    Raises:
        ValueError: If there is no such encoding, or no such form of it.
    """
    if name not in ENCODINGS:
        raise ValueError(f"encoder must be one of {', '.join(ENCODINGS)}, not {name!r}")
    if compat is None:
        return _load(ENCODINGS[name])
    if name not in FORMS.get(compat, {}):
        known = forms_of(name)
        raise ValueError(
            f"{name} has no compat {compat}" + (f", only {', '.join(known)}" if known else "")
        )
    return _load(FORMS[compat][name])


def make_codec(
    encoder: str,
    codes: Optional[PathLike] = None,
    compat: Optional[str] = None,
    **options: Any,
) -> Codec:
    """Makes a codec from an encoding's name and options.

    Args:
        encoder: one of :data:`ENCODINGS`.
        codes: for ``generalized_bpe`` and ``bbpe``, a codes file; for ``bbpe`` also a SentencePiece
            model of byte text.
        compat: ``subword-nmt`` or ``fairseq`` to reproduce these tools; None for the lossless codec.
        options: further fields of the codec's ``Options``: ``errors``, ``separator``, ...

    Raises:
        ValueError: If a name is unknown, or an option is missing, unknown or invalid.
        OSError: If a file cannot be read.
        ImportError: If codes need the compiled core and it has not been built.
    """
    if codes is not None:
        options["codes"] = codes
    return codec_class(encoder, compat)(**options)


def notation_of(name: str, separator: str = SEPARATOR, compat: Optional[str] = None) -> Notation:
    """Returns the notation of an encoding, a baseline or another tool.

    Args:
        name: one of :func:`readable`, or a baseline.
        separator: the separator of ``@@`` text.
        compat: as for :func:`codec_class`.

    Raises:
        ValueError: If there is no such notation, or the separator is invalid.
    """
    if name in ENCODINGS:
        return codec_class(name, compat).reads(separator)
    target = {**BASELINES, **READ_ONLY}.get(name)
    if target is None or compat is not None:
        raise ValueError(
            f"encoder must be one of {', '.join(readable())}, not {name!r}"
            + (f" with compat {compat}" if compat else "")
        )
    return _load(target).reads(separator)


def readable() -> List[str]:
    """The names of all notations that can be read, except the baselines, which share one."""
    return [*ENCODINGS, *READ_ONLY]


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
