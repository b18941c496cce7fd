"""Records of the steps that a command has finished, so that an interrupted run can be resumed.

A record is a small JSON file in a hidden folder. It is written after the step's outputs, and
holds the sizes and modification times of the step's inputs and outputs.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Dict, Optional

from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, remove_leftovers
from fairseq_subword_ext.textio.many_files import file_version


class StepRecords:
    """The records of one folder.

    Args:
        folder: holds the records; created with the first one.
    """

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)

    def path(self, step: str) -> Path:
        """Returns the path of a step's record."""
        return self.folder / f"{step}.json"

    def forget(self, steps: Iterable[str]) -> None:
        """Removes the records of steps to repeat, and temporary files of killed processes."""
        paths = [self.path(step) for step in steps]
        remove_leftovers(paths)
        for path in paths:
            path.unlink(missing_ok=True)

    def write(
        self,
        step: str,
        settings: Mapping[str, Any],
        inputs: Iterable[PathLike],
        outputs: Iterable[PathLike],
        results: Mapping[str, Any],
    ) -> None:
        """Records a finished step.

        Args:
            step: its name, also the name of the file.
            settings: everything that the outputs depend on besides the inputs.
            inputs, outputs: files.
            results: values that later steps need.

        Raises:
            OSError: If the record cannot be written.
        """
        record = {
            "settings": dict(settings),
            "inputs": _versions(inputs),
            "outputs": _versions(outputs),
            "results": dict(results),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_text_writer(self.path(step)) as stream:
            stream.write(json.dumps(record) + "\n")  # far faster than json.dump

    def read(
        self,
        step: str,
        settings: Mapping[str, Any],
        inputs: Iterable[PathLike],
        outputs: Iterable[PathLike],
    ) -> Optional[Dict[str, Any]]:
        """Returns the results of a step, if it finished with the same settings, inputs and outputs.

        Returns:
            None if the step has to be done, or repeated.
        """
        try:
            record = json.loads(self.path(step).read_text(encoding="utf-8"))
            now = {
                "settings": json.loads(json.dumps(dict(settings))),
                "inputs": _versions(inputs),
                "outputs": _versions(outputs),
            }
            same = all(record[key] == value for key, value in now.items())
            return record["results"] if same else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _versions(paths: Iterable[PathLike]) -> Dict[str, Any]:
    return {str(path): list(file_version(path)) for path in paths}
