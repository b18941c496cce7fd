"""The job of apply-bpe, restore and segment-baseline, independent of what it reads and writes."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, List, Optional

from fairseq_subword_ext.cli.common import log
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import BlockCoder

# Returns the first lines of a text.
FirstLines = Callable[[], List[str]]


@dataclass(frozen=True)
class TextJob:
    """A way to convert text line by line, set up from a command's flags.

    Attributes:
        coder: makes the coder for a text from its name, its first lines and a seed.
        done: what happens to a text, as a participle for messages.
        signature: the line to quote with results; None for none.
        files: the options that name files on whose content the output depends.
        ignored: the options on which the output does not depend, besides those that all commands share.
        split_separator: as :attr:`.Codec.split_separator`.
        draws: whether the output depends on the seed.
        peeks: the number of non-blank first lines that the coder needs.
    """

    coder: Callable[[str, FirstLines, Optional[int]], BlockCoder]
    done: str = "segmented"
    signature: Optional[str] = None
    files: Sequence[str] = ()
    ignored: Sequence[str] = ()
    split_separator: Optional[str] = None
    draws: bool = False
    peeks: int = 0

    def report(self) -> SplitReport:
        """A new report on text that breaks apart into characters."""
        return SplitReport(self.split_separator)


def drawn_seed(args: argparse.Namespace, job: TextJob) -> Optional[int]:
    """The seed of --seed; if it is not given and the job needs one, a seed is drawn and logged."""
    seed = getattr(args, "seed", None)
    if job.draws and seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
        log(f"dropout: --seed {seed} reproduces this segmentation")
    return seed
