"""The dictionaries of a recipe's binarized data."""

from collections import Counter
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.subword import dictionary
from fairseq_subword_ext.textio.files import read_text_lines


class Limits(NamedTuple):
    """What is left out: symbols that occur less often, and all beyond so many (None: none)."""

    threshold: int = 0
    nwords: Optional[int] = None


def write_dictionaries(
    folder: Path,
    sides: List[Counter],
    encoder: str,
    codes: List[Optional[Path]],
    separate: bool,
    limits: Limits,
    extra: Sequence[str] = (),
) -> List[Path]:
    """Writes one dictionary for both sides, or one for each, and says how large it is.

    Args:
        folder: where to write.
        sides: counts of the symbols of the source and of the target side.
        encoder: Fairseq's ``--bpe``; with bytes a dictionary is complete whatever the counts.
        codes: of the source and of the target side.
        separate: one for each side.
        limits: what is left out.
        extra: symbols that stay in any case.

    Returns:
        The source side's and the target side's; the same path twice where it is joint.
    """
    written = []
    for number, counts in enumerate(sides if separate else [sides[0] + sides[1]]):
        complete = complete_symbols(encoder, codes[number])
        keep = [*complete, *extra]
        entries = dictionary.finalize(counts, limits.threshold, limits.nwords, 1, keep)
        path = folder / f"dict{number if separate else ''}.txt"
        dictionary.save(entries, path)
        note = ", all 256 bytes among them" if complete else ""
        print(f"dictionary: {len(entries)} symbols{note}, and the 4 that Fairseq adds")
        written.append(path)
    return written if separate else written * 2


def keep_dictionary(path: Path, sides: List[Counter]) -> List[Path]:
    """Takes the dictionary of another model as it is, and says how much of the text it lacks.

    Raises:
        OSError: If it cannot be read.
    """
    joint = sides[0] + sides[1]
    known = {line.rpartition(" ")[0] for line in read_text_lines(path)}
    unknown = sum(count for symbol, count in joint.items() if symbol not in known)
    print(f"dictionary: {path}, kept; <unk>: {unknown} of {sum(joint.values())} symbols")
    return [path, path]


def complete_symbols(encoder: str, codes: Optional[Path]) -> List[str]:
    """The symbols that a dictionary holds whatever the data: all that bytes can give."""
    return make_codec(encoder, codes).fixed_symbols
