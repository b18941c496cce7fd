"""Your own language after a packed X-En model: parts of it trained further, the model unchanged, or a new one."""

import json
import tarfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from recipes.engine.commands import tool
from recipes.engine.run import Run
from recipes.engine.significance import sign_test_steps
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.engine.training import read_config
from recipes.engine.x_en import Parent, XEnRecipe
from recipes.own.files import OwnFiles, check_files, pair_of
from recipes.own.system_names import PARTS

from fairseq_subword_ext.textio.tables import Table

MANIFEST, SETTINGS = "MANIFEST.json", "training.yaml"


class OwnChild(OwnFiles, XEnRecipe):
    """Rows that start from a packed model; its codes and dictionary are used for the new language."""

    name = "own"
    title = "Your own data, after a packed model"
    metrics = ("BLEU", "chrF")

    def systems(self, run: Run) -> List[System]:
        """The systems of this call.

        Raises:
            ValueError: If the target is not English, a name is unknown, or the archive cannot be read.
        """
        check_files(run.options)
        pair = pair_of(run.options)
        if pair.split("-")[1] != self.target:
            raise ValueError(f"--parent: an X-En model translates into English, not {pair}")
        archive = read_archive(run.options.parent)
        encoder = archive[MANIFEST].get("encoder", {}).get("_name", "")
        wanted = run.options.wanted
        baseline = run.options.baseline or wanted[0]
        names = dict.fromkeys([*wanted, baseline])
        return [self._system(name, encoder, archive[SETTINGS]["model"], baseline) for name in names]

    def _system(self, name: str, encoder: str, model: Dict[str, Any], baseline: str) -> System:
        if name not in PARTS:
            raise ValueError(f"--systems: with --parent they are {', '.join(PARTS)}, not {name!r}")
        settings = self._sizes(model)
        if PARTS[name] and name != "scratch":
            settings.append(f"task.finetune={PARTS[name]}")
        columns = {
            "row": name,
            "segmentation": "parent",
            "encoder": encoder,
            "learn": "",
            "corpus": "",
            "parent": "archive",
            "config": {"zero_shot": "", "scratch": "scratch"}.get(name, "finetune"),
            "set": " ".join(settings),
            "generate": "--beam 5 --max-len-a 1 --max-len-b 100",
            "baseline": "" if name == baseline else baseline,
        }
        return System(name, columns, {})

    def _sizes(self, model: Dict[str, Any]) -> List[str]:
        """The parent's sizes as settings: those that its weights depend on."""
        from fairseq_subword_ext.transfer.parent_model import STRUCTURE

        ours = read_config(self.config("finetune"))["model"]
        return [
            f"{'' if key in ours else '+'}model.{key}={json.dumps(model[key])}"
            for key in STRUCTURE
            if model.get(key) is not None
        ]

    def check(self, run: Run, systems: Sequence[System]) -> None:
        if not systems[0]["encoder"]:
            raise ValueError(f"--parent {run.options.parent}: the model has no encoder")
        if run.options.ensemble or run.options.segment_only:
            raise ValueError("--ensemble and --segment-only do not go with --parent")

    def default_rows(self, run: Run, rows: Sequence[System]) -> List[System]:
        return list(rows)

    def parent_row(self, run: Run, system: System) -> Optional[System]:
        return None  # it is no row: it comes from the archive

    def parent(self, run: Run, system: System) -> Parent:
        folder = run.work / "parent"
        return Parent(folder / "codes", folder / "dict.txt", folder / "model.pt")

    def parent_steps(self, run: Run, system: System) -> List[Step]:
        archive = run.options.parent.resolve()
        unpack = tool("own.unpack", archive, "--out", run.work / "parent")
        return [Step("unpack parent", [unpack], [archive], [run.work / "parent"])]

    def codes(self, run: Run, system: System) -> Optional[Path]:
        return None if system["encoder"] == "byte_level" else run.segmentation(system) / "codes"

    def is_finetuned(self, system: System) -> bool:
        return system.name != "scratch"

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Paired bootstrap resampling against the baseline."""
        reference = run.corpus / f"test.{pair_of(run.options)}.{self.target}"
        return sign_test_steps(
            run, systems, {"all": ("test.out", reference, ())}, "BLEU", "bootstrap"
        )

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [Shown("BLEU", "all", "BLEU"), Shown("chrF", "all", "chrF")]
        title = f"After {run.options.parent.name}: scores of the test set"
        table = results_table(run, systems, title, shown, parameters=True)
        return [self.segmentations(run, systems), table]


def read_archive(path: Path) -> Dict[str, Any]:
    """The manifest and the settings of a packed model, by file name.

    Raises:
        ValueError: If the file is not an archive of ``fairseq-subword package-model``.
    """
    import yaml

    found: Dict[str, Any] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = Path(member.name).name
                if name in (MANIFEST, SETTINGS) and member.isfile():
                    found[name] = yaml.safe_load(archive.extractfile(member).read())  # JSON is YAML
    except (OSError, tarfile.TarError, yaml.YAMLError, EOFError) as error:
        reason = (str(error).splitlines() or ["truncated"])[0]
        raise ValueError(f"--parent {path}: not a packed model ({reason})") from error
    if set(found) != {MANIFEST, SETTINGS}:
        raise ValueError(
            f"--parent {path}: not a packed model: it needs {MANIFEST} and {SETTINGS}, which "
            "fairseq-subword package-model writes"
        )
    return found
