"""Exported models give the same translations and scores as fairseq-generate."""

import json
import math
import random
import sys
from pathlib import Path

import pytest
from conftest import run_command

pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")
torch = pytest.importorskip("torch")

from task_helpers import PACKAGE, Corpus, cipher, make_sentences  # noqa: E402

from fairseq_subword_ext.cli.main import main  # noqa: E402
from fairseq_subword_ext.codecs.registry import make_codec  # noqa: E402
from fairseq_subword_ext.runtime.beam_search import SearchOptions  # noqa: E402
from fairseq_subword_ext.runtime.translator import BatchLimits, Translator  # noqa: E402
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS  # noqa: E402

pytest_plugins = ["task_helpers"]
pytestmark = pytest.mark.slow

LINES = 200
SMALL = """--encoder-layers 1 --decoder-layers 2 --encoder-embed-dim 32 --decoder-embed-dim 32
--encoder-ffn-embed-dim 64 --decoder-ffn-embed-dim 64 --encoder-attention-heads 4
--decoder-attention-heads 4 --share-all-embeddings --dropout 0 --criterion cross_entropy
--optimizer adam --lr 0.01 --num-workers 0 --cpu --log-format simple --no-epoch-checkpoints
--max-tokens 1500 --max-update 60 --disable-validation""".split()
CONTEXTS = {
    "none": ["--arch", "contextualized_transformer", "--embedding-context", "none"],
    "conv": ["--arch", "contextualized_transformer", "--embedding-context", "conv"],
    "gru": ["--arch", "contextualized_transformer", "--embedding-context", "gru"],
    "gru first": ["--arch", "gru_transformer"],
    "pre-norm": [
        *("--arch", "contextualized_transformer", "--encoder-normalize-before"),
        *("--decoder-normalize-before", "--encoder-learned-pos", "--decoder-learned-pos"),
        *("--activation-fn", "gelu", "--layernorm-embedding"),
    ],
}
# Beam and other options; with the second, many lines reach the limit.
SEARCHES = [
    ("1", ["--max-len-b", "20"], {"max_len_b": 20}),
    ("5", ["--max-len-a", "0.1", "--max-len-b", "1"], {"max_len_a": 0.1, "max_len_b": 1}),
    (
        "5",
        ["--max-len-b", "20", "--lenpen", "0.4", "--min-len", "3", "--unkpen", "1"],
        {"max_len_b": 20, "lenpen": 0.4, "min_len": 3, "unkpen": 1},
    ),
]


class Data:
    """A corpus of two languages in bytes or byte-level subwords, and a third, unrelated one."""

    def __init__(self, place: Path, unit: str):
        self.unit, self.place = unit, place
        self.codes = place / "codes"
        text = place / "text"
        english = {
            split: make_sentences(lines, seed, longest=10)
            for seed, (split, lines) in enumerate({"train": 150, "valid": 5, "test": LINES // 2}.items())
        }  # fmt: skip
        sides = [cipher(line, "de") for line in english["train"]]
        text.write_text("\n".join([*english["train"], *sides, ""]), "utf-8")
        learned = ["-o", str(self.codes), "--unit", "byte", "-s", "30", "--num-workers", "1"]
        assert main(["learn-bpe", "-i", str(text), *learned]) == 0
        codec = make_codec(*self.encoder)
        extra = [s for s in getattr(codec, "symbols", ()) if s not in BYTE_SYMBOLS]
        tokens = [f"<lang:{language}>" for language in ("de", "ru", "si")]
        self.sources = {}
        for folder, languages in (("parent", ("de", "ru")), ("child", ("si",))):
            corpus = Corpus(place / folder, (*extra, *tokens))
            corpus.encode = codec.encode
            for language in languages:
                for split, lines in english.items():
                    corpus.add(language, split, lines)
                self.sources[language] = [cipher(line, language) for line in english["test"]]

    @property
    def encoder(self):
        return ("bbpe", self.codes) if self.unit == "bbpe" else ("byte_level", None)

    @property
    def flags(self):
        """Flags of fairseq-generate."""
        return ["--bpe", *self.own_flags("--bpe-codes")]

    def own_flags(self, codes="--codes"):
        name, path = self.encoder
        return [name, *([codes, str(path)] if path else [])]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("exporting")


@pytest.fixture(scope="module")
def data(place):
    made = {}

    def get(unit):
        if unit not in made:
            (place / unit).mkdir()
            made[unit] = Data(place / unit, unit)
        return made[unit]

    return get


@pytest.fixture(scope="module")
def export():
    """Exports a checkpoint in this process."""

    def run(checkpoint, data, folder, output, *flags):
        arguments = ["export-model", checkpoint, "--data", data.place / folder, "-o", output]
        arguments += ["--bpe", *data.own_flags(), *flags]
        assert main([str(argument) for argument in arguments]) == 0
        return output

    return run


@pytest.fixture(scope="module")
def x_en(place, data, export, fairseq_command):
    """Trains and exports an X-En model, once for each context and unit."""
    made = {}

    def get(context, unit):
        if (context, unit) not in made:
            checkpoint = place / context / unit / "model" / "checkpoint_last.pt"
            fairseq_command(
                "train", data(unit).place / "parent", *SMALL, *CONTEXTS[context], "--task",
                "multilingual_x_en", "--save-dir", checkpoint.parent,
            )  # fmt: skip
            output = checkpoint.with_name("export")
            made[context, unit] = checkpoint, export(checkpoint, data(unit), "parent", output)
        return made[context, unit]

    return get


def assert_same(printed, translator, sources):
    """Compares to fairseq-generate's output: text exactly, scores to 1e-4."""
    shuffled = list(range(len(sources)))
    random.Random(1).shuffle(shuffled)
    found = translator.translate([sources[place] for place in shuffled])
    ours = [translations[0] for _, translations in sorted(zip(shuffled, found))]
    texts, scores = printed.outputs(), printed.scored()
    assert [t.text for t in ours] == [texts[place] for place in range(len(sources))]
    for place, translation in enumerate(ours):
        assert math.isclose(translation.score / math.log(2), scores[place], abs_tol=1e-4)


def compare(fairseq_command, checkpoint, data, folder, export, sources, *flags, **translator):
    """Compares every search, with different batches on the two sides."""
    texts = set()
    for batch, (beam, given, options) in enumerate(SEARCHES, start=7):
        printed = fairseq_command(
            "generate", data.place / folder, "--path", checkpoint, "--cpu", "--beam", beam, *given,
            "--batch-size", 33, *data.flags, *flags,
        )  # fmt: skip
        search = SearchOptions(beam=int(beam), **options)
        ours = Translator(export, search, batches=BatchLimits(lines=batch), **translator)
        assert_same(printed, ours, sources)
        texts.update(printed.outputs().values())
        if "--max-len-a" in given:
            assert ours.counts.at_limit > 0
    assert len(texts) > 20  # a model with the same output for everything would prove little


@pytest.mark.parametrize(
    ("context", "unit"),
    # The graphs know nothing of the unit, and segmentation knows nothing of the context.
    [
        ("none", "bbpe"),
        ("conv", "byte"),
        ("gru", "byte"),
        ("gru first", "byte"),
        ("pre-norm", "bbpe"),
    ],
)
def test_an_x_en_model(context, unit, data, x_en, fairseq_command):
    made = data(unit)
    checkpoint, exported = x_en(context, unit)
    sources = made.sources["de"] + made.sources["ru"]
    assert len(sources) == LINES
    compare(
        fairseq_command,
        checkpoint,
        made,
        "parent",
        exported,
        sources,
        "--task",
        "multilingual_x_en",
    )


def test_a_marked_parent_and_its_transfer_child(data, export, fairseq_command, tmp_path):
    made = data("bbpe")
    parent = tmp_path / "parent" / "checkpoint_last.pt"
    fairseq_command(
        "train", made.place / "parent", *SMALL, *CONTEXTS["gru"], "--task", "multilingual_x_en",
        "--source-lang-token", "--max-source-positions", 12, "--save-dir", parent.parent,
    )  # fmt: skip
    exported = export(parent, made, "parent", tmp_path / "export")
    translator = Translator(exported, source_language="ru")
    long = max(len(source) for source in translator.sources_of(made.sources["ru"]))
    assert long == 12 and translator.counts.cut  # some sources are cut
    compare(
        fairseq_command, parent, made, "parent", exported, made.sources["ru"], "-s", "ru", "--task",
        "multilingual_x_en", source_language="ru",
    )  # fmt: skip
    child = tmp_path / "child" / "checkpoint_last.pt"
    fairseq_command(
        "train", made.place / "child", *SMALL, *CONTEXTS["gru"], "--task", "transfer_x_en",
        "--parent-checkpoint", parent, "--finetune", "embed+enc", "--save-dir", child.parent,
    )  # fmt: skip
    exported = export(child, made, "child", tmp_path / "export")
    token = json.loads((exported / "settings.json").read_text("utf-8"))["language_token"]
    compare(
        fairseq_command, child, made, "child", exported, made.sources["si"], "--task", "transfer_x_en",
        source_language="si" if token else None,
    )  # fmt: skip


def test_int8_is_smaller_and_close(data, x_en, export, tmp_path):
    made = data("byte")
    checkpoint, folder = x_en("gru", "byte")
    sizes = [sum((folder / f"{part}coder.onnx").stat().st_size for part in ("en", "de"))]
    exact = Translator(folder).translate(made.sources["de"])
    folder = export(checkpoint, made, "parent", tmp_path / "int8", "--int8")
    sizes.append(sum((folder / f"{part}coder.onnx").stat().st_size for part in ("en", "de")))
    assert sizes[1] < sizes[0]
    rounded = Translator(folder).translate(made.sources["de"])
    differences = [abs(a[0].score - b[0].score) for a, b in zip(exact, rounded)]
    assert sum(differences) / len(differences) < 0.1


def test_the_installed_command(data, fairseq_command, tmp_path):
    made = data("byte")
    checkpoint = tmp_path / "model" / "checkpoint_last.pt"
    fairseq_command(
        "train", made.place / "parent", *SMALL, *CONTEXTS["none"], "--task", "multilingual_x_en",
        "--save-dir", checkpoint.parent, "--max-update", 2, "--bpe", "byte_level",
    )  # fmt: skip
    command = [sys.executable, "-m", "fairseq_subword_ext", "export-model"]
    # The checkpoint records the data and the encoder, and the plug-in registers itself.
    process = run_command(*command, checkpoint.parent, "-o", tmp_path / "e", cwd=tmp_path)
    assert "fairseq-subword translate" in process.stderr and not process.stdout
    for name in ("encoder.onnx", "decoder.onnx"):
        content = (tmp_path / "e" / name).read_bytes()
        assert str(PACKAGE.parent).encode() not in content and b"site-packages" not in content
