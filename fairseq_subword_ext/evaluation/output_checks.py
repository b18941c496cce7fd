"""What looks wrong with a text that is about to be scored, in words for the user."""

import html
import re
from typing import Dict, List, Optional, Sequence

from fairseq_subword_ext.evaluation.system_output import TEXT, SystemOutput

# What tokenizers, truecasers and segmentations change, and Fairseq's stand-in for unknown symbols.
_CHANGED = re.compile(r"\s|@@|@-@|\u2581|-")
_UNKNOWN = "<unk>"


def remarks(path: str, output: SystemOutput, reference: Sequence[str]) -> List[str]:
    """Remarks on one system's output, but for :func:`tokenized_remark`.

    Args:
        path: its file, for the message.
        output: what was read, as many lines as the reference.
        reference: the raw reference lines.
    """
    found = [
        _unknown_remark(path, output.lines),
        _echo_remark(path, output.references, reference),
    ]
    return [remark for remark in found if remark is not None]


def tokenized_remark(path: str, lines: Sequence[str]) -> Optional[str]:
    """A remark where most full stops stand apart from their sentence, as tokenizers leave them."""
    ends = [line.rstrip() for line in lines if line.rstrip().endswith(".")]
    apart = sum(line.endswith(" .") for line in ends)
    if apart == 0 or 2 * apart < len(ends):
        return None
    return (
        f"{path}: {apart} of {len(lines)} lines end in ' .', so the text looks tokenized; scores "
        "can be compared with others' only on detokenized text: detokenize it (`sacremoses -l xx "
        "detokenize`, or --tokenizer moses with fairseq-generate) and score against the raw reference"
    )


def _unknown_remark(path: str, lines: Sequence[str]) -> Optional[str]:
    unknown = sum(_UNKNOWN in line for line in lines)
    return f"{path}: {unknown} of {len(lines)} lines hold {_UNKNOWN}" if unknown else None


def _echo_remark(path: str, echo: Dict[int, str], reference: Sequence[str]) -> Optional[str]:
    """A remark where Fairseq translated other sentences than the reference has, or in other order."""
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
        f"{path}: {len(different)} of {len(known)} T- lines are not the reference's, such as "
        f"{known[first]!r} against its line {first + 1}, {reference[first]!r}; is it the reference of "
        "what was translated, in the same order?"
    )


def _squeezed(line: str) -> str:
    return _CHANGED.sub("", html.unescape(line)).casefold()


def check_lines(
    path: str, lines: int, reference_path: str, reference_lines: int, read_as: str = TEXT
) -> None:
    """Refuses a text with another number of lines than the reference.

    Args:
        path, lines: the text's.
        reference_path, reference_lines: the reference's.
        read_as: as in :class:`~fairseq_subword_ext.evaluation.system_output.SystemOutput`.

    Raises:
        ValueError: If the numbers differ, with both.
    """
    if lines == reference_lines:
        return
    advice = ""
    if read_as != TEXT and lines > reference_lines:
        advice = "; of a run over several languages, --ids FIRST-LAST takes one"
    elif read_as != TEXT:
        advice = (
            "; let fairseq-generate translate the whole file (--required-batch-size-multiple 1, no "
            "--skip-invalid-size-inputs-valid-test)"
        )
    raise ValueError(
        f"{path} has {lines} lines, but {reference_path} has {reference_lines}; every line of the "
        f"reference needs its counterpart{advice}"
    )
