"""Recovery of broken UTF-8: Equation 1 of Wang, Cho & Gu 2020 against its definition."""

import io
import itertools
import random
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairseq_subword_ext
from fairseq_subword_ext.subword.utf8 import (
    EQUATION_LIMIT,
    bytes_to_symbols,
    decode_report,
    decode_to_bytes,
    from_byte_text,
    from_byte_texts,
    is_character,
    recover_by_equation,
    recover_utf8,
    to_byte_text,
)

# One byte of each class in table 3-7 (well-formed UTF-8) of the Unicode standard.
CLASSES = bytes.fromhex("41 80 90 A0 C1 C2 E0 E1 ED EE F0 F1 F4 FF")

# Both ends of every class, for random strings.
EDGES = bytes.fromhex("00 7F 80 8F 90 9F A0 BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 FF")


def valid_character(data: bytes) -> bool:
    """g of the equation, by the arithmetic of UTF-8 and without the decoder under test."""
    lengths = {1: 0x7F, 2: 0x1F, 3: 0x0F, 4: 0x07}
    code_point = data[0] & lengths[len(data)]
    for byte in data[1:]:
        code_point = code_point << 6 | byte & 0x3F
    if code_point > 0x10FFFF or 0xD800 <= code_point <= 0xDFFF:
        return False
    return chr(code_point).encode("utf-8") == data


def equation_literally(data: bytes) -> tuple:
    """f(len(data)), and the texts of all solutions that reach it."""
    solutions = [(0, {""})]
    for k in range(1, len(data) + 1):
        candidates = []
        for t in range(1, min(4, k) + 1):
            span = data[k - t : k]
            count, texts = solutions[k - t]
            if valid_character(span):
                candidates.append((count + 1, {text + span.decode("utf-8") for text in texts}))
            else:
                candidates.append((count, texts))
        best = max(count for count, _ in candidates)
        texts = set().union(*(texts for count, texts in candidates if count == best))
        solutions.append((best, texts))
    return solutions[-1]


def corrupt(generator: random.Random) -> bytes:
    """Text corrupted as by a model or a careless program."""
    characters = [chr(generator.choice((0x41, 0x7F, 0xE9, 0x7FF, 0x0D9A, 0xFFFD, 0x1F600)))]
    characters += [chr(generator.randrange(0x20, 0xD800)) for _ in range(generator.randrange(3))]
    data = bytearray("".join(characters).encode("utf-8"))
    for _ in range(generator.randrange(1, 4)):
        position = generator.randrange(len(data) + 1)
        kind = generator.randrange(6)
        if kind == 0:  # redundant repeated bytes, the paper's typical error
            length = generator.randrange(1, 4)
            data[position:position] = data[position : position + length]
        elif kind == 1:  # a cut in the middle of a character
            del data[position:]
        elif kind == 2:
            del data[position : position + 1]
        elif kind == 3:  # overlong forms, surrogates, beyond U+10FFFF
            broken = (
                "C080",
                "C1BF",
                "E08080",
                "E09FBF",
                "EDA080",
                "EDBFBF",
                "F0808080",
                "F4908080",
            )
            data[position:position] = bytes.fromhex(generator.choice(broken))
        elif kind == 4:
            data.insert(position, generator.choice(EDGES))
        elif position < len(data):
            data[position] = generator.randrange(256)
    return bytes(data)


def test_the_equation_on_every_short_byte_string():
    for length in range(5):
        for values in itertools.product(CLASSES, repeat=length):
            data = bytes(values)
            count, texts = equation_literally(data)
            assert texts == {recover_by_equation(data)}, data
            assert recover_utf8(data) == recover_by_equation(data)
            assert len(recover_utf8(data)) == count


def test_the_equation_on_random_longer_byte_strings():
    generator = random.Random(1)
    for _ in range(3000):
        data = bytes(generator.choice(EDGES) for _ in range(generator.randrange(5, 40)))
        count, texts = equation_literally(data)
        assert texts == {recover_utf8(data)}
        assert len(recover_utf8(data)) == count


def test_equals_a_decoder_that_ignores_errors_on_100_000_corruptions():
    generator = random.Random(2)
    broken = 0
    for _ in range(100_000):
        data = corrupt(generator)
        expected = data.decode("utf-8", "ignore")
        assert recover_by_equation(data) == expected, data
        assert recover_utf8(data) == expected
        broken += len(expected.encode("utf-8")) < len(data)
    assert broken > 60_000


@given(st.binary(max_size=60))
def test_equals_a_decoder_that_ignores_errors_on_any_bytes(data):
    assert recover_by_equation(data) == data.decode("utf-8", "ignore") == recover_utf8(data)


def test_is_character_is_exact_on_all_code_points_and_near_misses():
    for code_point in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF):
        assert is_character(chr(code_point).encode("utf-8"))
    for data in ("", "80", "C0 80", "ED A0 80", "F4 90 80 80", "41 41", "C3", "F5 80 80 80"):
        assert not is_character(bytes.fromhex(data))


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        # The typical error in the paper's section 2.2: redundant repeated bytes.
        ("ක".encode()[:2] + "ක".encode(), "ක"),
        ("日本".encode()[:3] + "日本".encode()[:2] + "日本".encode()[3:], "日本"),
        (b"\xe6\xe6\x97\xa5", "日"),
        (b"\x80", ""),  # a lone continuation byte
        ("é".encode()[:1], ""),  # a cut in mid-character
        ("\ufffd".encode(), "\ufffd"),  # in the input, so kept
        (b"", ""),
    ],
)
def test_typical_errors(broken, text):
    assert recover_utf8(broken) == recover_by_equation(broken) == text


def test_linear_time():
    def seconds(size: int) -> float:
        data = b"\xe0\xb6\x9a\xe0" * (size // 4)
        started = time.process_time()
        recover_by_equation(data)
        return time.process_time() - started

    seconds(1000)
    assert min(seconds(32_000) for _ in range(3)) < 20 * min(seconds(4_000) for _ in range(3))


def test_long_input_gives_the_same_result_by_the_faster_path():
    data = b"\xe0\xb6\x9a\xe0" * EQUATION_LIMIT
    assert recover_utf8(data) == recover_by_equation(data) == "ක" * EQUATION_LIMIT


# Decoding model output.


@pytest.mark.parametrize(
    ("line", "text", "dropped", "unknown"),
    [
        ("▁hel lo ▁ world", "hello world", 0, 0),
        ("", "", 0, 0),
        ("▁", "", 0, 0),
        ("▁ ▁ a ▁", " a ", 0, 0),
        ("hello", "hello", 0, 0),  # a model need not start with a space
        ("▁ à ¶", "", 2, 0),
        ("▁ à ¶ Ɯ à", "ග", 1, 0),
        ("▁ Ã <unk> ©", "é", 0, 1),
        ("<s> ▁a </s> <pad> b <unk>", "ab", 0, 4),
        ("▁a madeupword0003 b", "ab", 0, 1),
        ("▁<unk>", "<unk>", 0, 0),  # a word of the text, not the control symbol
        ("< unk >", "<unk>", 0, 0),
        ("▁ 中 € \xa0 \xad ȷ ⁇ a", "a", 0, 6),
        ("▁a Ċ b", "a b", 0, 0),  # a newline would split the output line
        ("▁a\ud800b\x00c", "abc", 0, 2),
        ("\n▁a\nb", "ab", 0, 2),
    ],
)
def test_decoding_model_output(line, text, dropped, unknown):
    report = decode_report(line)
    assert (report.text, report.dropped_bytes, report.unknown_symbols) == (text, dropped, unknown)
    assert from_byte_text(line) == text
    assert every_way([line, "▁x"]) == [text, "x"]


def test_decode_to_bytes_keeps_invalid_bytes():
    assert decode_to_bytes("▁ Ã ÿ <unk> Ċ") == b"\xc3\xff\n"
    assert decode_to_bytes("") == b""


@given(st.binary(max_size=30))
def test_decode_to_bytes_round_trip(data):
    assert decode_to_bytes("▁ " + " ".join(bytes_to_symbols(data))) == data


def every_way(lines: list) -> list:
    """Decodes a list with the compiled core, with several threads, and without it."""
    decoded = from_byte_texts(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "fairseq_subword_ext._native", None)
        patch.delattr(fairseq_subword_ext, "_native", raising=False)
        assert from_byte_texts(lines) == decoded
    return decoded


@given(st.lists(st.text(max_size=20)))
def test_decoding_never_raises_and_lists_equal_single_lines(lines):
    decoded = [from_byte_text(line) for line in lines]
    assert every_way(lines) == decoded
    for line, text in zip(lines, decoded):
        assert "\n" not in text
        assert "\ufffd" not in text or "ï¿½" in line.replace(" ", "")


SYMBOLS = [
    *bytes_to_symbols(bytes(range(256))),
    " ",
    " ",
    "<unk>",
    " <unk> ",
    " </s> ",
    "中",
    "<",
    "madeupword0000",
]


@given(st.lists(st.lists(st.sampled_from(SYMBOLS), max_size=20).map("".join)))
def test_lists_equal_single_lines_on_byte_text(lines):
    assert every_way(lines) == [from_byte_text(line) for line in lines]
    for line in lines:
        report = decode_report(line)
        assert report.text == from_byte_text(line)
        assert report.dropped_bytes >= 0
        assert report.unknown_symbols >= 0


@given(st.lists(st.binary(max_size=8), max_size=8))
def test_lists_of_any_bytes(lines):
    symbols = ["▁" + bytes_to_symbols(line) for line in lines]
    texts = [line.replace(b"\n", b" ").decode("utf-8", "ignore") for line in lines]
    assert every_way(symbols) == texts


def test_bytes_without_a_character_leave_the_empty_string_alone():
    assert from_byte_texts(["▁" + bytes_to_symbols(b"\x80\x80"), "▁"]) == ["", ""]
    # Python shares one empty string; C code that reads it shows whether it was overwritten.
    io.StringIO(newline="")


def test_several_threads_give_the_same():
    generator = random.Random(7)
    lines = [
        "▁" + "".join(generator.choices(SYMBOLS, k=generator.randrange(40))) for _ in range(5000)
    ]
    lines += [to_byte_text(text) for text in ("", "a", "é", "ක", "😀", "é ක 😀")]
    expected = [from_byte_text(line) for line in lines]
    for workers in (1, 2, 3, 8):
        assert from_byte_texts(lines, workers) == expected


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n")))
def test_round_trip(text):
    assert from_byte_text(to_byte_text(text)) == text
    assert decode_report(to_byte_text(text)).dropped_bytes == 0
