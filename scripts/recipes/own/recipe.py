#!/usr/bin/env python3
"""Makes a corpus of your own raw files: checks them, and draws what is not given.

    recipe.py --train a.si a.en [--valid b.si b.en] [--test c.si c.en] --pair si-en --out DIR [--lines N]

Pairs with an empty side are dropped from the training text. Without --valid or --test, up to 2,000 pairs, but at most a
twentieth, are drawn from the training text. Text is neither tokenized nor normalized, except that white space of
any kind becomes one space.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recipes.engine.commands import Command, command
from recipes.engine.pair import ENSEMBLE_OPTION, PairRecipe
from recipes.engine.recipe import Recipe, option
from recipes.engine.run import Run, names, positive
from recipes.engine.script import make_parser, run_script
from recipes.engine.segmentations import segmentation_table
from recipes.engine.significance import sign_test_steps
from recipes.engine.steps import Step
from recipes.engine.systems import System, read_systems
from recipes.engine.tables import Shown, results_table
from recipes.own.report import report_step
from recipes.own.system_names import system_of
from recipes.own.transfer import OwnChild
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.drawing import draw_sets
from recipes.text.raw_text import read_lines, read_parallel

from fairseq_subword_ext.textio.tables import Table

SETS = ("train", "valid", "test")
MODELS = ("tiny", "small", "medium", "base")
MADE_FROM = "made-from.json"
DRAWN, SHARE = 2000, 20  # pairs drawn for a set that is not given; at most one in so many
DRAWING = 1  # the seed


class Own(PairRecipe):
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

    def corpus_steps(self, run: Run) -> List[Step]:
        return corpus_steps(run, self.corpus_command(run))

    def corpus_command(self, run: Run) -> Command:
        return corpus_command(run)

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Paired bootstrap resampling against the baseline, and the page with all results."""
        reference = self.text(run, "test", systems[0], 1)
        outputs = {"test": ("test.txt", reference, ())}
        tests = sign_test_steps(run, systems, outputs, self.metric, test="bootstrap")
        return [*tests, *report_step(run, systems)]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [Shown("BLEU", "test", "BLEU"), Shown("chrF", "test", "chrF")]
        title = f"{systems[0]['pair']}, {systems[0]['config']} model: scores of the test set"
        tables = [
            segmentation_table(run, systems),
            results_table(run, systems, title, shown, parameters=True),
        ]
        return [table for table in tables if table and table.rows]


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


def pair_of(options: argparse.Namespace) -> str:
    """Source and target language, from ``--pair`` or the files' suffixes.

    Raises:
        ValueError: If they cannot be told, or are the same.
    """
    if options.pair:
        languages = options.pair.split("-")
    else:
        languages = [language_of(path) for path in options.train]
    if len(languages) != 2 or not all(languages) or languages[0] == languages[1]:
        raise ValueError(
            f"--train {options.train[0]} {options.train[1]}: the languages cannot be read from the file names; "
            "give --pair, such as --pair si-en"
        )
    return "-".join(languages)


def language_of(path: Path) -> str:
    """A file's language by its name: ``si`` for ``train.si`` and ``train.si.gz``; empty if it has none."""
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    return suffixes[-1][1:] if suffixes and suffixes[-1] != ".txt" else ""


def check_files(options: argparse.Namespace) -> None:
    """Refuses a call without what is needed.

    Raises:
        ValueError: If an option or a file is missing.
    """
    if not options.train or not options.wanted:
        raise ValueError(
            "own needs --train SOURCE TARGET and --systems NAMES, such as --train a.si a.en --systems "
            "frequency-8k,bbpe-4k-gru (recipe.py own --help has all options)"
        )
    for name in SETS:
        for path in getattr(options, name) or []:
            if not path.is_file():
                raise ValueError(f"--{name} {path}: no such file")


def made_from(options: argparse.Namespace, lines: Optional[int]) -> str:
    """What the corpus is made from, to recognize results on the same data."""
    files = {name: [str(path.resolve()) for path in getattr(options, name) or []] for name in SETS}
    return json.dumps({**files, "lines": lines}, indent=1)


def corpus_command(run: Run) -> Command:
    """The command that makes the corpus."""
    files: List[object] = []
    for name in SETS:
        paths = getattr(run.options, name)
        files += [f"--{name}", *(path.resolve() for path in paths)] if paths else []
    lines = ["--lines", run.lines] if run.lines else []
    return command(
        "python",
        Path(__file__).resolve(),
        *files,
        "--pair",
        pair_of(run.options),
        "--out",
        run.corpus,
        *lines,
    )


def corpus_steps(run: Run, made: Command) -> List[Step]:
    """The corpus, made again if one of the files changes."""
    files = [path.resolve() for name in SETS for path in getattr(run.options, name) or []]
    return [Step("corpus", [made], inputs=files, outputs=[run.corpus], shown="once")]


def build(args: argparse.Namespace) -> None:
    """Writes the corpus."""
    source, target = args.pair.split("-")
    sets: Dict[str, List[Pair]] = {}
    for name in SETS:
        paths: Optional[Tuple[Path, Path]] = getattr(args, name)
        if paths:
            sets[name] = list(read_parallel(*paths))
            print(f"{name}: {len(sets[name]):,} pairs")
    given = sets["train"]
    sets["train"] = [pair for pair in given if all(pair)][: args.lines]
    print(
        f"dropped from train, a side is empty: {len(given) - len([p for p in given if all(p)]):,}"
    )
    drawn = [name for name in SETS[1:] if name not in sets]
    if drawn:
        size = min(DRAWN, max(len(sets["train"]) // SHARE, 1))
        *parts, sets["train"] = draw_sets(sets["train"], [size] * len(drawn), DRAWING)
        sets.update(zip(drawn, parts))
        print(f"drawn from train for {' and '.join(drawn)}: {size:,} pairs each")
    known = set(sets["train"])
    for name in SETS[1:]:
        if not sets[name]:
            raise ValueError(f"--{name} has no lines")
        both = sum(pair in known for pair in sets[name])
        print(f"{name} pairs that are also in train: {both:,} of {len(sets[name]):,}")
    args.out.mkdir(parents=True, exist_ok=True)
    for name, pairs in sets.items():
        write_pairs(args.out, name, source, pairs, target)
    (args.out / MADE_FROM).write_text(made_from(args, args.lines), encoding="utf-8")


def main() -> int:
    parser = make_parser(__doc__)
    for name in SETS:
        parser.add_argument(f"--{name}", nargs=2, type=Path, required=name == "train")
    parser.add_argument("--pair", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=positive)
    return run_script(parser, build)


if __name__ == "__main__":
    sys.exit(main())
