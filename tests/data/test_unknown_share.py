"""Codes that do not belong to the dictionary give a warning, the right ones do not."""

import logging
import random
import re

import pytest

pytest.importorskip("fairseq")

from argparse import Namespace

from fairseq.data import Dictionary, encoders

import fairseq_subword_ext
from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.data.unknown_share import warn_about_codes


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """{name: (an encoder, the dictionary of a text that it segmented)}."""
    fairseq_subword_ext.register()
    folder = tmp_path_factory.mktemp("codes")
    text = folder / "text"
    source = random.Random(1)
    alphabet = [
        chr(n)
        for first, last in ((0x41, 0x5B), (0x61, 0x7B), (0x410, 0x450))
        for n in range(first, last)
    ]
    words = ["".join(source.choices(alphabet, k=source.randint(1, 6))) for _ in range(300)]
    lines = (" ".join(source.choices(words, k=8)) for _ in range(600))
    text.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    made = {}
    for name, options in (
        ("generalized_bpe", ["-s", "300"]),
        ("bbpe", ["-s", "500", "--unit", "byte", "--total-symbols"]),
        ("byte_level", None),
        ("char_level", None),
    ):
        codes = str(folder / name) if options else None
        if options:
            assert main(["learn-bpe", "-i", str(text), "-o", codes, *options]) == 0
        bpe = encoders.build_bpe(Namespace(bpe=name, bpe_codes=codes))
        dictionary = Dictionary()
        for line in text.read_text("utf-8").split("\n"):
            for piece in bpe.encode(line).split():
                dictionary.add_symbol(piece)
        dictionary.finalize(padding_factor=8)
        made[name] = bpe, dictionary
    return made


def shares(caplog):
    return [
        int(share) for share in re.findall(r"(\d+)% of the pieces that --bpe makes", caplog.text)
    ]


@pytest.mark.parametrize("name", ["generalized_bpe", "bbpe", "byte_level", "char_level"])
def test_the_right_codes_cause_no_warning(models, name, caplog):
    with caplog.at_level(logging.WARNING):
        warn_about_codes(*models[name])
    assert not shares(caplog)


@pytest.mark.parametrize(
    ("encoder", "dictionary"),
    [
        ("bbpe", "generalized_bpe"),
        ("generalized_bpe", "bbpe"),
        ("generalized_bpe", "byte_level"),
        ("generalized_bpe", "char_level"),
    ],
)
def test_codes_of_the_other_unit_give_a_warning_with_the_share(models, encoder, dictionary, caplog):
    with caplog.at_level(logging.WARNING):
        warn_about_codes(models[encoder][0], models[dictionary][1])
    (share,) = shares(caplog)
    assert share >= 60
    assert "are these the codes (--bpe-codes) and the --bpe that the model was" in caplog.text
