"""Counts of the symbols of segmented text, and what the papers say of them."""

import os
from collections import Counter
from pathlib import Path
from typing import List, Optional, Sequence

from fairseq_subword_ext.codecs.byte_notation import ByteText
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword import dictionary


def count_symbols(paths: Sequence[Path]) -> Counter:
    """Counts the symbols of segmented text as Fairseq reads it."""
    counts, _ = dictionary.count_tokens(
        dict(count_words(paths, num_workers=os.cpu_count() or 1).items())
    )
    return counts


def print_lengths(split: str, sides: List[Counter], lines: int, expected: Optional[str]) -> None:
    """Prints the mean number of symbols per line on either side, beside the paper's."""
    source, target = (sum(counts.values()) / max(lines, 1) for counts in sides)
    paper = f"; paper: {expected}" if expected else ""
    print(f"{split}: {source:.1f} and {target:.1f} symbols per line, source and target{paper}")


def print_partial(split: str, sides: List[Counter], expected: Optional[str]) -> None:
    """Prints how many of both sides' symbols hold some bytes of a character, but not all."""
    joint = sides[0] + sides[1]
    is_partial = ByteText().is_partial
    partial = sum(count for symbol, count in joint.items() if is_partial(symbol))
    paper = f"; paper: {expected} %" if expected else ""
    share = 100 * partial / max(sum(joint.values()), 1)
    print(f"{split}: {share:.1f} % of the symbols are only part of a character{paper}")
