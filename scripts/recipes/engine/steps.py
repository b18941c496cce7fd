"""The steps of a run, and the records by which finished ones are kept."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from fairseq_subword_ext.textio.digests import digest_of
from fairseq_subword_ext.textio.files import atomic_text_writer
from recipes.engine.commands import Command

RECORDS = "steps"


@dataclass(frozen=True)
class Training:
    """What a training step needs beyond its commands.

    Attributes:
        folder: has ``checkpoints``; training continues from what is there.
        updates, epochs: where training ends; None where only the other one counts.
        minutes: maximum time of one call of the recipe.
    """

    folder: Path
    updates: Optional[int] = None
    epochs: Optional[int] = None
    minutes: Optional[float] = None


@dataclass(frozen=True)
class Step:
    """A part of a run that is done once.

    Attributes:
        name: shown while it runs; also names its log and its record.
        commands: run in order.
        inputs: files or folders that the outputs depend on, besides the commands.
        outputs: files or folders that exist when it is finished.
        shown: when its output is also printed, such as a table: "" for never, "once" if it runs, "always" also
            if it has been done before.
        training: set for a training, which can be continued.
    """

    name: str
    commands: Sequence[Command]
    inputs: Sequence[Path] = ()
    outputs: Sequence[Path] = ()
    shown: str = ""
    training: Optional[Training] = None

    @property
    def file_name(self) -> str:
        """The name as a file's name."""
        return re.sub(r"[^\w.+-]+", ".", self.name)

    @property
    def folders(self) -> List[Path]:
        """The folders that have to exist before it runs."""
        written = [*self.outputs, *(one.stdout for one in self.commands if one.stdout)]
        return sorted({path.parent for path in written})

    def settings(self, work: Path, extent: bool = True) -> str:
        """A digest of all settings that the result depends on; ``extent`` includes the training's length."""
        commands = [command.settings(work, extent) for command in self.commands]
        return hashlib.sha256(json.dumps(commands).encode()).hexdigest()


def merged(steps: Sequence[Step]) -> List[Step]:
    """The steps in order, each once; several systems share some.

    Raises:
        ValueError: If two different steps have one name.
    """
    found: Dict[str, Step] = {}
    for step in steps:
        if found.setdefault(step.name, step) != step:
            raise ValueError(
                f"two different steps are called {step.name!r}: rows of systems.tsv that share a "
                "segmentation must agree in encoder, learn and binarize"
            )
    return list(found.values())


class Records:
    """The records of a run's finished steps: checksums of their settings, inputs and outputs.

    Args:
        work: the run's folder.
    """

    def __init__(self, work: Path):
        self.work = work
        self.folder = work / RECORDS
        self._sums = Checksums(self.folder / "checksums.json")

    def finished(self, step: Step) -> bool:
        """Whether a step has been done with the same settings and inputs, and its outputs are unchanged."""
        return self._read(step) == self._now(step)

    def continues(self, step: Step) -> bool:
        """Whether a training may continue from its checkpoints: only its length has changed."""
        return self._read(step, ".begun") == self._begun(step)

    def begin(self, step: Step) -> None:
        """Forgets that a step was done; of a training, notes what its checkpoints are made from."""
        self._path(step).unlink(missing_ok=True)
        if step.training:
            self._write(step, self._begun(step), ".begun")

    def finish(self, step: Step) -> None:
        """Records a step as done.

        Raises:
            ValueError: If it has not made its outputs.
        """
        missing = [path for path in step.outputs if not path.exists()]
        if missing:
            raise ValueError(f"{step.name} has not written {missing[0]}")
        self._write(step, self._now(step))

    def _now(self, step: Step) -> Optional[dict]:
        try:
            return {
                "settings": step.settings(self.work),
                "inputs": self._sums.of(step.inputs, self.work),
                "outputs": self._sums.of(step.outputs, self.work),
            }
        except FileNotFoundError:
            return None

    def _begun(self, step: Step) -> dict:
        inputs = self._sums.of(step.inputs, self.work)
        return {"settings": step.settings(self.work, extent=False), "inputs": inputs}

    def _path(self, step: Step, suffix: str = "") -> Path:
        return self.folder / f"{step.file_name}{suffix}.json"

    def _read(self, step: Step, suffix: str = "") -> dict:
        try:
            return json.loads(self._path(step, suffix).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def _write(self, step: Step, content: Optional[dict], suffix: str = "") -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_text_writer(self._path(step, suffix)) as stream:
            stream.write(json.dumps(content, indent=1) + "\n")
        self._sums.save()


class Checksums:
    """SHA-256 of files, computed again only if size or modification time change."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self._known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._known = {}

    def of(self, paths: Sequence[Path], work: Path) -> Dict[str, str]:
        """The checksums of files, and of all files in folders, by path.

        Raises:
            FileNotFoundError: If a path does not exist.
        """
        return {self._name(path, work): self._sum(path) for path in paths}

    def _name(self, path: Path, work: Path) -> str:
        return str(path.relative_to(work)) if work in path.parents else str(path)

    def _sum(self, path: Path) -> str:
        if path.is_dir():
            inside = sorted(
                file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")
            )
            listed = [f"{file.relative_to(path)} {self._sum(file)}" for file in inside]
            return hashlib.sha256("\n".join(listed).encode("utf-8", "surrogateescape")).hexdigest()
        found = path.stat()
        version = [found.st_size, found.st_mtime_ns]
        known = self._known.get(str(path))
        if known is None or known[:2] != version:
            known = self._known[str(path)] = [*version, digest_of([path])]
        return known[2]

    def save(self) -> None:
        """Keeps the checksums for the next call."""
        with atomic_text_writer(self.path) as stream:
            stream.write(json.dumps(self._known))
