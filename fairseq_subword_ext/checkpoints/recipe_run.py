"""Finds the files of a system that a recipe trained, from its folder WORK/systems/SYSTEM.

A recipe keeps its name in ``WORK/recipe`` and a copy of its table in ``WORK/systems.tsv``. The system's
row says which segmentation and encoder it uses, and which flags its scores were computed with. A seed other than
1 has its own folder, ``WORK/systems/SYSTEM.seed2``, and so have the scores of the models of all seeds together,
``WORK/systems/SYSTEM.ensemble``.
"""

import csv
import json
import re
from pathlib import Path
from typing import Dict, List, Optional

from fairseq_subword_ext.checkpoints.model_parts import NO_ENCODER, ModelParts

NAME_FILE = "recipe"
TABLE = "systems.tsv"
ENSEMBLE = ".ensemble"
_SEED = re.compile(r"(.*?)(\.seed\d+|\.ensemble)?")
BEST = "checkpoints/checkpoint_best.pt"


def parts_of_runs(runs: List[Path], recipe: Optional[Path]) -> ModelParts:
    """The parts of one or more of a recipe's systems; several become an ensemble.

    Args:
        runs: the systems' folders.
        recipe: a folder with the recipe's table, for runs that have no copy of it.

    Raises:
        ValueError: If a folder is not a recipe's, or the systems use different subwords.
    """
    found = [parts_of_run(run.resolve(), recipe) for run in runs]
    first = found[0]
    for run, parts in zip(runs, found):
        if (parts.data, parts.codes) != (first.data, first.codes):
            raise ValueError(
                f"{run} has different data from {runs[0]}: the models of an ensemble must share subwords"
            )
        if parts is not first:
            first.checkpoints += parts.checkpoints
    return first


def parts_of_run(run: Path, recipe: Optional[Path]) -> ModelParts:
    """The parts of one system.

    Raises:
        ValueError: If the folder is not a recipe's, or its table has no such system.
    """
    work = run.parent.parent
    if not run.is_dir() or run.parent.name != "systems":
        raise ValueError(
            f"{run}: expected the folder of a system, WORK/systems/SYSTEM; for another model give "
            "--checkpoint, --data, --bpe and --codes"
        )
    system, seed = _SEED.fullmatch(run.name).groups()
    row = row_of(work, recipe, system)
    model = row.get("model") or system  # some systems differ only in decoding
    segmentation = work / "segmentations" / row["segmentation"]
    codes = segmentation / "codes"
    target_codes = segmentation / "codes.target"
    return ModelParts(
        checkpoints=members(run, model)
        if seed == ENSEMBLE
        else [run.with_name(model + (seed or "")) / BEST],
        data=[segmentation / "bin"],
        encoder=row["encoder"] or NO_ENCODER,
        codes=codes if codes.exists() else None,
        target_codes=target_codes if target_codes.exists() else None,
        generate=row.get("generate", ""),
        scores=sorted(run.glob("*.json")),
        more=[
            *sorted((work / "corpus").glob(f"truecase.{row.get('pair')}.*")),
            *([segmentation / "back-off"] if row.get("back_off") else []),
        ],
        about={
            "recipe": name_of_recipe(work, recipe),
            "system": system,
            "row": row.get("row", ""),
        },
    )


def members(run: Path, model: str) -> List[Path]:
    """The checkpoints of an ensemble: those in its folder, or else the best ones of the seeds that its scores name.

    Raises:
        ValueError: If there are neither.
    """
    kept = sorted(run.glob("models/*.pt"))
    seeds = next(filter(None, map(_seeds, sorted(run.glob("*.json")))), "")
    if not kept and not seeds:
        raise ValueError(
            f"{run}: it has neither models nor scores that name the seeds of the ensemble"
        )
    names = [model if seed == "1" else f"{model}.seed{seed}" for seed in seeds.split("+")]
    return kept or [run.with_name(name) / BEST for name in names]


def _seeds(record: Path) -> str:
    """The seeds of the models that were scored together, such as 1+2, as the record of their scores says.

    Raises:
        ValueError: If the file is not such a record.
    """
    try:
        systems = json.loads(record.read_bytes())["systems"]
        return next(
            (str(one["settings"]["seeds"]) for one in systems if "seeds" in one["settings"]), ""
        )
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ValueError(f"{record} is not a record of scores") from None


def name_of_recipe(work: Path, recipe: Optional[Path]) -> str:
    """The recipe's name: as recorded in the work folder, or else the name of the recipe's folder."""
    marker = work / NAME_FILE
    if recipe is None and marker.is_file():
        return marker.read_text(encoding="utf-8").strip()
    return (recipe or work).resolve().name


def row_of(work: Path, recipe: Optional[Path], system: str) -> Dict[str, str]:
    """The system's row in the recipe's table, by column; "-" means empty.

    Raises:
        ValueError: If there is no table, or it has no such row.
    """
    path = (recipe or work) / TABLE
    if not path.is_file():
        raise ValueError(
            f"there is no {path}: give --recipe FOLDER, the recipe's folder, which has its {TABLE}"
        )
    with path.open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if line.strip() and not line.startswith("#"))
        table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = {row["system"]: row for row in table if row.get("system")}
    if system not in rows:
        raise ValueError(f"{path} has no system {system}: {', '.join(rows) or 'it is empty'}")
    row = {key: "" if cell == "-" else cell for key, cell in rows[system].items() if key}
    missing = [name for name in ("segmentation", "encoder") if row.get(name) is None]
    if missing:
        raise ValueError(f"{path}: the system {system} has no {missing[0]}")
    return row
