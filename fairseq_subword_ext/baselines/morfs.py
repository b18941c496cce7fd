"""Unsupervised segmentation into morphs, through the library morfessor."""

import random
import re
from pathlib import Path
from typing import Any, Iterator, List, Mapping, Tuple

from fairseq_subword_ext.baselines.word_codec import WordCodec
from fairseq_subword_ext.textio.extras import import_extra
from fairseq_subword_ext.textio.files import (
    PathLike,
    atomic_text_writer,
    read_text_lines,
    shown,
)

_LINE = re.compile(r"([0-9]{1,18}) (.+)")

# Training shuffles the words with this seed.
SEED = 1


class Morfs(WordCodec):
    """Splits words into morphs with a Morfessor Baseline model.

    A model file has one word type per line: its count and its morphs, separated by U+0020. (The
    library's own files are pickles, which can execute code when loaded.)

    Source: Creutz & Lagus 2002; Virpioja et al. 2013 for the library.
    """

    name = "morfessor"

    def __init__(self, model: Any, errors: str = "strict"):
        """Takes a model from :meth:`train` or :meth:`load`."""
        super().__init__(errors)
        self._model = model

    @classmethod
    def train(cls, counts: Mapping[str, int]) -> "Morfs":
        """Trains a model; training is deterministic.

        Args:
            counts: word -> count of the training text.

        Raises:
            ValueError: If there are no words.
            ImportError: If morfessor is not installed.
        """
        if not counts:
            raise ValueError("there are no words to train Morfessor on")
        morfessor = import_extra("morfessor", "morfessor")
        model = morfessor.BaselineModel()
        model.load_data([(count, word) for word, count in counts.items()])
        # The library shuffles with the global random generator and prints dots.
        state, dots = random.getstate(), morfessor.utils.show_progress_bar
        random.seed(SEED)
        morfessor.utils.show_progress_bar = False
        try:
            model.train_batch()
        finally:
            random.setstate(state)
            morfessor.utils.show_progress_bar = dots
        return cls(model)

    @classmethod
    def load(cls, path: PathLike) -> "Morfs":
        """Reads a model file.

        Raises:
            ValueError: If it is not a model file; names path and line.
            OSError: If it cannot be read.
            ImportError: If morfessor is not installed.
        """
        model = import_extra("morfessor", "morfessor").BaselineModel()
        model.load_segmentations(_read_model(path))
        if not list(model.get_compounds()):
            raise ValueError(f"{path}: the model is empty; write one with --write-model")
        return cls(model)

    def save(self, path: PathLike) -> None:
        """Writes a model file.

        Raises:
            OSError: If it cannot be written.
        """
        with atomic_text_writer(path) as stream:
            for count, _, morphs in sorted(
                self._model.get_segmentations(), key=lambda entry: (-entry[0], entry[1])
            ):
                stream.write(f"{count} {' '.join(morphs)}\n")

    def pieces(self, word: str) -> List[str]:
        return self._model.viterbi_segment(word)[0]


def _read_model(path: PathLike) -> Iterator[Tuple[int, str, List[str]]]:
    for number, line in enumerate(read_text_lines(Path(path)), 1):
        found = _LINE.fullmatch(line)
        morphs = found.group(2).split(" ") if found else []
        if not found or not all(morphs) or int(found.group(1)) == 0:
            raise ValueError(
                f"{path}:{number}: expected a count and morphs, found {shown(line)}; models come "
                "from `segment-baseline morfessor --write-model`"
            )
        yield int(found.group(1)), "".join(morphs), morphs
