"""Builds the Multi30k corpus (task 1, German-English) from the public files: tokenized, nothing left out.

    python -m recipes.engine.corpus multi30k_de_en --raw DIR... --out DIR [--lines N]

Writes train, valid, test2016 and test2017.de-en.{de,en}, Moses-tokenized, and test2016.raw and
test2017.raw.de-en.{de,en} as released, for detokenized scores. Reads the release's names (train.de.gz, val.de.gz,
test_2016_flickr.de.gz), compressed or not, and SET.de-en.de.
"""

import argparse
from itertools import islice
from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.binarizing import binarize_step
from recipes.engine.commands import Command, command
from recipes.engine.corpus import Expected
from recipes.engine.measures import MeasureRecipe, splitting_tables
from recipes.engine.run import Run
from recipes.engine.segmentations import segmentation_table
from recipes.engine.significance import sign_test_steps
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.moses import tokenize_pairs
from recipes.text.raw_text import find_file, read_parallel

from fairseq_subword_ext.textio.tables import Table

LANGUAGES = ("de", "en")
# What the release and common copies call the sets.
SETS = {
    "train": ("train",),
    "valid": ("val", "valid"),
    "test2016": ("test_2016_flickr", "test2016", "test"),
    "test2017": ("test_2017_flickr", "test2017"),
}


class Multi30k(MeasureRecipe):
    """Goodness measures, and BPE-dropout drawn each epoch, on a corpus that trains on a CPU."""

    name = "multi30k_de_en"
    title = "Multi30k German-English: goodness measures and BPE-dropout"
    paper = "none: a small-scale study"
    size = "29,000 pairs"
    pair = "de-en"
    test_sets = ("test2016", "test2017")
    decodings = ()
    metric = "BLEU"
    expected = (
        Expected("train", "train.de-en.de", "lines", "29,000"),
        Expected("valid", "valid.de-en.de", "lines", "1,014"),
        Expected("test2016", "test2016.de-en.de", "lines", "1,000"),
        Expected("test2017", "test2017.de-en.de", "lines", "1,000"),
    )

    def fetch(self, run: Run, *_) -> List[Command]:
        """With ``--raw``, the files are read where they are, by any of their names."""
        return [] if run.raw else super().fetch(run)

    def dictionary(self, run: Run, system: System) -> Path:
        """The dictionary of a segmentation, with every symbol that its codes can give."""
        return run.segmentation(system) / "dict.txt"

    def learn_steps(self, run: Run, system: System) -> List[Step]:
        """The codes, and their dictionary: dropout leaves pieces that plain segmentation never shows.

        Rows without dropout have the same dictionary, so that dropout is all that differs.
        """
        codes, dictionary = run.segmentation(system) / "codes", self.dictionary(run, system)
        build = command(
            "fairseq-subword", "build-dict", "-c", codes, "--padding-factor", 1, "-o", dictionary
        )
        name = f"dictionary {system['segmentation']}"
        return [
            *super().learn_steps(run, system),
            Step(name, [build], inputs=[codes, Path(f"{codes}.json")], outputs=[dictionary]),
        ]

    def binarize_step(self, run: Run, system: System) -> Step:
        splits = ("train", "valid", *self.test_sets)
        texts = [self.text(run, split, system, side) for split in splits for side in (0, 1)]
        return binarize_step(
            run, f"binarize {system['segmentation']}", run.segmentation(system), system["encoder"],
            [run.segmentation(system) / "codes"], [run.corpus / split for split in splits], LANGUAGES, texts,
            dictionary=self.dictionary(run, system),
        )  # fmt: skip

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        """Rows with dropout are trained on text, which is segmented anew for each epoch."""
        if not system["dropout"]:
            return super().train_steps(run, system, seed)
        codes, dictionary = run.segmentation(system) / "codes", self.dictionary(run, system)
        settings = [
            *system.flags("set"), "task._name=translation_from_text", "+task.from_text=true",
            f"+task.bpe_dropout={system['dropout']}", f"+task.text_dict={dictionary}",
            f"+bpe._name={system['encoder']}", f"+bpe.bpe_codes={codes}",
        ]  # fmt: skip
        return [self.training(run, system, seed, run.corpus, settings, [codes, dictionary])]

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Collins et al.'s test on running text, whose BLEU the table shows."""
        outputs = {
            name: (f"{name}.txt", self.references(run, systems[0], name)[0], ())
            for name in self.test_sets
        }
        return sign_test_steps(run, systems, outputs, self.metric)

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [
            Shown(f"{name}, {metric}", name, metric)
            for name in self.test_sets
            for metric in ("BLEU", "chrF")
        ]
        return [
            segmentation_table(run, systems),
            *splitting_tables(self.splittings(run, systems)),
            results_table(run, systems, self.title, shown),
        ]

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """None: Figure 1 needs several sizes."""
        return []


RECIPE = Multi30k()


def read_split(folders: Sequence[Path], split: str, lines: Optional[int] = None) -> List[Pair]:
    """Reads one of :data:`SETS`.

    Raises:
        ValueError: If a side is missing, or the sides differ in length.
        OSError: If a file cannot be read.
    """
    paths = []
    for language in LANGUAGES:
        suffixes = (f"{language}.gz", language, f"{'-'.join(LANGUAGES)}.{language}")
        names = [f"{name}.{suffix}" for name in SETS[split] for suffix in suffixes]
        paths.append(find_file(folders, names, "the release's folder data/task1/raw"))
    return list(islice(read_parallel(*paths), lines))


def build(args: argparse.Namespace) -> None:
    """Reads the files and writes the corpus."""
    sets = {
        split: read_split(args.raw, split, args.lines if split == "train" else None)
        for split in SETS
    }
    for split, pairs in sets.items():
        write_pairs(args.out, split, "de", tokenize_pairs(pairs, LANGUAGES, args.workers))
        if split in RECIPE.test_sets:
            write_pairs(args.out, f"{split}.raw", "de", pairs)
