"""Builds the corpus of Sennrich, Haddow & Birch 2016 for one pair from WMT 2015's release.

    python -m recipes.engine.corpus wmt15 --pair en-de --raw DIR... --out DIR [--lines N]

Training text: for en-de Europarl v7, Common Crawl and News Commentary v10, for en-ru Common Crawl, News
Commentary v10, Yandex's corpus and Wiki Headlines; newstest2013 for validation, newstest2015 for the test.
Writes train, valid and test.PAIR.xx, Moses-tokenized and truecased, test.raw.PAIR.xx as released, and
truecase.PAIR.xx, the counts that decide about case.

Pairs with a side of no or of more than 50 tokens are left out: the paper does not say which it left out.
"""

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import Command, command, neutral, tool
from recipes.engine.corpus import Expected
from recipes.engine.pair import ENSEMBLE_OPTION, Decoding, PairRecipe
from recipes.engine.recipe import option
from recipes.engine.run import ENSEMBLE, Run, positive
from recipes.engine.segmentations import segmentation_table
from recipes.engine.steps import Step
from recipes.engine.systems import System, choose
from recipes.engine.training import generate
from recipes.text.corpus_files import paths_of, short_enough, write_lines, write_pairs
from recipes.text.moses import learn_truecaser, tokenize_pairs, truecase_lines
from recipes.text.raw_text import read_lines
from recipes.wmt15.releases import TEST, TRAINING, VALID, read_news, read_training
from recipes.wmt15.tables import results

from fairseq_subword_ext.textio.tables import Table

COMMON = ("training-parallel-commoncrawl.tgz", "training-parallel-nc-v10.tgz", "wmt13-test.tgz", "wmt15-test.tgz")  # fmt: skip
ARCHIVES = {
    "en-de": ("training-parallel-europarl-v7.tgz", *COMMON),
    "en-ru": ("1mcorpus.zip", "wiki-titles.tgz", *COMMON),
}
SPLITS = ("train", "valid", "test", "test.raw")
MAX_WORDS = 50


class Wmt15(PairRecipe):
    """Sennrich, Haddow & Birch 2016, Tables 2 and 3."""

    name = "wmt15"
    title = (
        "WMT 2015 English-German and English-Russian: BPE (Sennrich et al. 2016, Tables 2 and 3)"
    )
    paper = "Sennrich, Haddow & Birch 2016"
    size = "4.2M and 2.6M pairs"
    needs = "for Russian, Yandex's corpus (on registering)"
    extras = "fairseq,recipes,align"
    moses = truecased = word_f1 = True
    devices = 1  # the paper's batch is a number of sentences; several GPUs share it
    sentences = 80
    options = (
        ENSEMBLE_OPTION,
        option("--checkpoints", "models of each seed for the ensemble: the best (1, the default), or those of the last N epochs", type=positive, default=1, metavar="N"),
    )  # fmt: skip
    more_corpus_options = (
        option("--pair", "source and target language", choices=list(TRAINING), required=True),
    )
    expected = (
        Expected("en-de, train", "train.en-de.en", "lines", "4.2M"),
        Expected("en-de, train, German", "train.en-de.de", "tokens", "100M"),
        Expected("en-de, train, German", "train.en-de.de", "types", "1,750K"),
        Expected("en-de, newstest2013", "valid.en-de.en", "lines", "3,000"),
        Expected("en-de, newstest2015, German", "test.en-de.de", "tokens", "44,085"),
        Expected("en-ru, train", "train.en-ru.en", "lines", "2.6M"),
        Expected("en-ru, train, Russian", "train.en-ru.ru", "tokens", "50M"),
        Expected("en-ru, newstest2013", "valid.en-ru.en", "lines", "3,000"),
        Expected("en-ru, newstest2015, Russian", "test.en-ru.ru", "tokens", "55,654"),
    )

    # The corpora: one for each pair, made when a row needs it.

    def corpus_steps(self, run: Run) -> List[Step]:
        return []

    def steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        return super().steps(run, systems) or [self.corpus_step(run, pair) for pair in TRAINING]

    def corpus_step(self, run: Run, pair: str) -> Step:
        """Brings the files of a pair, and makes its corpus."""
        target = pair.split("-")[1]
        return Step(
            f"corpus {pair}",
            [*self.fetch(run, ARCHIVES[pair], [target]), self.corpus_command(run, "--pair", pair)],
            inputs=[run.raw] if run.raw else [],
            outputs=[
                path for split in SPLITS for path in paths_of(run.corpus, split, "en", target)
            ],
            shown="once",
        )

    # Segmentation.

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        steps = [self.corpus_step(run, system["pair"]), *super().segment_steps(run, system)]
        return [*steps, self.back_off_step(run, system)] if system["back_off"] else steps

    def learn_steps(self, run: Run, system: System) -> List[Step]:
        if not system["joint"]:
            return super().learn_steps(run, system)
        folder = run.segmentation(system)
        sides = [self.text(run, "train", system, side) for side in (0, 1)]
        vocabularies = [folder / f"vocabulary.{language}" for language in self.languages(system)]
        learn = command(
            "fairseq-subword", "learn-joint-bpe-and-vocab", *system.flags("learn"), "-i", *sides,
            "-o", folder / "codes", "--write-vocabulary", *vocabularies, *run.workers_flag,
        )  # fmt: skip
        outputs = [folder / "codes", *vocabularies]
        return [Step(f"learn {system['segmentation']}", [learn], inputs=sides, outputs=outputs)]

    def back_off_step(self, run: Run, system: System) -> Step:
        """The dictionary of aligned words, and the test set as text, in which unknown words still show."""
        folder = run.segmentation(system)
        source, target = self.languages(system)
        sides = [self.text(run, "train", system, side) for side in (0, 1)]
        data, text = folder / "bin", folder / "text"
        align = command(
            "fairseq-subword", "segment-baseline", "word", "-i", sides[0], "-o", "/dev/null",
            "--parallel", sides[1], "--write-dictionary", folder / "back-off",
        )  # fmt: skip
        preprocess = command(
            "fairseq-preprocess", "-s", source, "-t", target, "--dataset-impl", "raw", "--testpref", text / "test",
            "--srcdict", data / f"dict.{source}.txt", "--tgtdict", data / f"dict.{target}.txt",
            "--destdir", folder / "raw", *neutral("--workers", run.workers),
        )  # fmt: skip
        return Step(
            f"back-off {system['segmentation']}", [align, preprocess], inputs=[*sides, data, text],
            outputs=[folder / "back-off", folder / "raw"],
        )  # fmt: skip

    # Training and translation.

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        """A row that decodes with the model of another trains that one."""
        if system["model"]:
            system = choose(self.systems(run), [system["model"]], self.name)[0]
        return super().train_steps(run, system, seed)

    def models(self, run: Run, system: System, seed: int) -> List[Path]:
        if seed != ENSEMBLE or run.options.checkpoints == 1:
            return super().models(run, system, seed)
        places = range(1, run.options.checkpoints + 1)
        seeds = range(1, len(run.seeds) + 1)
        folder = run.folder(system, ENSEMBLE) / "models"
        return [folder / f"{one}.{place}.pt" for one in seeds for place in places]

    def ensemble_steps(self, run: Run, system: System) -> List[Step]:
        count = run.options.checkpoints
        if not run.options.ensemble or count * len(run.seeds) == 1:
            return []
        steps = self.translate_steps(run, system, ENSEMBLE)
        if count == 1:
            return steps
        best = [run.checkpoint(system, seed) for seed in run.seeds]
        models = self.models(run, system, ENSEMBLE)
        folder = models[0].parent
        links = tool("wmt15.last_epochs", "-n", count, "-o", folder, *(one.parent for one in best))
        last = [path.with_name("checkpoint_last.pt") for path in best]
        name = f"models {self.title_of(system, ENSEMBLE, run)}"
        return [Step(name, [links], inputs=last, outputs=models), *steps]

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        translate, score = super().translate_steps(run, system, seed)
        if system["back_off"]:
            more = [run.segmentation(system) / name for name in ("raw", "back-off")]
            translate = replace(translate, inputs=[*translate.inputs, *more])
        return [translate, score]

    def translate(
        self, run: Run, system: System, column: Decoding, models: Sequence[Path], folder: Path
    ) -> Command:
        if not system["back_off"]:
            return super().translate(run, system, column, models, folder)
        source, target = self.languages(system)
        segmentation = run.segmentation(system)
        return generate(
            run, segmentation / "raw", models, folder / f"{column.name}.out", "", None,
            "--task", self.task, "--source-lang", source, "--target-lang", target, "--dataset-impl", "raw",
            "--print-alignment", "--replace-unk", segmentation / "back-off", *system.flags("generate"),
        )  # fmt: skip

    # Results.

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        return [segmentation_table(run, systems), *results(run, systems)]


RECIPE = Wmt15()


def truecase_files(folder: Path, splits: Sequence[str], pair: str, workers: Optional[int]) -> None:
    """Truecases the sets of the corpus in their place, by the counts of the first, the training text."""
    source, target = pair.split("-")
    for side, language in enumerate((source, target)):
        model = folder / f"truecase.{pair}.{language}"
        for split in splits:
            path = paths_of(folder, split, source, target)[side]
            lines = list(read_lines(path))
            if split == splits[0]:
                learn_truecaser(lines, model)
            write_lines(path, truecase_lines(lines, model, workers))


def build(args: argparse.Namespace) -> None:
    """Reads the releases and writes the corpus; says how much of the training text is kept."""
    source, target = languages = args.pair.split("-")
    held_out = {
        "valid": read_news(args.raw, args.pair, VALID),
        "test": read_news(args.raw, args.pair, TEST),
    }
    counts: Counter = Counter()
    training = read_training(args.raw, args.pair, args.lines, counts)
    tokenized = tokenize_pairs(training, languages, args.workers)
    short = (pair for pair in tokenized if short_enough(pair, MAX_WORDS))
    kept = write_pairs(args.out, "train", source, short, target)
    for split, pairs in held_out.items():
        tokens = tokenize_pairs(pairs, languages, args.workers)
        write_pairs(args.out, split, source, tokens, target)
    write_pairs(args.out, "test.raw", source, held_out["test"], target)
    truecase_files(args.out, ("train", *held_out), args.pair, args.workers)
    for corpus, pairs in counts.items():
        print(f"{corpus}: {pairs:,} pairs")
    print(f"train: {kept:,} of {sum(counts.values()):,} pairs have 1 to {MAX_WORDS} tokens")
