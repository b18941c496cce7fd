"""Recipes of many languages into English, and of transfer to a language that a parent has never seen.

Below the run's folder::

    corpus                       SPLIT.xx-en.xx and SPLIT.xx-en.en of every language
    segmentations/SEGMENTATION   codes, and bin with all languages and one dictionary; shared by the rows that name it.
                                 If Fairseq reads the text itself, bin holds the dictionary and the cache of its task
    systems/SYSTEM               checkpoints; for each test set SET.out, which fairseq-generate printed,
                                 SET.languages.tsv, which lines are each language's, and SET.json, the scores

Columns of systems.tsv beside those of :mod:`recipes.engine.systems`:

    corpus     a folder in the corpus, if the row has its own text
    parent     the row whose codes and dictionary this one uses. It starts from the parent's checkpoint if its
               configuration is for the task transfer_x_en, and without a configuration it is the parent, unchanged
"""

from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.textio.tables import Table
from recipes.engine.binarizing import binarize_step, dictionary_command, learn_commands, pieces_step
from recipes.engine.commands import SENTENCEPIECE, command, tool
from recipes.engine.recipe import Recipe
from recipes.engine.run import Run
from recipes.engine.segmentations import segmentation_table
from recipes.engine.steps import Step
from recipes.engine.systems import System, choose
from recipes.engine.tables import paper_table
from recipes.engine.training import generate, read_config
from recipes.text.corpus_files import find_languages, paths_of

PARENT_SEED = 1


class Parent(NamedTuple):
    """A trained model that rows start from.

    Attributes:
        codes: of its subwords.
        dictionary: of both sides.
        checkpoint: of the model.
    """

    codes: Path
    dictionary: Path
    checkpoint: Path


class XEnRecipe(Recipe):
    """A recipe of many languages into English.

    Attributes:
        target: the target language.
        test_sets: names of the test sets; the scores of the first are those of the table.
        moses: whether the corpus, and so what the model writes, is Moses tokens.
        metrics: the scores in the table.
        score_flags: more flags of ``score_languages``.
        shown: when the scores of all languages are printed, as in :class:`~recipes.engine.steps.Step`.
        from_text: whether Fairseq trains and translates from raw text, and nothing is binarized.
    """

    target = "en"
    test_sets: Sequence[str] = ("test",)
    moses = False
    metrics: Sequence[str] = ("tokenized BLEU", "BLEU", "chrF")
    score_flags: Sequence[str] = ()
    shown = "once"
    from_text = False

    def languages_of(self, run: Run, system: System) -> Sequence[str]:
        """The source languages to train on from raw text; none for all that the folder and its subfolders have."""
        return ()

    def test_sets_of(self, system: System) -> Sequence[str]:
        """The test sets of a row."""
        return self.test_sets

    def score_flags_of(self, system: System) -> Sequence[str]:
        """More flags of ``score_languages`` for a row."""
        return self.score_flags

    def parent_row(self, run: Run, system: System) -> Optional[System]:
        """The row that a row starts from, if any."""
        name = system["parent"]
        return choose(self.systems(run), [name], self.name)[0] if name else None

    def parent(self, run: Run, system: System) -> Optional[Parent]:
        """The model that a row starts from; it is always trained with the first seed."""
        row = self.parent_row(run, system)
        if row is None:
            return None
        return Parent(
            run.segmentation(row) / "codes",
            self.dictionary(run, row),
            run.checkpoint(row, PARENT_SEED),
        )

    def parent_steps(self, run: Run, system: System) -> List[Step]:
        """The steps that make what a row uses of its parent: a new model needs no trained one."""
        row = self.parent_row(run, system)
        if row is None:
            return []
        steps = self.segment_steps(run, row)
        if not system["config"] or self.is_finetuned(system):
            steps += self.train_steps(run, row, PARENT_SEED)
        return steps

    def corpus_of(self, run: Run, system: System) -> Path:
        """The folder with a row's text."""
        return run.corpus / system["corpus"]

    def dictionary(self, run: Run, system: System) -> Path:
        """The dictionary of a row."""
        return run.segmentation(system) / "bin" / f"dict.{self.target}.txt"

    def data(self, run: Run, system: System) -> Path:
        """What Fairseq reads: the text, or what is binarized."""
        return self.corpus_of(run, system) if self.from_text else run.segmentation(system) / "bin"

    def data_inputs(self, run: Run, system: System) -> List[Path]:
        """What a step that reads a row's data depends on."""
        codes = self.codes(run, system)
        dictionary = [self.dictionary(run, system)] if self.from_text else []
        return [self.data(run, system), *([codes] if codes else []), *dictionary]

    def updates_of(self, run: Run, system: System) -> Optional[int]:
        """Where a row's training ends; None for ``--updates``, or else the configuration's."""
        return None

    def codes(self, run: Run, system: System) -> Optional[Path]:
        """The codes of a row; None for bytes and characters."""
        has_codes = system["learn"] or system["parent"]
        return run.segmentation(system) / "codes" if has_codes else None

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        """Learns over all languages and both sides, or takes the parent's codes; then binarizes, if the recipe does."""
        codes, corpus, parent = (
            self.codes(run, system),
            self.corpus_of(run, system),
            self.parent(run, system),
        )
        segmentation = system["segmentation"]
        steps = self.parent_steps(run, system)
        dictionary = [self.dictionary(run, system)] if self.from_text else []
        if parent:
            commands = [
                command("cp", f"{parent.codes}{suffix}", codes.parent) for suffix in ("", ".json")
            ]
            commands += [command("cp", parent.dictionary, path) for path in dictionary]
            read = [parent.codes, *([parent.dictionary] if dictionary else [])]
            steps.append(Step(f"codes {segmentation}", commands, read, [codes, *dictionary]))
        elif codes:
            # The command expands the pattern: which languages there are shows when the corpus is made.
            texts = corpus / f"train.*-{self.target}.*"
            commands = learn_commands(run, system["encoder"], system.flags("learn"), [texts], codes)
            commands += [dictionary_command(codes, path) for path in dictionary]
            steps.append(Step(f"learn {segmentation}", commands, [corpus], [codes, *dictionary]))
        elif self.from_text:
            commands = [dictionary_command(None, path) for path in dictionary]
            steps.append(Step(f"dictionary {segmentation}", commands, [], dictionary))
        if self.from_text:
            return steps
        splits = ("train", "valid", *self.test_sets_of(system))
        name, folder = f"binarize {segmentation}", run.segmentation(system)
        if system["encoder"] == SENTENCEPIECE:
            return [*steps, pieces_step(run, name, folder, corpus, splits, self.target, [corpus])]
        binarize = binarize_step(
            run, name, folder, system["encoder"], [codes] if codes else [],
            [corpus / split for split in splits], [self.target],
            [corpus], system.flags("binarize"), parent.dictionary if parent else None,
        )  # fmt: skip
        return [*steps, binarize]

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        if system["model"] or not system["config"]:
            return []
        settings = [*self.text_settings(run, system), *system.flags("set")]
        data, *inputs = self.data_inputs(run, system)
        parent = self.parent(run, system)
        if parent and self.is_finetuned(system):
            settings.append(f"task.parent_checkpoint={parent.checkpoint}")
            inputs.append(parent.checkpoint)
        updates = self.updates_of(run, system)
        return [self.training(run, system, seed, data, settings, inputs, updates)]

    def text_settings(self, run: Run, system: System) -> List[str]:
        """The settings of a training from raw text. The rows of one segmentation share the segmented text."""
        if not self.from_text:
            return []
        codes, languages = self.codes(run, system), self.languages_of(run, system)
        return [
            "task.from_text=true",
            f"task.text_dict={self.dictionary(run, system)}",
            f"task.text_cache={run.segmentation(system) / 'bin' / 'cache'}",
            *([f"task.source_langs='{','.join(languages)}'"] if languages else []),
            f"bpe._name={system['encoder']}",
            *([f"+bpe.bpe_codes={codes}"] if codes else []),
        ]

    def is_finetuned(self, system: System) -> bool:
        """Whether a row that uses a parent's dictionary also starts from its weights."""
        return read_config(self.config(system["config"]))["task"]["_name"] == "transfer_x_en"

    def model(self, run: Run, system: System, seed: int) -> Path:
        """The checkpoint that a row translates with."""
        parent = self.parent(run, system)
        return (
            parent.checkpoint if parent and not system["config"] else run.checkpoint(system, seed)
        )

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        steps = []
        for number, test_set in enumerate(self.test_sets_of(system)):
            # Fairseq calls several test sets test, test1, test2.
            subset = test_set if self.from_text else f"test{number or ''}"
            prefix = f"{test_set}." if number else ""
            steps += self.translate_set(run, system, seed, test_set, subset, prefix)
        return steps

    def translate_set(
        self, run: Run, system: System, seed: int, split: str, subset: str, prefix: str = ""
    ) -> List[Step]:
        """Translates and scores one set.

        Args:
            run, system, seed: as elsewhere.
            split: its name in the corpus.
            subset: its name in the binarized data, such as ``test1``.
            prefix: of the columns that its scores are for.
        """
        title = self.title_of(system, seed, run)
        folder = run.folder(system, seed)
        data, model = self.data(run, system), self.model(run, system, seed)
        text = (
            ["--from-text", "--text-dict", self.dictionary(run, system)] if self.from_text else []
        )
        codes, corpus = self.codes(run, system), self.corpus_of(run, system)
        out, ids = folder / f"{split}.out", folder / f"{split}.languages.tsv"
        translate = generate(
            run, data, [model], out, system["encoder"], codes,
            "--task", "multilingual_x_en", "--gen-subset", subset, "--language-ids", ids, *text,
            "--max-tokens", 8000, *system.flags("generate"),
        )  # fmt: skip
        scores = folder / f"{split}.json"
        moses = ["--moses"] if self.moses else []
        columns = ["--prefix", prefix] if prefix else []
        score = tool(
            "engine.score_languages", "--system", out, "--language-ids", ids, "--corpus", corpus,
            "--split", split, *moses, *self.score_flags_of(system), *columns, "--seed", seed, "--json", scores,
        )  # fmt: skip
        inputs = [*self.data_inputs(run, system), model]
        return [
            Step(f"translate {title} {split}", [translate], inputs, [out, ids]),
            Step(f"score {title} {split}", [score], [out, ids, corpus], [scores], shown=self.shown),
        ]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        table = paper_table(run, systems, self.title, *self.metrics)
        return [self.segmentations(run, systems), table]

    def segmentations(self, run: Run, systems: Sequence[System]) -> Optional[Table]:
        """The table of all segmentations."""
        return segmentation_table(run, systems, lambda system: self.test_texts(run, system))

    def test_texts(self, run: Run, system: System) -> List[Path]:
        """Both sides of a row's test sets."""
        corpus, wanted = self.corpus_of(run, system), self.languages_of(run, system)
        return [
            path
            for name in self.test_sets_of(system)
            for language in wanted or find_languages(corpus, name, self.target)
            for path in paths_of(corpus, name, language, self.target)
        ]
