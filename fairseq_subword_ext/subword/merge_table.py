"""The merge table: BPE's ordered merge operations, on disk a *codes* file and CODES.json beside it.

CODES.json says how the table was learned and holds the alphabet; the codes file (its forms are in
:mod:`.codes_file`) holds nothing but merges, so that other tools read it.
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

# Metadata that is text wherever it is given.
_TEXTS = ("package_version", "dlg_counts", *sorted(set(_SIGNATURE.values()) - {"min_frequency"}))


@dataclass
class MergeTable:
    """An ordered list of merge operations.

    Attributes:
        merges: the pairs in their on-disk spelling, by rank, for example ``("e", "s</w>")``.
        unit: ``char`` or ``byte``.
        version: ``0.1``, ``0.2`` or ``byte-1``; see :mod:`.symbols`.
        metadata: what CODES.json says; empty where there is none. Learning fills in ``measure``,
            ``tie_break``, ``min_frequency``, ``dlg_counts``, ``borders`` (bytes only), ``merges_asked``, ``corpus`` (the
            inputs' names), ``corpus_sha256`` and ``alphabet`` (every base symbol of the training
            text, on-disk spelling, with its count).
    """

    merges: List[Merge]
    unit: str = "char"
    version: str = "0.2"
    metadata: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unit_of(self.version) != self.unit:
            raise ValueError(f"version {self.version} goes with unit {unit_of(self.version)}")

    @classmethod
    def load(cls, path: PathLike, merges: Optional[int] = None) -> "MergeTable":
        """Reads a codes file in any of its forms, and CODES.json where it lies beside it.

        Args:
            path: the codes file; ``-`` is standard input.
            merges: keep the first so many only; None for all.

        Raises:
            ValueError: with file and line, what was found and what it may be instead.
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
        """Reads the content of a codes file; ``path`` is for the messages."""
        version, merges = parse_codes(data, path)
        return cls(merges, unit_of(version), version)

    def save(self, path: PathLike, metadata_path: Optional[PathLike] = None) -> None:
        """Writes the codes file and the metadata, each whole or not at all.

        Args:
            path: the codes file; ``-`` is standard output.
            metadata_path: where the metadata goes; None for CODES.json beside the codes, or
                nowhere where the codes go to standard output.

        Raises:
            OSError: If a file cannot be written.
        """
        text = self.to_text()
        if metadata_path is None and str(path) != STANDARD_STREAM:
            metadata_path = metadata_path_of(path)
        # The metadata first: it names the codes it belongs to, so that an interrupted save leaves
        # old codes with metadata that is noticed to be of others, never the other way round.
        if metadata_path is not None:
            with atomic_text_writer(metadata_path) as stream:
                json.dump(self._facts(text), stream, ensure_ascii=False, indent=1)
                stream.write("\n")
        with atomic_text_writer(path) as stream:
            stream.write(text)

    def to_text(self) -> str:
        """The content of the codes file, always with its header."""
        return format_codes(self.version, self.merges)

    def signature(self) -> str:
        """How the table came about, in one line that can be quoted, in the manner of sacreBLEU."""
        metadata = self.metadata
        asked = metadata.get("merges_asked")
        facts: Dict[str, Any] = {
            "unit": self.unit,
            "marker": self.version,
            "merges": len(self) if asked is None else f"{len(self)}/{asked}",
        }
        facts.update((name, metadata.get(key)) for name, key in _SIGNATURE.items())
        if facts["sha256"] is not None:
            facts["sha256"] = facts["sha256"][:12]
        if metadata.get("measure", "").startswith("dlg"):
            facts["dlg-counts"] = metadata.get("dlg_counts", "tokens")
        facts["codes"] = short_digest(self.to_text().encode("utf-8"))
        return format_signature(facts, metadata.get("package_version", __version__))

    @property
    def alphabet(self) -> Optional[Dict[str, int]]:
        """Every base symbol of the training text with its count; None where nothing says so."""
        return self.metadata.get("alphabet")

    def __len__(self) -> int:
        return len(self.merges)

    def __iter__(self) -> Iterator[Merge]:
        return iter(self.merges)

    def _facts(self, text: str) -> Dict[str, Any]:
        facts = {
            "package_version": __version__,
            **self.metadata,
            "unit": self.unit,
            "marker_version": self.version,
            "merges_learned": len(self),
            "codes_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        }
        # The one long entry comes last, where a reader does not have to scroll past it.
        if "alphabet" in facts:
            facts["alphabet"] = facts.pop("alphabet")
        return facts


def metadata_path_of(path: PathLike) -> Path:
    """CODES.json for CODES."""
    return Path(f"{path}.json")


def _read_metadata(path: PathLike, data: bytes) -> Dict[str, Any]:
    """What lies beside the codes, where it belongs to them."""
    beside = metadata_path_of(path)
    if str(path) == STANDARD_STREAM or not beside.is_file():
        return {}
    try:
        metadata = json.loads(beside.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{beside}: this is no JSON ({error}); it should be what learn-bpe wrote with {path}: "
            "restore it, or delete it to use the codes alone"
        ) from error
    problem = _metadata_problem(metadata)
    if problem:
        raise ValueError(f"{beside}: {problem}; restore it, or delete it to use the codes alone")
    if metadata["codes_sha256"] != hashlib.sha256(data).hexdigest():
        logger.warning(
            "%s belongs to other codes than %s (the SHA-256 differs), so it is not used",
            beside,
            path,
        )
        return {}
    return metadata


def _metadata_problem(metadata: Any) -> Optional[str]:
    if not isinstance(metadata, dict) or not isinstance(metadata.get("codes_sha256"), str):
        return "this is not what learn-bpe writes: no codes_sha256 in it"
    for key in _TEXTS:
        if not isinstance(metadata.get(key, ""), str):
            return f"{key} is not text"
    alphabet = metadata.get("alphabet", {})
    if not isinstance(alphabet, dict) or not all(type(n) is int for n in alphabet.values()):
        return "the alphabet is no table of symbols and counts"
    return None
