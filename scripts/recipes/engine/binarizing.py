"""Commands that segment and binarize a corpus."""

from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import SENTENCEPIECE, Command, command, neutral, tool
from recipes.engine.run import Run
from recipes.engine.steps import Step

BYTE_ENCODERS = ("bbpe", "byte_level")


def learn_commands(
    run: Run, encoder: str, flags: Sequence[str], texts: Sequence[Path], codes: Path
) -> List[Command]:
    """Learns codes from all texts together, which may be patterns; SentencePiece's model gets the same name."""
    if encoder == SENTENCEPIECE:
        return [tool("text.pieces", "learn", *flags, "-i", *texts, *run.workers_flag, "-o", codes)]
    learn = command(
        "fairseq-subword", "learn-bpe", *flags, "-i", *texts, *run.workers_flag, "-o", codes
    )
    by_library = "--trainer sentencepiece" in " ".join(flags)
    return [learn, *([command("cp", f"{codes}.model", codes)] if by_library else [])]


def dictionary_command(codes: Optional[Path], written: Path) -> Command:
    """Writes the dictionary of all symbols that codes can produce; without codes, that of bytes."""
    made = ["-c", codes] if codes else ["--unit", "byte"]
    return command("fairseq-subword", "build-dict", *made, "--padding-factor", 1, "-o", written)


def pieces_step(
    run: Run,
    name: str,
    folder: Path,
    corpus: Path,
    splits: Sequence[str],
    target: str,
    inputs: Sequence[Path],
) -> Step:
    """Binarizes all languages of a corpus with SentencePiece's codes, and one dictionary of all pieces.

    The package's own learner counts a character at the end of a word as another symbol, and a word is all that stands
    between spaces. In text without spaces, or of many scripts, SentencePiece's rules make another vocabulary.
    """
    codes, data = folder / "codes", folder / "bin"
    made = tool(
        "text.pieces", "binarize", "-c", codes, "-i", corpus, "--splits", *splits, "-t", target,
        *run.workers_flag, "-o", data,
    )  # fmt: skip
    return Step(name, [made], [codes, *inputs], [data])


def binarize_step(
    run: Run,
    name: str,
    folder: Path,
    encoder: str,
    codes: Sequence[Path],
    prefixes: Sequence[Path],
    languages: Sequence[str],
    inputs: Sequence[Path],
    flags: Sequence[object] = (),
    dictionary: Optional[Path] = None,
    separate: bool = False,
) -> Step:
    """Segments and binarizes all sets of a corpus into ``folder/bin``.

    The dictionary of bytes and byte-level subwords is complete, whatever the text: merges that training text shows
    only inside longer ones are no <unk> elsewhere. That of characters holds what the training text has.

    Args:
        run: the run.
        name: of the step.
        folder: of the segmentation.
        encoder: Fairseq's ``--bpe``.
        codes: those of both sides, or of each; none for bytes and characters.
        prefixes: of the training text, the validation text and the test sets.
        languages: source and target, or the target alone for many languages.
        inputs: files or folders that are read.
        flags: more flags of ``fairseq-subword binarize``.
        dictionary: of another model, to use for both sides.
        separate: one dictionary per side.
    """
    data = folder / "bin"
    commands: List[Command] = []
    chosen: List[object] = ["--encoder", encoder]
    for flag, path in zip(("-c", "--target-codes"), codes):
        chosen += [flag, path]
    dictionaries = [dictionary] if dictionary else []
    if not dictionary and encoder in BYTE_ENCODERS:
        for number, path in enumerate(codes or [None]):
            written = folder / f"dict{'.target' if number else ''}.txt"
            commands.append(dictionary_command(path, written))
            dictionaries.append(written)
        if separate and len(dictionaries) == 1:
            dictionaries *= 2
    for flag, path in zip(("--srcdict", "--tgtdict"), dictionaries):
        chosen += [flag, path]
    if not separate:
        chosen.append("--joined-dictionary")
    pair = ["-s", languages[0], "-t", languages[1]] if len(languages) > 1 else ["-t", languages[0]]
    train, valid, *tests = prefixes
    commands.append(
        command(
            "fairseq-subword", "binarize", *chosen, *flags, *pair, "--trainpref", train, "--validpref", valid,
            *(["--testpref", ",".join(map(str, tests))] if tests else []), "--destdir", data, *run.workers_flag,
        )
    )  # fmt: skip
    read = [*codes, *inputs, *([dictionary] if dictionary else [])]
    return Step(name, commands, read, [data, *(path for one in commands for path in one.written)])


def preprocess(
    run: Run, languages: Sequence[str], prefixes: Sequence[Path], data: Path, *flags: object
) -> Command:
    """``fairseq-preprocess`` of segmented text.

    Args:
        run: the run.
        languages: source and target.
        prefixes: of the training text, the validation text and the test sets.
        data: the folder to write.
        flags: more flags.
    """
    train, valid, *tests = prefixes
    return command(
        "fairseq-preprocess", "-s", languages[0], "-t", languages[1], *flags, "--trainpref", train,
        "--validpref", valid, "--testpref", ",".join(map(str, tests)), "--destdir", data,
        *neutral("--workers", run.workers),
    )  # fmt: skip
