"""Validation losses of a finished model, by Fairseq's own validation.

    python -m recipes.engine.validation --log PRINTED --json FILE [--exchanged SET] [--seed N]

PRINTED is what fairseq-validate printed of one or more sets. The losses are bits per target symbol, without label
smoothing, of the first set. The gain is what the model loses if each sentence has the source of another one, as in the
set given by --exchanged: the bits per symbol that it takes from the sources. FILE has the layout of `fairseq-subword
score --json`; the scores are those of the decoding "valid".
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, List, Sequence

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord
from fairseq_subword_ext.textio.files import read_text_lines
from recipes.engine.commands import USER_DIR, command, tool
from recipes.engine.run import Run
from recipes.engine.scores import DECODING
from recipes.engine.script import make_parser, run_script
from recipes.engine.steps import Step

VALID = "valid"
BITS, GAIN = "bits per symbol", "gain"
_LOSS = re.compile(r"valid on '([^']+)' subset \| .*\bnll_loss ([-\d.e]+)")


def validation_step(
    run: Run,
    title: str,
    data: Path,
    model: Path,
    folder: Path,
    seed: int,
    inputs: Sequence[Path],
    exchanged: str = "",
) -> Step:
    """Validates a model on the validation set and, if there is one, on the same set with exchanged sources.

    Args:
        run: the run.
        title: of the system.
        data: what the model was trained on.
        model: its checkpoint.
        folder: of the system.
        seed: of the training, for the record.
        inputs: what the data depends on.
        exchanged: name of the set with exchanged sources.
    """
    printed, scores = folder / "validation.out", folder / "validation.json"
    sets = [VALID, *([exchanged] if exchanged else [])]
    validate = command(
        "fairseq-validate", data, "--user-dir", USER_DIR, "--task", "multilingual_x_en", "--path", model,
        "--valid-subset", ",".join(sets), "--max-tokens", 8000, "--log-format", "simple", run.device_flag,
        stdout=printed,
    )  # fmt: skip
    flags = ["--exchanged", exchanged] if exchanged else []
    record = tool("engine.validation", "--log", printed, *flags, "--seed", seed, "--json", scores)
    return Step(f"validate {title}", [validate, record], [*inputs, model], [printed, scores])


def losses(lines: List[str]) -> Dict[str, float]:
    """The losses in bits per symbol of all sets that fairseq-validate has printed."""
    return {match[1]: float(match[2]) for match in map(_LOSS.search, lines) if match}


def measure(args: argparse.Namespace) -> None:
    """Reads the losses and writes them as scores.

    Raises:
        ValueError: If the log lacks the loss of a set.
    """
    found = losses(list(read_text_lines(args.log)))
    missing = {VALID, args.exchanged} - {"", *found}
    if missing:
        raise ValueError(f"{args.log}: found no loss of {', '.join(sorted(missing))}")
    scores = {BITS: found[VALID]}
    if args.exchanged:
        scores[GAIN] = found[args.exchanged] - found[VALID]
    settings = {DECODING: VALID, "seed": args.seed}
    system = SystemRecord(VALID, str(args.log), "text", 0, settings, scores)
    ScoreRecord({"file": VALID, "lines": 0}, [system]).save(args.json)


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--log", type=Path, required=True, help="what fairseq-validate printed")
    parser.add_argument("--exchanged", default="", help="the set with exchanged sources")
    parser.add_argument("--seed", type=int, default=1, help="of the training, for the record")
    parser.add_argument("--json", type=Path, required=True, help="write the losses to this file")
    return run_script(parser, measure)


if __name__ == "__main__":
    sys.exit(main())
