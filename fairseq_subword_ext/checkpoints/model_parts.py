"""Which files make up a model."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from fairseq_subword_ext.subword.codes_file import parse_codes
from fairseq_subword_ext.subword.sentencepiece_model import is_sentencepiece_model
from fairseq_subword_ext.subword.symbols import unit_of

NO_ENCODER = "none"  # Fairseq reads text that is already segmented


@dataclass
class ModelParts:
    """The parts of a model that go into the archive.

    Attributes:
        checkpoints: one, or several for an ensemble.
        data: folders to search for the dictionaries; the first that has them is used.
        encoder: Fairseq's ``--bpe``, or ``none``.
        codes: the encoder's codes; None for bytes and characters.
        target_codes: codes of the target side, if it has its own.
        source_lang: for a model trained without a language pair; None to infer it.
        target_lang: likewise.
        encoder_options: more options of the encoder, by name.
        generate: fairseq-generate flags that the scores were computed with.
        scores: JSON files with scores.
        more: other files that a user of the model needs, such as counts for truecasing.
        about: anything else known about the model, for the manifest.
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
    """Parts given one by one; the encoder is detected from the codes unless it is given.

    Raises:
        ValueError: If the encoder cannot be detected, or a file is missing.
    """
    if codes is not None:
        existing(codes, "--codes", "what learn-bpe writes")
    if target_codes is not None:
        existing(target_codes, "--target-codes", "codes, too")
    encoder = bpe or (codes and encoder_for(codes))
    if not encoder:
        raise ValueError(
            "--bpe NAME: say how the text is segmented (generalized_bpe, bbpe, byte_level, char_level; "
            f"{NO_ENCODER} if Fairseq reads segmented text), with --codes FILE for the first two"
        )
    return ModelParts(list(checkpoints), [], encoder, codes, target_codes)


def encoder_for(codes: Path) -> str:
    """The encoder that codes are for; a SentencePiece model here always has byte symbols."""
    data = codes.read_bytes()
    if is_sentencepiece_model(data):
        return "bbpe"
    version, _ = parse_codes(data, codes)
    return "bbpe" if unit_of(version) == "byte" else "generalized_bpe"


def existing(path: Path, flag: str, what: str, folder: bool = False) -> Path:
    """Returns the path if it exists.

    Raises:
        ValueError: If it does not exist; the message says what was expected.
    """
    if not (path.is_dir() if folder else path.is_file()):
        raise ValueError(
            f"{flag} {path}: there is no such {'folder' if folder else 'file'} ({what})"
        )
    return path


def option_of(text: str) -> Tuple[str, str]:
    """Parses KEY=VALUE, where the key is an encoder flag without dashes.

    Raises:
        ValueError: If the text has another form.
    """
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--bpe-option {text}: expected KEY=VALUE, such as bpe_separator=@@")
    return key.lstrip("-").replace("-", "_"), value
