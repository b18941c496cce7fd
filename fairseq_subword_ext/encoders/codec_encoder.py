"""Registers every encoding as ``--bpe NAME``, with Fairseq's interface to its codec."""

from dataclasses import field, make_dataclass
from typing import Any, Dict, Optional

from fairseq.data.encoders import register_bpe
from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from fairseq_subword_ext.codecs.registry import (
    ENCODINGS,
    codec_class,
    for_each_encoding,
    forms_of,
    make_codec,
)
from fairseq_subword_ext.encoders.options import (
    JOINS_AT_SIGNS,
    required_file,
    warn_about_lengths,
    warn_about_post_process,
)
from fairseq_subword_ext.subword.options import flags_of
from fairseq_subword_ext.subword.symbols import SEPARATOR

PREFIX = "bpe_"


class CodecEncoder:
    """Encodes lines as ``fairseq-subword apply-bpe --encoder NAME`` does, and decodes them.

    Args:
        cfg: the encoder's configuration, as Fairseq passes it.

    Raises:
        ValueError: If an option is missing or cannot be used; names the flag.
        OSError: If a file cannot be read.
    """

    name: str

    def __init__(self, cfg: Any):
        self._codec = codec_of(self.name, cfg)
        notation = self._codec.notation
        joined = notation.separator == SEPARATOR
        warn_about_post_process(cfg, self.name, harmless=JOINS_AT_SIGNS if joined else ())
        if notation.single:
            warn_about_lengths(cfg, self.name)

    def encode(self, x: str) -> str:
        return self._codec.encode(x)

    def decode(self, x: str) -> str:
        return self._codec.decode(x)


def codec_of(name: str, cfg: Any):
    """Makes the codec of an encoding from Fairseq's options.

    Raises:
        ValueError, OSError: As :class:`CodecEncoder`.
    """
    return make_codec(**codec_arguments(name, cfg))


def codec_arguments(name: str, cfg: Any) -> Dict[str, Any]:
    """The arguments of :func:`.make_codec` that Fairseq's options stand for.

    Raises:
        ValueError: If an option is missing or cannot be used; names the flag.
    """
    # OmegaConf may pass a member of the enumeration.
    compat = None if cfg.bpe_compat is None else str(cfg.bpe_compat)
    codec = codec_class(name, compat)
    given: Dict[str, Any] = {}
    for option, each in flags_of(codec.Options, "fairseq").items():
        value = getattr(cfg, PREFIX + option)
        if value is None or (each.metadata["is_file"] and not value):
            continue
        if each.metadata["is_file"]:
            value = required_file(value, flag(option), each.metadata["help"])
        elif each.metadata["nargs"]:
            value = tuple(value.split())
        elif each.metadata["choices"]:
            value = str(value)
        given[option] = value
    codec.check(given, f"--bpe {name}", flag)
    # Using a finished model must not need a compiler.
    return {"encoder": name, "compat": compat, "fallback": True, **given}


def encoding_of_run(bpe_cfg: Any) -> Dict[str, Any]:
    """The arguments of :func:`.make_codec` for the ``--bpe`` of a run that reads raw text.

    Args:
        bpe_cfg: the ``bpe`` section of the run's configuration.

    Raises:
        ValueError: If there is none, it is not an encoder of this package, or an option is missing.
    """
    name = getattr(bpe_cfg, "_name", None)
    if name not in ENCODINGS:
        found = "no --bpe is given" if name is None else f"it cannot use --bpe {name}"
        raise ValueError(
            f"--from-text segments text with --bpe {', '.join(ENCODINGS)}, but {found} (for codes of "
            "subword-nmt: --bpe generalized_bpe --bpe-compat subword-nmt)"
        )
    return codec_arguments(name, bpe_cfg)


def flag(option: str) -> str:
    """The option as users type it for Fairseq."""
    return f"--{PREFIX}{option}".replace("_", "-")


def config_class(name: str) -> type:
    """The dataclass of an encoder's options, all optional, since Fairseq adds them to every run."""
    fields = []
    for option, each in flags_of(codec_class(name).Options, "fairseq").items():
        declared = each.metadata
        kind = ChoiceEnum(list(declared["choices"])) if declared["choices"] else declared["type"]
        help = declared["help"] + (" (separated by spaces)" if declared["nargs"] else "")
        metadata = {"help": help}
        fields.append((PREFIX + option, Optional[kind], field(default=None, metadata=metadata)))
    forms = forms_of(name)
    help = "reproduce this tool exactly, for models trained on its output"
    kind = ChoiceEnum(forms) if forms else str
    fields.append((f"{PREFIX}compat", Optional[kind], field(default=None, metadata={"help": help})))
    return make_dataclass(f"{name}_options", fields, bases=(FairseqDataclass,))


def register_encoder(name: str) -> None:
    """Registers an encoding with Fairseq.

    Raises:
        ValueError: If Fairseq already has an encoder of this name.
    """
    members = {"name": name, "__module__": __name__, "__doc__": CodecEncoder.__doc__}
    encoder = type(f"{name}_encoder", (CodecEncoder,), members)
    register_bpe(name, dataclass=config_class(name))(encoder)


for_each_encoding(register_encoder)
