"""Which files make up a model."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from fairseq_subword_ext.subword.codes_file import parse_codes
from fairseq_subword_ext.subword.symbols import unit_of

NO_ENCODER = "none"  # the text is segmented before Fairseq reads it


@dataclass
class ModelParts:
    """What goes into the archive.

    Attributes:
        checkpoints: one, or those of an ensemble.
        data: folders that may hold the dictionaries; the first that does is used.
        encoder: Fairseq's ``--bpe``, or ``none``.
        codes: those of the encoder; None for bytes and characters.
        target_codes: the target side's, where it has its own.
        source_lang: for a model that was trained without a language pair; None to infer it.
        target_lang: likewise.
        encoder_options: further options of the encoder, by name.
        generate: flags of fairseq-generate that the scores were computed with.
        scores: JSON files.
        more: further files that a user of the model needs, such as counts for truecasing.
        about: what is known of the model besides its files, for the manifest.
    """

    checkpoints: List[Path]
    data: List[Path]
    encoder: str
    codes: Optional[Path] = None
    target_codes: Optional[Path] = None
    source_lang: Optional[str] = None
    target_lang: Optional[str] = None
    encoder_options: Dict[str, str] = field(default_factory=dict)
    generate: str = ""
    scores: List[Path] = field(default_factory=list)
    more: List[Path] = field(default_factory=list)
    about: Dict[str, str] = field(default_factory=dict)


def parts_of_files(
    checkpoints: List[Path],
    bpe: Optional[str] = None,
    codes: Optional[Path] = None,
    target_codes: Optional[Path] = None,
) -> ModelParts:
    """Those that are given one by one; the encoder is detected from the codes unless it is given.

    Raises:
        ValueError: If the encoder cannot be inferred, or a file is missing.
    """
    if codes is not None:
        existing(codes, "--codes", "what learn-bpe writes")
    if target_codes is not None:
        existing(target_codes, "--target-codes", "codes, too")
    encoder = bpe or (codes and encoder_for(codes))
    if not encoder:
        raise ValueError(
            "--bpe NAME: say how the text is segmented (generalized_bpe, bbpe, byte_level, char_level; "
            f"{NO_ENCODER} where Fairseq gets segmented text), with --codes FILE for the first two"
        )
    return ModelParts(list(checkpoints), [], encoder, codes, target_codes)


def encoder_for(codes: Path) -> str:
    """The encoder that codes are for; a SentencePiece model is one of bytes here."""
    data = codes.read_bytes()
    if b"\0" in data:
        return "bbpe"
    version, _ = parse_codes(data, codes)
    return "bbpe" if unit_of(version) == "byte" else "generalized_bpe"


def existing(path: Path, flag: str, what: str, folder: bool = False) -> Path:
    """The path itself, checked.

    Raises:
        ValueError: If it does not exist; the message says what it has to be.
    """
    if not (path.is_dir() if folder else path.is_file()):
        raise ValueError(
            f"{flag} {path}: there is no such {'folder' if folder else 'file'} ({what})"
        )
    return path


def option_of(text: str) -> Tuple[str, str]:
    """KEY=VALUE, the key as the name of the encoder's flag without its dashes.

    Raises:
        ValueError: If the text has another form.
    """
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--bpe-option {text}: expected KEY=VALUE, such as bpe_separator=@@")
    return key.lstrip("-").replace("-", "_"), value
