"""The encoders bbpe, byte_level and char_level inside Fairseq's own commands."""

import re
import shutil
import sys

import pytest
from conftest import PACKAGE, run_command

from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.subword.byte_dictionary import write_byte_dictionary
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

LINES = [
    "hello world",
    "a </s> b",
    "<s> <pad> <unk> madeupword0000",
    " a  b ",
    "",
    "10\xa0km\tx\u2028y\x85z\u3000",
    "ප්‍රේමදාස ශ්‍රී",
    "▁ ␛A0; 中文 😀",
]
# On standard input; Fairseq strips each line before an encoder sees it.
TYPED = ["hello world", "", "   ", "\xa0", "a </s> <unk> b", "ප්‍රේ 中 QZ"]

TINY = (
    "--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 8 "
    "--decoder-embed-dim 8 --encoder-ffn-embed-dim 8 --decoder-ffn-embed-dim 8 "
    "--encoder-attention-heads 1 --decoder-attention-heads 1 --share-all-embeddings "
    "--optimizer adam --lr 0.01 --max-tokens 4000 --max-update 2 --cpu --num-workers 0 "
    "--required-batch-size-multiple 1 --no-epoch-checkpoints --log-format none"
).split()
EVALUATE = "--cpu --beam 2 --max-len-b 40 --required-batch-size-multiple 1 --num-workers 0".split()


# Trial -> the encoder's name; fast ones first.
KINDS = {
    "bbpe codes": "bbpe",
    "bbpe model": "bbpe",
    "byte_level": "byte_level",
    "char_level": "char_level",
}
FAST, *SLOW = KINDS
EVERY_KIND = [FAST, *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOW)]


class Run:
    """A model of two updates with one dictionary for all encoders."""

    def __init__(self, folder, fairseq_command):
        self.folder = folder
        (folder / "text").write_text("\n".join(LINES * 3), encoding="utf-8")
        train_sentencepiece_bytes([folder / "text"], folder / "spm", 300)
        learn_bpe([folder / "text"], 300, unit="byte", total_symbols=True).save(folder / "codes")
        self.codes = {"bbpe model": str(folder / "spm.model"), "bbpe codes": str(folder / "codes")}
        self.codecs = {kind: make_codec(name, self.codes.get(kind)) for kind, name in KINDS.items()}
        # One encoder per split, so that one run of fairseq-preprocess reads them all.
        self.splits = dict(zip(("train", "valid", "test", "test1"), KINDS))
        symbols = {symbol for kind in self.codes for symbol in self.codecs[kind].symbols}
        for split, kind in self.splits.items():
            encoded = self.codecs[kind].encode_lines(LINES)
            symbols.update(symbol for line in encoded for symbol in line.split(" ") if symbol)
            for language in "si", "en":
                path = folder / f"{split}.{language}"
                path.write_text("\n".join(encoded) + "\n", encoding="utf-8")
        write_byte_dictionary(folder / "dict.txt", symbols)
        arguments = "-s si -t en --joined-dictionary --srcdict dict.txt --destdir bin".split()
        arguments += "--trainpref train --validpref valid --testpref test,test1".split()
        self.preprocess = fairseq_command("preprocess", *arguments, cwd=folder)
        fairseq_command("train", "bin", *TINY, "--save-dir", "bin", cwd=folder)

    def options(self, kind):
        codes = ["--bpe-codes", self.codes[kind]] if kind in self.codes else []
        bpe = ["--bpe", KINDS[kind], *codes]
        return ["--path", "bin/checkpoint_last.pt", *bpe]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory, fairseq_command):
    return Run(tmp_path_factory.mktemp("bytes"), fairseq_command)


def fields(output: str, kind: str) -> dict:
    """Fairseq's output lines of one kind: number -> text, which may hold tabs."""
    score = "" if kind == "S" else r"\t[^\t\n]*"
    lines = re.findall(rf"^{kind}-(\d+){score}\t(.*)$", output, re.MULTILINE)
    return {int(number): text for number, text in lines}


def test_text_survives_preprocess_and_dictionary(tiny):
    """No line contains a control id, and nothing is lost."""
    data = pytest.importorskip("fairseq.data")
    dictionary = data.Dictionary.load(str(tiny.folder / "bin" / "dict.si.txt"))
    for split, kind in tiny.splits.items():
        path = str(tiny.folder / "bin" / f"{split}.si-en.si")
        dataset = data.data_utils.load_indexed_dataset(path, dictionary)
        assert len(dataset) == len(LINES)
        for ids, text in zip(dataset, LINES):
            assert ids[-1] == dictionary.eos()
            assert not ids[:-1].lt(dictionary.nspecial).any()
            assert tiny.codecs[kind].decode(dictionary.string(ids[:-1])) == text
    assert tiny.preprocess.count(" 0.0% replaced") == 8


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_interactive(kind, tiny, fairseq_command):
    """Raw lines give the same output as batch preparation, with one D- line each."""
    typed = "".join(f"{line}\n" for line in TYPED)
    output = fairseq_command(
        "interactive", "bin", *tiny.options(kind), *EVALUATE, cwd=tiny.folder, input=typed
    )
    codec = tiny.codecs[kind]
    sources, hypotheses, decoded = (fields(output, kind) for kind in "SHD")
    assert sources == {i: codec.encode(line.strip()) for i, line in enumerate(TYPED)}
    assert sorted(decoded) == list(range(len(TYPED)))
    assert decoded == {i: codec.decode(symbols) for i, symbols in hypotheses.items()}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_generate(kind, tiny, fairseq_command):
    split = next(split for split, segmented in tiny.splits.items() if segmented == kind)
    output = fairseq_command(
        "generate", "bin", "--gen-subset", split, *tiny.options(kind), *EVALUATE, cwd=tiny.folder
    )
    hypotheses, decoded, sources = (fields(output, kind) for kind in "HDS")
    assert decoded == {i: tiny.codecs[kind].decode(line) for i, line in hypotheses.items()}
    assert [sources[i] for i in range(len(LINES)) if LINES[i]] == [line for line in LINES if line]
    assert len(decoded) == len(LINES)


def test_from_pretrained(tiny):
    """For every encoder, a file called bpecodes beside the checkpoint is found."""
    from fairseq.models.transformer import TransformerModel

    for kind, name in KINDS.items():
        folder, codes = tiny.folder / "bin", {}
        if kind == "bbpe codes":  # that file even overrides the option, so it gets its own folder
            folder = shutil.copytree(folder, tiny.folder / "with codes")
            shutil.copy(tiny.folder / "codes", folder / "bpecodes")
        elif kind in tiny.codes:
            codes = {"bpe_codes": tiny.codes[kind]}
        hub = TransformerModel.from_pretrained(
            str(folder), "checkpoint_last.pt", ".", user_dir=str(PACKAGE), bpe=name, **codes
        )
        encoded = [hub.apply_bpe(line) for line in LINES]
        assert encoded == tiny.codecs[kind].encode_lines(LINES)
        assert [hub.remove_bpe(line) for line in encoded] == LINES
        translated = [hub.translate(line, beam=1, max_len_b=10) for line in LINES]
        assert len(translated) == len(LINES)


WITHOUT_CORE = """
import sys
sys.modules["fairseq_subword_ext._native"] = None
from fairseq_cli.interactive import cli_main
cli_main()
"""


def test_a_finished_model_needs_no_compiler(tiny):
    arguments = ["bin", "--user-dir", PACKAGE, *tiny.options("bbpe codes"), *EVALUATE]
    typed = "".join(f"{line}\n" for line in TYPED)
    process = run_command(
        sys.executable, "-c", WITHOUT_CORE, *arguments, cwd=tiny.folder, input=typed
    )
    codec = tiny.codecs["bbpe codes"]
    expected = {i: codec.encode(line.strip()) for i, line in enumerate(TYPED)}
    assert fields(process.stdout, "S") == expected
    assert process.stderr.count("compiled core of fairseq_subword_ext is missing") == 1


def test_options_are_required_only_if_the_encoder_is_used(tiny, fairseq_command):
    options = ["--path", "bin/checkpoint_last.pt", *EVALUATE]
    assert fields(
        fairseq_command("interactive", "bin", *options, cwd=tiny.folder, input="a\n"), "D"
    )


def build(name, **options):
    pytest.importorskip("fairseq")
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    from fairseq.registry import REGISTRIES
    from omegaconf import OmegaConf

    config = OmegaConf.structured(REGISTRIES["bpe"]["dataclass_registry"][name](**options))
    return REGISTRIES["bpe"]["registry"][name](config)


def test_a_missing_file_is_named_with_the_flag(tmp_path):
    with pytest.raises(ValueError, match="--bpe bbpe needs --bpe-codes FILE"):
        build("bbpe")
    with pytest.raises(ValueError, match=r"--bpe-codes .*nowhere: no such file"):
        build("bbpe", bpe_codes=str(tmp_path / "nowhere"))
    (tmp_path / "text").write_text("hello\n")
    with pytest.raises(ValueError, match=r"text"):
        build("bbpe", bpe_codes=str(tmp_path / "text"))


@pytest.mark.parametrize("kind", KINDS)
def test_options_reach_the_codec(kind, tiny):
    name = KINDS[kind]
    codes = {"bpe_codes": tiny.codes[kind]} if kind in tiny.codes else {}
    plain = build(name, **codes)
    assert plain.decode(plain.encode("a  \xa0b")) == "a  \xa0b"
    with pytest.raises(ValueError, match=r"character 1: .*U\+D800"):
        plain.encode("\ud800")
    replacing = build(name, bpe_errors="replace", **codes)
    assert replacing.decode(replacing.encode("a\ud800")) == "a\ufffd"
    if kind == "bbpe codes":  # Fairseq cannot read such codes
        with pytest.raises(ValueError, match="SentencePiece"):
            build(name, bpe_compat="fairseq", **codes)
        return
    compatible = build(name, bpe_compat="fairseq", **codes)
    theirs = make_codec(name, tiny.codes.get(kind), compat="fairseq")
    for line in LINES:
        assert compatible.encode(line) == theirs.encode(line)
        assert compatible.decode(line) == theirs.decode(line)


@pytest.mark.parametrize(
    ("encoder", "task", "lengths", "path", "warns"),
    [
        ("byte_level", "translation", (0, 200), "model.pt", True),
        ("char_level", "translation", (0, 200), "model.pt", True),
        ("byte_level", "translation", (3, 200), "model.pt", False),
        ("byte_level", "translation", (0, 500), "model.pt", False),
        ("byte_level", "translation", (0, 200), None, False),  # fairseq-train
        ("byte_level", "multilingual_x_en", (0, 200), "model.pt", False),
    ],
)
def test_length_limits_too_small_for_letters_give_a_warning(
    encoder, task, lengths, path, warns, caplog
):
    """With Fairseq's own tasks; ours choose a limit and count the outputs that reach it."""
    pytest.importorskip("fairseq")
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    from fairseq.data import encoders
    from omegaconf import OmegaConf

    run = {
        "common_eval": {"path": path, "post_process": None},
        "generation": {"max_len_a": lengths[0], "max_len_b": lengths[1]},
        "task": {"_name": task},
        "bpe": {"_name": encoder},
    }
    encoders.build_bpe(OmegaConf.create(run).bpe)
    assert ("--max-len-a 3 --max-len-b 200" in caplog.text) == warns
