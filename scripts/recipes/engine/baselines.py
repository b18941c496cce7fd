"""Steps for the segmentations that BPE is compared with: ``fairseq-subword segment-baseline``."""

from pathlib import Path
from typing import List, Sequence, Tuple

from recipes.engine.commands import Command, command, neutral
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.engine.systems import System

_CONTROL_SYMBOLS = 4  # Fairseq's own, which it counts
MORFESSOR = "morfessor"


def name_of(system: System) -> str:
    """The baseline of the target side, whose notation its translations have."""
    return system.flags("segment_target")[0]


def binarize_step(
    run: Run,
    system: System,
    languages: Tuple[str, str],
    splits: Sequence[str],
    texts: Sequence[Path],
) -> Step:
    """Segments all sets, and binarizes them with one dictionary per side by ``fairseq-preprocess``.

    Args:
        run, system: as elsewhere.
        languages: source and target.
        splits: training, validation and test sets.
        texts: the source and target side of each.
    """
    segmentation = run.segmentation(system)
    folder, data = segmentation / "text", segmentation / "bin"
    commands: List[Command] = []
    written: List[Path] = []
    for side, language in enumerate(languages):
        names = [folder / f"{split}.{language}" for split in splits]
        flags = system.flags(("segment", "segment_target")[side])
        commands += segment(run, flags, texts[side::2], names, segmentation / f"words.{language}")
        written += names
    sizes = [("--nwordssrc", system["words"]), ("--nwordstgt", system["words_target"])]
    limits = [part for flag, size in sizes if size for part in (flag, int(size) + _CONTROL_SYMBOLS)]
    train, valid, *tests = (folder / split for split in splits)
    commands.append(
        command(
            "fairseq-preprocess", "-s", languages[0], "-t", languages[1], *limits, "--trainpref", train,
            "--validpref", valid, "--testpref", ",".join(map(str, tests)), "--destdir", data,
            *neutral("--workers", run.workers),
        )
    )  # fmt: skip
    name = f"binarize {system['segmentation']}"
    return Step(name, commands, inputs=texts, outputs=[*written, data])


def segment(
    run: Run, flags: Sequence[str], texts: Sequence[Path], names: Sequence[Path], words: Path
) -> List[Command]:
    """Segments the sets of one side; what a baseline learns is learned from the first, the training text."""

    def baseline(*more: object) -> Command:
        return command("fairseq-subword", "segment-baseline", *flags, *more, *run.workers_flag)

    learned: List[object] = []
    commands: List[Command] = []
    if flags[0] in ("compounds", MORFESSOR) or "--shortlist" in flags:
        commands.append(
            command("fairseq-subword", "get-vocab", "-i", texts[0], *run.workers_flag, "-o", words)
        )
        learned = ["--vocabulary", words]
    if flags[0] == MORFESSOR:
        model = words.with_name(f"{words.name}.morfessor")
        train = ["-i", texts[0], "-o", names[0]]
        commands.append(baseline(*learned, "--write-model", model, *train))
        learned, texts, names = ["--model", model], texts[1:], names[1:]
    commands += [baseline(*learned, "-i", text, "-o", name) for text, name in zip(texts, names)]
    return commands
