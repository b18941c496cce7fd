"""The cost of training and decoding, from Fairseq's logs.

Segmentations cannot be compared by cost per token, or at equal token budgets, since their tokens differ
in size. Cost is therefore given per sentence and per 1,000 characters of raw text.
"""

import json
import re
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional

from fairseq_subword_ext.codecs.recognition import LINES_TO_DETECT, recognize
from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.textio.files import PathLike, binary_reader

# fairseq-train: "... | INFO | train | epoch 002 | loss 4.2 | ... ", fairseq-hydra-train:
# "[...][train][INFO] - epoch 002 | loss 4.2 | ...", and the same with a JSON object after it.
_EPOCH = re.compile(r"(?:\| train \||\]\[train\]\[INFO\] -) (?:epoch ([0-9]+) \| (.*)|(\{.*\}))$")
_TRANSLATED = re.compile(r"Translated ([0-9,]+) sentences \(([0-9,]+) tokens\) in ([0-9.]+)s")


@dataclass(frozen=True)
class TrainingCost:
    """The cost of training, from a fairseq-train log of epochs or parts of one.

    Attributes:
        sentences: sentences trained on, counting repetitions.
        tokens: their target tokens, including end-of-sentence symbols, as Fairseq counts them.
        seconds: time spent in training steps (``train_wall``), without validation and saving.
    """

    sentences: int
    tokens: int
    seconds: float

    @property
    def milliseconds_per_sentence(self) -> float:
        """Wall time of training steps per sentence."""
        return 1000 * self.seconds / self.sentences


@dataclass(frozen=True)
class DecodingCost:
    """The cost of decoding, from the output of fairseq-generate.

    Attributes:
        sentences: number of sentences translated.
        tokens: number of tokens generated.
        seconds: time spent generating.
        source_characters: characters of the sources (``S-`` lines) without segmentation; None if the
            output does not have them.
    """

    sentences: int
    tokens: int
    seconds: float
    source_characters: Optional[int]

    @property
    def milliseconds_per_sentence(self) -> float:
        """Wall time of generation per sentence."""
        return 1000 * self.seconds / self.sentences


def read_training_log(path: PathLike) -> TrainingCost:
    """Adds up the epochs of a fairseq-train or fairseq-hydra-train log, plain or JSON.

    If a log does not begin with the first epoch, its first epoch is used only to find out at which
    update the next one begins.

    Raises:
        ValueError: If the log has no complete epoch, or the times are too short to measure.
        OSError: If it cannot be read.
    """
    sentences = tokens = seconds = 0.0
    updates_before: Optional[float] = None
    for epoch in _epochs(path):
        updates = epoch["num_updates"]
        if updates_before is None and epoch["epoch"] == 1:
            updates_before = 0
        if updates_before is not None and updates > updates_before:
            steps = updates - updates_before
            sentences += steps * epoch["bsz"]
            tokens += steps * epoch["wpb"]
            seconds += epoch["train_wall"]
        updates_before = updates
    if not sentences:
        raise ValueError(
            f"{path}: found no complete epoch (a line of 'train | epoch ...' with num_updates, bsz, "
            "wpb and train_wall); give the whole log of fairseq-train"
        )
    if not seconds:
        raise ValueError(
            f"{path}: the training steps took 0 s, since Fairseq logs whole seconds: too short to "
            "measure"
        )
    return TrainingCost(round(sentences), round(tokens), seconds)


def read_generation_log(path: PathLike, encoder: Optional[str] = None) -> DecodingCost:
    """Reads the output of fairseq-generate.

    Args:
        path: the complete output, with the line ``Translated ... sentences``.
        encoder: the encoder that segmented the sources; None to detect it.

    Raises:
        ValueError: If the line is missing, or reports a time of zero.
        OSError: If the file cannot be read.
    """
    found = None
    sources: List[str] = []
    for line in _lines(path):
        if line.startswith("S-") and "\t" in line:
            sources.append(line.split("\t", 1)[1])
        else:
            found = _TRANSLATED.search(line) or found
    if found is None:
        raise ValueError(
            f"{path}: found no line 'Translated N sentences (N tokens) in N s', which "
            "fairseq-generate prints at the end; give its complete output, errors included (2>&1)"
        )
    sentences, tokens = (int(found[number].replace(",", "")) for number in (1, 2))
    seconds = float(found[3])
    if not sentences or not seconds:
        raise ValueError(f"{path}: {found[0]}: too little to measure")
    characters = None
    if sources:
        raw = notation_of(encoder or recognize(sources[:LINES_TO_DETECT])).raw
        characters = len(raw("\n".join(sources))) - (len(sources) - 1)
    return DecodingCost(sentences, tokens, seconds, characters)


def _epochs(path: PathLike) -> Iterator[Dict[str, float]]:
    """The statistics at the end of each epoch, if they are complete."""
    for line in _lines(path):
        match = _EPOCH.search(line)
        if match is None:
            continue
        if match[3]:
            logged = json.loads(match[3])
            values = {
                key[len("train_") :]: value for key, value in logged.items() if key != "epoch"
            }
            values["epoch"] = logged.get("epoch")
        else:
            values = dict(part.rsplit(" ", 1) for part in match[2].split(" | "))
            values["epoch"] = match[1]
        if all(values.get(key) for key in ("epoch", "num_updates", "bsz", "wpb", "train_wall")):
            yield {
                key: float(values[key])
                for key in ("epoch", "num_updates", "bsz", "wpb", "train_wall")
            }


def _lines(path: PathLike) -> Iterator[str]:
    with binary_reader(path) as stream:
        for line in stream:
            yield line.decode("utf-8", "replace").rstrip("\r\n")
