"""Scores systems' output against the raw reference.

score -r REF none=none.out gru=gru.out    BLEU, chrF3 and chrF by sacreBLEU, with signatures

A SYSTEM is plain text, or what fairseq-generate or fairseq-interactive printed (its decoded D- lines
are taken and put in order); NAME= in front names its column. The reference is the raw text, never
Fairseq's echo of it. --json FILE keeps everything, unrounded; its layout is described in
fairseq_subword_ext/evaluation/score_record.py.
"""

import argparse
import math
from contextlib import suppress
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

from fairseq_subword_ext.cli.common import CARRIAGE_RETURN, text_argument
from fairseq_subword_ext.evaluation.corpus_scores import (
    DEFAULT_TOKENIZER,
    TOKENIZERS,
    corpus_scores,
)
from fairseq_subword_ext.evaluation.score_record import (
    ScoreRecord,
    Setting,
    SystemRecord,
    digest,
)
from fairseq_subword_ext.evaluation.score_table import FORMATS, formatted
from fairseq_subword_ext.evaluation.system_output import (
    SystemOutput,
    read_reference,
    read_system,
)
from fairseq_subword_ext.subword.files import STANDARD_STREAM, atomic_text_writer


class NamedSystem(NamedTuple):
    """A system as the command line gives it."""

    name: str
    path: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is scored, against what, and how it is shown."""
    parser.add_argument(
        "systems", nargs="*", metavar="[NAME=]SYSTEM", type=text_argument,
        help="a system's output; the name is the file's where none is given",
    )  # fmt: skip
    parser.add_argument("-r", "--reference", metavar="REF", help="the raw reference text")
    parser.add_argument(
        "--tokenize", choices=TOKENIZERS, default=DEFAULT_TOKENIZER,
        help="how words are cut for BLEU: one of sacreBLEU's tokenizers (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--set", metavar="[NAME:]KEY=VALUE", action="append", default=[], type=text_argument,
        help="note a setting of the systems (or of one) in the JSON file, such as merges=10000 or "
        "context=gru, which pictures are drawn by",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="of what is printed (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="also write all scores to this file")
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURN, default="error",
        help="a lone carriage return inside a line: stop there, or read it as a space (default: "
        "%(default)s)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Scores all systems, prints the table and writes the JSON file."""
    record = score_systems(args)
    if args.json is not None:
        record.save(args.json)
    with atomic_text_writer(STANDARD_STREAM) as stream:
        stream.write(formatted(record, args.format))


def score_systems(args: argparse.Namespace) -> ScoreRecord:
    """Reads everything and scores it.

    Raises:
        ValueError: where something is missing, or the numbers of lines differ.
    """
    if args.reference is None:
        raise ValueError("give the raw reference with -r")
    systems = named_systems(args.systems)
    settings = parse_settings(args.set, [system.name for system in systems])
    reference = read_reference(args.reference, args.carriage_return)
    records = []
    for system in systems:
        output = read_system(system.path, args.carriage_return)
        check_lines(system, output, args.reference, reference)
        scores = corpus_scores(output.lines, reference, args.tokenize)
        records.append(
            SystemRecord(
                name=system.name,
                file=system.path,
                read_as=output.read_as,
                lines=len(output.lines),
                settings=settings[system.name],
                scores={name: score.value for name, score in scores.items()},
                signatures={name: score.signature for name, score in scores.items()},
            )
        )
    return ScoreRecord(
        {"file": args.reference, "lines": len(reference), "sha256": digest(reference)}, records
    )


def named_systems(arguments: Sequence[str]) -> List[NamedSystem]:
    """Takes ``NAME=FILE`` and ``FILE`` apart; a file whose own name holds ``=`` is a file.

    Raises:
        ValueError: where there is none, or two have one name.
    """
    if not arguments:
        raise ValueError(
            "no system was given; give them first, or after `--` where an option before them takes "
            "several files"
        )
    systems: List[NamedSystem] = []
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if not separator or not name or "/" in name or Path(argument).exists():
            name, path = Path(argument).stem or argument, argument
        if any(name == other.name for other in systems):
            raise ValueError(
                f"two systems are called {name!r}; name them, as in a={systems[-1].path} b={path}"
            )
        systems.append(NamedSystem(name, path))
    return systems


def parse_settings(arguments: Sequence[str], names: Sequence[str]) -> Dict[str, Dict[str, Setting]]:
    """The settings of each system; numbers become numbers.

    Raises:
        ValueError: for an argument without ``=``, or of a system that is not there.
    """
    settings: Dict[str, Dict[str, Setting]] = {name: {} for name in names}
    for argument in arguments:
        key, separator, value = argument.partition("=")
        if not separator or not key:
            raise ValueError(f"--set {argument}: expected KEY=VALUE or NAME:KEY=VALUE")
        system, colon, own_key = key.rpartition(":")
        if colon and system not in settings:
            raise ValueError(f"--set {argument}: no system is called {system!r}")
        for name in [system] if colon else names:
            settings[name][own_key] = _typed(value)
    return settings


def _typed(value: str) -> Setting:
    for kind in (int, float):
        with suppress(ValueError):
            number = kind(value)
            return number if math.isfinite(number) else value
    return value


def check_lines(
    system: NamedSystem, output: SystemOutput, reference_path: str, reference: Sequence[str]
) -> None:
    """Refuses a system with another number of lines than the reference.

    Raises:
        ValueError: with both numbers.
    """
    if len(output.lines) == len(reference):
        return
    advice = ""
    if output.read_as != "text":
        advice = (
            "; let fairseq-generate translate the whole file (--required-batch-size-multiple 1, no "
            "--skip-invalid-size-inputs-valid-test, --nbest or not)"
        )
    raise ValueError(
        f"{system.path} has {len(output.lines)} lines, but {reference_path} has {len(reference)}; "
        f"every line of the reference needs its translation{advice}"
    )
