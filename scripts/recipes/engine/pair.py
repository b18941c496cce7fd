"""Recipes of one language pair.

Below the run's folder::

    corpus                       train, valid and the test sets, SPLIT.de-en.de and SPLIT.de-en.en. Where these are
                                 Moses tokens, the raw text of the test sets beside them, SET.raw.de-en.en
    segmentations/SEGMENTATION   codes, codes.target if the sides have their own, and bin; shared by the rows
                                 that name it
    systems/SYSTEM               checkpoints; for each column of the table COLUMN.out, which fairseq-generate
                                 printed, and COLUMN.txt, the translations as text; scores as JSON
"""

from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from fairseq_subword_ext.textio.tables import Table
from recipes.engine import baselines
from recipes.engine.binarizing import binarize_step, learn_commands, pieces_step
from recipes.engine.commands import SENTENCEPIECE, Command, Neutral, command, neutral, tool
from recipes.engine.recipe import Option, Recipe, option
from recipes.engine.run import ENSEMBLE, Run
from recipes.engine.segmentations import segmentation_table
from recipes.engine.significance import sign_test_steps
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import grids, paper_table
from recipes.engine.training import generate, length_limit

ENSEMBLE_OPTION: Option = option(
    "--ensemble",
    "also translate with the models of all --seeds together",
    action="store_true",
)


@dataclass(frozen=True)
class Decoding:
    """A column of the table: a test set, and how it is translated.

    Attributes:
        name: of the column.
        test_set: which test set.
        flags: flags of fairseq-generate, after the row's own.
    """

    name: str
    test_set: str
    flags: Tuple[str, ...] = ()


class PairRecipe(Recipe):
    """A recipe of one language pair.

    Attributes:
        pair: source and target language, such as ``de-en``.
        test_sets: names of the test sets.
        decodings: the columns of the table; by default one per test set, by its name.
        moses: whether the corpus, and so what the model writes, is Moses tokens.
        truecased: whether only names begin with a capital letter there.
        word_f1: whether tokens are also scored by unigram F1 of words.
        tokenized: if it is not, whether BLEU of Moses' tokens is computed, too, as papers report it.
        task: Fairseq's task.
        sentences: sentences per update, whatever the number of GPUs; None if the batch is in tokens.
        score_flags: more flags of ``fairseq-subword score`` for running text.
        metric: the score in the table beside the paper's figures.
        more_metrics: further scores in that table.
    """

    pair = ""
    test_sets: Sequence[str] = ("test",)
    decodings: Sequence[Decoding] = ()
    moses = False
    truecased = False
    word_f1 = False
    tokenized = True
    task = "translation"
    sentences: Optional[int] = None
    score_flags: Sequence[str] = ()
    metric = "tokenized BLEU"
    more_metrics: Sequence[str] = ()

    def languages(self, system: System) -> Tuple[str, str]:
        """Source and target language of a row; recipes of several pairs have a column ``pair``."""
        source, target = (system["pair"] or self.pair).split("-")
        return source, target

    def columns(self) -> List[Decoding]:
        """The columns of the table that are translated."""
        return list(self.decodings) or [Decoding(name, name) for name in self.test_sets]

    def text(self, run: Run, split: str, system: System, side: int) -> Path:
        """A file of the corpus; ``side`` is 0 for the source and 1 for the target."""
        languages = self.languages(system)
        return run.corpus / f"{split}.{'-'.join(languages)}.{languages[side]}"

    def target_codes(self, run: Run, system: System) -> Optional[Path]:
        """The codes of the target side; None for bytes and characters."""
        name = "codes.target" if system["learn_target"] else "codes"
        return run.segmentation(system) / name if system["learn"] else None

    # Segmentation.

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        return [*self.learn_steps(run, system), self.binarize_step(run, system)]

    def learn_steps(self, run: Run, system: System) -> List[Step]:
        """Learns the codes of both sides together, or of each separately."""
        if not system["learn"]:
            return []
        sides = [self.text(run, "train", system, side) for side in (0, 1)]
        codes = run.segmentation(system) / "codes"
        jobs = [(system.flags("learn"), sides, codes)]
        if system["learn_target"]:
            target = self.target_codes(run, system)
            jobs = [
                (system.flags("learn"), sides[:1], codes),
                (system.flags("learn_target"), sides[1:], target),
            ]
        commands = [one for job in jobs for one in learn_commands(run, system["encoder"], *job)]
        outputs = [output for _, _, output in jobs]
        return [Step(f"learn {system['segmentation']}", commands, inputs=sides, outputs=outputs)]

    def binarize_step(self, run: Run, system: System) -> Step:
        """Segments and binarizes all sets: with one dictionary, or one per side if each has its codes."""
        codes = [run.segmentation(system) / "codes"] if system["learn"] else []
        if system["learn_target"]:
            codes.append(self.target_codes(run, system))
        splits = ("train", "valid", *self.test_sets)
        texts = [self.text(run, split, system, side) for split in splits for side in (0, 1)]
        if system["segment"]:
            return baselines.binarize_step(run, system, self.languages(system), splits, texts)
        name, folder = f"binarize {system['segmentation']}", run.segmentation(system)
        if system["encoder"] == SENTENCEPIECE:
            target = self.languages(system)[1]
            return pieces_step(run, name, folder, run.corpus, splits, target, texts)
        return binarize_step(
            run, name, folder, system["encoder"], codes,
            [run.corpus / split for split in splits], self.languages(system), texts,
            system.flags("binarize"),
            separate=bool(system["learn_target"]) or system["dictionary"] == "separate",
        )  # fmt: skip

    # Training and translation.

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        if system["model"]:
            return []
        settings = system.flags("set")
        if self.sentences:
            settings.append(Neutral(f"dataset.batch_size={self.sentences // max(run.gpus, 1)}"))
        if system["pair"]:
            source, target = self.languages(system)
            settings += [f"task.source_lang={source}", f"task.target_lang={target}"]
        return [self.training(run, system, seed, run.segmentation(system) / "bin", settings)]

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        title = self.title_of(system, seed, run)
        folder = run.folder(system, seed)
        models = self.models(run, system, seed)
        columns = self.columns()
        outputs = [folder / f"{column.name}.out" for column in columns]
        data = run.segmentation(system) / "bin"
        translate = [self.translate(run, system, column, models, folder) for column in columns]
        codes = [path for path in [self.target_codes(run, system)] if path]
        return [
            Step(f"translate {title}", translate, inputs=[data, *models, *codes], outputs=outputs),
            self.score_step(run, system, seed),
        ]

    def models(self, run: Run, system: System, seed: int) -> List[Path]:
        """The checkpoint that a seed translates with, or those of all seeds for the ensemble."""
        seeds = run.seeds if seed == ENSEMBLE else [seed]
        return [run.checkpoint(system, one) for one in seeds]

    def ensemble_steps(self, run: Run, system: System) -> List[Step]:
        if not getattr(run.options, "ensemble", False) or len(run.seeds) == 1:
            return []
        return self.translate_steps(run, system, ENSEMBLE)

    def translate(
        self, run: Run, system: System, column: Decoding, models: Sequence[Path], folder: Path
    ) -> Command:
        """Translates a test set as a column of the table says, into ``folder``."""
        source, target = self.languages(system)
        place = list(self.test_sets).index(column.test_set)
        # The model's own limits count, not the task's 1,024: bytes and characters make long sentences.
        limits = ["--max-source-positions", 100000, "--max-target-positions", 100000]
        return generate(
            run, run.segmentation(system) / "bin", models, folder / f"{column.name}.out",
            system["encoder"], self.target_codes(run, system),
            "--task", self.task, "--source-lang", source, "--target-lang", target,
            # Fairseq calls several test sets test, test1, test2.
            "--gen-subset", f"test{place or ''}",
            "--max-tokens", 8000, *(limits if self.task == "translation" else []),
            *system.flags("generate"), *column.flags,
        )  # fmt: skip

    def score_step(self, run: Run, system: System, seed: int) -> Step:
        """Scores each column and, if the columns are several test sets, all of them as one text.

        ``detokenized.json`` has the scores of running text against the raw reference, and, unless the corpus
        is Moses tokens, the BLEU of its tokens; otherwise ``tokenized.json`` has that of the tokens as they are.
        """
        folder, columns = run.folder(system, seed), self.columns()
        tokens = "tok" if self.moses and system["segment"] else "out"
        commands = [one for column in columns for one in self.as_text(run, system, column, folder)]
        inputs = [folder / f"{column.name}.out" for column in columns]
        names = dict.fromkeys(column.test_set for column in columns)
        sets = {name: self.references(run, system, name) for name in names}
        for name, references in sets.items():
            here = [column.name for column in columns if column.test_set == name]
            prefix = f"{name}." if len(sets) > 1 else ""
            commands += self.score_commands(run, system, seed, here, tokens, references, prefix)
            inputs += references
        if len(sets) > 1 and not self.decodings:
            joined = {
                folder / f"all.{kind}": [folder / f"{column.name}.{kind}" for column in columns]
                for kind in ("txt", *([tokens] if self.moses else []))
            }
            references = []
            for number, parts in enumerate(zip(*sets.values())):
                references.append(folder / f"all.reference{number or ''}")
                joined[references[-1]] = list(parts)
            commands += [
                tool("engine.translations", "-o", path, *parts) for path, parts in joined.items()
            ]
            commands += self.score_commands(run, system, seed, ["all"], tokens, references, "all.")
        inputs += self.scored_with(run, system)
        outputs = [path for one in commands for path in one.written]
        return Step(f"score {self.title_of(system, seed, run)}", commands, inputs, outputs)

    def as_text(self, run: Run, system: System, column: Decoding, folder: Path) -> List[Command]:
        """Takes the translations out of fairseq-generate's output: as running text and, of baselines, as tokens."""
        out, text = folder / f"{column.name}.out", folder / f"{column.name}.txt"
        restore = ["--restore", baselines.name_of(system)] if system["segment"] else []
        plain: List[object] = []
        if self.moses:
            plain = ["--detruecase"] if self.truecased else []
            plain += ["--detokenize", self.languages(system)[1], *neutral("--workers", run.workers)]
        limit = length_limit([*system.flags("generate"), *column.flags, *run.generate])
        plain += ["--limit", limit] if limit else []
        made = [tool("engine.translations", "-o", text, *restore, *plain, out)]
        if self.moses and restore:
            made.append(tool("engine.translations", "-o", text.with_suffix(".tok"), *restore, out))
        return made

    def references(self, run: Run, system: System, test_set: str) -> List[Path]:
        """The raw reference of a test set and, if the corpus is Moses tokens, the tokenized one."""
        raw = [self.text(run, f"{test_set}.raw", system, 1)] if self.moses else []
        return [*raw, self.text(run, test_set, system, 1)]

    def scored_with(self, run: Run, system: System) -> List[Path]:
        """The training text, if tokens are also scored by unigram F1 of rare and unseen words."""
        return [self.text(run, "train", system, 1)] if self.word_f1 else []

    def score_commands(
        self,
        run: Run,
        system: System,
        seed: int,
        columns: Sequence[str],
        tokens: str,
        references: Sequence[Path],
        prefix: str,
    ) -> List[Command]:
        """Scores columns of one test set.

        Args:
            run, system, seed: as elsewhere.
            columns: their names.
            tokens: suffix of the files with tokens.
            references: as from :meth:`references`.
            prefix: of the files that are written.
        """
        folder = run.folder(system, seed)
        seeds = f"seeds={'+'.join(map(str, run.seeds))}" if seed == ENSEMBLE else f"seed={seed}"
        settings = [item for note in (seeds, *self.notes(system)) for item in ("--set", note)]
        for column in columns:
            settings += ["--set", f"{system.name}.{column}:decoding={column}"]

        def score(kind: str, reference: Path, suffix: str, *flags: object) -> Command:
            named = [
                f"{system.name}.{column}={folder / f'{column}.{suffix}'}" for column in columns
            ]
            return command(
                "fairseq-subword", "score", "-r", reference, *flags, *settings,
                "--json", folder / f"{prefix}{kind}.json", *named,
            )  # fmt: skip

        flags = list(self.score_flags)
        if not self.moses and self.tokenized:
            flags += ["--tokenized", "--tokenized-lang", self.languages(system)[1]]
        commands = [score("detokenized", references[0], "txt", *flags)]
        if self.moses:
            train = [item for path in self.scored_with(run, system) for item in ("--train", path)]
            as_they_are = ["--tokenize", "none", "--set", "text=tokens", *train]
            commands.append(score("tokenized", references[1], tokens, *as_they_are))
        return commands

    def notes(self, system: System) -> List[str]:
        """Settings for ``score --set``, KEY=VALUE, which ``score --load --plot-merges`` draws by."""
        return []

    # Results.

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        outputs = {}
        for column in self.columns():
            kind = "out" if self.moses else "txt"
            flags = ["--tokenize", "none"] if self.moses else []
            reference = self.references(run, systems[0], column.test_set)[-1]
            outputs[column.name] = (f"{column.name}.{kind}", reference, flags)
        return sign_test_steps(run, systems, outputs, self.metric)

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        if any(system["across"] for system in systems):
            tables = grids(run, systems, self.metric)
        else:
            tables = [paper_table(run, systems, self.title, self.metric, *self.more_metrics)]
        return [segmentation_table(run, systems), *tables]
