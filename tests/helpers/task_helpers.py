"""A synthetic corpus: English words, and "languages" that write them letter by letter in other scripts.

Not a conftest.py, since the tests of other folders would import that name. A test module takes the
fixtures by ``pytest_plugins = ["task_helpers"]``.
"""

import importlib
import io
import logging
import random
import re
import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Iterator, List, Optional

import pytest
import torch
from fairseq import checkpoint_utils
from fairseq.data import Dictionary, indexed_dataset

import fairseq_subword_ext
from fairseq_subword_ext.codecs.byte_level import ByteLevel
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS

PACKAGE = Path(__file__).resolve().parents[2] / "fairseq_subword_ext"

LETTERS = "abcdefgh"
FIRST_LETTER = {"si": "ක", "de": "α", "zh-tw": "一", "ru": "а"}

TINY = """--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 16
--decoder-embed-dim 16 --encoder-ffn-embed-dim 16 --decoder-ffn-embed-dim 16
--encoder-attention-heads 2 --decoder-attention-heads 2 --share-all-embeddings --dropout 0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --optimizer adam --lr 0.01
--num-workers 0 --cpu --log-format simple --log-interval 1 --no-epoch-checkpoints
--max-tokens 600 --max-epoch 1 --task multilingual_x_en""".split()


def cipher(text: str, language: str) -> str:
    """English letters as the language writes them."""
    first = ord(FIRST_LETTER[language])
    return "".join(chr(first + LETTERS.index(c)) if c in LETTERS else c for c in text)


def make_sentences(number: int, seed: int, longest: int = 12) -> list:
    """Random sentences of the synthetic English."""
    source = random.Random(seed)
    return [
        "".join(source.choices(LETTERS + " ", k=source.randint(1, longest))).strip() or "a"
        for _ in range(number)
    ]


class Corpus:
    """Writes binarized pairs as fairseq-preprocess would, in-process; one symbol per byte.

    Another ``dictionary`` and ``encode`` may be set before anything is added.
    """

    encode = staticmethod(ByteLevel().encode)

    def __init__(self, folder: Path, extra_symbols: tuple = ()):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.dictionary = Dictionary()
        for symbol in (*BYTE_SYMBOLS, *extra_symbols):
            self.dictionary.add_symbol(symbol, 2)

    def save_dictionary(self, *languages: str) -> None:
        for language in (*languages, "en"):
            self.dictionary.save(str(self.folder / f"dict.{language}.txt"))

    def add(self, language: str, split: str, english: list, sources: Optional[list] = None) -> None:
        """Adds a split of a pair; the sources are the cipher unless given."""
        self.save_dictionary(language)
        if sources is None:
            sources = [cipher(text, language) for text in english]
        prefix = self.folder / f"{split}.{language}-en"
        self._write(f"{prefix}.{language}", sources)
        self._write(f"{prefix}.en", english)

    def _write(self, path: str, lines: list) -> None:
        builder = indexed_dataset.make_builder(f"{path}.bin", "mmap", len(self.dictionary))
        for line in lines:
            symbols = self.encode(line)
            builder.add_item(self.dictionary.encode_line(symbols, add_if_not_exist=False))
        builder.finalize(f"{path}.idx")


class Printed(str):
    """The output and log of a command."""

    def outputs(self, kind: str = "D") -> dict:
        """{id: text} of the lines that begin with D-id (or H-id)."""
        pairs = re.findall(rf"^{kind}-(\d+)\t[^\t\n]+\t(.*)$", self, flags=re.MULTILINE)
        assert len(dict(pairs)) == len(pairs), "an id came twice"
        return {int(number): text for number, text in pairs}

    def scored(self) -> dict:
        """{id: log-probability of its best output}."""
        return {int(i): float(x) for i, x in re.findall(r"^H-(\d+)\t(\S+)", self, re.MULTILINE)}

    def references(self) -> dict:
        """{id: text} of the lines that begin with T-id."""
        return {int(i): text for i, text in re.findall(r"^T-(\d+)\t(.*)$", self, re.MULTILINE)}

    def scores(self, name: str, tag: str = "valid") -> list:
        """The values of a score in the log lines of one kind, in order."""
        pattern = re.compile(rf"[ |]{re.escape(name)}[ =]([^ ,\n]+)")
        lines = [line for line in self.split("\n") if f"| {tag} | " in f"| {line}"]
        return [float(match[1]) for match in map(pattern.search, lines) if match]


def run_fairseq(
    name: str, *arguments, cwd=None, input: Optional[str] = None, user_dir: Path = PACKAGE
) -> Printed:
    """Runs one of Fairseq's commands in this process, which saves seconds of start-up.

    Args:
        name: ``train`` for ``fairseq-train``.
        *arguments: its arguments; the plug-in is added, and data is loaded in this process unless they ask
            for workers.
        cwd: the folder to run it in.
        input: its standard input.
        user_dir: the plug-in.
    """
    fairseq_subword_ext.register()
    torch.set_num_threads(1)  # threads only slow down models this small
    module = importlib.import_module(f"fairseq_cli.{name}")
    # Fairseq keeps the best score of a run as an attribute of this function.
    checkpoint_utils.save_checkpoint.__dict__.pop("best", None)
    # Each worker that Fairseq keeps costs five seconds when the garbage collector finds it.
    loading = [] if name == "preprocess" else ["--num-workers", 0]
    argv = [name, *loading, *arguments, "--user-dir", user_dir]
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, logged() as log, redirect_stdout(printed):
        patch.setattr(sys, "argv", list(map(str, argv)))
        # fairseq-validate would replace some of the handlers: which ones depends on their number.
        patch.setattr(module, "reset_logging", lambda: None, raising=False)
        if cwd is not None:
            patch.chdir(cwd)
        if input is not None:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode("utf-8"))))
        module.cli_main()
    return Printed(f"{printed.getvalue()}\n" + "\n".join(log))


@contextmanager
def logged() -> Iterator[List[str]]:
    """Lends a list to which every message is added, with the name of its logger."""
    lines: List[str] = []
    root, handler = logging.getLogger(), logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.name} | {record.getMessage()}")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


@pytest.fixture
def sentences():
    return make_sentences


@pytest.fixture
def make_corpus():
    return Corpus


@pytest.fixture
def corpus(tmp_path):
    """Languages with 40, 12 and 3 training pairs; ru has no test set."""
    made = Corpus(tmp_path / "data-bin")
    for seed, (language, size) in enumerate([("si", 12), ("de", 40), ("ru", 3)]):
        made.add(language, "train", make_sentences(size, seed))
        made.add(language, "valid", make_sentences(9, 10 + seed))
        if language != "ru":
            made.add(language, "test", make_sentences(11, 20 + seed))
    return made


@pytest.fixture
def checkpoint(tmp_path):
    return tmp_path / "checkpoints" / "checkpoint_last.pt"


@pytest.fixture
def train(corpus, fairseq_command, checkpoint):
    """Trains a tiny model on the synthetic corpus for one epoch; further options may follow."""

    def run(*options, data=None):
        places = ["--save-dir", checkpoint.parent]
        return fairseq_command("train", data or corpus.folder, *TINY, *places, *options)

    return run


@pytest.fixture
def translate(corpus, fairseq_command, checkpoint):
    """Translates with the last checkpoint; outputs are kept short, since the model is poor."""

    def run(*options, command="generate", data=None):
        fixed = "--task multilingual_x_en --cpu --beam 2 --max-len-b 20 --bpe byte_level".split()
        path = ["--path", checkpoint]
        return fairseq_command(command, data or corpus.folder, *fixed, *path, *options)

    return run
