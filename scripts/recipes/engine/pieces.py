"""Steps for rows with Fairseq's encoder ``sentencepiece``: BPE by that library on plain text.

The package's own learner counts a character at the end of a word as another symbol, and a word is all that stands
between spaces. In text without spaces, or of many scripts, SentencePiece's rules make another vocabulary.
"""

from pathlib import Path
from typing import List, Sequence

from recipes.engine.commands import Command, tool
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.engine.systems import System


def learn_commands(
    run: Run, flags: Sequence[str], texts: Sequence[Path], codes: Path
) -> List[Command]:
    """Learns a model from all texts together; ``flags`` are those of ``text.pieces learn``."""
    return [tool("text.pieces", "learn", *flags, "-i", *texts, *run.workers_flag, "-o", codes)]


def binarize_step(
    run: Run,
    system: System,
    corpus: Path,
    splits: Sequence[str],
    target: str,
    texts: Sequence[Path],
) -> Step:
    """Segments and binarizes all languages of a corpus with one dictionary of all pieces.

    Args:
        run, system: as elsewhere.
        corpus: folder of the text.
        splits: training, validation and test sets.
        target: the target language.
        texts: what is read: files, or the folder.
    """
    codes, data = run.segmentation(system) / "codes", run.segmentation(system) / "bin"
    made = tool(
        "text.pieces", "binarize", "-c", codes, "-i", corpus, "--splits", *splits, "-t", target,
        *run.workers_flag, "-o", data,
    )  # fmt: skip
    return Step(f"binarize {system['segmentation']}", [made], [codes, *texts], [data])
