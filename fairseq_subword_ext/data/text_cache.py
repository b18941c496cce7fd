"""The cache of raw text: training text, segmented into Fairseq's binary format.

Below the folder of the cache, each machine has a folder of its own, since files that one machine replaces or
removes would vanish under another that reads them. It holds ``SPLIT-KEY`` for each split and all that its
segmentation depends on; and there a lock, and the data in ``all``, or in ``epoch-N`` with BPE-dropout. The
data of an epoch is complete once ``contents.json`` lies beside it.
"""

import hashlib
import json
import logging
import multiprocessing.util
import shutil
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from fairseq_subword_ext.data.text_writing import read_before, write_texts
from fairseq_subword_ext.data.writer_lock import writer_lock
from fairseq_subword_ext.textio.digests import digest_of, text_seed
from fairseq_subword_ext.textio.files import NO_ROOM, atomic_text_writer
from fairseq_subword_ext.textio.indexed_dataset import dataset_files
from fairseq_subword_ext.textio.many_files import file_version
from fairseq_subword_ext.version import __version__

logger = logging.getLogger(__name__)

_CONTENTS = "contents.json"
_EPOCH = "epoch-"


@dataclass(frozen=True)
class Side:
    """One side of a raw text.

    Attributes:
        path: of the text.
        name: of the dataset to make of it: ``train.de-en.de``.
        pair: split and pair, ``train.de-en``; the sides of a pair have the same number of lines.
        dictionary: index into the dictionaries of the cache.
        dropout: probability of skipping a merge.
    """

    path: Path
    name: str
    pair: str
    dictionary: int = 0
    dropout: float = 0.0


class TextCache:
    """Segments texts on demand and keeps the result.

    Args:
        folder: the folder of the cache; created when needed.
        encoding: the arguments of :func:`.make_codec`.
        dictionaries: the symbols of each dictionary, control symbols included.
        seed: of the random numbers of dropout.
    """

    def __init__(
        self,
        folder: Path,
        encoding: Dict[str, Any],
        dictionaries: List[List[str]],
        seed: int,
    ):
        self._folder = folder / socket.gethostname()
        self._encoding = encoding
        self._dictionaries = dictionaries
        self._seed = seed
        self._known: Dict[str, Dict[str, Any]] = {}  # the texts that this run has read, by path
        self._drawn: List[Path] = []  # folders with the data of epochs

    @contextmanager
    def opened(self, split: str, sides: List[Side], epoch: int) -> Iterator[Path]:
        """Segments a split, unless the cache has it, and lends the folder with its datasets.

        Open the files inside the block; they may be removed afterwards.

        Args:
            split: its name.
            sides: the texts.
            epoch: counted from 1; segmentation with dropout depends on it.

        Raises:
            ValueError: If a text cannot be used, or the two sides of a pair differ in length.
            OSError: If a file cannot be read or written.
            RuntimeError: If segmentation fails in another way.
        """
        drawn = any(side.dropout for side in sides)
        place = self._folder / f"{split}-{self._key(sides, drawn)}"
        folder = place / (f"{_EPOCH}{epoch}" if drawn else "all")
        place.mkdir(parents=True, exist_ok=True)
        with writer_lock(place / "lock"):
            if drawn and place not in self._drawn:
                self._drawn.append(place)
                # Not atexit, which the processes that Fairseq spawns skip.
                multiprocessing.util.Finalize(None, _remove_epochs, (place,), exitpriority=0)
            contents = self._reusable(folder, sides)
            if contents is None:
                contents = self._write(folder, sides, epoch)
            else:
                logger.info(f"{split}: using the segmented text in {folder}")
            self._known.update({str(side.path): contents[side.name] for side in sides})
            yield folder

    def checksum(self, side: Side) -> str:
        """The SHA-256 of a text that this run has read."""
        return self._known[str(side.path)]["sha256"]

    def keep_only(self, epoch: int) -> None:
        """Removes the data of all other epochs."""
        for place in self._drawn:
            with writer_lock(place / "lock"):
                _remove_epochs(place, f"{_EPOCH}{epoch}")

    def _key(self, sides: List[Side], drawn: bool) -> str:
        """Identifies everything that segmentation depends on except the texts' content and the epoch."""
        encoding = {
            name: digest_of([value]) if isinstance(value, str) and Path(value).is_file() else value
            for name, value in self._encoding.items()
        }
        symbols = ["\n".join(symbols) for symbols in self._dictionaries]
        settings = [
            __version__,
            encoding,
            [
                hashlib.sha256(each.encode("utf-8", "surrogateescape")).hexdigest()
                for each in symbols
            ],
            self._seed if drawn else None,
            [
                (str(side.path.resolve()), side.name, side.dictionary, side.dropout)
                for side in sides
            ],
        ]
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]

    def _reusable(self, folder: Path, sides: List[Side]) -> Optional[Dict[str, Any]]:
        """The contents of a folder that was made from the same texts; None if it has to be made."""
        try:
            contents = json.loads((folder / _CONTENTS).read_text(encoding="utf-8"))
            for side in sides:
                made = contents[side.name]
                if made["files"] != _files(folder, side):
                    return None
                now = read_before(str(side.path), made)
                if now["sha256"] != made["sha256"]:
                    return None
                made.update(now)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return contents

    def _write(self, folder: Path, sides: List[Side], epoch: int) -> Dict[str, Any]:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
            contents = write_texts(
                folder,
                self._encoding,
                self._dictionaries,
                [
                    {
                        "name": side.name,
                        "path": str(side.path),
                        "dictionary": side.dictionary,
                        "dropout": side.dropout,
                        "seed": text_seed(self._seed, f"{side.name}.{epoch}")
                        if side.dropout
                        else 0,
                        "known": self._known.get(str(side.path)),
                    }
                    for side in sides
                ],
            )
            _check_lengths(sides, contents)
            for side in sides:
                contents[side.name]["files"] = _files(folder, side)
            with atomic_text_writer(folder / _CONTENTS) as stream:
                json.dump(contents, stream)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                reason = f"{error.strerror}; --text-cache DIR puts the segmented text elsewhere"
                raise OSError(error.errno, reason, error.filename) from None
            raise
        tokens, unknown = (
            sum(contents[side.name][count] for side in sides) for count in ("tokens", "unknown")
        )
        logger.info(
            f"segmented {len(sides)} texts into {folder}: {tokens:,} tokens, "
            f"{unknown / max(1, tokens):.3%} <unk>"
        )
        return contents


def _files(folder: Path, side: Side) -> List[List[int]]:
    return [list(file_version(path)) for path in dataset_files(folder / side.name)]


def _remove_epochs(place: Path, kept: str = "") -> None:
    for folder in place.glob(f"{_EPOCH}*"):
        if folder.name != kept:
            shutil.rmtree(folder, ignore_errors=True)


def _check_lengths(sides: List[Side], contents: Dict[str, Any]) -> None:
    first: Dict[str, Side] = {}
    for side in sides:
        other = first.setdefault(side.pair, side)
        lines, expected = contents[side.name]["lines"], contents[other.name]["lines"]
        if lines != expected:
            raise ValueError(
                f"{other.path} has {expected:,} lines but {side.path} has {lines:,}; they must be the two "
                "sides of one text"
            )
    if not any(contents[side.name]["lines"] for side in sides):
        raise ValueError(f"the text has 0 lines ({', '.join(str(side.path) for side in sides)})")
