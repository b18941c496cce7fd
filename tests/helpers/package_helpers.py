"""Finished models for packaging: a recipe's run, its transfer child, and two models of one pair.

A test module takes the fixture by ``pytest_plugins = ["task_helpers", "package_helpers"]``.
"""

import json
from pathlib import Path

import pytest
from task_helpers import TINY, Corpus, cipher, make_sentences
from transfer_helpers import ARCH

from fairseq_subword_ext.cli.main import main as subword
from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

SEARCH = {
    "parent": "--beam 5",
    "child": "--beam 4 --lenpen 0.6",
    "pair": "--beam 2 --max-len-a 0 --max-len-b 9",
}

# As recipes write it, with columns that packing does not use.
TABLE = """# A comment.
system\trow\tsegmentation\tencoder\tlearn\tgenerate\tfigure:all
bytes\tByte\tbytes\tbyte_level\t-\t-\t1.0
bbpe_2k_gru\tBBPE 2K+\tbbpe_2k\tbbpe\t--unit byte\t--beam 5\t2.0
"""


class Models:
    """A many-to-English run of a recipe with byte-level subwords, its child in another script, and a
    model of the user's own for one pair with character-level subwords."""

    def __init__(self, place: Path, fairseq_command):
        self.place, self.command = place, fairseq_command
        self.work = place / "runs" / "some work"
        self.sources, self.outputs = {}, {}
        self.run = self.make_recipe_run()
        self.child = self.make_child()
        self.pair = self.make_pair()

    def learn(self, codes: Path, corpus: Path, *flags) -> None:
        codes.parent.mkdir(parents=True)
        texts = [str(path) for path in sorted(corpus.glob("train.*")) if path.suffix != ".idx"]
        assert not subword(
            ["learn-bpe", "-i", *texts, "-o", str(codes), "--num-workers", "1", *flags]
        )

    def binarize(self, folder: Path, texts: Path, languages, symbols, encode) -> None:
        corpus = Corpus(folder)
        corpus.dictionary, corpus.encode = type(corpus.dictionary)(), encode
        for symbol in symbols:
            corpus.dictionary.add_symbol(symbol, 2)
        for language in languages:
            for split in "train", "valid", "test":
                sides = [
                    (texts / f"{split}.{language}-en.{side}").read_text("utf-8").split("\n")[:-1]
                    for side in (language, "en")
                ]
                corpus.add(language, split, sides[1], sides[0])

    def write_texts(self, folder: Path, languages) -> Path:
        folder.mkdir()
        for language in languages:
            for seed, (split, lines) in enumerate((("train", 24), ("valid", 9), ("test", 5))):
                english = make_sentences(lines, seed)
                for side, text in (
                    ("en", english),
                    (language, [cipher(x, language) for x in english]),
                ):
                    path = folder / f"{split}.{language}-en.{side}"
                    path.write_text("".join(f"{line}\n" for line in text), "utf-8")
        return folder

    def translate(self, name: str, data: Path, checkpoint, language: str, *flags) -> None:
        printed = self.command(
            "generate", data, "--path", checkpoint, "--cpu", "-s", language, "-t", "en", "--batch-size", 2,
            "--required-batch-size-multiple", 1, *flags, *SEARCH[name].split(),
        )  # fmt: skip
        found = printed.outputs()
        self.outputs[name] = [found[number] for number in sorted(found)]

    def make_recipe_run(self) -> Path:
        texts = self.write_texts(self.place / "texts", ("de", "ru"))
        segmentation = self.work / "segmentations" / "bbpe_2k"
        codes = segmentation / "codes"
        self.learn(codes, texts, "--unit", "byte", "-s", "20")
        codec = make_codec("bbpe", codes)
        self.symbols = list(dict.fromkeys([*BYTE_SYMBOLS, *codec.symbols]))
        self.binarize(segmentation / "bin", texts, ("de", "ru"), self.symbols, codec.encode)
        folder = self.work / "systems" / "bbpe_2k_gru"
        self.command(
            "train", segmentation / "bin", *TINY, *ARCH, "--save-dir", folder / "checkpoints",
            "--source-langs", "de,ru", "--max-epoch", 3,
        )  # fmt: skip
        scores = {"figures": {"all": {"BLEU": 1.5}}, "file": str(folder / "test.out")}
        (folder / "scores.json").write_text(json.dumps(scores), "utf-8")
        (self.work / "recipe").write_text("ted58_x_en\n", "utf-8")
        (self.work / "systems.tsv").write_text(TABLE, "utf-8")
        self.sources["parent"] = (texts / "test.ru-en.ru").read_text("utf-8").split("\n")[:-1]
        checkpoint = folder / "checkpoints" / "checkpoint_best.pt"
        self.translate(
            "parent", segmentation / "bin", checkpoint, "ru", "--task", "multilingual_x_en",
            "--bpe", "bbpe", "--bpe-codes", codes,
        )  # fmt: skip
        return folder

    def make_child(self) -> Path:
        texts = self.write_texts(self.place / "child texts", ("si",))
        segmentation = self.work / "segmentations" / "bbpe_2k"
        codec = make_codec("bbpe", segmentation / "codes")
        data = self.place / "child data"
        self.binarize(data, texts, ("si",), self.symbols, codec.encode)
        folder = self.place / "child"
        parent = self.run / "checkpoints" / "checkpoint_best.pt"
        self.command(
            "train", data, *TINY, *ARCH, "--save-dir", folder, "--task", "transfer_x_en",
            "--parent-checkpoint", parent, "--finetune", "embed+enc",
        )  # fmt: skip
        self.sources["child"] = (texts / "test.si-en.si").read_text("utf-8").split("\n")[:-1]
        self.translate(
            "child", data, folder / "checkpoint_best.pt", "si", "--task", "transfer_x_en",
            "--bpe", "bbpe", "--bpe-codes", segmentation / "codes",
        )  # fmt: skip
        return folder / "checkpoint_best.pt"

    def make_pair(self) -> Path:
        texts = self.place / "texts"
        codes = self.place / "pair" / "char.codes"
        self.learn(codes, texts, "-s", "12", "--measure", "dlg-weighted")
        segmenter = Segmenter(MergeTable.load(codes))
        subword(["build-dict", "-c", str(codes), "-o", str(self.place / "pair" / "dict.txt")])
        lines = (self.place / "pair" / "dict.txt").read_text("utf-8").split("\n")[:-1]
        symbols = [line.rpartition(" ")[0] for line in lines]
        data = self.place / "pair" / "bin"
        self.binarize(data, texts, ("de",), symbols, segmenter.segment_line)
        # Fairseq infers the language pair of the first from the data, and does not record it.
        for seed, pair in ((1, []), (2, ["-s", "de", "-t", "en"])):
            self.command(
                "train", data, *TINY, "--task", "translation", *pair, "--seed", seed,
                "--save-dir", self.place / "pair" / f"seed{seed}", "--max-epoch", 2,
            )  # fmt: skip
        self.sources["pair"] = (texts / "test.de-en.de").read_text("utf-8").split("\n")[:-1]
        checkpoints = [self.place / "pair" / f"seed{n}" / "checkpoint_best.pt" for n in (1, 2)]
        self.translate(
            "pair", data, ":".join(map(str, checkpoints)), "de", "--task", "translation",
            "--bpe", "generalized_bpe", "--bpe-codes", codes,
        )  # fmt: skip
        return self.place / "pair"

    def own(self, *flags) -> list:
        """The arguments for the pair's first model."""
        return [
            "--checkpoint", self.pair / "seed1" / "checkpoint_best.pt", "--data", self.pair / "bin",
            "--codes", self.pair / "char.codes", *flags,
        ]  # fmt: skip


_made = {}


@pytest.fixture
def models(tmp_path_factory, fairseq_command):
    if not _made:
        _made["models"] = Models(tmp_path_factory.mktemp("models"), fairseq_command)
    return _made["models"]
