"""Raw text of the synthetic languages, with codes; and the cache that segments it.

A test module takes the fixtures by ``pytest_plugins = ["task_helpers", "text_helpers"]``.
"""

from pathlib import Path

import pytest
from task_helpers import TINY, cipher, make_sentences

from fairseq_subword_ext.data import text_cache, text_writing
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.tasks import multilingual_x_en

ONE_PAIR = ["--task", "translation_from_text"]
SMALL = ["--max-tokens", 150, "--disable-validation"]
# Starts the process that segments text with a limit on the size of files, in place of a full disk.
ON_A_FULL_DISK = (
    "import resource, signal; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); "
    f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); {text_writing._START}"
)
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


@pytest.fixture
def train_text(raw_corpus, from_text, fairseq_command, checkpoint):
    def run(*options, data=None):
        places = ["--save-dir", checkpoint.parent]
        return fairseq_command(
            "train", data or raw_corpus.folder, *TINY, *places, *from_text, *options
        )

    return run


@pytest.fixture
def batches(monkeypatch):
    """Every batch that is trained on."""
    seen = []

    def record(task_class):
        step = task_class.train_step

        def train_step(self, sample, *args, **kwargs):
            net_input = sample["net_input"]
            tensors = sample["id"], net_input["src_tokens"], sample["target"]
            seen.append([each.tolist() for each in tensors])
            return step(self, sample, *args, **kwargs)

        monkeypatch.setattr(task_class, "train_step", train_step)

    from fairseq.tasks.translation import TranslationTask

    for each in (multilingual_x_en.MultilingualXEnTask, TranslationTask):
        record(each)

    def take():
        taken = list(seen)
        seen.clear()
        return taken

    return take


@pytest.fixture
def segmented(monkeypatch):
    """What was segmented: names of the datasets and the folder."""
    calls = []

    def write(folder, encoding, dictionaries, texts):
        calls.append((folder.name, sorted(text["name"] for text in texts)))
        return text_writing.write_texts(folder, encoding, dictionaries, texts)

    monkeypatch.setattr(text_cache, "write_texts", write)
    return calls
