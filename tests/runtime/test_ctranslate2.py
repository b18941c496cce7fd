"""The instructions of docs/models-without-fairseq.md for CTranslate2: the translations are Fairseq's."""

import io
import re
from pathlib import Path

import pytest
from conftest import ROOT

pytest.importorskip("ctranslate2")

from task_helpers import Corpus, cipher, make_sentences

from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.subword.learner import learn_bpe

pytest_plugins = ["task_helpers"]
pytestmark = pytest.mark.slow

LINES, LIMIT = 100, 20
TRAINING = """--task multilingual_x_en --arch contextualized_transformer --embedding-context none
--encoder-layers 1 --decoder-layers 2 --encoder-embed-dim 32 --decoder-embed-dim 32
--encoder-ffn-embed-dim 64 --decoder-ffn-embed-dim 64 --encoder-attention-heads 4
--decoder-attention-heads 4 --share-all-embeddings --dropout 0 --criterion cross_entropy
--optimizer adam --lr 0.01 --num-workers 0 --cpu --log-format simple --no-epoch-checkpoints
--max-tokens 1500 --max-update 60 --disable-validation --seed 1""".split()


def documented_blocks():
    """The Python blocks of the section, in order."""
    page = (ROOT / "docs" / "models-without-fairseq.md").read_text(encoding="utf-8")
    section = page.partition("\n## CTranslate2\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch, fairseq_command):
    """A folder with data-bin and its codes, and checkpoints; the model knows two languages."""
    monkeypatch.chdir(tmp_path)
    english = {split: make_sentences(n, n) for split, n in [("train", 150), ("test", LINES)]}
    both = [*english["train"], *(cipher(line, "de") for line in english["train"])]
    text = io.BytesIO("".join(f"{line}\n" for line in both).encode("utf-8"))
    Path("data-bin").mkdir()
    learn_bpe(text, 30, unit="byte").save("data-bin/codes")
    codec = make_codec("bbpe", "data-bin/codes")
    corpus = Corpus(Path("data-bin"), tuple(s for s in codec.symbols if len(s) > 1))
    corpus.encode = codec.encode
    for language in "de", "ru":
        for split, lines in english.items():
            corpus.add(language, split, lines)
    fairseq_command("train", "data-bin", *TRAINING, "--save-dir", "checkpoints")
    Path("checkpoints/checkpoint_last.pt").rename("checkpoints/checkpoint_best.pt")
    return [cipher(line, language) for language in ("de", "ru") for line in english["test"]]


def test_the_translations_are_fairseqs(folder, fairseq_command):
    convert, translate = documented_blocks()
    exec(convert, {})
    names = {}
    exec(translate, names)
    codec, translator = names["codec"], names["translator"]
    for beam in 1, 5:
        search = ["--beam", beam, "--max-len-a", 0, "--max-len-b", LIMIT]
        printed = fairseq_command(
            "generate", "data-bin", "--task", "multilingual_x_en", "--gen-subset", "test", "--cpu",
            "--path", "checkpoints/checkpoint_best.pt", *search,
        )  # fmt: skip
        expected = [text.split() for _, text in sorted(printed.outputs("H").items())]
        results = translator.translate_batch(
            [codec.encode(line).split() for line in folder],
            **{**names["search"], "beam_size": beam, "max_decoding_length": LIMIT},
        )
        found = [result.hypotheses[0] for result in results]
        pairs = list(zip(expected, found))
        assert len(pairs) == 2 * LINES
        if beam > 1:
            # There the beam also holds unfinished translations of full length, and their scores lack the end.
            pairs = [pair for pair in pairs if max(map(len, pair)) < LIMIT]
            assert len(pairs) > LINES // 2
        assert [one for one, _ in pairs] == [other for _, other in pairs]
