"""--replace-unk under fairseq-generate: positions refer to pieces, whatever is joined afterwards.

The model is trained, but its search is replaced by one that copies the source, with an attention that
shows which piece comes from where: only what is made of it is tested here.
"""

import random

import pytest
import torch
from fairseq import utils
from fairseq.data import Dictionary
from fairseq.sequence_generator import SequenceGenerator

import fairseq_subword_ext
from fairseq_subword_ext.data.alignments import add_pieces, hide_tokens
from fairseq_subword_ext.data.common_dictionary import CommonDictionary
from fairseq_subword_ext.replace_unk import Alignment, load_align_dict, replace_unk

pytest_plugins = ["task_helpers"]

PIECES = ("a@@", "b@@", "1", "2", "3", "<lang:de>")
CODES = "#version: 0.2\n"
UNKNOWN = "ЖЪЦ"


def made_lines(number):
    """Lines of words a1, b2, ... with one unknown letter each, split into pieces."""
    source = random.Random(5)
    lines = []
    for _ in range(number):
        words = [f"{source.choice('ab')}@@ {source.choice('123')}" for _ in range(4)]
        words[source.randrange(4)] = source.choice(UNKNOWN)
        lines.append(" ".join(words))
    return lines


LINES = made_lines(9)
TEXT = [line.replace("@@ ", "") for line in LINES]


def copying(self, sample, **kwargs):
    """Hypotheses that copy the source; the language token, if any, gets the most attention."""
    found = []
    for tokens in sample["net_input"]["src_tokens"]:
        places = [
            place
            for place, token in enumerate(tokens.tolist())
            if token not in (self.pad, self.eos) and self.tgt_dict[token] != "<lang:de>"
        ]
        copied = torch.cat([tokens[places], tokens.new_tensor([self.eos])])
        attention = torch.zeros(len(tokens), len(copied))
        attention[tokens == self.tgt_dict.index("<lang:de>")] = 2.0
        for position, place in enumerate(places):
            attention[place, position] = 1.0
        hypothesis = {
            "tokens": copied,
            "score": torch.tensor(-1.0),
            "attention": attention,
            "alignment": torch.empty(0),
            "positional_scores": torch.zeros(len(copied)),
        }
        found.append([hypothesis] * self.beam_size)
    return found


@pytest.fixture
def pieces(make_corpus, tmp_path):
    made = make_corpus(tmp_path / "pieces")
    made.dictionary = Dictionary()
    for symbol in PIECES:
        made.dictionary.add_symbol(symbol, 2)
    made.encode = str
    for split in ("train", "valid"):
        made.add("de", split, LINES, LINES)
    raw = tmp_path / "raw"
    raw.mkdir()
    for side in ("de", "en"):
        made.dictionary.save(str(raw / f"dict.{side}.txt"))
        text = "".join(f"{line}\n" for line in LINES)
        (raw / f"test.de-en.{side}").write_text(text, "utf-8")
    (tmp_path / "codes").write_text(CODES)
    return made.folder


@pytest.mark.parametrize("marked", [False, True], ids=["plain", "language-token"])
def test_unknown_pieces_are_replaced_and_then_joined(
    train, fairseq_command, checkpoint, pieces, tmp_path, monkeypatch, marked
):
    train(*(["--source-lang-token"] if marked else []), "--max-update", 1, data=pieces)
    monkeypatch.setattr(SequenceGenerator, "_generate", copying)

    def outputs(*options):
        printed = fairseq_command(
            "generate", tmp_path / "raw", "--dataset-impl", "raw", "--task", "multilingual_x_en",
            "--path", checkpoint, "--cpu", "--batch-size", 4, "--beam", 2, "--replace-unk",
            "--print-alignment", "--scoring", "sacrebleu", *options,
        )  # fmt: skip
        found = printed.outputs()
        assert "BLEU = 100.00" in printed
        aligned = [line for line in printed.split("\n") if line.startswith("A-0\t")]
        assert aligned == ["A-0\t" + " ".join(f"{n}-{n}" for n in range(len(LINES[0].split())))]
        references = printed.references()
        assert [references[number] for number in sorted(references)] == [
            found[number] for number in sorted(found)
        ]
        return [found[number] for number in sorted(found)]

    assert outputs() == LINES
    assert outputs("--bpe", "generalized_bpe", "--bpe-codes", tmp_path / "codes") == TEXT
    assert outputs("--remove-bpe") == TEXT


def test_other_tasks_join_the_output_last_and_refuse_a_joined_source(
    train, fairseq_command, checkpoint, pieces, tmp_path, monkeypatch
):
    """Fairseq's translation task does not have the pieces of a source that --bpe has joined."""
    train("--task", "translation", "-s", "de", "-t", "en", "--max-update", 1, data=pieces)
    monkeypatch.setattr(SequenceGenerator, "_generate", copying)
    command = [
        "generate", tmp_path / "raw", "--dataset-impl", "raw", "--task", "translation", "-s", "de",
        "-t", "en", "--path", checkpoint, "--cpu", "--batch-size", 4, "--replace-unk",
        "--print-alignment", "--required-batch-size-multiple", 1,
    ]  # fmt: skip
    found = fairseq_command(*command, "--remove-bpe").outputs()
    assert [found[number] for number in sorted(found)] == TEXT
    with pytest.raises(ValueError) as error:
        fairseq_command(*command, "--bpe", "generalized_bpe", "--bpe-codes", tmp_path / "codes")
    assert "the model read 7 source pieces, but here they are joined into 4 words" in str(
        error.value
    )
    assert "leave out --bpe and --remove-bpe" in str(error.value)


def test_the_plug_in_replaces_fairseqs_functions(tmp_path):
    fairseq_subword_ext.register()
    assert utils.replace_unk is replace_unk
    assert utils.load_align_dict is load_align_dict
    (tmp_path / "dict").write_text("ü u\n", encoding="utf-8")
    assert utils.load_align_dict(str(tmp_path / "dict")) == {"ü": "u"}
    assert utils.load_align_dict(None) is None
    # The flag without a file: Fairseq's parser fills in "@@ ".
    assert utils.load_align_dict("@@ ") == {}
    links = [(1, 0), (0, 1)]
    assert utils.replace_unk("<unk> <unk>", "a ü", links, {"ü": "u"}, "<unk>") == "u a"
    assert utils.replace_unk("x", "a", None, {}, "<unk>") == "x"


def test_replace_unk_asks_for_alignments():
    for alignment in torch.empty(0), [["0.3", "0.7"]]:
        with pytest.raises(ValueError, match="give --print-alignment"):
            replace_unk("<unk>", "a b", alignment, {}, "<unk>")


def dictionary():
    made = CommonDictionary()
    for symbol in PIECES:
        made.add_symbol(symbol, 2)
    return made


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_a_hidden_token_has_no_position_and_no_link(kind):
    fairseq_subword_ext.register()
    own = dictionary()
    token, pad, eos = own.index("<lang:de>"), own.pad(), own.eos()
    source = torch.tensor([pad, token, 4, 5, eos])
    target = torch.tensor([4, 5, eos])
    attention = torch.tensor(
        [[0.0, 0.9, 0.1, 0.2, 0.3], [0.0, 0.9, 0.3, 0.1, 0.5], [0.0, 0.1, 0.2, 0.3, 0.4]]
    )
    extract = getattr(utils, f"extract_{kind}_alignment")

    class Generator:
        extract_alignment = staticmethod(extract)

    hide_tokens(Generator, own.language_token_ids())
    got = Generator.extract_alignment(attention.clone(), source, target, pad, eos)
    without = [0, 2, 3, 4]
    alone = extract(attention[:, without].clone(), source[without], target, pad, eos)
    assert got == alone
    if kind == "hard":
        assert got == [(1, 0), (0, 1)] and got.length == 2


def test_pieces_of_interactive_input_come_from_the_dictionary():
    own = dictionary()
    sample = {"net_input": {"src_tokens": torch.tensor([[1, 9, 4, 3, 2]])}}
    hypotheses = [[{"alignment": Alignment([(1, 0)], length=2)}, {"alignment": torch.empty(0)}]]
    add_pieces(hypotheses, sample, own)
    assert hypotheses[0][0]["alignment"].source == ["a@@", "<unk>"]
    add_pieces(hypotheses, {**sample, "source_text": ["a@@ Ж"]}, own)
    assert hypotheses[0][0]["alignment"].source == ["a@@", "Ж"]
