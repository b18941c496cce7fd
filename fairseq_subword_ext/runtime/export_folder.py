"""The folder of an exported model: its fixed file names, its settings, and what is checked of them.

An export may come from anybody, so it is treated as data. The files have fixed names, so that the
settings hold no path; they must lie in the folder themselves; every setting has a type and a range.
"""

import json
from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.codecs.registry import ENCODINGS
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, read_text_lines

FORMAT = 1
SETTINGS = "settings.json"
ENCODER = "encoder.onnx"
DECODER = "decoder.onnx"
SOURCE_DICTIONARY = "dict.source.txt"
TARGET_DICTIONARY = "dict.target.txt"
CODES = "codes"
CODES_METADATA = "codes.json"
VOCABULARY = "vocabulary"
GLOSSARY = "glossary"

# Fairseq's own symbols, which a dictionary file does not list.
CONTROL_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
PAD, EOS, UNK = 1, 2, 3

NO_ENCODING = "none"
COMPAT = ("subword-nmt", "fairseq")
PRECISIONS = ("float32", "int8")
# Beyond any dictionary, sentence or network that exists, and small enough to allocate.
LARGEST = 1 << 24


@dataclass(frozen=True)
class ExportSettings:
    """What the runtime has to know of a model beside its files.

    Attributes:
        format: of the folder.
        encoding: how text becomes symbols: one of ``ENCODINGS``, or ``none`` for segmented text.
        compat: of the encoding; None for this package's own form.
        errors: of the encoding, for text that it cannot hold: ``strict`` or ``replace``.
        separator: of ``generalized_bpe``.
        glossaries: of ``generalized_bpe``: expressions, separated by spaces, whose matches stay whole.
        vocabulary_threshold: of ``generalized_bpe``, if the folder holds a vocabulary.
        source_symbols, target_symbols: sizes of the dictionaries, control symbols included.
        source_positions, target_positions: the longest source and target, ``</s>`` included.
        language_token: Each source begins with ``<lang:xx>``.
        hides_language_tokens: Outputs never hold ``<lang:xx>``.
        max_len_a, max_len_b: the default limit on outputs.
        beam, lenpen, unnormalized, unkpen, min_len: defaults of the search.
        precision: one of ``PRECISIONS``.
        layers, heads: of the decoder.
        made_by: the version that wrote the folder.
    """

    encoding: str
    source_symbols: int
    target_symbols: int
    source_positions: int
    target_positions: int
    layers: int
    heads: int
    compat: Optional[str] = None
    errors: str = "strict"
    separator: str = "@@"
    glossaries: str = ""
    vocabulary_threshold: Optional[int] = None
    language_token: bool = False
    hides_language_tokens: bool = False
    max_len_a: float = 0.0
    max_len_b: int = 200
    beam: int = 5
    lenpen: float = 1.0
    unnormalized: bool = False
    unkpen: float = 0.0
    min_len: int = 1
    precision: str = "float32"
    made_by: str = ""
    format: int = FORMAT

    def save(self, folder: Path) -> None:
        """Writes the settings into a folder.

        Raises:
            OSError: If the file cannot be written.
        """
        with atomic_text_writer(folder / SETTINGS) as stream:
            json.dump(asdict(self), stream, indent=1, ensure_ascii=False)
            stream.write("\n")

    @classmethod
    def load(cls, folder: Path) -> "ExportSettings":
        """Reads and checks the settings of a folder.

        Raises:
            ValueError: If they are not settings of an export, or of a newer format.
            OSError: If the file cannot be read.
        """
        path = file_of(folder, SETTINGS)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not JSON ({error})") from None
        if not isinstance(found, dict) or not isinstance(found.get("format"), int):
            raise ValueError(f"{path}: not the settings of an exported model")
        if found["format"] != FORMAT:
            raise ValueError(
                f"{path}: the export has format {found['format']}, and this version reads {FORMAT}; "
                "export the model again, or use the version that wrote it"
            )
        try:
            return cls(**_checked(cls, found))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _checked(cls, found: Dict[str, Any]) -> Dict[str, Any]:
    known = {field.name: field for field in fields(cls)}
    for name in found:
        if name not in known:
            raise ValueError(f"unknown setting {name[:40]!r}")
    for name, field in known.items():
        if name not in found and field.default is MISSING:
            raise ValueError(f"no setting {name}")
    for name, choices in _CHOICES.items():
        if name in found and not _is_one_of(found[name], choices):
            shown = ", ".join(map(str, choices))
            raise ValueError(f"{name} must be one of {shown}, not {str(found[name])[:40]!r}")
    for name, least in _AT_LEAST.items():
        value = found.get(name, least)
        if value is None and known[name].default is None:
            continue
        if type(value) is not int or not least <= value <= LARGEST:
            raise ValueError(
                f"{name} must be a number from {least} to {LARGEST}, not {value!r:.40}"
            )
    for name in ("max_len_a", "lenpen", "unkpen"):
        value = found.get(name, 0)
        if type(value) not in (int, float) or not -1000 <= value <= 1000:
            raise ValueError(f"{name} must be a number, not {value!r:.40}")
    for name in ("separator", "glossaries", "made_by"):
        if not isinstance(found.get(name, ""), str):
            raise ValueError(f"{name} must be text, not {found[name]!r:.40}")
    return found


def _is_one_of(value: Any, choices: Sequence[Any]) -> bool:
    """Whether a value is among the choices; 1 is not True here."""
    return any(type(value) is type(choice) and value == choice for choice in choices)


_CHOICES = {
    "encoding": (*ENCODINGS, NO_ENCODING),
    "compat": (None, *COMPAT),
    "errors": ("strict", "replace"),
    "precision": PRECISIONS,
    "language_token": (False, True),
    "hides_language_tokens": (False, True),
    "unnormalized": (False, True),
}
_AT_LEAST = {
    "source_symbols": len(CONTROL_SYMBOLS),
    "target_symbols": len(CONTROL_SYMBOLS),
    "source_positions": 1,
    "target_positions": 1,
    "layers": 1,
    "heads": 1,
    "vocabulary_threshold": 0,
    "max_len_b": 0,
    "beam": 1,
    "min_len": 0,
}


def file_of(folder: PathLike, name: str) -> Path:
    """A file of an export.

    Raises:
        ValueError: If it is missing, is no regular file, or is a link that leads out of the folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder}: expected a folder that export-model wrote")
    path = folder / name
    if not path.is_file():
        raise ValueError(f"{folder}: no {name} in it; expected a folder that export-model wrote")
    if path.resolve().parent != folder.resolve():
        raise ValueError(f"{path}: a link that leads out of the folder")
    return path


def optional_file_of(folder: PathLike, name: str) -> Optional[Path]:
    """A file that an export may have, or None.

    Raises:
        ValueError: as :func:`file_of`.
    """
    path = Path(folder) / name
    return file_of(folder, name) if path.exists() or path.is_symlink() else None


def read_dictionary(folder: PathLike, name: str, size: int) -> List[str]:
    """The symbols of a dictionary file in the order of their ids.

    Args:
        folder: of the export.
        name: of the file.
        size: the number of symbols that there must be.

    Raises:
        ValueError: If a line is no entry, a symbol comes twice, or there are fewer or more.
        OSError: If the file cannot be read.
    """
    path = file_of(folder, name)
    symbols = list(CONTROL_SYMBOLS)
    for number, line in enumerate(read_text_lines(path), 1):
        symbol, separator, count = line.rpartition(" ")
        if not separator or not symbol or not count.isdigit():
            raise ValueError(f"{path}:{number}: expected a symbol and its count")
        symbols.append(symbol)
    if len(symbols) != size:
        raise ValueError(
            f"{path}: {len(symbols):,} symbols, Fairseq's own included, and the model has {size:,}"
        )
    if len(set(symbols)) != size:
        raise ValueError(f"{path}: a symbol is listed twice")
    return symbols
