"""One dictionary for all languages; nearly equal ones are refused."""

import pytest

pytest.importorskip("fairseq")

from fairseq_subword_ext.data.common_dictionary import (
    language_token_ids,
    load_common_dictionary,
)


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_counts_do_not_distinguish_dictionaries(tmp_path):
    paths = [
        write(tmp_path, "dict.en.txt", ["a 3", "ක 2", "\u00a0@@ 1"]),
        write(tmp_path, "dict.si.txt", ["a 1", "ක 9", "\u00a0@@ 7"]),
    ]
    dictionary = load_common_dictionary(paths, [tmp_path])
    assert dictionary.symbols[dictionary.nspecial :] == ["a", "ක", "\u00a0@@"]


@pytest.mark.parametrize(
    ("other", "where"),
    [
        (["ක 2", "a 3"], "line 1: 'a' and 'ක'"),
        (["a 3"], "line 2: 'ක' and nothing"),
        (["a 3", "ක 2", "b 1"], "line 3: nothing and 'b'"),
    ],
)
def test_dictionaries_that_differ_are_refused_with_both_names_and_the_fix(tmp_path, other, where):
    first = write(tmp_path, "dict.en.txt", ["a 3", "ක 2"])
    second = write(tmp_path, "dict.si.txt", other)
    with pytest.raises(ValueError) as error:
        load_common_dictionary([first, second], [tmp_path])
    message = str(error.value)
    assert str(first) in message and str(second) in message and where in message
    assert f"--srcdict {first} --tgtdict {first}" in message


def test_a_missing_dictionary_lists_the_paths_tried(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a/dict\.en\.txt.*b/dict\.en\.txt"):
        load_common_dictionary([], [tmp_path / "a", tmp_path / "b"])


def test_language_token_ids_come_from_the_file_whatever_the_order(tmp_path):
    path = write(tmp_path, "dict.en.txt", ["<lang:si> 1", "a 3", "<lang:de> 1", "<lang> 1"])
    dictionary = load_common_dictionary([path], [tmp_path])
    assert language_token_ids(dictionary, ["si", "de"]) == {"si": 4, "de": 6}
    assert language_token_ids(dictionary, ["de", "si"]) == {"si": 4, "de": 6}
    assert dictionary.language_token_ids() == [4, 6]


def test_language_tokens_never_appear_in_text(tmp_path):
    path = write(tmp_path, "dict.en.txt", ["<lang:si> 1", "a@@ 3", "b 1"])
    dictionary = load_common_dictionary([path], [tmp_path])
    import torch

    tokens = torch.tensor([4, 5, 6, 2])
    assert dictionary.string(tokens) == "a@@ b"
    assert dictionary.string(tokens, "@@ ") == "ab"
    assert dictionary.string(tokens, extra_symbols_to_ignore={6}) == "a@@"
    assert dictionary.string(torch.stack([tokens, tokens])) == "a@@ b\na@@ b"
    assert dictionary.string(torch.tensor([4, 3]), escape_unk=True) == "<<unk>>"


def test_a_language_without_its_token_is_refused_with_the_line_to_add(tmp_path):
    path = write(tmp_path, "dict.en.txt", ["<lang:si> 1"])
    dictionary = load_common_dictionary([path], [tmp_path])
    with pytest.raises(ValueError, match=r"no <lang:de> <lang:ta>; add a line `<lang:de> 1`"):
        language_token_ids(dictionary, ["de", "si", "ta"])
