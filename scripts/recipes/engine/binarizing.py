"""Commands that segment and binarize a corpus."""

from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import Command, command, neutral
from recipes.engine.run import Run
from recipes.engine.steps import Step

BYTE_ENCODERS = ("bbpe", "byte_level")


def learn_commands(
    run: Run, flags: Sequence[str], texts: Sequence[Path], codes: Path
) -> List[Command]:
    """Learns codes from texts, which may be patterns; SentencePiece's model gets the same name."""
    learn = command(
        "fairseq-subword", "learn-bpe", *flags, "-i", *texts, *run.workers_flag, "-o", codes
    )
    copied = [command("cp", f"{codes}.model", codes)] if "sentencepiece" in _trainer(flags) else []
    return [learn, *copied]


def _trainer(flags: Sequence[str]) -> str:
    return flags[list(flags).index("--trainer") + 1] if "--trainer" in flags else "native"


def dictionary_command(
    codes: Optional[Path], written: Path, language_tokens: Sequence[str] = ()
) -> Command:
    """Writes the dictionary of all symbols that codes can produce; without codes, that of bytes."""
    made = ["-c", codes] if codes else ["--unit", "byte"]
    tokens = ["--lang-tokens", ",".join(language_tokens)] if language_tokens else []
    return command(
        "fairseq-subword", "build-dict", *made, "--padding-factor", 1, *tokens, "-o", written
    )


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
    language_tokens: Sequence[str] = (),
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
        language_tokens: languages whose ``<lang:xx>`` a byte-level dictionary holds.
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
            commands.append(dictionary_command(path, written, language_tokens))
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
    written = [one.argv[-1] for one in commands[:-1]]
    return Step(name, commands, inputs=read, outputs=[data, *map(Path, written)])


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
