"""Reading systems' output: plain text and Fairseq's output."""

import pytest

from fairseq_subword_ext.evaluation.output_checks import output_warnings, tokenized_warning
from fairseq_subword_ext.evaluation.system_output import (
    SystemOutput,
    read_reference,
    read_system,
)
from fairseq_subword_ext.textio.text_input import read_text


@pytest.fixture
def write(tmp_path):
    def write(content, name="out"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return str(path)

    return write


def generated(*translations, order=None):
    """Output of fairseq-generate for the translations, with log lines, in batch order."""
    blocks = [
        f"S-{n}\tsource {n}\nT-{n}\tthe <<unk>> {n}\nH-{n}\t-0.25\tp@@ ieces {n}\nD-{n}\t-0.25\t{text}\n"
        f"P-{n}\t-0.1 -0.4\n"
        for n, text in enumerate(translations)
    ]
    body = "2026-01-02 03:04:05 | INFO | fairseq.tasks | loaded 3 examples\n"
    body += "".join(blocks[n] for n in (order or range(len(blocks))))
    return body + "Generate test with beam=5: BLEU4 = 1.00, 20.0/0.0/0.0/0.0\n"


def test_decoded_lines_in_the_order_of_their_ids(write):
    texts = [f"line {n}" for n in range(12)]
    shuffled = [10, 2, 0, 11, 1, 5, 3, 4, 9, 8, 7, 6]
    output = read_system(write(generated(*texts, order=shuffled)))
    assert output.lines == texts
    assert output.read_as == "D-"
    assert output.references[10] == "the <<unk>> 10"


def test_text_keeps_tabs_separators_and_emptiness(write):
    texts = ["a\tb", "", "x\u2028y", " spaces  kept ", "\u00a0"]
    assert read_system(write(generated(*texts))).lines == texts


def test_an_empty_translation_whose_line_lost_its_last_tab(write):
    assert read_system(write("D-0\t-inf\nD-1\t-1.5e-05\tb\n")).lines == ["", "b"]


def test_the_best_of_several_translations(write):
    printed = "".join(
        f"H-{n}\t-{k}\th{n}{k}\nD-{n}\t-{k}\td{n}{k}\n" for n in (1, 0) for k in (1, 2, 3)
    )
    assert read_system(write(printed)).lines == ["d01", "d11"]


def test_two_runs_in_one_file_are_refused(write):
    path = write(generated("a", "b") + generated("a", "b"))
    with pytest.raises(ValueError, match=r"out:\d+: found H-0 a second time.*more than one run"):
        read_system(path)


def test_hypotheses_if_nothing_was_decoded(write):
    output = read_system(write("H-1\t-0.1\tb\nH-0\t-0.1\ta\n"))
    assert (output.lines, output.read_as) == (["a", "b"], "H-")


def test_ids_that_are_missing(write):
    printed = generated(*"abcde").replace("D-3\t", "X-3\t")
    with pytest.raises(
        ValueError,
        match=r"4 D- lines but lacks 1 from D-0 to D-4, the first D-3; .*batch-size-multiple 1",
    ):
        read_system(write(printed))


def test_the_sentences_of_one_language(write):
    output = read_system(write(generated(*"abcde", order=[4, 0, 3, 2, 1])), ids=range(2, 4))
    assert output.lines == ["c", "d"]
    assert output.references == {0: "the <<unk>> 2", 1: "the <<unk>> 3"}
    with pytest.raises(ValueError, match="lacks 1 from D-3 to D-5, the first D-5"):
        read_system(write(generated(*"abcde")), ids=range(3, 6))
    with pytest.raises(ValueError, match="plain text, whose lines have no ids"):
        read_system(write("a\nb\n"), ids=range(1))


def test_lines_that_lost_their_scores_are_refused(write):
    with pytest.raises(ValueError, match="out:2: expected a score after D-1, found 'to be'"):
        read_system(write("D-0\t-0.1\ta\nD-1\tto be\n"))


@pytest.mark.parametrize(
    "texts",
    [
        ["a lo@@ wer po@@ int", "the low@@ est"],
        ["▁a ▁low er", "▁the ▁lowest"],
        ["h i ▁ t h e r e", "n o w"],
    ],
)
def test_text_still_split_into_subwords_is_refused(write, texts):
    with pytest.raises(ValueError, match=r"still split into subwords.*fairseq-subword restore -i"):
        read_system(write("".join(f"{text}\n" for text in texts)))
    with pytest.raises(ValueError, match=r"give fairseq-generate the encoder \(--bpe"):
        read_system(write(generated(*texts)))


def test_an_at_sign_in_a_long_text_is_text(write):
    lines = ["@@ -1,3 +1,4 @@ x", *["words"] * 20]
    assert read_system(write("".join(f"{line}\n" for line in lines))).lines == lines


def test_lines_end_at_newlines_only(write):
    content = "\ufeffa\u2028b\r\n\u0085\n\x0c\n\nlast".encode()
    assert read_text(write(content)) == ["a\u2028b", "\u0085", "\x0c", "", "last"]


def test_an_empty_last_line_counts(write):
    assert read_text(write("a\n\n")) == ["a", ""]


def test_a_carriage_return_inside_a_line(write):
    path = write("a\nb\rc\n")
    with pytest.raises(ValueError, match=r"out:2: found a carriage return inside the line"):
        read_text(path)
    assert read_text(path, carriage_return="replace") == ["a", "b c"]


def test_invalid_utf8_is_refused_with_its_line(write):
    with pytest.raises(ValueError, match=r"out:2: byte 2 of the line \(0xE9\) is not UTF-8"):
        read_system(write(b"a\nb\xe9\n"))


def test_fairseqs_echo_is_not_a_reference(write):
    with pytest.raises(ValueError, match="give the raw reference file"):
        read_reference(write(generated("a", "b")))
    with pytest.raises(ValueError, match=r"out:2: found <<unk>>.*give the raw reference file"):
        read_reference(write("a b\nthe <<unk>> .\n"))
    with pytest.raises(ValueError, match="out: the reference has no lines"):
        read_reference(write(""))


def test_a_remark_on_tokenized_text():
    assert tokenized_warning("f", ["One .", "Two .", "Three.", "four"]) == (
        "f: 2 of 4 lines end in ' .', so the text looks tokenized; only scores on detokenized "
        "text are comparable with others': detokenize it (`sacremoses -l xx detokenize`, or "
        "--tokenizer moses with fairseq-generate) and score against the raw reference"
    )
    assert tokenized_warning("f", ["One.", "Two.", "Three .", "four ."]) is not None
    assert tokenized_warning("f", ["One.", "Two.", "Three.", "four ."]) is None
    assert tokenized_warning("f", ["no full stop", ""]) is None


def test_a_remark_on_unknown_symbols():
    assert output_warnings("f", SystemOutput(["a <unk> b", "c"]), ["a", "c"]) == [
        "f: 1 of 2 lines contain <unk>"
    ]


def test_a_remark_on_an_echo_of_other_sentences():
    reference = ["It's one-two.", "Größe", "three", "four"]
    # Changed by a truecasing tokenizer and @@ pieces, and with an unknown symbol.
    echo = {0: "it &apos;s one @-@ two .", 1: "gr@@ öße", 2: "<unk> x", 3: "four"}
    assert output_warnings("f", SystemOutput(reference, "D-", echo), reference) == []
    other = {0: "four", 1: "three", 2: "Größe", 3: "four"}
    (remark,) = output_warnings("f", SystemOutput(reference, "D-", other), reference)
    assert remark.startswith("f: 3 of 4 T- lines differ from the reference, such as 'four' ")
    assert 'against its line 1, "It\'s one-two.";' in remark
