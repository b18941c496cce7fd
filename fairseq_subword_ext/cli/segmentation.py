"""What apply-bpe does to text, whatever it reads and writes."""

import argparse
import os
from dataclasses import dataclass
from typing import Callable, Optional

from fairseq_subword_ext.cli.common import note
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import BlockCoder


@dataclass(frozen=True)
class Segmentation:
    """One way to segment, as the flags ask for it.

    Attributes:
        coder: what segments a text of this name, with this seed.
        signature: the line that is quoted with results.
        report: makes what looks for text that falls to pieces.
    """

    coder: Callable[[str, Optional[int]], BlockCoder]
    signature: str
    report: Callable[[], SplitReport]


def drawn_seed(args: argparse.Namespace) -> Optional[int]:
    """The seed of --seed; where dropout has none, one is drawn and said."""
    if args.dropout and args.seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
        note(f"dropout: --seed {seed} gives this segmentation again")
        return seed
    return args.seed
