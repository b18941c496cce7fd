"""Which files make up a model: of a recipe's run, or given one by one."""

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

from systems import System, read_systems

from fairseq_subword_ext.subword.codes_file import parse_codes
from fairseq_subword_ext.subword.symbols import unit_of

RECIPES = Path(__file__).resolve().parents[1]
RECIPE_FILE = "recipe"  # in a run's folder: the recipe's name
BEST = "checkpoints/checkpoint_best.pt"
NO_ENCODER = "none"  # the text is segmented before Fairseq sees it


@dataclass
class ModelParts:
    """What goes into the archive.

    Attributes:
        checkpoints: one, or those of an ensemble.
        data: folders that may hold the dictionaries; the first that does counts.
        encoder: Fairseq's ``--bpe``, or ``none``.
        codes: of the encoder; None for bytes and characters.
        target_codes: the target side's, where it has its own.
        encoder_options: further options of the encoder, by name.
        generate: flags of fairseq-generate that the scores were made with.
        scores: JSON files.
        more: further files that a user of the model needs, such as counts for truecasing.
        about: what is known of the model beside its files, for the manifest.
    """

    checkpoints: List[Path]
    data: List[Path]
    encoder: str
    codes: Optional[Path] = None
    target_codes: Optional[Path] = None
    encoder_options: Dict[str, str] = field(default_factory=dict)
    generate: str = ""
    scores: List[Path] = field(default_factory=list)
    more: List[Path] = field(default_factory=list)
    about: Dict[str, str] = field(default_factory=dict)


def parts_of(args: argparse.Namespace) -> ModelParts:
    """The parts that the command line asks for.

    Raises:
        ValueError: naming what is missing or contradicts something, and what to do.
    """
    if bool(args.run) == bool(args.checkpoint):
        raise ValueError("give either RUN, a system's folder of a recipe, or --checkpoint FILE")
    parts = parts_of_runs(args.run, args.recipe) if args.run else parts_of_files(args)
    if args.run and (args.bpe or args.codes or args.target_codes):
        raise ValueError("RUN has its own codes: --bpe and --codes are for --checkpoint FILE")
    if args.data is not None:
        parts.data = [existing(args.data, "--data", "a folder of fairseq-preprocess", folder=True)]
    if args.generate is not None:
        parts.generate = args.generate
    parts.scores += [existing(path, "--scores", "a JSON file of scores") for path in args.scores]
    parts.more += [existing(path, "--add", "to go into more/") for path in args.add]
    parts.encoder_options = dict(option_of(text) for text in args.bpe_option)
    for path in parts.checkpoints:
        existing(path, "checkpoint", "what fairseq-train writes; train first")
    return parts


def parts_of_runs(runs: List[Path], recipe: Optional[str]) -> ModelParts:
    """Those of one or more systems of a recipe: WORK/systems/SYSTEM.

    Raises:
        ValueError: where a folder is none of a recipe's, or the systems have other subwords.
    """
    found = [parts_of_run(run.resolve(), recipe) for run in runs]
    first = found[0]
    for run, parts in zip(runs, found):
        if (parts.data, parts.codes) != (first.data, first.codes):
            raise ValueError(
                f"{run} has other data than {runs[0]}: the models of an ensemble share their subwords"
            )
        if parts is not first:
            first.checkpoints += parts.checkpoints
    return first


def parts_of_run(run: Path, recipe: Optional[str]) -> ModelParts:
    """Those of one system.

    Raises:
        ValueError: where the folder is none of a recipe's, or a row of its table does not say enough.
    """
    work = run.parent.parent
    if not run.is_dir() or run.parent.name != "systems":
        raise ValueError(
            f"{run}: expected the folder of a system, WORK/systems/SYSTEM; for another model give "
            "--checkpoint, --data, --bpe and --codes"
        )
    name = recipe or recipe_of(work)
    system = system_of(name, run.name)
    model = run.with_name(
        system.columns.get("model") or run.name
    )  # some only decode in another way
    segmentation = work / "segmentations" / system.columns["segmentation"]
    codes = segmentation / "codes"
    target_codes = segmentation / "codes.target"
    return ModelParts(
        checkpoints=[model / BEST],
        data=[segmentation / "bin"],
        encoder=system.columns["encoder"] or NO_ENCODER,
        codes=codes if codes.exists() else None,
        target_codes=target_codes if target_codes.exists() else None,
        generate=system.columns.get("generate", ""),
        scores=sorted(run.glob("*.json")),
        more=[
            *sorted((work / "corpus").glob(f"truecase.{system.columns.get('pair')}.*")),
            *([segmentation / "back-off"] if system.columns.get("back_off") else []),
        ],
        about={"recipe": name, "system": system.name, "row": system.columns.get("row", "")},
    )


def recipe_of(work: Path) -> str:
    """The recipe that a run's folder belongs to; it says so itself, or is called so.

    Raises:
        ValueError: where neither names one.
    """
    marker = work / RECIPE_FILE
    name = marker.read_text(encoding="utf-8").strip() if marker.is_file() else work.name
    if not (RECIPES / name / "systems.tsv").is_file():
        raise ValueError(f"{work} does not say which recipe made it: give --recipe NAME")
    return name


def system_of(recipe: str, name: str) -> System:
    """A row of a recipe's table.

    Raises:
        ValueError: where there is no such recipe or row.
    """
    path = RECIPES / recipe / "systems.tsv"
    if not path.is_file():
        raise ValueError(f"--recipe {recipe}: there is no {path}")
    found = {system.name: system for system in read_systems(path)}
    if name not in found:
        raise ValueError(f"{path} has no system {name}: {', '.join(found)}")
    return found[name]


def parts_of_files(args: argparse.Namespace) -> ModelParts:
    """Those that are named one by one.

    Raises:
        ValueError: where the encoder cannot be told, or a file is missing.
    """
    codes = args.codes and existing(args.codes, "--codes", "what learn-bpe writes")
    target = args.target_codes and existing(args.target_codes, "--target-codes", "codes, too")
    encoder = args.bpe or (codes and encoder_for(codes))
    if not encoder:
        raise ValueError(
            "--bpe NAME: say how the text is segmented (generalized_bpe, bbpe, byte_level, char_level; "
            f"{NO_ENCODER} where Fairseq gets segmented text), with --codes FILE for the first two"
        )
    return ModelParts(list(args.checkpoint), [], encoder, codes, target)


def encoder_for(codes: Path) -> str:
    """The encoder that codes are for; SentencePiece models are for bytes here."""
    data = codes.read_bytes()
    if b"\0" in data:
        return "bbpe"
    version, _ = parse_codes(data, codes)
    return "bbpe" if unit_of(version) == "byte" else "generalized_bpe"


def existing(path: Path, flag: str, what: str, folder: bool = False) -> Path:
    """The path, made sure of.

    Raises:
        ValueError: saying what it has to be, where it does not exist.
    """
    if not (path.is_dir() if folder else path.is_file()):
        raise ValueError(
            f"{flag} {path}: there is no such {'folder' if folder else 'file'} ({what})"
        )
    return path


def option_of(text: str) -> "tuple[str, str]":
    """KEY=VALUE, the key as the encoder's flag without its dashes.

    Raises:
        ValueError: for anything else.
    """
    key, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"--bpe-option {text}: expected KEY=VALUE, such as bpe_separator=@@")
    return key.lstrip("-").replace("-", "_"), value
