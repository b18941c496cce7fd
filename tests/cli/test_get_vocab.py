"""get-vocab and learn-joint-bpe-and-vocab: subword-nmt's files, with escapes as the only difference."""

import io
import json
import random
from argparse import Namespace

import pytest
from subword_nmt import get_vocab as reference
from subword_nmt import learn_joint_bpe_and_vocab as reference_joint

from fairseq_subword_ext.subword.escaping import unescape


def random_text(seed, lines=80, alphabet="aabbcdéක@"):
    generator = random.Random(seed)
    return "".join(
        " ".join(
            "".join(generator.choices(alphabet, k=generator.randrange(7)))
            for _ in range(generator.randrange(8))
        )
        + "\n"
        for _ in range(lines)
    )


def reference_vocabulary(text):
    out = io.StringIO()
    reference.get_vocab(io.StringIO(text, newline="\n"), out)
    return out.getvalue()


@pytest.mark.parametrize("alphabet", ["aabb", "abc\xa0\u2028\x85\t", "é\u0301e@ක"])
def test_the_vocabulary_equals_that_of_subword_nmt(subword, tmp_path, alphabet):
    text = random_text(1, alphabet=alphabet)
    (tmp_path / "text").write_bytes(text.encode("utf-8"))
    for arguments in (["-i", "text"], ["-i", "text", "--num-workers", 3], []):
        process = subword("get-vocab", *arguments, "-o", "out", input=text, cwd=tmp_path)
        assert (tmp_path / "out").read_bytes().decode() == reference_vocabulary(text)
    assert "signature" not in process.stderr


def test_several_files_are_one_text(subword, tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(random_text(name), encoding="utf-8")
    process = subword("get-vocab", "-i", "a", "b", cwd=tmp_path)
    assert process.stdout == reference_vocabulary(random_text("a") + random_text("b"))


def test_empty_text_is_an_empty_vocabulary(subword):
    assert subword("get-vocab", input="").stdout == ""


def test_errors_name_file_and_line(subword, tmp_path):
    (tmp_path / "text").write_bytes(b"a\nb\rc\n")
    process = subword("get-vocab", "-i", "text", cwd=tmp_path, check=False)
    assert process.returncode == 1 and "text:2" in process.stderr


def reference_run(folder, names, symbols, **options):
    folder.mkdir()
    arguments = {"min_frequency": 2, "total_symbols": False, "separator": "@@", **options}
    inputs = [(folder.parent / name).open(encoding="utf-8") for name in names]
    vocabularies = [(folder / f"vocabulary.{name}").open("w", encoding="utf-8") for name in names]
    with (folder / "codes").open("w", encoding="utf-8") as output:
        reference_joint.learn_joint_bpe_and_vocab(
            Namespace(
                input=inputs,
                vocab=vocabularies,
                output=output,
                symbols=symbols,
                num_workers=1,
                verbose=False,
                **arguments,
            )
        )


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--min-frequency", 4, "--separator", "￭"], {"min_frequency": 4, "separator": "￭"}),
        (["--total-symbols"], {"total_symbols": True}),
    ],
)
def test_joint_learning_equals_that_of_subword_nmt(subword, tmp_path, flags, options):
    for name in "de", "en":
        (tmp_path / name).write_text(random_text(name), encoding="utf-8")
    reference_run(tmp_path / "theirs", ["de", "en"], 40, **options)
    process = subword(
        "learn-joint-bpe-and-vocab", "-i", "de", "en", "-o", "codes", "-s", 40,
        "--write-vocabulary", "vocabulary.de", "vocabulary.en", *flags, cwd=tmp_path,
    )  # fmt: skip
    for name in "codes", "vocabulary.de", "vocabulary.en":
        assert (tmp_path / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    metadata = json.loads((tmp_path / "codes.json").read_text(encoding="utf-8"))
    assert metadata["corpus"] == "de, en"
    assert "|corpus:de+en|" in process.stderr.splitlines()[-1]


def test_joint_vocabularies_equal_those_of_the_segmented_text(subword, tmp_path):
    (tmp_path / "a").write_text(random_text(5, alphabet="ab\xa0<s>@"), encoding="utf-8")
    subword(
        "learn-joint-bpe-and-vocab", "-i", "a", "-o", "codes", "-s", 20, "--write-vocabulary", "v",
        cwd=tmp_path,
    )  # fmt: skip
    segmented = subword("apply-bpe", "-c", "codes", "-i", "a", cwd=tmp_path).stdout
    assert (tmp_path / "v").read_text(encoding="utf-8") == reference_vocabulary(segmented)
    assert "␛A0;" in segmented
    subword(
        "learn-joint-bpe-and-vocab", "-i", "a", "-o", "codes", "-s", 20, "--write-vocabulary", "raw",
        "--compat", "subword-nmt", cwd=tmp_path,
    )  # fmt: skip
    raw = (tmp_path / "raw").read_bytes().decode()
    assert "\xa0" in raw and "␛" not in raw
    assert unescape(segmented) != segmented


def test_joint_learning_with_too_few_pairs_works(subword, tmp_path):
    (tmp_path / "a").write_text("ab cd\n")
    subword(
        "learn-joint-bpe-and-vocab",
        "-i",
        "a",
        "-o",
        "codes",
        "--write-vocabulary",
        "v",
        cwd=tmp_path,
    )
    assert (tmp_path / "v").read_text() == "a@@ 1\nb 1\nc@@ 1\nd 1\n"


def test_each_side_with_its_own_measure(subword, tmp_path):
    (tmp_path / "a").write_text(random_text(1), encoding="utf-8")
    subword(
        "learn-joint-bpe-and-vocab", "-i", "a", "-o", "joint", "--write-vocabulary", "v", "-s", 30,
        "--measure", "av-weighted", cwd=tmp_path,
    )  # fmt: skip
    alone = subword(
        "learn-bpe", "-i", "a", "-s", 30, "--measure", "av-weighted", cwd=tmp_path
    ).stdout
    assert (tmp_path / "joint").read_text(encoding="utf-8") == alone


def test_the_number_of_vocabularies_must_match_the_inputs(subword, tmp_path):
    (tmp_path / "a").write_text("ab ab\n")
    process = subword(
        "learn-joint-bpe-and-vocab", "-i", "a", "a", "-o", "codes", "--write-vocabulary", "v",
        cwd=tmp_path, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert "2" in process.stderr and "1" in process.stderr
    assert not (tmp_path / "codes").exists()
