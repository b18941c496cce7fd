"""Your own data: any pair of raw files, and any combination of measure or unit, size and context."""

from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.pair import ENSEMBLE_OPTION, PairRecipe
from recipes.engine.recipe import Recipe, option
from recipes.engine.run import Run, names
from recipes.engine.segmentations import segmentation_table
from recipes.engine.significance import sign_test_steps
from recipes.engine.steps import Step
from recipes.engine.systems import System, read_systems
from recipes.engine.tables import Shown, results_table
from recipes.own.files import MADE_FROM, OwnFiles, build, check_files, made_from, pair_of
from recipes.own.report import report_step
from recipes.own.system_names import system_of
from recipes.own.transfer import OwnChild
from recipes.text.raw_text import read_lines

from fairseq_subword_ext.textio.tables import Table

__all__ = ["RECIPE", "Own", "build"]

MODELS = ("tiny", "small", "medium", "base")


class Own(OwnFiles, PairRecipe):
    """Any pair of raw files, and any combination of measure or unit, size and context."""

    name = "own"
    title = "Your own data"
    paper = "none"
    size = "any"
    needs = "your files"
    extras = "fairseq,plots"
    metric = "BLEU"
    tokenized = False
    options = (
        option("--train", "raw training text, one sentence per line", nargs=2, type=Path, metavar=("SOURCE", "TARGET")),
        option("--valid", "validation text (default: drawn from --train)", nargs=2, type=Path, metavar=("SOURCE", "TARGET")),
        option("--test", "test text (default: drawn from --train)", nargs=2, type=Path, metavar=("SOURCE", "TARGET")),
        option("--pair", "the languages (default: the suffixes of --train)", metavar="xx-yy"),
        option("--systems", "such as frequency-8k,dlg-weighted-8k,bbpe-4k-gru,bytes", type=names, default=[], dest="wanted", metavar="NAMES"),
        option("--model", "size of the model (default: by the number of pairs and the device)", choices=MODELS),
        option("--separate", "learn the subwords of each side separately", action="store_true"),
        option("--segment-only", "segment, and print the table of segmentations; train nothing", action="store_true"),
        ENSEMBLE_OPTION,
        option("--baseline", "compare with this system (default: the first)", metavar="NAME"),
        option("--parent", "fine-tune this packed X-En model; --systems are then parts of it, such as enc,embed_enc,all", type=Path, metavar="ARCHIVE"),
    )  # fmt: skip

    def chosen(self, run: Run) -> Recipe:
        return OwnChild() if run.options.parent else self

    def systems(self, run: Run) -> List[System]:
        """The systems of this call, and those of earlier calls on the same data."""
        wanted = getattr(run.options, "wanted", None)
        if not wanted:
            return []
        check_files(run.options)
        baseline = run.options.baseline or wanted[0]
        model, pair = choose_model(run), pair_of(run.options)
        called = list(dict.fromkeys([*wanted, baseline]))
        rows = [system_of(name, model, pair, run.options.separate, baseline) for name in called]
        return [*rows, *earlier(run, called)]

    def check(self, run: Run, systems: Sequence[System]) -> None:
        check_files(run.options)

    def default_rows(self, run: Run, rows: Sequence[System]) -> List[System]:
        """The rows of this call."""
        count = len({*run.options.wanted, *filter(None, [run.options.baseline])})
        return list(rows[:count])

    def steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        steps = self.shared_steps if run.options.segment_only else super().steps
        return steps(run, systems)

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Paired bootstrap resampling against the baseline, and the page with all results."""
        reference = self.text(run, "test", systems[0], 1)
        outputs = {"test": ("test.txt", reference, ())}
        tests = sign_test_steps(run, systems, outputs, self.metric, test="bootstrap")
        return [*tests, *report_step(run, systems)]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Optional[Table]]:
        shown = [Shown("BLEU", "test", "BLEU"), Shown("chrF", "test", "chrF")]
        title = f"{systems[0]['pair']}, {systems[0]['config']} model: scores of the test set"
        return [
            segmentation_table(run, systems),
            results_table(run, systems, title, shown, parameters=True),
        ]


RECIPE = Own()


def earlier(run: Run, called: Sequence[str]) -> List[System]:
    """The rows of earlier calls in the same folder on the same data."""
    path, made = run.work / "systems.tsv", run.corpus / MADE_FROM
    if (
        not path.exists()
        or not made.exists()
        or made.read_text("utf-8") != made_from(run.options, run.lines)
    ):
        return []
    return [system for system in read_systems(path) if system.name not in called]


def choose_model(run: Run) -> str:
    """The configuration for the number of training pairs and the device."""
    if run.options.model:
        return run.options.model
    pairs = sum(1 for _ in read_lines(run.options.train[0]))
    pairs = min(pairs, run.lines or pairs)
    if pairs <= 20_000:
        return "tiny"
    if pairs <= 200_000 or not run.gpus:
        return "small"
    return "medium" if pairs <= 1_000_000 else "base"
