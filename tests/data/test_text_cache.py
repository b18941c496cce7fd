"""The cache of raw text: what it holds, when it is made, and what happens if that fails."""

import os
from collections import Counter
from pathlib import Path

import pytest
from conftest import run_command

pytest.importorskip("fairseq")

import random

from subword_nmt import apply_bpe as oracle
from text_helpers import ON_A_FULL_DISK

from fairseq_subword_ext.codecs.registry import make_codec
from fairseq_subword_ext.data import text_cache, text_writing
from fairseq_subword_ext.data.mapped_tokens import MappedTokens
from fairseq_subword_ext.data.text_cache import Side, TextCache
from fairseq_subword_ext.data.text_dictionary import check_complete, entries_of_codes
from fairseq_subword_ext.subword.dictionary_file import CONTROL_STRINGS
from fairseq_subword_ext.textio.digests import text_seed

pytest_plugins = ["task_helpers", "text_helpers"]


def encoding_with(codes):
    return {"encoder": "generalized_bpe", "compat": None, "fallback": True, "codes": str(codes)}


def symbols_of(encoding):
    entries = entries_of_codes(make_codec(**encoding))
    return [*CONTROL_STRINGS, *(symbol for symbol, _ in entries)]


@pytest.fixture
def encoding(raw_corpus):
    return encoding_with(raw_corpus.character_codes)


@pytest.fixture
def make_cache(tmp_path, encoding):
    def make(folder=tmp_path / "cache", seed=1):
        return TextCache(folder, encoding, [symbols_of(encoding)], seed)

    return make


@pytest.fixture
def sides(raw_corpus):
    def make(source=0.0, target=0.0):
        path = raw_corpus.folder / "train.si-en"
        return [
            Side(Path(f"{path}.si"), "train.si-en.si", "train.si-en", 0, source),
            Side(Path(f"{path}.en"), "train.si-en.en", "train.si-en", 0, target),
        ]

    return make


@pytest.fixture
def written(monkeypatch):
    """The numbers of texts in the calls that segment."""
    calls = []

    def write(folder, encoding, dictionaries, texts):
        calls.append(len(texts))
        return text_writing.write_texts(folder, encoding, dictionaries, texts)

    monkeypatch.setattr(text_cache, "write_texts", write)
    return calls


def data(cache, sides, epoch=1):
    """The ids of each line of each side."""
    with cache.opened("train", sides, epoch) as folder:
        return {
            side.name: [line.tolist() for line in MappedTokens(str(folder / side.name))]
            for side in sides
        }


def test_the_ids_are_those_of_the_encoder(make_cache, sides, encoding):
    """Also with dropout, of which seed, text, epoch and line number are the only sources."""
    found = data(make_cache(), sides(source=0.5), epoch=3)
    codec = make_codec(**encoding)
    index = {symbol: number for number, symbol in enumerate(symbols_of(encoding))}
    for side in sides(source=0.5):
        lines = side.path.read_text(encoding="utf-8").splitlines()
        expected = [[index[piece] for piece in codec.encode(line).split()] + [2] for line in lines]
        if side.dropout:
            assert found[side.name] != expected
            encoder = make_codec(**encoding, dropout=0.5).id_encoder(
                make_dictionary_indices(symbols_of(encoding))
            )
            encoded = encoder.encode_lines(lines, seed=text_seed(1, f"{side.name}.3"))
            expected = [encoded.line(number).tolist() for number in range(len(lines))]
        assert found[side.name] == expected


def make_dictionary_indices(symbols):
    from fairseq_subword_ext.subword.id_encoder import DictionaryIndices

    return DictionaryIndices({symbol: number for number, symbol in enumerate(symbols)})


def test_each_epoch_and_seed_has_its_own_text(make_cache, sides):
    drawn = sides(source=0.3, target=0.3)
    first, second = (data(make_cache(), drawn, epoch) for epoch in (1, 2))
    assert first != second
    assert data(make_cache(), drawn, 2) == second, "as if epoch 1 had never been"
    assert data(make_cache(seed=2), drawn, 1) != first


def test_the_number_of_threads_changes_nothing(make_cache, sides, monkeypatch, tmp_path):
    expected = data(make_cache(), sides(source=0.3))
    if hasattr(os, "sched_setaffinity"):  # what the writing process counts
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            assert data(make_cache(tmp_path / "other"), sides(source=0.3)) == expected
        finally:
            os.sched_setaffinity(0, before)


def test_text_without_dropout_is_segmented_once(make_cache, sides, written):
    first = data(make_cache(), sides())
    assert data(make_cache(), sides(), epoch=5) == first
    assert written == [2]
    path = sides()[0].path
    os.utime(path, (1, 1))  # the content is the same
    data(make_cache(), sides())
    assert written == [2]


def test_whatever_changes_the_data_makes_it_anew(make_cache, sides, written, tmp_path):
    data(make_cache(), sides())
    path = sides()[0].path
    text = path.read_text(encoding="utf-8").split("\n")
    text[0] = text[0][::-1] + " "
    status = path.stat()
    path.write_text("\n".join(text), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    data(make_cache(), sides())
    assert written == [2, 2], "another text"
    (folder,) = (tmp_path / "cache").glob("*/train-*/all")
    with (folder / "train.si-en.en.bin").open("ab") as stream:
        stream.write(b"\0\0")
    data(make_cache(), sides())
    assert written == [2, 2, 2], "damaged data"
    (folder / "contents.json").write_text("{")
    data(make_cache(), sides())
    assert written == [2, 2, 2, 2], "a damaged record"


@pytest.mark.parametrize("change", ["codes", "dictionary", "options"])
def test_other_settings_have_their_own_data(
    change, make_cache, sides, written, encoding, raw_corpus, tmp_path
):
    symbols = symbols_of(encoding)
    data(make_cache(), sides())
    if change == "codes":
        codes = raw_corpus.character_codes.read_text(encoding="utf-8").splitlines(keepends=True)
        raw_corpus.character_codes.write_text("".join(codes[:-1]), encoding="utf-8")
    elif change == "dictionary":
        symbols = [*symbols, "more"]
    else:
        encoding = {**encoding, "compat": "subword-nmt"}
    data(TextCache(tmp_path / "cache", encoding, [symbols], 1), sides())
    assert written == [2, 2]


def test_epochs_are_removed(make_cache, sides, tmp_path):
    cache = make_cache()
    for epoch in (1, 2):
        data(cache, sides(source=0.1), epoch)
    names = lambda: {path.name for path in tmp_path.glob("cache/*/train-*/*")}  # noqa: E731
    assert names() == {"epoch-1", "epoch-2", "lock"}
    cache.keep_only(2)
    assert names() == {"epoch-2", "lock"}


FAULTS = {
    "not UTF-8": (b"a\n\xff\n", r"train\.si-en\.si:2: .*not UTF-8"),
    "carriage return": (b"a\nb\rc\n", r"train\.si-en\.si:2: found a carriage return"),
    "another length": (b"a\n", r"train\.si-en\.si has 1 lines but .*train\.si-en\.en has 60"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_text_that_cannot_be_used(fault, make_cache, sides, tmp_path):
    content, message = FAULTS[fault]
    sides()[0].path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(ValueError, match=message) as error:
            data(make_cache(), sides())
        assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.glob("cache/*/*/*")] == ["lock"], "nothing is left"


def test_a_text_that_changes_between_epochs(make_cache, sides):
    cache = make_cache()
    data(cache, sides(source=0.1), 1)
    path = sides()[1].path
    path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(ValueError, match=r"train\.si-en\.en: the text has changed since") as error:
        data(cache, sides(source=0.1), 2)
    assert "\n" not in str(error.value)
    data(make_cache(), sides(source=0.1), 2)  # a new run


def test_a_text_without_lines(make_cache, sides):
    for side in sides():
        side.path.write_bytes(b"")
    with pytest.raises(ValueError, match="the text has 0 lines"):
        data(make_cache(), sides())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(make_cache, sides, monkeypatch, tmp_path):
    monkeypatch.setattr(text_writing, "_START", ON_A_FULL_DISK)
    with pytest.raises(
        OSError, match="--text-cache DIR puts the segmented text elsewhere"
    ) as error:
        data(make_cache(), sides())
    assert "train.si-en" in error.value.filename and "\n" not in str(error.value)
    assert [path.name for path in tmp_path.glob("cache/*/*/*")] == ["lock"], "nothing is left"


def test_a_killed_writer(make_cache, sides, monkeypatch):
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL); "
    with monkeypatch.context() as patch:
        patch.setattr(text_writing, "_START", kill + text_writing._START)
        with pytest.raises(RuntimeError, match="was killed by signal 9"):
            data(make_cache(), sides())
    data(make_cache(), sides())


def test_the_writer_loads_neither_fairseq_nor_torch():
    import sys

    code = "import sys; import fairseq_subword_ext.data.text_writing; print(*sys.modules)"
    loaded = run_command(sys.executable, "-c", code).stdout.split()
    assert "numpy" in loaded and not {"fairseq", "torch"} & set(loaded)


def test_the_encoding_of_a_plug_in(tmp_path, sides, monkeypatch):
    """Its module is found although its folder is on no path that the new process inherits."""
    import sys

    from fairseq_subword_ext.codecs import registry

    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin" / "shouting.py").write_text(
        "from fairseq_subword_ext.codecs.char_level import CharLevel\n\n"
        "class Shouting(CharLevel):\n"
        "    name = 'shouting'\n\n"
        "    def encode(self, line):\n"
        "        return super().encode(line.upper())\n\n"
        "    block_coder = CharLevel.__base__.block_coder\n"
    )
    monkeypatch.setitem(registry.ENCODINGS, "shouting", "shouting:Shouting")
    monkeypatch.syspath_prepend(str(tmp_path / "plugin"))
    __import__("shouting")
    sys.path.remove(str(tmp_path / "plugin"))
    symbols = [*CONTROL_STRINGS, *"ABCDEFGH▁"]
    cache = TextCache(tmp_path / "cache", {"encoder": "shouting", "compat": None}, [symbols], 1)
    english = sides()[1]
    line = english.path.read_text().split("\n")[0]
    expected = [symbols.index(letter) for letter in line.upper().replace(" ", "▁")] + [2]
    assert data(cache, [english])["train.si-en.en"][0] == expected
    del sys.modules["shouting"]


# What a dictionary must have.


def test_a_dictionary_lacks_what_only_dropout_produces(encoding, raw_corpus):
    """As one that was counted from text without dropout."""
    codec = make_codec(**encoding)
    lines = (raw_corpus.folder / "train.si-en.en").read_text().splitlines()
    counted = {piece for line in codec.encode_lines(lines) for piece in line.split()}
    with pytest.raises(ValueError, match=r"dict lacks \d+ symbols that the codes can produce"):
        check_complete(codec, sorted(counted), "dict")
    complete = symbols_of(encoding)
    check_complete(codec, complete, "dict")
    random.seed(1)
    drawn = make_codec(**encoding, dropout=0.5).encode_lines(lines * 20)
    assert {piece for line in drawn for piece in line.split()} <= set(complete)


def test_the_dictionary_is_that_of_build_dict(encoding, tmp_path):
    from fairseq_subword_ext.cli.main import main

    main(["build-dict", "-c", encoding["codes"], "-o", str(tmp_path / "dict")])
    entries = entries_of_codes(make_codec(**encoding))
    lines = (tmp_path / "dict").read_text(encoding="utf-8").splitlines()
    assert [f"{symbol} {count}" for symbol, count in entries] == lines


def test_codes_without_an_alphabet(encoding, raw_corpus):
    Path(f"{raw_corpus.character_codes}.json").unlink()
    codec = make_codec(**encoding)
    with pytest.raises(ValueError, match=r"without their alphabet, CODES.json; give --text-dict"):
        entries_of_codes(codec)
    merges = list(codec.table)
    left, right = next(pair for pair in merges if not pair[1].endswith("</w>"))
    with pytest.raises(ValueError, match="lacks"):
        known = set(codec.known_symbols()[0]) - {f"{left}{right}@@"}
        check_complete(codec, sorted(known), "dict")
    check_complete(codec, codec.known_symbols()[0], "dict")


# The distribution of segmentations.

WORDS = ["abab", "bababa", "aabbaab"]
EPOCHS = 2000


def test_segmentations_are_distributed_as_in_subword_nmt(tmp_path, encoding):
    """Chi-squared, over the epochs of a text."""
    codes = tmp_path / "few.codes"
    codes.write_text("#version: 0.2\na b\nab ab\nb a\nab a\nb b\na b</w>\nab ab</w>\n")
    codec = make_codec("generalized_bpe", codes)
    symbols = [*CONTROL_STRINGS, "a@@", "a", "b@@", "b", *codec.known_symbols()[0]]
    symbols = list(dict.fromkeys(symbols))
    encoder = codec.id_encoder(make_dictionary_indices(symbols))
    ours = [Counter() for _ in WORDS]
    for epoch in range(1, EPOCHS + 1):
        seed = text_seed(1, f"train.si-en.si.{epoch}")
        encoded = encoder.encode_lines(WORDS, dropout=0.3, seed=seed)
        for number, counts in enumerate(ours):
            counts[" ".join(symbols[index] for index in encoded.line(number)[:-1])] += 1
    random.seed(7)
    with codes.open(encoding="utf-8") as stream:
        theirs_bpe = oracle.BPE(stream)
    for word, counts in zip(WORDS, ours):
        theirs = Counter(
            theirs_bpe.process_line(word, dropout=0.3).strip() for _ in range(10 * EPOCHS)
        )
        common = [each for each, count in theirs.items() if count >= 50]
        assert len(common) > 3
        rows = [[each[name] for name in common] for each in (counts, theirs)]
        assert homogeneity(rows) < quantile(len(common) - 1)


def homogeneity(rows):
    """The chi-squared statistic of two samples, by class."""
    totals = [sum(row) for row in rows]
    share = [sum(column) / sum(totals) for column in zip(*rows)]
    return sum(
        (found - total * p) ** 2 / (total * p)
        for row, total in zip(rows, totals)
        for found, p in zip(row, share)
    )


def quantile(freedom, deviation=3.09):
    """The 99.9 % quantile of chi-squared (Wilson and Hilferty 1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + deviation * part**0.5) ** 3
