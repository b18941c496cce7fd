"""Warns the user of anything suspicious about a text that is about to be scored."""

import html
import re
from typing import Dict, List, Optional, Sequence

from fairseq_subword_ext.evaluation.system_output import TEXT, SystemOutput

# Everything that tokenizers, truecasers and segmentations change, and Fairseq's mark for unknown symbols.
_CHANGED = re.compile(r"\s|@@|@-@|\u2581|-")
_UNKNOWN = "<unk>"


def output_warnings(path: str, output: SystemOutput, reference: Sequence[str]) -> List[str]:
    """Warnings about one system's output, except for :func:`tokenized_warning`.

    Args:
        path: the system's file, for the message.
        output: the system's output, with as many lines as the reference.
        reference: the raw reference lines.
    """
    found = [
        _unknown_warning(path, output.lines),
        _echo_warning(path, output.references, reference),
    ]
    return [warning for warning in found if warning is not None]


def tokenized_warning(path: str, lines: Sequence[str]) -> Optional[str]:
    """A warning if most full stops are separated from their sentence, as tokenizers leave them."""
    ends = [line.rstrip() for line in lines if line.rstrip().endswith(".")]
    apart = sum(line.endswith(" .") for line in ends)
    if apart == 0 or 2 * apart < len(ends):
        return None
    return (
        f"{path}: {apart} of {len(lines)} lines end in ' .', so the text looks tokenized; only "
        "scores on detokenized text are comparable with others': detokenize it (`sacremoses -l xx "
        "detokenize`, or --tokenizer moses with fairseq-generate) and score against the raw reference"
    )


def _unknown_warning(path: str, lines: Sequence[str]) -> Optional[str]:
    unknown = sum(_UNKNOWN in line for line in lines)
    return f"{path}: {unknown} of {len(lines)} lines contain {_UNKNOWN}" if unknown else None


def _echo_warning(path: str, echo: Dict[int, str], reference: Sequence[str]) -> Optional[str]:
    """A warning if Fairseq translated other sentences than the reference's, or in another order."""
    known = {
        index: line
        for index, line in echo.items()
        if _UNKNOWN not in line and index < len(reference)
    }
    different = [
        index for index, line in known.items() if _squeezed(line) != _squeezed(reference[index])
    ]
    if 2 * len(different) <= len(known):
        return None
    first = different[0]
    return (
        f"{path}: {len(different)} of {len(known)} T- lines differ from the reference, such as "
        f"{known[first]!r} against its line {first + 1}, {reference[first]!r}; is this the reference of "
        "the translated text, in the same order?"
    )


def _squeezed(line: str) -> str:
    return _CHANGED.sub("", html.unescape(line)).casefold()


def check_lines(
    path: str, lines: int, reference_path: str, reference_lines: int, read_as: str = TEXT
) -> None:
    """Rejects a text whose number of lines differs from the reference.

    Args:
        path, lines: file and number of lines of the text.
        reference_path, reference_lines: file and number of lines of the reference.
        read_as: as in :class:`~fairseq_subword_ext.evaluation.system_output.SystemOutput`.

    Raises:
        ValueError: If the numbers differ; the message has both.
    """
    if lines == reference_lines:
        return
    advice = ""
    if read_as != TEXT and lines > reference_lines:
        advice = "; for a run over several languages, --ids FIRST-LAST selects one"
    elif read_as != TEXT:
        advice = (
            "; let fairseq-generate translate the whole file (--required-batch-size-multiple 1, no "
            "--skip-invalid-size-inputs-valid-test)"
        )
    raise ValueError(
        f"{path} has {lines} lines, but {reference_path} has {reference_lines}; every line of the "
        f"reference needs its counterpart{advice}"
    )
