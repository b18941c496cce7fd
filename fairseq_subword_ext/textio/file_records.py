"""Records in an output folder: for each finished file, how it was made.

A record is a small JSON file in the hidden folder ``.fairseq-subword``. Each output has its own, so any number
of processes and machines can share one output folder. The record is written after the output and holds
the output's size and modification time: if the process dies in between, or the output changes later, the
two no longer match.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, remove_leftovers
from fairseq_subword_ext.textio.many_files import SegmentedFile, file_version

FOLDER = ".fairseq-subword"


class FileRecords:
    """The records of an output folder.

    Args:
        folder: the output folder; the hidden folder is created with the first record.
    """

    def __init__(self, folder: PathLike):
        self._folder = Path(folder)

    def path(self, name: str) -> Path:
        """The path of an output's record; ``name`` is relative to the output folder."""
        return self._folder / FOLDER / f"{name}.json"

    def begin(self, names: Iterable[str]) -> None:
        """Deletes the records of outputs to be made again, and temporary files of killed processes."""
        paths = [self.path(name) for name in names]
        remove_leftovers(paths)
        for path in paths:
            path.unlink(missing_ok=True)

    def write(self, name: str, done: SegmentedFile, settings: Mapping[str, Any]) -> None:
        """Records a finished output.

        Raises:
            OSError: If the record cannot be written.
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
            json.dump(record, stream, indent=1)  # ASCII escapes can represent any file name
            stream.write("\n")

    def read(self, name: str) -> Optional[Dict[str, Any]]:
        """Returns the record of an output; None if there is none, or the output has changed since."""
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
    """Describes the settings that differ, one phrase each, for a message."""
    return [
        f"{key} {then.get(key)} then, {now.get(key)} now"
        for key in sorted({*then, *now})
        if then.get(key) != now.get(key)
    ]
