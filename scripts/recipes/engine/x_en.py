"""Recipes of many languages into English.

Below the run's folder::

    corpus                       SPLIT.xx-en.xx and SPLIT.xx-en.en of every language
    segmentations/SEGMENTATION   codes, and bin with all languages and one dictionary; shared by the rows that name it
    systems/SYSTEM               checkpoints; for each test set SET.out, which fairseq-generate printed,
                                 SET.languages.tsv, which lines are each language's, and SET.json, the scores
"""

from pathlib import Path
from typing import List, Optional, Sequence

from fairseq_subword_ext.textio.tables import Table
from recipes.engine.commands import command, tool
from recipes.engine.recipe import Recipe
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import paper_table
from recipes.engine.training import generate, training_step


class XEnRecipe(Recipe):
    """A recipe of many languages into English.

    Attributes:
        target: the target language.
        test_sets: names of the test sets; the scores of the first are those of the table.
        moses: whether the corpus, and so what the model writes, is Moses tokens.
        devices: devices that the configuration's batch is meant for (None: the configuration's update_freq).
        metrics: the scores in the table.
        score_flags: more flags of ``score_languages``.
    """

    target = "en"
    test_sets: Sequence[str] = ("test",)
    moses = False
    devices: Optional[int] = None
    metrics: Sequence[str] = ("tokenized BLEU", "BLEU", "chrF")
    score_flags: Sequence[str] = ()

    def codes(self, run: Run, system: System) -> Optional[Path]:
        """The codes of a row; None for bytes and characters."""
        return run.segmentation(system) / "codes" if system["learn"] else None

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        """Learns over all languages and both sides; binarizes with one dictionary."""
        codes = self.codes(run, system)
        steps, flags, inputs = [], ["--encoder", system["encoder"]], [run.corpus]
        if codes:
            # The command expands the pattern: which languages there are shows when the corpus is made.
            texts = run.corpus / f"train.*-{self.target}.*"
            learn = command(
                "fairseq-subword", "learn-bpe", *system.flags("learn"), "-i", texts, *run.workers_flag,
                "-o", codes,
            )  # fmt: skip
            steps.append(Step(f"learn {system['segmentation']}", [learn], [run.corpus], [codes]))
            flags += ["-c", codes]
            inputs = [codes, run.corpus]
        tests = ",".join(str(run.corpus / name) for name in self.test_sets)
        data = run.segmentation(system) / "bin"
        binarize = command(
            "fairseq-subword", "binarize", *flags, "--joined-dictionary", *system.flags("binarize"),
            "-t", self.target, "--trainpref", run.corpus / "train", "--validpref", run.corpus / "valid",
            "--testpref", tests, "--destdir", data, *run.workers_flag,
        )  # fmt: skip
        return [*steps, Step(f"binarize {system['segmentation']}", [binarize], inputs, [data])]

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        if system["model"]:
            return []
        return [
            training_step(
                run, f"train {self.title_of(system, seed, run)}", self.config(system["config"]),
                run.segmentation(system) / "bin", run.folder(system, seed), seed, system.flags("set"),
                self.devices,
            )
        ]  # fmt: skip

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        steps = []
        for number, test_set in enumerate(self.test_sets):
            # Fairseq calls several test sets test, test1, test2.
            steps += self.translate_set(run, system, seed, test_set, f"test{number or ''}")
        return steps

    def translate_set(
        self, run: Run, system: System, seed: int, split: str, subset: str
    ) -> List[Step]:
        """Translates and scores one set.

        Args:
            run, system, seed: as elsewhere.
            split: its name in the corpus.
            subset: its name in the binarized data, such as ``test1``.
        """
        title = self.title_of(system, seed, run)
        folder = run.folder(system, seed)
        data, model = run.segmentation(system) / "bin", run.checkpoint(system, seed)
        codes = self.codes(run, system)
        out, ids = folder / f"{split}.out", folder / f"{split}.languages.tsv"
        translate = generate(
            run, data, [model], out, system["encoder"], codes,
            "--task", "multilingual_x_en", "--gen-subset", subset, "--language-ids", ids,
            "--max-tokens", 8000, *system.flags("generate"),
        )  # fmt: skip
        scores = folder / f"{split}.json"
        moses = ["--moses"] if self.moses else []
        score = tool(
            "engine.score_languages", "--system", out, "--language-ids", ids, "--corpus", run.corpus,
            "--split", split, *moses, *self.score_flags, "--seed", seed, "--json", scores,
        )  # fmt: skip
        inputs = [data, model, *([codes] if codes else [])]
        return [
            Step(f"translate {title} {split}", [translate], inputs, [out, ids]),
            Step(f"score {title} {split}", [score], [out, ids, run.corpus], [scores], shown="once"),
        ]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        return [paper_table(run, systems, self.title, *self.metrics)]
