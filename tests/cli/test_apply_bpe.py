"""The command apply-bpe: subword-nmt's segmentation, intended differences, and messages."""

import io
import random
import signal
import subprocess
import sys
import time

import pytest
from conftest import heed_interrupts, run_command
from subword_nmt import apply_bpe as reference
from subword_nmt import get_vocab as reference_get_vocab
from subword_nmt import learn_bpe as reference_learn

from fairseq_subword_ext.subword.escaping import join_pieces

ALPHABET = "aabbcdé ක</w>@\xa0\u2028"


def random_text(seed, lines=60, alphabet=ALPHABET):
    generator = random.Random(seed)
    text = []
    for _ in range(lines):
        words = [
            "".join(generator.choices(alphabet, k=generator.randrange(9)))
            for _ in range(generator.randrange(7))
        ]
        text.append(" " * generator.randrange(2) + " ".join(words) + " " * generator.randrange(2))
    return "\n".join(text) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Codes of both marker versions, a text that they were not learned from, and a vocabulary."""
    path = tmp_path_factory.mktemp("apply")
    codes = io.StringIO()
    reference_learn.learn_bpe(io.StringIO(random_text(1, 200), newline="\n"), codes, 60)
    (path / "codes").write_text(codes.getvalue(), encoding="utf-8")
    old = [line for line in codes.getvalue().split("\n")[1:-1] if not line.endswith("</w>")]
    (path / "old").write_text(
        "#version: 0.1\n" + "\n".join([*old, "b </w>", "a </w>"]) + "\n", encoding="utf-8"
    )
    (path / "text").write_bytes(random_text(2).encode("utf-8"))
    vocabulary = io.StringIO()
    segmented = expected(path, "codes", random_text(3, 100))
    reference_get_vocab.get_vocab(io.StringIO(segmented, newline="\n"), vocabulary)
    (path / "vocabulary").write_text(vocabulary.getvalue(), encoding="utf-8")
    return path


def expected(
    folder, codes, text, merges=-1, separator="@@", vocabulary=None, threshold=None, glossaries=None
):
    with (folder / codes).open(encoding="utf-8", newline="\n") as stream:
        if vocabulary is not None:
            with (folder / vocabulary).open(encoding="utf-8", newline="\n") as lines:
                vocabulary = reference.read_vocabulary(lines, threshold)
        bpe = reference.BPE(stream, merges, separator, vocabulary, glossaries)
    return "".join(bpe.process_line(line + "\n") for line in text.split("\n")[:-1])


@pytest.mark.parametrize("codes", ["codes", "old"])
@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--merges", 20], {"merges": 20}),
        (["-m", 0], {"merges": 0}),
        (["-s", "￭"], {"separator": "￭"}),
        (["--separator", "_"], {"separator": "_"}),
        (["--vocabulary", "vocabulary"], {"vocabulary": "vocabulary"}),
        (
            ["--vocabulary", "vocabulary", "--vocabulary-threshold", 20],
            {"vocabulary": "vocabulary", "threshold": 20},
        ),
        (["--glossaries", "ab", "[cd]+"], {"glossaries": ["ab", "[cd]+"]}),
        (["--glossaries", "a", "ab"], {"glossaries": ["a", "ab"]}),
        (["--glossaries", "b.*", "@"], {"glossaries": ["b.*", "@"]}),
    ],
)
def test_the_segmentation_equals_that_of_subword_nmt(subword, folder, codes, flags, options):
    subword(
        "apply-bpe", "-c", codes, "-i", "text", "-o", "out", "--compat", "subword-nmt", *flags, cwd=folder
    )  # fmt: skip
    text = random_text(2)
    assert (folder / "out").read_bytes().decode() == expected(folder, codes, text, **options)


def test_escaping_is_the_only_difference(subword, folder):
    ours = subword("apply-bpe", "-c", "codes", "-i", "text", cwd=folder).stdout.split("\n")
    text = random_text(2).split("\n")
    theirs = expected(folder, "codes", random_text(2)).split("\n")
    assert len(ours) == len(theirs)
    changed = 0
    for line, other, source in zip(ours, theirs, text):
        assert join_pieces(line).split(" ") == source.rstrip(" ").split(" ") or "  " in source
        for token, reference_token in zip(line.split(" "), other.split(" ")):
            if token != reference_token:
                changed += 1
                assert "\xa0" in reference_token or "\u2028" in reference_token
    assert changed > 10


def test_blank_lines_and_line_order_are_kept(subword, folder):
    text = "a\x85b c\n\nx\x0by\x0cz\x1c\n \n\u2028\n"
    (folder / "lines").write_bytes(text.encode())
    for arguments in (["-i", "lines"], ["-i", "lines", "--num-workers", 4], []):
        process = subword("apply-bpe", "-c", "codes", *arguments, input=text, cwd=folder)
        assert process.stdout.count("\n") == 5
    assert [join_pieces(line) for line in process.stdout.split("\n")] == [
        line.rstrip(" ") for line in text.split("\n")
    ]


def test_the_last_line_may_lack_its_newline(subword, folder):
    assert subword("apply-bpe", "-c", "codes", input="xy\nz", cwd=folder).stdout == "x@@ y\nz"
    assert subword("apply-bpe", "-c", "codes", input="", cwd=folder).stdout == ""


def test_several_inputs_and_any_number_of_workers(subword, folder):
    text = random_text(2)
    expected_output = subword("apply-bpe", "-c", "codes", input=text * 2, cwd=folder).stdout
    for workers in (1, 2, 5, -1):
        process = subword(
            "apply-bpe", "-c", "codes", "-i", "text", "text", "--num-workers", workers, cwd=folder
        )  # fmt: skip
        assert process.stdout == expected_output
    process = subword(
        "apply-bpe", "-c", "codes", "--num-workers", 0, input="", cwd=folder, check=False
    )
    assert process.returncode == 1 and "--num-workers 0" in process.stderr


def test_dropout_is_the_same_for_a_seed_and_any_number_of_workers(subword, folder):
    def run(seed, workers, *more):
        return subword(
            "apply-bpe", "-c", "codes", "-i", "text", "text", "--dropout", 0.5, "--seed", seed,
            "--num-workers", workers, *more, cwd=folder,
        ).stdout  # fmt: skip

    first = run(1, 1)
    assert first == run(1, 2) == run(1, 5)
    assert first != run(2, 1)
    lines = first.split("\n")
    # The same text twice: words with dropout are drawn again, never taken from a cache.
    assert lines[: len(lines) // 2] != lines[len(lines) // 2 : -1]
    plain = subword("apply-bpe", "-c", "codes", "-i", "text", "text", cwd=folder).stdout
    assert [join_pieces(line) for line in lines] == [
        join_pieces(line) for line in plain.split("\n")
    ]


def test_dropout_without_a_seed_differs_and_names_it(subword, folder):
    text = random_text(4, 200)
    runs = [
        subword("apply-bpe", "-c", "codes", "--dropout", 0.5, input=text, cwd=folder)
        for _ in range(2)
    ]
    assert runs[0].stdout != runs[1].stdout
    seed = runs[0].stderr.split("--seed ")[1].split()[0]
    again = subword(
        "apply-bpe", "-c", "codes", "--dropout", 0.5, "--seed", seed, input=text, cwd=folder
    )
    assert again.stdout == runs[0].stdout


@pytest.mark.parametrize("dropout", ["-0.1", "1.5", "nan"])
def test_dropout_out_of_range_is_refused(subword, folder, dropout):
    process = subword(
        "apply-bpe", "-c", "codes", f"--dropout={dropout}", input="a\n", cwd=folder, check=False
    )
    assert process.returncode == 1 and "dropout" in process.stderr


def test_dropping_every_merge_gives_characters(subword, folder):
    process = subword("apply-bpe", "-c", "codes", "--dropout", 1, input="abab\n", cwd=folder)
    assert process.stdout == "a@@ b@@ a@@ b\n"


@pytest.mark.parametrize(
    ("glossary", "word", "pieces"),
    [
        ("(a|b)+", "xaby", "x@@ ab@@ y"),  # subword-nmt prints a character twice
        ("USA", "1934USABUSA", "1@@ 9@@ 3@@ 4@@ USA@@ B@@ USA"),
        (r"C\+\+", "C++", "C++"),
    ],
)
def test_glossaries_are_regular_expressions(subword, folder, glossary, word, pieces):
    (folder / "none").write_text("#version: 0.2\n")
    process = subword(
        "apply-bpe", "-c", "none", "--glossaries", glossary, input=word + "\n", cwd=folder
    )
    assert process.stdout == pieces + "\n"


@pytest.mark.parametrize(("glossary", "word"), [("C++", "C++"), ("[", "a[b"), ("(a", "x(a")])
def test_a_glossary_that_spells_text_protects_it(subword, folder, glossary, word):
    (folder / "none").write_text("#version: 0.2\n")
    process = subword(
        "apply-bpe", "-c", "none", "--glossaries", glossary, input=word + "\n", cwd=folder
    )
    assert glossary in process.stdout.replace("@@", "").split()


def test_a_glossary_with_a_space_never_matches_and_says_so(subword, folder):
    process = subword("apply-bpe", "-c", "codes", "--glossaries", "a b", input="a\n", cwd=folder)
    assert "space" in process.stderr
    (folder / "spaced").write_text("ab\nhello world\n")
    process = subword(
        "apply-bpe",
        "-c",
        "codes",
        "--glossary-file",
        "spaced",
        input="a\n",
        cwd=folder,
        check=False,
    )
    assert process.returncode == 1 and "spaced:2" in process.stderr


def test_a_glossary_file_is_literal(subword, folder):
    (folder / "none").write_text("#version: 0.2\n")
    (folder / "glossary").write_text("C++\n[\n#1\n\tx\n(a|b)+\n", encoding="utf-8")
    process = subword(
        "apply-bpe", "-c", "none", "--glossary-file", "glossary", cwd=folder,
        input="C++ C a[b #1 a\txb (a|b)+ aab\n",
    )  # fmt: skip
    assert process.stdout == "C++ C a@@ [@@ b #1 a@@ ␛9;x@@ b (a|b)+ a@@ a@@ b\n"


def test_unicode_spaces_and_control_strings_survive_fairseq(subword, folder):
    text = "10\xa0km \xa0x a\u3000b </s> <unk> madeupword0000 a\tb ␛A0; @@ x\n"
    (folder / "pairs").write_text("#version: 0.2\n@ @</w>\n", encoding="utf-8")
    process = subword("apply-bpe", "-c", "pairs", input=text, cwd=folder)
    line = process.stdout.rstrip("\n")
    assert line.split() == line.split(" ")
    assert "@@" not in line.split()
    assert not {"</s>", "<unk>", "madeupword0000"} & set(line.split())
    assert join_pieces(line) + "\n" == text


def test_separators_that_would_be_ambiguous_are_refused(subword, folder):
    for separator in " ", "", ";", "\xa0":
        process = subword(
            "apply-bpe", "-c", "codes", "-s", separator, input="ab\n", cwd=folder, check=False
        )
        assert process.returncode == 1 and "separator" in process.stderr
    process = subword(
        "apply-bpe", "-c", "codes", "-s", ";", "--compat", "subword-nmt", input="xy\n", cwd=folder
    )
    assert process.stdout == "x; y\n"


def test_a_separator_that_occurs_in_the_text(subword, folder):
    (folder / "none").write_text("#version: 0.2\n")
    process = subword("apply-bpe", "-c", "none", "-s", "_", input="snake_ case\n", cwd=folder)
    assert process.stdout.split(" ")[5] == "␛5F;"
    assert join_pieces(process.stdout.rstrip("\n"), "_") == "snake_ case"


def test_a_separator_outside_ascii_in_any_locale(subword, folder):
    plain = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    process = subword("apply-bpe", "-c", "codes", "-s", "￭", input="ප්‍රේම\n", cwd=folder, env=plain)
    assert join_pieces(process.stdout.rstrip("\n"), "￭") == "ප්‍රේම"


@pytest.mark.parametrize("unit", ["char", "byte"])
def test_markup_never_becomes_a_control_symbol(subword, tmp_path, unit):
    text = "<s>hello</s> <s>you</s> x</s> </s> <s>\n" * 50
    subword("learn-bpe", "--unit", unit, "-o", "codes", input=text, cwd=tmp_path)
    codes = (tmp_path / "codes").read_text(encoding="utf-8")
    assert "</ s>" in codes or "</s >" in codes or "< /s>" in codes
    for word in ("<s>", "</s>", "x</s>", "<s>hello</s>"):
        process = subword("apply-bpe", "-c", "codes", input=word + "\n", cwd=tmp_path)
        assert not {"<s>", "</s>"} & set(process.stdout.split())


def rain(tmp_path, subword):
    subword(
        "learn-bpe", "--dict-input", "--marker-version", "0.1", "--tie-break", "least", "-s", 6,
        "-o", "codes", cwd=tmp_path, input="rain 6\nrains 3\ntrain 4\ntrains 2\nbrain 1\n",
    )  # fmt: skip


def test_unknown_characters(subword, tmp_path):
    rain(tmp_path, subword)
    for flags in ([], ["--unknown", "keep"]):
        process = subword("apply-bpe", "-c", "codes", *flags, input="brains rainy\n", cwd=tmp_path)
        assert process.stdout == "b@@ rains rain@@ y\n"
    process = subword(
        "apply-bpe", "-c", "codes", "--unknown", "error", input="rain\nrainy\n", cwd=tmp_path, check=False
    )  # fmt: skip
    assert process.returncode == 1
    assert "standard input:2: " in process.stderr and "'y'" in process.stderr
    process = subword(
        "apply-bpe", "-c", "codes", "--unknown", "unk", input="rainy ryain\n", cwd=tmp_path
    )
    assert "<unk>" in process.stdout.split() and "y" not in process.stdout


def test_unknown_characters_need_the_alphabet(subword, folder):
    process = subword(
        "apply-bpe", "-c", "codes", "--unknown", "error", input="a\n", cwd=folder, check=False
    )
    assert process.returncode == 1 and "CODES.json" in process.stderr


def test_wrong_codes_give_a_warning(subword, folder, tmp_path):
    (tmp_path / "latin").write_text(
        "#version: 0.2\nh e\nl l\nhe ll\nhell o</w>\n", encoding="utf-8"
    )
    process = subword("apply-bpe", "-c", "latin", input="привет мир снова\n" * 9, cwd=tmp_path)
    assert "warning" in process.stderr and "100" in process.stderr
    process = subword("apply-bpe", "-c", "latin", input="hello hello\n" * 9, cwd=tmp_path)
    assert "warning" not in process.stderr


def test_a_carriage_return_inside_a_line(subword, folder):
    (folder / "cr").write_bytes(b"ab\nxy\rab z\n")
    process = subword("apply-bpe", "-c", "codes", "-i", "cr", "-o", "no", cwd=folder, check=False)
    assert process.returncode == 1
    assert "cr:2" in process.stderr and "--carriage-return replace" in process.stderr
    assert not (folder / "no").exists()
    process = subword(
        "apply-bpe",
        "-c",
        "codes",
        "-i",
        "cr",
        "--carriage-return",
        "replace",
        "-o",
        "out",
        cwd=folder,
    )
    lines = (folder / "out").read_bytes().split(b"\n")
    assert [join_pieces(line.decode()) for line in lines] == ["ab", "xy ab z", ""]
    assert "1" in process.stderr


def test_windows_line_ends_are_kept(subword, folder):
    (folder / "crlf").write_bytes(b"xy z\r\nz\r\n")
    process = subword("apply-bpe", "-c", "codes", "-i", "crlf", "-o", "out", cwd=folder)
    assert (folder / "out").read_bytes() == b"x@@ y z\r\nz\r\n"
    assert r"\r\n" in process.stderr


def test_bytes_that_are_not_utf8_name_the_line(subword, folder):
    (folder / "latin1").write_bytes(b"ab\nab\nx\xfe\n")
    process = subword(
        "apply-bpe", "-c", "codes", "-i", "latin1", "-o", "no", cwd=folder, check=False
    )
    assert process.returncode == 1
    assert "latin1:3" in process.stderr and "Traceback" not in process.stderr
    assert not (folder / "no").exists()


def test_codes_without_a_header(subword, folder):
    lines = (folder / "codes").read_text(encoding="utf-8").split("\n")
    (folder / "headless").write_text("\n".join(lines[1:]), encoding="utf-8")
    (folder / "marked").write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    text = random_text(2)
    process = subword("apply-bpe", "-c", "headless", "-i", "text", cwd=folder)
    with_header = subword("apply-bpe", "-c", "codes", "-i", "text", cwd=folder).stdout
    assert process.stdout == with_header
    assert "version 0.2" in process.stderr
    assert subword("apply-bpe", "-c", "marked", input=text, cwd=folder).stdout == with_header


def test_fastbpe_codes(subword, folder):
    lines = (folder / "codes").read_text(encoding="utf-8").split("\n")[1:-1]
    (folder / "fast").write_text("".join(f"{line} 9\n" for line in lines), encoding="utf-8")
    process = subword("apply-bpe", "-c", "fast", "-i", "text", cwd=folder)
    assert process.stdout == subword("apply-bpe", "-c", "codes", "-i", "text", cwd=folder).stdout


def test_a_vocabulary_given_as_codes_and_codes_given_as_a_vocabulary(subword, folder):
    process = subword("apply-bpe", "-c", "vocabulary", input="a\n", cwd=folder, check=False)
    assert process.returncode == 1 and "vocabulary" in process.stderr
    process = subword(
        "apply-bpe", "-c", "codes", "--vocabulary", "codes", input="a\n", cwd=folder, check=False
    )
    assert process.returncode == 1 and "codes file" in process.stderr


def test_a_threshold_without_a_vocabulary(subword, folder):
    process = subword(
        "apply-bpe",
        "-c",
        "codes",
        "--vocabulary-threshold",
        5,
        input="a\n",
        cwd=folder,
        check=False,
    )
    assert process.returncode == 1 and "--vocabulary " in process.stderr


def test_the_vocabulary_of_escaped_text_filters_raw_pieces(subword, tmp_path):
    text = "a\xa0b a\xa0b a\xa0b cd cd cd\n"
    subword("learn-bpe", "-o", "codes", input=text, cwd=tmp_path)
    segmented = subword("apply-bpe", "-c", "codes", input=text, cwd=tmp_path).stdout
    (tmp_path / "segmented").write_text(segmented, encoding="utf-8")
    subword("get-vocab", "-i", "segmented", "-o", "vocabulary", cwd=tmp_path)
    process = subword(
        "apply-bpe", "-c", "codes", "--vocabulary", "vocabulary", input=text, cwd=tmp_path
    )
    assert process.stdout == segmented == "a␛A0;b a␛A0;b a␛A0;b cd cd cd\n"


def test_very_long_words(subword, folder):
    word = "ab" * 50_000
    process = subword("apply-bpe", "-c", "codes", input=word + "\n", cwd=folder, timeout=60)
    assert join_pieces(process.stdout.rstrip("\n")) == word


def test_the_signature_is_printed_last(subword, folder):
    process = subword("apply-bpe", "-c", "codes", input="a\n", cwd=folder)
    assert process.stderr.splitlines()[-1].startswith("signature: unit:char|marker:0.2|merges:60|")


def test_codes_and_text_cannot_both_be_standard_input(subword, folder):
    process = subword("apply-bpe", "-c", "-", input="#version: 0.2\n", cwd=folder, check=False)
    assert process.returncode == 1 and "'-'" in process.stderr


def test_an_interrupt_leaves_no_file(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "fairseq_subword_ext", "apply-bpe", "-c", "codes", "-o", "half"],
        cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    process.stdin.write("ab cd\n" * 1000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(folder.glob(".half.*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors and "Traceback" not in errors
    assert not list(folder.glob("*half*"))


def test_a_reader_that_closes_the_pipe_early(folder):
    (folder / "long").write_text("ab cd xy\n" * 200_000)
    process = run_command(
        "bash", "-c",
        f"{sys.executable} -m fairseq_subword_ext apply-bpe -c codes -i long | head -n 1", cwd=folder,
    )  # fmt: skip
    assert len(process.stdout.splitlines()) == 1
    assert "Traceback" not in process.stderr and "Exception" not in process.stderr


def test_without_the_extension_the_error_says_how_to_build_it(folder):
    hide = "import sys; sys.modules['fairseq_subword_ext._native'] = None\n"
    run = "from fairseq_subword_ext.cli.main import main\nsys.exit(main(['apply-bpe', '-c', 'codes']))"
    process = run_command(
        sys.executable, "-c", hide + run, input="ab ab\n", cwd=folder, check=False
    )
    assert process.returncode == 1
    assert "pip install -e ." in process.stderr
