"""The merge table: BPE's ordered merge operations, stored as a *codes* file with CODES.json next to it.

CODES.json records how the table was learned and its alphabet. The codes file (see :mod:`.codes_file`)
contains only merges, so that other tools can read it.
"""

import hashlib
import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from fairseq_subword_ext.subword.codes_file import Merge, format_codes, parse_codes
from fairseq_subword_ext.subword.signature import format_signature, short_digest
from fairseq_subword_ext.subword.symbols import unit_of
from fairseq_subword_ext.textio.errors import whole_number
from fairseq_subword_ext.textio.files import (
    STANDARD_STREAM,
    PathLike,
    atomic_text_writer,
    binary_reader,
)
from fairseq_subword_ext.version import __version__

logger = logging.getLogger(__name__)

# Signature name -> metadata key, in the signature's order.
_SIGNATURE = {
    "measure": "measure",
    "ties": "tie_break",
    "min": "min_frequency",
    "borders": "borders",
    "corpus": "corpus",
    "sha256": "corpus_sha256",
    "transliterate": "transliterate",
}

# Metadata entries that must be strings if present.
_TEXTS = ("package_version", "dlg_counts", *sorted(set(_SIGNATURE.values()) - {"min_frequency"}))


@dataclass
class MergeTable:
    """An ordered list of merge operations.

    Attributes:
        merges: the pairs in their on-disk spelling, by rank, for example ``("e", "s</w>")``.
        unit: ``char`` or ``byte``.
        version: ``0.1``, ``0.2`` or ``byte-1``; see :mod:`.symbols`.
        metadata: the content of CODES.json; empty if there is none. Learning sets ``measure``,
            ``tie_break``, ``min_frequency``, ``dlg_counts`` (dlg only), ``borders`` (bytes only),
            ``merges_asked``, ``corpus`` (the inputs' names), ``corpus_sha256`` and ``alphabet`` (every
            base symbol of the training text, in on-disk spelling, with its count).
    """

    merges: List[Merge]
    unit: str = "char"
    version: str = "0.2"
    metadata: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unit_of(self.version) != self.unit:
            raise ValueError(
                f"version {self.version} needs unit {unit_of(self.version)!r}, not {self.unit!r}"
            )

    @classmethod
    def load(cls, path: PathLike, merges: Optional[int] = None) -> "MergeTable":
        """Reads a codes file in any of its formats, and CODES.json if it is next to it.

        Args:
            path: the codes file; ``-`` is standard input.
            merges: number of merges to keep, from the first; None for all.

        Raises:
            ValueError: If a file is invalid; says in which line, what was found, and what the file may be
                instead.
            OSError: If a file cannot be read.
        """
        if merges is not None:
            merges = whole_number("the number of merges to use", merges)
        with binary_reader(path) as stream:
            data = stream.read()
        table = cls.parse(data, path)
        table.metadata = _read_metadata(path, data)
        if merges is not None:
            del table.merges[merges:]
        return table

    @classmethod
    def parse(cls, data: bytes, path: PathLike = "codes") -> "MergeTable":
        """Parses the content of a codes file; ``path`` is for messages."""
        version, merges = parse_codes(data, path)
        return cls(merges, unit_of(version), version)

    def save(self, path: PathLike, metadata_path: Optional[PathLike] = None) -> None:
        """Writes the codes file and the metadata, each atomically.

        Args:
            path: the codes file; ``-`` is standard output.
            metadata_path: the file for the metadata; None for CODES.json next to the codes, or for no
                metadata if the codes go to standard output.

        Raises:
            OSError: If a file cannot be written.
        """
        text = self.to_text()
        if metadata_path is None and str(path) != STANDARD_STREAM:
            metadata_path = metadata_path_of(path)
        # Metadata first: it contains the digest of its codes, so after an interrupted save the old
        # codes have metadata that is recognized as not theirs.
        if metadata_path is not None:
            with atomic_text_writer(metadata_path) as stream:
                json.dump(self._stored_metadata(text), stream, ensure_ascii=False, indent=1)
                stream.write("\n")
        with atomic_text_writer(path) as stream:
            stream.write(text)

    def to_text(self) -> str:
        """Returns the content of the codes file, always with its header."""
        return format_codes(self.version, self.merges)

    def signature(self) -> str:
        """Returns one quotable line that says how the table was learned, like sacreBLEU's signatures."""
        metadata = self.metadata
        asked = metadata.get("merges_asked")
        entries: Dict[str, Any] = {
            "unit": self.unit,
            "marker": self.version,
            "merges": len(self) if asked is None else f"{len(self)}/{asked}",
        }
        entries.update((name, metadata.get(key)) for name, key in _SIGNATURE.items())
        if entries["sha256"] is not None:
            entries["sha256"] = entries["sha256"][:12]
        if metadata.get("measure", "").startswith("dlg"):
            entries["dlg-counts"] = metadata.get("dlg_counts", "tokens")
        entries["codes"] = short_digest(self.to_text().encode("utf-8"))
        return format_signature(entries, metadata.get("package_version", __version__))

    @property
    def alphabet(self) -> Optional[Dict[str, int]]:
        """Every base symbol of the training text with its count; None if unknown."""
        return self.metadata.get("alphabet")

    def __len__(self) -> int:
        return len(self.merges)

    def __iter__(self) -> Iterator[Merge]:
        return iter(self.merges)

    def _stored_metadata(self, text: str) -> Dict[str, Any]:
        stored = {
            "package_version": __version__,
            **self.metadata,
            "unit": self.unit,
            "marker_version": self.version,
            "merges_learned": len(self),
            "codes_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        }
        # The alphabet is long, so it comes last.
        if "alphabet" in stored:
            stored["alphabet"] = stored.pop("alphabet")
        return stored


def metadata_path_of(path: PathLike) -> Path:
    """The path of CODES.json for CODES."""
    return Path(f"{path}.json")


def _read_metadata(path: PathLike, data: bytes) -> Dict[str, Any]:
    """Reads CODES.json; empty if there is none, or it belongs to other codes."""
    beside = metadata_path_of(path)
    if str(path) == STANDARD_STREAM or not beside.is_file():
        return {}
    try:
        metadata = json.loads(beside.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{beside}: not valid JSON ({error}); expected the file that learn-bpe wrote with {path}: "
            "restore it, or delete it to use the codes alone"
        ) from error
    problem = _metadata_problem(metadata)
    if problem:
        raise ValueError(f"{beside}: {problem}; restore it, or delete it to use the codes alone")
    if metadata["codes_sha256"] != hashlib.sha256(data).hexdigest():
        logger.warning(
            "%s does not belong to the codes %s (the SHA-256 differs), so it is ignored",
            beside,
            path,
        )
        return {}
    return metadata


def _metadata_problem(metadata: Any) -> Optional[str]:
    if not isinstance(metadata, dict) or not isinstance(metadata.get("codes_sha256"), str):
        return "not written by learn-bpe: it has no codes_sha256"
    for key in _TEXTS:
        if not isinstance(metadata.get(key, ""), str):
            return f"{key} is not a string"
    alphabet = metadata.get("alphabet", {})
    if not isinstance(alphabet, dict) or not all(type(n) is int for n in alphabet.values()):
        return "the alphabet does not map symbols to counts"
    return None
