"""Reads the output of ``fairseq-generate`` and aligns it with the raw text."""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple

from sources import Pair

_LINE = re.compile(r"([STHD])-(\d+)\t(.*)", re.DOTALL)


class Output(NamedTuple):
    """The lines of one ``fairseq-generate`` run, by Fairseq's number of each input line.

    Attributes:
        translations: the best translations: D- lines, or H- lines if there are no D- lines.
        sources: S- lines; empty with ``--quiet``.
        references: T- lines; empty with ``--quiet``.
    """

    translations: Dict[int, str]
    sources: Dict[int, str]
    references: Dict[int, str]


def read_output(path: Path) -> Output:
    """Reads the S-, T-, H- and D- lines in any order, and skips all others.

    With ``--nbest``, only the first translation of a line, which is the best one, counts.

    Raises:
        ValueError: If the file is not UTF-8 or has no translation.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 (byte {error.start})") from error
    found: Dict[str, Dict[int, str]] = {kind: {} for kind in "STHD"}
    # Only \n ends a line: a name may contain U+2028 or U+0085, at which splitlines() would split it.
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
            f"{path}: no H- or D- lines: is this the output of fairseq-generate (without --quiet)?"
        )
    return Output({**found["H"], **found["D"]}, found["S"], found["T"])


def align(path: Path, output: Output, raw: Dict[str, List[Pair]]) -> Dict[str, List[str]]:
    """Assigns a translation to every raw line.

    Fairseq numbers the lines of all languages consecutively, one language after another.

    Args:
        path: the file that ``output`` comes from, for messages.
        raw: raw lines by language, in the order in which Fairseq read the languages.

    Returns:
        The translations of each language, in the order of its lines.

    Raises:
        ValueError: If lines are missing or left over, or the S- or T- lines of a language differ from
            its raw files.
    """
    total = sum(len(pairs) for pairs in raw.values())
    if sorted(output.translations) != list(range(total)):
        missing = sorted(set(range(total)) - set(output.translations))
        example = f"; the first one missing is number {missing[0]}" if missing else ""
        raise ValueError(
            f"{path} has {len(output.translations)} translations, but the raw files of "
            f"{','.join(raw)} have {total} lines{example}; score the files "
            "that were translated (see --langs), and make sure that Fairseq skips no line "
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
    """Rejects a language if more than half of its lines differ.

    Some may differ: lines that were too long for the model, or have symbols that it does not know.
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
