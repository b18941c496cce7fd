"""The folder of an exported model: fixed file names, settings, and the checks on them.

An export may come from anyone, so it is treated as untrusted data. File names are fixed, so the settings
hold no paths; the files must be in the folder itself, not links out of it; every setting has a type and
a range.
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

# Fairseq's control symbols, which a dictionary file does not list.
CONTROL_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
PAD, EOS, UNK = 1, 2, 3

NO_ENCODING = "none"
COMPAT = ("subword-nmt", "fairseq")
PRECISIONS = ("float32", "int8")
# Larger than any real dictionary, sentence or network, yet small enough to allocate.
LARGEST = 1 << 24


@dataclass(frozen=True)
class ExportSettings:
    """The settings of an exported model, stored beside its files.

    Attributes:
        format: version of the folder's layout.
        encoding: how text becomes symbols: one of ``ENCODINGS``, or ``none`` for segmented text.
        compat: the encoding's compatibility mode; None for this package's own form.
        errors: how the encoding treats text that it cannot represent: ``strict`` or ``replace``.
        separator: the separator of ``generalized_bpe``.
        glossaries: for ``generalized_bpe``: space-separated expressions whose matches stay whole.
        vocabulary_threshold: for ``generalized_bpe``, if the folder has a vocabulary.
        source_symbols, target_symbols: sizes of the dictionaries, control symbols included.
        source_positions, target_positions: maximum source and target lengths, ``</s>`` included.
        language_token: whether each source begins with ``<lang:xx>``.
        hides_language_tokens: whether outputs never contain ``<lang:xx>``.
        max_len_a, max_len_b: default limit on the output length.
        beam, lenpen, unnormalized, unkpen, min_len: defaults of the search.
        precision: one of ``PRECISIONS``.
        layers, heads: numbers of decoder layers and attention heads.
        made_by: the package version that wrote the folder.
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
            ValueError: If they are not an export's settings, or have a newer format.
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
            raise ValueError(f"the setting {name} is missing")
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
    """Whether a value is one of the choices; 1 does not count as True."""
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
    """The path of a file of an export.

    Raises:
        ValueError: If it is missing, is not a regular file, or links to outside the folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder}: expected a folder that export-model wrote")
    path = folder / name
    if not path.is_file():
        raise ValueError(f"{folder}: no {name} in it; expected a folder that export-model wrote")
    if path.resolve().parent != folder.resolve():
        raise ValueError(f"{path}: this link leads out of the folder")
    return path


def optional_file_of(folder: PathLike, name: str) -> Optional[Path]:
    """The path of an optional file of an export, or None.

    Raises:
        ValueError: As for :func:`file_of`.
    """
    path = Path(folder) / name
    return file_of(folder, name) if path.exists() or path.is_symlink() else None


def read_dictionary(folder: PathLike, name: str, size: int) -> List[str]:
    """Reads the symbols of a dictionary file in the order of their ids.

    Args:
        folder: the export folder.
        name: name of the file.
        size: expected number of symbols, control symbols included.

    Raises:
        ValueError: If a line is malformed, a symbol is listed twice, or the size differs.
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
