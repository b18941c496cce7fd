"""Reads translations: plain text, or the output of ``fairseq-generate`` and ``fairseq-interactive``.

Fairseq prints sentences in batch order, several lines for each, often mixed with its log. The D- line is
the translation as decoded by the encoder (``--bpe``) and the tokenizer, and is the one to score. H- has
the model's symbols. T- echoes the reference, with ``<<unk>>`` for symbols that are not in the
dictionary, so it is never used as a reference.
"""

import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.files import shown
from fairseq_subword_ext.textio.text_input import read_text

TEXT = "text"

# The text after the id may contain any character, even U+2028 and tabs.
_PRINTED = re.compile(r"([STHD])-(\d+)\t(.*)", re.DOTALL)
_SCORE = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)")

_WORD_START = "\u2581"

# If this share of the lines has subword pieces, they are not part of the text itself.
_SEGMENTED_SHARE = 0.1


@dataclass
class SystemOutput:
    """The lines of one system, in the order of its input.

    Attributes:
        lines: the translations.
        read_as: "text", or the kind of Fairseq's lines that was read: "D-" or "H-".
        references: Fairseq's T- lines by position in ``lines``; empty for plain text.
    """

    lines: List[str]
    read_as: str = TEXT
    references: Dict[int, str] = field(default_factory=dict)


def read_reference(path: str, carriage_return: str = "error") -> List[str]:
    """Reads the raw reference text.

    Raises:
        ValueError: If the file is empty, is itself Fairseq's output, or contains ``<<unk>>``, which
            only Fairseq writes; and as for :func:`read_text`.
        OSError: As for :func:`read_text`.
    """
    lines = read_text(path, carriage_return)
    if not lines:
        raise ValueError(f"{path}: the reference has no lines")
    if any(_is_hypothesis(line) for line in lines):
        raise ValueError(
            f"{path}: found the output of fairseq-generate; its T- lines are only what Fairseq's "
            "dictionary covers of the reference: give the raw reference file"
        )
    for number, line in enumerate(lines, start=1):
        if "<<unk>>" in line:
            raise ValueError(
                f"{path}:{number}: found <<unk>>, which Fairseq prints in its echo of the reference "
                "for symbols that are not in its dictionary: give the raw reference file"
            )
    return lines


def read_system(
    path: str, carriage_return: str = "error", ids: Optional[range] = None
) -> SystemOutput:
    """Reads a system's translations and puts them in the order of the input.

    Args:
        path: plain text, one translation per line, or Fairseq's output; ``-`` for standard input.
        carriage_return: as for :func:`read_text`.
        ids: read only these sentences of Fairseq's output, such as those of one language; None for all.

    Raises:
        ValueError: If Fairseq's output lacks lines, contains more than one run, or has lines without a
            score; if text is still segmented; if ids are given for plain text; and as for
            :func:`read_text`.
        OSError: As for :func:`read_text`.
    """
    lines = read_text(path, carriage_return)
    if any(_is_hypothesis(line) for line in lines):
        output = _from_fairseq(path, lines, ids)
    elif ids is not None:
        raise ValueError(f"{path}: this is plain text, whose lines have no ids to select")
    else:
        output = SystemOutput(lines)
    _refuse_pieces(path, output)
    return output


def _is_hypothesis(line: str) -> bool:
    match = _PRINTED.fullmatch(line)
    return match is not None and match.group(1) in "HD"


def _from_fairseq(path: str, lines: List[str], ids: Optional[range]) -> SystemOutput:
    found = _printed_lines(path, lines)
    kind = "D" if found["D"] else "H"
    translations = found[kind]
    if ids is None:
        ids = range(max(translations) + 1)
    missing = [index for index in ids if index not in translations]
    if missing:
        raise ValueError(
            f"{path}: has {len(translations)} {kind}- lines but lacks {len(missing)} from {kind}-"
            f"{ids[0]} to {kind}-{ids[-1]}, the first {kind}-{missing[0]}; make fairseq-generate keep "
            "all (--required-batch-size-multiple 1, no --skip-invalid-size-inputs-valid-test)"
        )
    references = {
        position: found["T"][index] for position, index in enumerate(ids) if index in found["T"]
    }
    return SystemOutput([translations[index] for index in ids], f"{kind}-", references)


def _printed_lines(path: str, lines: List[str]) -> Dict[str, Dict[int, str]]:
    """The texts of the S-, T-, H- and D- lines by kind and id."""
    found: Dict[str, Dict[int, str]] = {kind: {} for kind in "STHD"}
    last = {"H": -1, "D": -1}
    for number, line in enumerate(lines, start=1):
        match = _PRINTED.fullmatch(line)
        if match is None:
            continue
        kind, index, text = match.group(1), int(match.group(2)), match.group(3)
        if kind in last:
            score, _, text = text.partition("\t")
            if _SCORE.fullmatch(score) is None:
                raise ValueError(
                    f"{path}:{number}: expected a score after {kind}-{index}, found "
                    f"{shown(score)}; give the unchanged output of fairseq-generate"
                )
            if index in found[kind] and last[kind] != index:
                raise ValueError(
                    f"{path}:{number}: found {kind}-{index} a second time, so this is the output of "
                    "more than one run; give each its own file"
                )
            last[kind] = index
        # With --nbest, the first translation of a sentence is the best one.
        found[kind].setdefault(index, text)
    return found


def _refuse_pieces(path: str, output: SystemOutput) -> None:
    segmented = sum(_holds_pieces(line) for line in output.lines)
    if segmented == 0 or segmented < _SEGMENTED_SHARE * len(output.lines):
        return
    example = shown(next(line for line in output.lines if _holds_pieces(line)))
    if output.read_as == TEXT:
        advice = f"decode it with `fairseq-subword restore -i {path}`"
    else:
        advice = (
            "give fairseq-generate the encoder (--bpe ... with its options) so that it prints "
            f"decoded D- lines, or decode these: grep '^{output.read_as}' {path} | sort -V | "
            "cut -f3- | fairseq-subword restore"
        )
    raise ValueError(
        f"{path}: {segmented} of {len(output.lines)} lines are still split into subwords, such as "
        f"{example}; only text can be scored: {advice}"
    )


def _holds_pieces(line: str) -> bool:
    return f" {_WORD_START}" in f" {line}" or f"{SEPARATOR} " in line
