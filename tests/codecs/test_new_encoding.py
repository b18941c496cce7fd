"""A new encoding needs one module and one line to work in every command and in Fairseq."""

import shutil
import sys

import pytest
from conftest import PACKAGE, run_command

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.codecs import registry

# Reverses the letters, puts a mark before each word, and has one option.
MODULE = '''
from dataclasses import dataclass

from fairseq_subword_ext.codecs.codec import Codec, CodecOptions
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import checked_line
from fairseq_subword_ext.subword.options import option


class ReversedText(Notation):
    def decode(self, line):
        return "".join(line.split(" ")).replace("¶", " ")[::-1]

    def recognizes(self, sample):
        return any(token.startswith("¶") for token in sample.tokens)


@dataclass(frozen=True)
class ReversedOptions(CodecOptions):
    width: int = option(1, "letters per symbol", type=int, metavar="N")


class Reversed(Codec):
    """Reversed letters."""

    Options = ReversedOptions
    name = "reversed"

    @classmethod
    def reads(cls, separator="@@"):
        return ReversedText(cls.name)

    def encode(self, line):
        text = checked_line(line, self.options.errors)[::-1].replace(" ", "¶")
        width = self.options.width
        return " ".join(text[i : i + width] for i in range(0, len(text), width))
'''

# A user's own plug-in, given with --user-dir.
PLUGIN = """
from fairseq_subword_ext import register, register_encoding

register_encoding("reversed", f"{__name__}.reversed_text:Reversed")
register()
"""

TEXT = "the newest low\nlow newer\nthe lowest\n"


@pytest.fixture
def reversed_encoding(tmp_path, monkeypatch):
    """Adds a line to the registry, and the module that it names."""
    (tmp_path / "reversed_text.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_watchers", [])
    monkeypatch.chdir(tmp_path)
    registry.register_encoding("reversed", "reversed_text:Reversed")
    yield
    del registry.ENCODINGS["reversed"]
    sys.modules.pop("reversed_text", None)


def test_the_commands_know_it(reversed_encoding, tmp_path, capsys):
    (tmp_path / "text").write_text(TEXT)
    flags = "--encoder reversed --width 2".split()
    assert main(["apply-bpe", "-i", "text", "-o", "cut", *flags]) == 0
    assert (tmp_path / "cut").read_text("utf-8").split("\n")[1] == "re we n¶ wo l"
    assert "signature: encoder:reversed|version:" in capsys.readouterr().err
    assert main(["restore", "-i", "cut", "-o", "back", "--encoder", "reversed"]) == 0
    assert main(["restore", "-i", "cut", "-o", "detected"]) == 0
    assert "restored the text with --encoder reversed" in capsys.readouterr().err
    assert (tmp_path / "back").read_text() == (tmp_path / "detected").read_text() == TEXT
    assert main(["apply-bpe", "-i", "text", "--output-dir", "out", *flags, "--resume"]) == 0
    assert (tmp_path / "out" / "text").read_bytes() == (tmp_path / "cut").read_bytes()
    assert main(["stats", "--raw", "text", "reversed=cut"]) == 0
    assert "reversed" in capsys.readouterr().out


def test_its_options_are_its_own(reversed_encoding, tmp_path, capsys):
    (tmp_path / "text").write_text(TEXT)
    assert main(["apply-bpe", "-i", "text", "--encoder", "byte_level", "--width", "2"]) == 1
    assert "--encoder byte_level does not take --width" in capsys.readouterr().err
    assert main(["apply-bpe", "-i", "text", "--encoder", "reversed", "--dropout", "0.1"]) == 1
    assert "--encoder reversed does not take --dropout" in capsys.readouterr().err
    with pytest.raises(ValueError, match="reversed does not take codes"):
        registry.make_codec("reversed", "codes")


def test_a_name_is_taken_once(reversed_encoding):
    for name in ("reversed", "bbpe", "word", "sentencepiece"):
        with pytest.raises(ValueError, match=f"an encoding named {name} exists already"):
            registry.register_encoding(name, "reversed_text:Reversed")


def test_every_flag_of_an_encoding_is_one_of_apply_bpe():
    from fairseq_subword_ext.cli.option_arguments import encoding_options
    from fairseq_subword_ext.subword.options import flags_of

    for name in registry.ENCODINGS:
        assert set(flags_of(registry.codec_class(name).Options, "command")) <= set(
            encoding_options()
        )


TINY = """--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 8
--decoder-embed-dim 8 --encoder-ffn-embed-dim 8 --decoder-ffn-embed-dim 8 --encoder-attention-heads 1
--decoder-attention-heads 1 --share-all-embeddings --optimizer adam --lr 0.01 --max-update 1 --cpu
--max-tokens 200 --required-batch-size-multiple 1 --no-epoch-checkpoints --num-workers 0""".split()


@pytest.mark.slow
def test_fairseq_generate_decodes_it_with_a_plugin_of_ones_own(tmp_path, fairseq, fairseq_command):
    plugin = tmp_path / "my_plugin"
    plugin.mkdir()
    (plugin / "__init__.py").write_text(PLUGIN, encoding="utf-8")
    (plugin / "reversed_text.py").write_text(MODULE, encoding="utf-8")
    code = (
        "import sys, my_plugin\nfrom fairseq_subword_ext.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    (tmp_path / "text").write_text(TEXT)
    run_command(
        sys.executable, "-c", code, "apply-bpe", "--encoder", "reversed", "-i", "text", "-o", "train.xx",
        cwd=tmp_path, env={"PYTHONPATH": f"{tmp_path}:{PACKAGE.parent}"},
    )  # fmt: skip
    shutil.copy(tmp_path / "train.xx", tmp_path / "train.en")
    fairseq_command(
        "preprocess", "-s", "xx", "-t", "en", "--trainpref", "train", "--validpref", "train",
        "--testpref", "train", "--joined-dictionary", "--destdir", "bin", cwd=tmp_path,
    )  # fmt: skip
    user_dir = ["--user-dir", "my_plugin"]
    fairseq("train", "bin", *user_dir, *TINY, "--save-dir", "bin", cwd=tmp_path)
    printed = fairseq(
        "generate", "bin", *user_dir, "--path", "bin/checkpoint_last.pt", "--cpu", "--max-len-b", 9, "--num-workers", 0,
        "--bpe", "reversed", "--bpe-width", 1, "--required-batch-size-multiple", 1, cwd=tmp_path,
    ).stdout  # fmt: skip
    # This Fairseq decodes sources and references with the encoder as well.
    for line in TEXT.split("\n")[:-1]:
        assert f"\t{line}\n" in printed
    hypotheses, decoded = (
        {
            row.split("\t")[0][2:]: row.split("\t")[2]
            for row in printed.split("\n")
            if row[:2] == kind
        }
        for kind in ("H-", "D-")
    )
    assert len(decoded) == 3
    for number, symbols in hypotheses.items():
        assert decoded[number] == "".join(symbols.split(" ")).replace("¶", " ")[::-1]
