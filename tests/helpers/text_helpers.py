"""Raw text of the synthetic languages, with codes; and the cache that segments it.

A test module takes the fixtures by ``pytest_plugins = ["task_helpers", "text_helpers"]``.
"""

from pathlib import Path

import pytest
from task_helpers import cipher, make_sentences

from fairseq_subword_ext.subword.learner import learn_bpe

SIZES = {"train": 60, "valid": 9, "test": 11}


def write_pair(folder: Path, split: str, language: str, english: list) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f"{split}.{language}-en"
    sides = {language: [cipher(text, language) for text in english], "en": english}
    for side, lines in sides.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"{prefix}.{side}").write_text(text, encoding="utf-8")


class RawCorpus:
    """A folder of raw text in two languages.

    Attributes:
        folder: the text.
        codes, character_codes: 30 merges each, of bytes and of characters.
    """

    def __init__(self, place: Path):
        self.folder = place / "text"
        for seed, language in enumerate(("si", "de")):
            for number, (split, size) in enumerate(SIZES.items()):
                lines = make_sentences(size // (1 + seed), 10 * seed + number, longest=30)
                write_pair(self.folder, split, language, lines)
        texts = sorted(map(str, self.folder.glob("train.*")))
        self.codes, self.character_codes = place / "codes", place / "character.codes"
        learn_bpe(texts, 30, unit="byte").save(self.codes)
        learn_bpe(texts, 30).save(self.character_codes)


@pytest.fixture
def raw_corpus(tmp_path):
    return RawCorpus(tmp_path)


@pytest.fixture
def from_text(raw_corpus):
    """The options that make a task read the raw text."""
    return ["--from-text", "--bpe", "bbpe", "--bpe-codes", raw_corpus.codes]
