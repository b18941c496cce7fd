"""What was done in an output folder: for each file that is there whole, one record of how it was made.

A record is a small JSON file in the hidden folder ``.apply-bpe``, beside no other, so that any number of
processes and machines can work in one output folder. It is written after the output, and holds the
output's size and time: whatever happens between, or to the output later, the two do not match.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, remove_leftovers
from fairseq_subword_ext.textio.many_files import SegmentedFile, file_version

FOLDER = ".apply-bpe"


class FileRecords:
    """The records of an output folder.

    Args:
        folder: for the output; the records' own is made when one is written.
    """

    def __init__(self, folder: PathLike):
        self._folder = Path(folder)

    def path(self, name: str) -> Path:
        """Where the record of an output is; ``name`` is relative to the output folder."""
        return self._folder / FOLDER / f"{name}.json"

    def begin(self, names: Iterable[str]) -> None:
        """Forgets outputs that are to be made anew, and removes what killed processes have left."""
        paths = [self.path(name) for name in names]
        remove_leftovers(paths)
        for path in paths:
            path.unlink(missing_ok=True)

    def write(self, name: str, done: SegmentedFile, settings: Mapping[str, Any]) -> None:
        """Records an output that is there.

        Raises:
            OSError: If it cannot be written.
        """
        record = {
            "settings": dict(settings),
            "source": str(done.job.source),
            "source version": list(done.source_version),
            "output version": list(done.target_version),
            "lines": done.lines,
        }
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_text_writer(path) as stream:
            json.dump(record, stream, indent=1)  # any name of a file can be written as ASCII
            stream.write("\n")

    def read(self, name: str) -> Optional[Dict[str, Any]]:
        """The record of an output that is as it was written; None where there is none."""
        try:
            record = json.loads(self.path(name).read_text(encoding="utf-8"))
            version = file_version(self._folder / name)
        except (OSError, ValueError):
            return None
        whole = isinstance(record, dict) and {"settings", "source version"} <= set(record)
        if not whole or record.get("output version") != list(version):
            return None
        return record


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> List[str]:
    """The settings that differ, as a message says them."""
    return [
        f"{key} {then.get(key)} then, {now.get(key)} now"
        for key in sorted({*then, *now})
        if then.get(key) != now.get(key)
    ]
