"""A made corpus: English words, and "languages" that write them in other alphabets, letter by letter."""

import random
import sys
from pathlib import Path
from typing import Optional

import pytest

pytest.importorskip("fairseq")

PACKAGE = Path(__file__).resolve().parents[2] / "fairseq_subword_ext"

LETTERS = "abcdefgh"
# si is not a prefix of anything, zh-tw holds a hyphen, and no language is in alphabetical order here.
FIRST_LETTER = {"si": "ක", "de": "α", "zh-tw": "一", "ru": "а"}


def letters(text: str) -> str:
    """A sentence as symbols: one a letter, the space spelled ▁."""
    return " ".join(text.replace(" ", "▁"))


def cipher(text: str, language: str) -> str:
    """English letters as the language writes them."""
    first = ord(FIRST_LETTER[language])
    return "".join(chr(first + LETTERS.index(c)) if c in LETTERS else c for c in text)


def sentences(number: int, seed: int, longest: int = 12) -> list:
    """Random English sentences of the made language."""
    source = random.Random(seed)
    return [
        "".join(source.choice(LETTERS + " ") for _ in range(source.randint(1, longest))).strip()
        or "a"
        for _ in range(number)
    ]


class Corpus:
    """Writes binarized pairs as fairseq-preprocess would, in-process."""

    def __init__(self, folder: Path, extra_symbols: tuple = (), symbols: tuple = ()):
        from fairseq.data import Dictionary

        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.dictionary = Dictionary()
        alphabet = [*LETTERS, "▁"]
        for language in FIRST_LETTER:
            alphabet += list(cipher(LETTERS, language))
        for symbol in symbols or [*alphabet, *extra_symbols]:
            self.dictionary.add_symbol(symbol, 2)

    def save_dictionary(self, *languages: str) -> None:
        for language in (*languages, "en"):
            self.dictionary.save(str(self.folder / f"dict.{language}.txt"))

    def add(self, language: str, split: str, english: list, sources: Optional[list] = None) -> None:
        """One split of one pair; the sources are the cipher unless they are given."""
        self.save_dictionary(language)
        if sources is None:
            sources = [cipher(text, language) for text in english]
        prefix = self.folder / f"{split}.{language}-en"
        self._write(f"{prefix}.{language}", sources)
        self._write(f"{prefix}.en", english)

    def _write(self, path: str, lines: list) -> None:
        from fairseq.data import indexed_dataset

        builder = indexed_dataset.make_builder(f"{path}.bin", "mmap", len(self.dictionary))
        for line in lines:
            builder.add_item(self.dictionary.encode_line(letters(line), add_if_not_exist=False))
        builder.finalize(f"{path}.idx")


@pytest.fixture
def corpus(tmp_path):
    """Three languages with 40, 12 and 3 training pairs; ru has no test set."""
    made = Corpus(tmp_path / "data-bin")
    for seed, (language, size) in enumerate([("si", 12), ("de", 40), ("ru", 3)]):
        made.add(language, "train", sentences(size, seed))
        made.add(language, "valid", sentences(9, 10 + seed))
        if language != "ru":
            made.add(language, "test", sentences(11, 20 + seed))
    return made


@pytest.fixture
def fairseq_command(monkeypatch, capsys, caplog):
    """Runs a fairseq command in this process: returns what it printed and what it logged."""
    import logging

    import fairseq_subword_ext

    fairseq_subword_ext.register()

    def run(name: str, *args) -> str:
        import importlib

        from fairseq import checkpoint_utils

        module = importlib.import_module(f"fairseq_cli.{name}")
        # Fairseq keeps the best score of a run as an attribute of this function.
        checkpoint_utils.save_checkpoint.__dict__.pop("best", None)
        argv = [name, *map(str, args), "--user-dir", str(PACKAGE)]
        monkeypatch.setattr(sys, "argv", argv)
        capsys.readouterr()
        caplog.clear()
        with caplog.at_level(logging.INFO):
            module.cli_main()
        return capsys.readouterr().out + "\n" + caplog.text

    return run


TINY = """--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 16
--decoder-embed-dim 16 --encoder-ffn-embed-dim 16 --decoder-ffn-embed-dim 16
--encoder-attention-heads 2 --decoder-attention-heads 2 --share-all-embeddings --dropout 0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --optimizer adam --lr 0.01
--num-workers 0 --cpu --log-format simple --log-interval 1 --no-epoch-checkpoints
--task multilingual_x_en""".split()


@pytest.fixture
def tiny():
    """Options of a model that trains in a second."""
    return list(TINY)
