"""Reads what ``fairseq-generate`` printed, and puts it back beside the raw text."""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple

from sources import Pair

_LINE = re.compile(r"([STHD])-(\d+)\t(.*)", re.DOTALL)


class Output(NamedTuple):
    """The lines of one ``fairseq-generate`` run, by the number that Fairseq gave each input line.

    Attributes:
        translations: the best translation: the D- line, or the H- line where there is no D-.
        sources: the S- line; empty with ``--quiet``.
        references: the T- line; empty with ``--quiet``.
    """

    translations: Dict[int, str]
    sources: Dict[int, str]
    references: Dict[int, str]


def read_output(path: Path) -> Output:
    """Reads the S-, T-, H- and D- lines, in whatever order they come, and skips all others.

    With ``--nbest``, the first translation of a line is the best one, and the one that counts.

    Raises:
        ValueError: for bytes that are no UTF-8, or a file without any translation.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 (byte {error.start})") from error
    found: Dict[str, Dict[int, str]] = {kind: {} for kind in "STHD"}
    # Only \n ends a line here: a name may hold U+2028 or U+0085, where splitlines() would cut it.
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        kind, number, rest = match.groups()
        if kind in "HD":
            rest = rest.partition("\t")[2]  # after the score
        found[kind].setdefault(int(number), rest)
    if not found["H"] and not found["D"]:
        raise ValueError(
            f"{path}: no H- or D- line in it: is it what fairseq-generate printed (without --quiet)?"
        )
    return Output({**found["H"], **found["D"]}, found["S"], found["T"])


def align(path: Path, output: Output, raw: Dict[str, List[Pair]]) -> Dict[str, List[str]]:
    """Gives every raw line its translation.

    Fairseq numbers the lines of all languages in one go, a language after the other.

    Args:
        path: the file that ``output`` was read from, for messages.
        raw: raw lines by language, the languages in the order in which Fairseq read them.

    Returns:
        The translations of each language, in the order of its lines.

    Raises:
        ValueError: If lines are missing or left over, or where the S- or T- lines of a language
            are not those of its raw files.
    """
    total = sum(len(pairs) for pairs in raw.values())
    if sorted(output.translations) != list(range(total)):
        missing = sorted(set(range(total)) - set(output.translations))
        example = f"; the first one missing is number {missing[0]}" if missing else ""
        raise ValueError(
            f"{path} has {len(output.translations)} translations, the raw files of "
            f"{','.join(raw)} have {total} lines{example}; score the files "
            "that were translated (see --langs), and let Fairseq leave no line out "
            "(--required-batch-size-multiple 1, no --skip-invalid-size-inputs-valid-test)"
        )
    aligned: Dict[str, List[str]] = {}
    first = 0
    for language, pairs in raw.items():
        numbers = range(first, first + len(pairs))
        for side, printed in enumerate((output.sources, output.references)):
            _compare(path, language, [pair[side] for pair in pairs], numbers, printed)
        aligned[language] = [output.translations[number] for number in numbers]
        first += len(pairs)
    return aligned


def _compare(
    path: Path, language: str, lines: List[str], numbers: range, printed: Dict[int, str]
) -> None:
    """Refuses a language of which more than half of the lines are other lines.

    Some may differ: lines that were too long for the model, or held symbols it does not know.
    """
    pairs = [(n, line, printed[n]) for n, line in zip(numbers, lines) if n in printed]
    different = [(n, line, text) for n, line, text in pairs if text.strip() != line.strip()]
    if 2 * len(different) > len(pairs):
        number, line, text = different[0]
        raise ValueError(
            f"{path}: line {number} should be {line!r} ({language}), but Fairseq read {text!r}; give "
            "--langs in the order in which the task read the languages, the files that were "
            "translated, and --bpe to fairseq-generate"
        )
