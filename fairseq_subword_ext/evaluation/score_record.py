"""The scores of systems, and the file that stores them (``fairseq-subword score --json``).

The file is one JSON object::

    {
      "format": "fairseq-subword scores 2",
      "reference": {"file": "test.en", "lines": 2000, "sha256": "..."},
      "baseline": "none",                  the system that the others are compared to
      "systems": [                         in the order of the command line
        {
          "name": "gru",
          "file": "gru.out",
          "read_as": "D-",                 "text", or the kind of Fairseq's lines that was read: "D-", "H-"
          "lines": 2000,
          "settings": {"merges": 10000, "context": "gru"},           --set KEY=VALUE
          "scores": {"BLEU": 27.1, "chrF3": 50.2, "chrF": 51.0},     0 to 100, not rounded
          "signatures": {"BLEU": "nrefs:1|...", ...},                the same keys as scores
          "lengths": {"words": 40100, "reference_words": 40300, "ratio": 0.995, ...},
          "words": {"all": {"f1": 58.5, "precision": 60.1, ...}, "rare": ..., "oov": ...},
          "copies": {"lines": 12, "words": {"all": {"copied": 3100, "correct": 2800}, ...}},
          "ranks": [{"first": 1, "last": 1, "f1": 90.2, ...}, {"first": 2, "last": 3, ...}, ...]
        }
      ],
      "significance": [
        {"test": "sign", "metric": "BLEU", "system": "gru", "baseline": "none", "p": 0.003,
         "better": true, "mark": "++", "details": "..."}
      ]
    }

``words`` has ``rare`` (or ``rare_or_oov``) and ``oov`` only if training text was given; without it
``ranks`` is null (with it, OOV words come last, with null ranks). ``copies`` is null without a source,
and undefined values (the F1 of words that occur nowhere) are null. The fields of each part are those of
the data classes below, of :mod:`~fairseq_subword_ext.evaluation.word_f1` and of
:mod:`~fairseq_subword_ext.evaluation.rank_f1`. ``--segment-scores`` stay on their metric's own scale.

Format 1, which can still be read, had no ranks, and its ``rare`` words included OOV words.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from fairseq_subword_ext.evaluation.word_f1 import RARE, RARE_OR_OOV
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, binary_reader

FORMAT = "fairseq-subword scores 2"
_FORMAT_1 = "fairseq-subword scores 1"

BLEU, CHRF3, CHRF2, TOKENIZED_BLEU = "BLEU", "chrF3", "chrF", "tokenized BLEU"
# These range from 0 to 100; other tools' scores have their own scales.
METRICS = (BLEU, CHRF3, CHRF2, TOKENIZED_BLEU)

Setting = Union[str, int, float]


def shown_digits(metric: str) -> int:
    """Number of decimals to show of a score."""
    return 2 if metric in METRICS else 4


@dataclass
class SystemRecord:
    """One system's scores.

    Attributes:
        name: the name shown in tables.
        file: the file that was read.
        read_as: "text", "D-" or "H-".
        lines: number of lines scored.
        settings: the user's description of the system, such as its number of merges.
        scores: scores by metric, from 0 to 100, or on the metric's own scale for ``--segment-scores``.
        signatures: signatures by metric.
        lengths: words and characters in the output and the reference.
        words: unigram precision, recall and F1 by word class.
        copies: lines and words copied from the source.
        ranks: unigram precision, recall and F1 by group of frequency ranks.
    """

    name: str
    file: str
    read_as: str
    lines: int
    settings: Dict[str, Setting] = field(default_factory=dict)
    scores: Dict[str, float] = field(default_factory=dict)
    signatures: Dict[str, str] = field(default_factory=dict)
    lengths: Dict[str, Any] = field(default_factory=dict)
    words: Dict[str, Any] = field(default_factory=dict)
    copies: Optional[Dict[str, Any]] = None
    ranks: Optional[List[Dict[str, Any]]] = None


@dataclass
class SignificanceRecord:
    """One test of one system against the baseline.

    Attributes:
        test: one of :data:`~fairseq_subword_ext.evaluation.significance.TESTS`.
        metric: the metric whose scores are compared.
        system, baseline: names of the systems.
        p: two-sided p-value.
        better: whether the system is better than the baseline; None if they are equal.
        mark: ``++`` at p < 0.01 and ``+`` at p < 0.05 if the system is better, ``--`` and ``-`` if it
            is worse, else empty.
        details: the test's signature, or its counts.
    """

    test: str
    metric: str
    system: str
    baseline: str
    p: float
    better: Optional[bool]
    mark: str
    details: str


@dataclass
class ScoreRecord:
    """All results of one call of ``score``.

    Attributes:
        reference: file, number of lines and SHA-256 of the reference; empty for joined records whose
            references differ.
        systems: the systems, in the order given.
        baseline: name of the system that others are compared to; None if nothing was compared.
        significance: the significance tests.
    """

    reference: Dict[str, Any]
    systems: List[SystemRecord]
    baseline: Optional[str] = None
    significance: List[SignificanceRecord] = field(default_factory=list)

    def save(self, path: PathLike) -> None:
        """Writes the record as JSON, atomically.

        Raises:
            OSError: If the file cannot be written.
        """
        with atomic_text_writer(path) as stream:
            stream.write(self.to_json())

    def to_json(self) -> str:
        """The record as JSON, as described at the top of this module."""
        content = {"format": FORMAT, **asdict(self)}
        return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: PathLike) -> "ScoreRecord":
        """Reads a file written by :meth:`save`.

        Raises:
            ValueError: If the file is not such a record.
            OSError: If it cannot be read.
        """
        with binary_reader(path) as stream:
            data = stream.read()
        try:
            content = json.loads(data)
            file_format = content.pop("format")
            if file_format == _FORMAT_1:
                _update_from_1(content)
            elif file_format != FORMAT:
                raise ValueError("another format")
            content["systems"] = [SystemRecord(**system) for system in content["systems"]]
            content["significance"] = [SignificanceRecord(**t) for t in content["significance"]]
            record = cls(**content)
            for part in (record, *record.systems, *record.significance):
                _check_kinds(part)
            return record
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{path}: expected a file written by `fairseq-subword score --json` (a JSON object "
                f"with format {FORMAT!r}); {type(error).__name__}: {error}"
            ) from None


# The types of the fields of the three classes above; fields with the same name have the same type.
_NUMBER = (int, float)
_KINDS: Dict[str, Tuple[type, ...]] = {
    **dict.fromkeys(
        ("name", "file", "read_as", "test", "metric", "system", "mark", "details"), (str,)
    ),
    **dict.fromkeys(("reference", "settings", "scores", "signatures", "lengths", "words"), (dict,)),
    "baseline": (str, type(None)),
    "better": (bool, type(None)),
    "copies": (dict, type(None)),
    "lines": (int,),
    "p": _NUMBER,
    "ranks": (list, type(None)),
}
_VALUE_KINDS: Dict[str, Tuple[type, ...]] = {
    "settings": (str, *_NUMBER),
    "scores": _NUMBER,
    "signatures": (str,),
    "lengths": _NUMBER,
    "words": (dict,),
}


def _check_kinds(part: Union[ScoreRecord, SystemRecord, SignificanceRecord]) -> None:
    """Checks the types of the fields.

    Raises:
        TypeError: If a field, or a value in it, does not have the type that :meth:`ScoreRecord.save` writes.
    """
    for entry in fields(part):
        value = getattr(part, entry.name)
        if not isinstance(value, _KINDS.get(entry.name, (object,))):
            raise TypeError(f"{entry.name} must not be {value!r:.40}")
        if entry.name in _VALUE_KINDS:
            for key, inner in value.items():
                if not isinstance(inner, _VALUE_KINDS[entry.name]):
                    raise TypeError(f"{entry.name}: {key[:40]!r} must not be {inner!r:.40}")


def _update_from_1(content: Dict[str, Any]) -> None:
    """Renames format 1's class of rare words, which included OOV words."""
    for system in content["systems"]:
        for words in (system["words"], (system["copies"] or {}).get("words", {})):
            if RARE in words:
                words[RARE_OR_OOV] = words.pop(RARE)


def joined(records: Sequence[ScoreRecord]) -> ScoreRecord:
    """Joins several records, for a table of systems that were scored separately.

    A system in several records, such as a baseline, is kept once. If systems with the same name differ
    in their settings, these are appended to the names. The reference is kept only if all share it.

    Raises:
        ValueError: If two systems with the same name and settings have different scores.
    """
    records = _with_settings_in_names(records)
    systems: Dict[str, SystemRecord] = {}
    for system in (system for record in records for system in record.systems):
        if systems.setdefault(system.name, system) != system:
            raise ValueError(
                f"two different systems are called {system.name!r} (scored from "
                f"{systems[system.name].file} and {system.file}); score one again under another name"
            )
    same = len({record.reference.get("sha256") for record in records}) == 1
    return ScoreRecord(
        reference=records[0].reference if same else {},
        systems=list(systems.values()),
        significance=[test for record in records for test in record.significance],
    )


def _with_settings_in_names(records: Sequence[ScoreRecord]) -> List[ScoreRecord]:
    """The records, with differing settings appended to names that several systems share."""
    by_name: Dict[str, List[Dict[str, Setting]]] = {}
    for system in (system for record in records for system in record.systems):
        settings = by_name.setdefault(system.name, [])
        if system.settings not in settings:
            settings.append(system.settings)

    def renamed(system: SystemRecord) -> str:
        others = by_name[system.name]
        keys = {key for settings in others for key in settings}
        differing = [
            key for key in sorted(keys) if len({repr(settings.get(key)) for settings in others}) > 1
        ]
        shown = [f"{key}={system.settings[key]}" for key in differing if key in system.settings]
        return f"{system.name} ({', '.join(shown)})" if shown else system.name

    changed = []
    for record in records:
        names = {system.name: renamed(system) for system in record.systems}
        changed.append(
            replace(
                record,
                systems=[replace(system, name=names[system.name]) for system in record.systems],
                significance=[
                    replace(
                        test,
                        system=names.get(test.system, test.system),
                        baseline=names.get(test.baseline, test.baseline),
                    )
                    for test in record.significance
                ],
            )
        )
    return changed


def digest(lines: Sequence[str]) -> str:
    """SHA-256 of lines, independent of the line endings in the file."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode("utf-8")).hexdigest()
