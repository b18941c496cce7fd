"""build-dict: fairseq-preprocess's dictionary, and a complete one from codes."""

import random

import pytest

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS


def random_text(seed, lines=50, alphabet="aabbcdéක@<>\xa0"):
    generator = random.Random(seed)
    return "".join(
        " ".join(
            "".join(generator.choices(alphabet, k=generator.randrange(1, 7))) for _ in range(7)
        )
        + "\n"
        for _ in range(lines)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, subword):
    path = tmp_path_factory.mktemp("dictionary")
    (path / "text").write_text(random_text(1), encoding="utf-8")
    subword("learn-bpe", "-i", "text", "-o", "codes", "-s", 60, cwd=path)
    subword("apply-bpe", "-i", "text", "-c", "codes", "-o", "train.xx", cwd=path)
    return path


def symbols(path):
    return [line.rsplit(" ", 1)[0] for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.mark.parametrize(
    ("flags", "their_flags"),
    [
        ([], []),
        (["--threshold", 3], ["--thresholdsrc", 3]),
        (["--nwords", 40], ["--nwordssrc", 40]),
        (["--padding-factor", 1], ["--padding-factor", 1]),
    ],
)
def test_from_text_it_equals_that_of_fairseq_preprocess(
    subword, fairseq, folder, tmp_path, flags, their_flags
):
    subword("build-dict", "-i", "train.xx", "-o", tmp_path / "ours", *flags, cwd=folder)
    fairseq(
        "preprocess", "--only-source", "-s", "xx", "--trainpref", "train", "--destdir", tmp_path / "bin",
        "--dict-only", *their_flags, cwd=folder,
    )  # fmt: skip
    ours = (tmp_path / "ours").read_bytes()
    assert ours == (tmp_path / "bin" / "dict.xx.txt").read_bytes()
    assert b"madeupword" in ours or flags


def test_from_codes_it_covers_every_text_of_known_characters(subword, folder, tmp_path):
    process = subword("build-dict", "-c", "codes", "-o", tmp_path / "dict", cwd=folder)
    known = set(symbols(tmp_path / "dict"))
    for seed in range(2, 6):
        segmented = subword("apply-bpe", "-c", "codes", input=random_text(seed), cwd=folder).stdout
        assert set(segmented.split()) <= known
    assert "only characters unseen in training" in process.stderr
    assert process.stderr.splitlines()[-1].startswith("signature: ")


def test_from_codes_with_another_separator(subword, folder, tmp_path):
    subword("build-dict", "-c", "codes", "-s", "￭", "-o", tmp_path / "dict", cwd=folder)
    segmented = subword(
        "apply-bpe", "-c", "codes", "-s", "￭", input=random_text(3), cwd=folder
    ).stdout
    assert set(segmented.split()) <= set(symbols(tmp_path / "dict"))


def test_from_both_the_counts_come_from_the_text(subword, folder, tmp_path):
    subword("build-dict", "-c", "codes", "-i", "train.xx", "-o", tmp_path / "both", cwd=folder)
    subword("build-dict", "-c", "codes", "-o", tmp_path / "codes", cwd=folder)
    subword("build-dict", "-i", "train.xx", "-o", tmp_path / "text", cwd=folder)
    both = (tmp_path / "both").read_text(encoding="utf-8").splitlines()
    text = (tmp_path / "text").read_text(encoding="utf-8").splitlines()
    counted = [line for line in text if not line.startswith("madeupword")]
    assert both[: len(counted)] == counted
    assert set(symbols(tmp_path / "codes")) - set(symbols(tmp_path / "both")) <= {
        f"madeupword{n:04d}" for n in range(8)
    }


def test_fairseq_loads_it(subword, folder, tmp_path):
    data = pytest.importorskip("fairseq.data")
    subword("build-dict", "-c", "codes", "-o", tmp_path / "dict", cwd=folder)
    loaded = data.Dictionary.load(str(tmp_path / "dict"))
    assert loaded.symbols[4:] == symbols(tmp_path / "dict")
    assert len(loaded) % 8 == 0


def test_a_missing_alphabet_asks_for_segmented_text(subword, tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\na b\n")
    process = subword("build-dict", "-c", "codes", "-o", "dict", cwd=tmp_path, check=False)
    assert process.returncode == 1
    assert "segmented" in process.stderr and "-i" in process.stderr
    assert not (tmp_path / "dict").exists()


def test_all_bytes_are_included_whatever_the_data(subword, tmp_path):
    subword("learn-bpe", "--unit", "byte", "-s", 3, "-o", "codes", input="aab aab\n", cwd=tmp_path)
    subword("build-dict", "-c", "codes", "-o", "dict", "--padding-factor", 1, cwd=tmp_path)
    found = symbols(tmp_path / "dict")
    assert set(BYTE_SYMBOLS) < set(found) and len(found) == 259
    subword("build-dict", "--unit", "byte", "-o", "bytes", "--padding-factor", 1, cwd=tmp_path)
    assert set(symbols(tmp_path / "bytes")) == set(BYTE_SYMBOLS)
    text = "▁ a a b\n"
    (tmp_path / "text").write_text(text, encoding="utf-8")
    subword(
        "build-dict",
        "--unit",
        "byte",
        "-i",
        "text",
        "-o",
        "text.dict",
        "--padding-factor",
        1,
        cwd=tmp_path,
    )
    assert (tmp_path / "text.dict").read_text(encoding="utf-8").startswith("a 2\nb 1\n▁ 1\n")
    assert set(symbols(tmp_path / "text.dict")) == set(BYTE_SYMBOLS)


def test_language_tokens_do_not_depend_on_the_order_of_the_flag(subword, folder, tmp_path):
    for name, order in (("one", "si,pt_br,de"), ("two", "de,pt_br,si,si")):
        process = subword(
            "build-dict", "-i", "train.xx", "--lang-tokens", order, "--padding-factor", 1,
            "--threshold", 3, "-o", tmp_path / name, cwd=folder,
        )  # fmt: skip
        assert "256 bytes" not in process.stderr
    subword(
        "build-dict", "-i", "train.xx", "--padding-factor", 1, "--threshold", 3, "-o", tmp_path / "plain",
        cwd=folder,
    )  # fmt: skip
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    tokens = ["<lang:de>", "<lang:pt_br>", "<lang:si>"]
    assert symbols(tmp_path / "one") == symbols(tmp_path / "plain") + tokens


def test_language_tokens_besides_all_bytes(subword, tmp_path):
    subword("build-dict", "--unit", "byte", "--lang-tokens", "si,de", "-o", tmp_path / "dict")
    assert set(symbols(tmp_path / "dict")) >= {*BYTE_SYMBOLS, "<lang:si>", "<lang:de>"}


def test_wrong_and_superfluous_language_tokens(subword, tmp_path):
    for wrong in ("si,", "s i", "<si>"):
        process = subword(
            "build-dict",
            "--unit",
            "byte",
            "--lang-tokens",
            wrong,
            "-o",
            tmp_path / "d",
            check=False,
        )
        assert process.returncode == 1
        assert f"--lang-tokens {wrong}: " in process.stderr
    assert not (tmp_path / "d").exists()
    process = subword(
        "build-dict", "-i", "-", "--lang-tokens", "si", "-o", tmp_path / "d", input="<lang:si> a\n"
    )
    assert "warning: the text itself contains <lang:si>" in process.stderr


def test_nothing_given(subword):
    process = subword("build-dict", check=False, input="")
    assert process.returncode == 1
    assert "-i" in process.stderr and "-c" in process.stderr


def test_unescaped_text_gives_a_warning(subword, tmp_path):
    (tmp_path / "text").write_text("a\xa0b </s> c <unk>\n", encoding="utf-8")
    process = subword("build-dict", "-i", "text", "--padding-factor", 1, cwd=tmp_path)
    assert process.stdout == "a 1\nb 1\nc 1\n"
    assert "warning" in process.stderr and "</s>" in process.stderr


def test_composed_and_decomposed_characters_stay_distinct(subword):
    process = subword("build-dict", "-i", "-", "--padding-factor", 1, input="é e\u0301 é\n")
    assert process.stdout == "é 2\ne\u0301 1\n"
