"""Transfer to Sinhala on text of your own, such as interface messages: the rows of Wang, Cho & Gu 2020, Table 8."""

from pathlib import Path
from typing import List, Sequence

from recipes.engine.commands import ROOT, command, neutral, tool
from recipes.engine.recipe import option
from recipes.engine.run import Run, folder, positive
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.names_x_en.recipe import Names
from recipes.text.corpus_files import paths_of

CHILD, PARENT = "si", "xen"  # folders in the corpus


class Transfer(Names):
    """The parent never sees Sinhala, nor its script."""

    name = "transfer_si_en"
    title = "Transfer to Sinhala on any text"
    size = "any"
    needs = "--corpus DIR"
    extras = "fairseq"
    test_sets = ("test",)
    options = (
        option("--corpus", "SPLIT.xx-en.xx and SPLIT.xx-en.en of Sinhala and other languages", type=folder, metavar="DIR"),
        option("--transfer-updates", "updates of each row but the parent (default: 800)", type=positive, default=800, metavar="N"),
    )  # fmt: skip

    @property
    def configs(self) -> Path:
        return ROOT / "configs" / "names_x_en"

    def check(self, run: Run, systems: Sequence[System]) -> None:
        if not run.options.corpus:
            raise ValueError(
                "transfer_si_en needs --corpus DIR, with train, valid and test of si-en, and train and valid of "
                "other languages"
            )

    def languages_of(self, run: Run, system: System) -> Sequence[str]:
        return run.languages if system["corpus"] == PARENT else ()

    def test_sets_of(self, system: System) -> Sequence[str]:
        return self.test_sets if system["parent"] else ()

    def corpus_steps(self, run: Run) -> List[Step]:
        given, child, parent = run.options.corpus, run.corpus / CHILD, run.corpus / PARENT
        files = [
            path for split in ("train", "valid", "test") for path in paths_of(given, split, CHILD)
        ]
        copies = [child / path.name for path in files]
        lines = ["--lines", run.lines] if run.lines else []
        select = tool(
            "flores_si_en.parent_text", "--corpus", given, "--child", child, "--out", parent, "--raw",
            *lines, *neutral("--workers", run.workers),
        )  # fmt: skip
        return [
            Step("corpus si", [command("cp", *files, child)], files, copies),
            Step("corpus xen", [select], [given, *copies], [parent], "once"),
        ]


RECIPE = Transfer()
