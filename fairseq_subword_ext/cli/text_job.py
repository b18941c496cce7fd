"""What apply-bpe, restore and segment-baseline share: a job on text, whatever it reads and writes."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, List, Optional

from fairseq_subword_ext.cli.common import note
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import BlockCoder

# Gives the first lines of a text.
FirstLines = Callable[[], List[str]]


@dataclass(frozen=True)
class TextJob:
    """One way to convert text, line for line, as a command's flags ask for it.

    Attributes:
        coder: makes what converts a text of this name and these first lines, with this seed.
        done: what has happened to a text, for messages.
        signature: the line that is quoted with results; None for none.
        files: the options that name files, on whose content the output depends.
        ignored: the options on which the output does not depend, beside those that all commands share.
        split_separator: as :attr:`.Codec.split_separator`.
        draws: the output depends on the seed.
        peeks: first lines that are not blank that the job asks for.
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
        """What looks for text that breaks apart."""
        return SplitReport(self.split_separator)


def drawn_seed(args: argparse.Namespace, job: TextJob) -> Optional[int]:
    """The seed of --seed; if there is none and the job needs one, one is drawn and printed."""
    seed = getattr(args, "seed", None)
    if job.draws and seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
        note(f"dropout: --seed {seed} gives this segmentation again")
    return seed
