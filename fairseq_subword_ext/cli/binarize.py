"""Segments raw text and writes Fairseq's binary data: apply-bpe and fairseq-preprocess in one.

Reads PREF.de and PREF.en, or PREF.de-en.de and PREF.de-en.en, compressed or not, and writes what
fairseq-preprocess makes of the segmented text, byte for byte: SPLIT.de-en.{de,en}.{bin,idx} and
dict.{de,en}.txt. Also writes the codes and binarize.json, a record of all settings. --learn N first learns
the codes from the training text.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.cli.binarize_codes import (
    OF_TARGET,
    Codecs,
    report_signatures,
    segmenting_options,
)
from fairseq_subword_ext.cli.binarize_job import RECORD, BinarizeJob
from fairseq_subword_ext.cli.binarize_texts import RawText, find_texts
from fairseq_subword_ext.cli.common import add_workers_argument, log
from fairseq_subword_ext.cli.learning import MEMORY_ADVICE, add_measure_arguments
from fairseq_subword_ext.cli.option_arguments import add_option_arguments
from fairseq_subword_ext.codecs.registry import ENCODINGS, FORMS
from fairseq_subword_ext.textio.digests import digest_of
from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS
from fairseq_subword_ext.textio.step_records import StepRecords
from fairseq_subword_ext.version import __version__

__all__ = ["MEMORY_ADVICE", "add_arguments", "run"]

DEFAULT = "generalized_bpe"
_STEPS = ".binarize"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of fairseq-preprocess, apply-bpe and learn-bpe."""
    add_option_arguments(parser, segmenting_options())
    parser.add_argument(
        "--learn", type=int, metavar="N", dest="symbols",
        help="learn N merges from the training text, separately for each language",
    )  # fmt: skip
    parser.add_argument(
        "--total-symbols", action="store_true", help="--learn counts base symbols and merges"
    )
    parser.add_argument(
        "--joint", action="store_true", help="learn one merge table for all languages"
    )
    add_measure_arguments(parser)
    parser.add_argument(
        "--target-codes", metavar="FILE", help="codes of the target language (default: -c)"
    )
    parser.add_argument(
        "--target-vocabulary", metavar="FILE",
        help="vocabulary of the target language (default: --vocabulary)",
    )  # fmt: skip
    parser.add_argument(
        "--encoder", choices=list(ENCODINGS), default=DEFAULT,
        help="encoding, to give to Fairseq's --bpe later (default: %(default)s, which also takes byte-level codes)",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=list(FORMS), help="segment as another tool does; see apply-bpe --compat"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of --dropout (default: a random one, which is printed)",
    )
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="carriage return inside a line: stop with an error, or replace it with a space (default: %(default)s)",
    )  # fmt: skip
    _add_data_arguments(parser)
    add_workers_argument(parser)


def _add_data_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("texts and data, as in fairseq-preprocess")
    group.add_argument(
        "-s", "--source-lang", metavar="LANGS",
        help="source language, or several separated by commas, each paired with the target (default: "
        "all languages with texts named PREF.XX-TARGET.XX)",
    )  # fmt: skip
    group.add_argument("-t", "--target-lang", metavar="LANG", help="target language")
    group.add_argument(
        "--trainpref", metavar="PREF", help="training text: PREF.LANG or PREF.PAIR.LANG"
    )
    group.add_argument("--validpref", metavar="PREFS", help="validation texts, separated by commas")
    group.add_argument("--testpref", metavar="PREFS", help="test texts, separated by commas")
    group.add_argument(
        "--destdir", metavar="DIR", default="data-bin", help="output folder (default: %(default)s)"
    )
    group.add_argument("--srcdict", metavar="FILE", help="dictionary of the source side")
    group.add_argument("--tgtdict", metavar="FILE", help="dictionary of the target side")
    group.add_argument(
        "--joined-dictionary", action="store_true", help="one dictionary for all languages"
    )
    for side, name in (("src", "source"), ("tgt", "target")):
        group.add_argument(
            f"--threshold{side}", type=int, default=0, metavar="N",
            help=f"replace {name} tokens that occur fewer than N times with <unk>",
        )  # fmt: skip
        group.add_argument(
            f"--nwords{side}", type=int, default=-1, metavar="N",
            help=f"maximum number of {name} symbols, including Fairseq's four control symbols",
        )  # fmt: skip
    group.add_argument(
        "--padding-factor", type=int, default=8, metavar="N",
        help="pad dictionaries to a multiple of N symbols (default: %(default)s)",
    )  # fmt: skip
    group.add_argument("--only-source", action="store_true", help="the texts have no target side")
    group.add_argument(
        "--resume", action="store_true",
        help="resume an interrupted run: keep texts that were finished with the same settings",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Finds the texts, learns codes with ``--learn``, and writes the data."""
    if args.joined_dictionary and args.srcdict and args.tgtdict:
        raise ValueError("--joined-dictionary: give --srcdict or --tgtdict, not both")
    if args.padding_factor < 1:
        raise ValueError(f"--padding-factor {args.padding_factor}: expected 1 or more")
    texts = find_texts(args)
    folder = Path(args.destdir)
    folder.mkdir(parents=True, exist_ok=True)
    records = StepRecords(folder / _STEPS)
    _draw_seed(args, records)
    codecs = Codecs(args, texts, records)
    job = BinarizeJob(args, texts, codecs, records, _settings(args))
    job.run()
    _report(args, texts, job)
    _save_record(folder / RECORD, args, texts, codecs, job)
    report_signatures(codecs.made)


def _draw_seed(args: argparse.Namespace, records: StepRecords) -> None:
    """Draws and logs a seed for dropout unless --seed gives one; --resume reuses the first run's."""
    if not args.dropout or args.seed is not None:
        return
    settings = {"dropout": args.dropout}
    found = records.read("seed", settings, [], []) if args.resume else None
    args.seed = found["seed"] if found else int.from_bytes(os.urandom(4), "little")
    records.write("seed", settings, [], [], {"seed": args.seed})
    log(f"dropout: --seed {args.seed} reproduces this segmentation")


def _settings(args: argparse.Namespace) -> Dict[str, Any]:
    """Returns everything that segmentation depends on: options by value, files by content."""
    settings: Dict[str, Any] = {"version": __version__}
    for name, each in segmenting_options().items():
        value = getattr(args, name)
        if name in OF_TARGET.values():
            continue  # differs by side
        is_file = each.metadata["is_file"] and value
        settings[name] = (
            digest_of(value if isinstance(value, list) else [value]) if is_file else value
        )
    for name in ("encoder", "compat", "carriage_return"):
        settings[name] = getattr(args, name)
    settings["seed"] = args.seed if args.dropout else None
    return settings


def _report(args: argparse.Namespace, texts: List[RawText], job: BinarizeJob) -> None:
    for text in texts:
        done = job.results[text.name]
        share = 100 * done.unknown / done.tokens if done.tokens else 0.0
        log(f"{text.name}: {done.lines} lines, {done.tokens} tokens, {share:.3g} % <unk>")
        if done.lone_carriage_returns:
            log(f"{text.path}: {done.lone_carriage_returns} carriage returns inside lines")
        if done.has_mark:
            log(f"{text.path}: begins with a byte-order mark, which is part of its first word")


def _save_record(
    path: Path, args: argparse.Namespace, texts: List[RawText], codecs: Codecs, job: BinarizeJob
) -> None:
    import numpy

    record = {
        "signatures": {key: codec.signature() for key, codec in codecs.made.items()},
        "settings": _settings(args),
        "dictionaries": {
            name: {"symbols": len(each), "sha256": each.digest}
            for name, each in sorted(job.dictionaries.items())
        },
        "texts": {
            text.name: {
                "source": str(text.path),
                **asdict(job.results[text.name]),
                "unknown_share": job.results[text.name].unknown
                / max(1, job.results[text.name].tokens),
            }
            for text in texts
        },
        "versions": {"fairseq_subword_ext": __version__, "numpy": numpy.__version__},
    }
    with atomic_text_writer(path) as stream:
        json.dump(record, stream, indent=1)
        stream.write("\n")
