"""Steps for rows with Fairseq's encoder ``sentencepiece``: BPE by that library on plain text.

The package's own learner counts a character at the end of a word as another symbol, and a word is all that stands
between spaces. In text without spaces, or of many scripts, SentencePiece's rules make another vocabulary.
"""

from pathlib import Path
from typing import List, Sequence, Tuple

from recipes.engine.binarizing import preprocess
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
    languages: Tuple[str, str],
    splits: Sequence[str],
    texts: Sequence[Path],
) -> Step:
    """Segments all sets and binarizes them with ``fairseq-preprocess`` and the dictionary of all pieces.

    Args:
        run, system: as elsewhere.
        languages: source and target.
        splits: training, validation and test sets.
        texts: the source and target side of each.
    """
    segmentation = run.segmentation(system)
    codes, folder, data = segmentation / "codes", segmentation / "pieces", segmentation / "bin"
    dictionary = segmentation / "dict.txt"
    names = [folder / f"{split}.{language}" for split in splits for language in languages]
    commands = [
        tool("text.pieces", "segment", "-c", codes, "-i", text, *run.workers_flag, "-o", name)
        for text, name in zip(texts, names)
    ]
    commands.append(tool("text.pieces", "dictionary", "-c", codes, "-o", dictionary))
    prefixes = [folder / split for split in splits]
    dictionary_flags = ("--joined-dictionary", "--srcdict", dictionary)
    commands.append(preprocess(run, languages, prefixes, data, *dictionary_flags))
    return Step(
        f"binarize {system['segmentation']}",
        commands,
        inputs=[codes, *texts],
        outputs=[folder, dictionary, data],
    )


def binarize_languages_step(
    run: Run, system: System, corpus: Path, splits: Sequence[str], target: str
) -> Step:
    """Segments and binarizes many languages with one dictionary of all pieces.

    Args:
        run, system: as elsewhere.
        corpus: folder of the text.
        splits: training, validation and test sets.
        target: the target language.
    """
    codes, data = run.segmentation(system) / "codes", run.segmentation(system) / "bin"
    made = tool(
        "text.pieces", "binarize", "-c", codes, "-i", corpus, "--splits", *splits, "-t", target,
        *run.workers_flag, "-o", data,
    )  # fmt: skip
    return Step(
        f"binarize {system['segmentation']}", [made], inputs=[codes, corpus], outputs=[data]
    )
