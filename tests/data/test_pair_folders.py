"""The languages found, their folders, and the messages if something is missing."""

import pytest

pytest.importorskip("fairseq")

from fairseq.data import Dictionary

from fairseq_subword_ext.data.pair_files import open_split
from fairseq_subword_ext.data.pair_folders import PairFolders


def touch(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()


def pair(language, split="train", direction=None):
    stem = f"{split}.{direction or f'{language}-en'}"
    return [f"{stem}.{side}.{end}" for side in (language, "en") for end in ("idx", "bin")]


def test_one_folder_for_all_pairs(tmp_path):
    touch(tmp_path, *pair("si"), *pair("de"), *pair("de", "valid"), "dict.en.txt", "train.de-en.de")
    folders = PairFolders([str(tmp_path)])
    assert folders.languages == ["de", "si"]
    assert folders.prefixes("de", "valid") == [str(tmp_path / "valid.de-en.")]
    assert folders.prefixes("si", "valid") == []
    assert not folders.is_sharded(["de", "si"])


def test_one_folder_per_pair(tmp_path):
    touch(tmp_path / "de-en", *pair("de"))
    touch(tmp_path / "si-en", *pair("si"))
    folders = PairFolders([str(tmp_path)])
    assert folders.languages == ["de", "si"]
    assert folders.prefixes("si", "train") == [str(tmp_path / "si-en" / "train.si-en.")]


def test_codes_with_hyphens_and_pairs_in_the_other_direction(tmp_path):
    touch(tmp_path, *pair("zh-tw"), *pair("pt_BR"), *pair("fr", direction="en-fr"))
    folders = PairFolders([str(tmp_path)])
    assert folders.languages == ["fr", "pt_BR", "zh-tw"]
    assert folders.prefixes("fr", "train") == [str(tmp_path / "train.en-fr.")]


def test_paths_with_different_pairs_are_read_together(tmp_path):
    touch(tmp_path / "a", *pair("de"))
    touch(tmp_path / "b", *pair("si"))
    folders = PairFolders([str(tmp_path / "a"), str(tmp_path / "b")])
    assert folders.languages == ["de", "si"]
    assert not folders.is_sharded(folders.languages)


def test_paths_with_the_same_pair_are_shards_read_epoch_by_epoch(tmp_path):
    touch(tmp_path / "a", *pair("de"), *pair("de", "valid"), *pair("si"))
    touch(tmp_path / "b", *pair("de"))
    folders = PairFolders([str(tmp_path / "a"), str(tmp_path / "b")])
    assert folders.is_sharded(["de", "si"])
    assert not folders.is_sharded(["si"])
    found = [folders.prefixes("de", "train", epoch)[0] for epoch in (1, 2, 3)]
    assert found == [str(tmp_path / part / "train.de-en.") for part in "aba"]
    # The valid set is only in the first one, whatever the epoch.
    assert folders.prefixes("de", "valid", epoch=2) == [str(tmp_path / "a" / "valid.de-en.")]


def test_numbered_parts_belong_to_training_only(tmp_path):
    touch(tmp_path, *pair("de"), *pair("de", "train1"), *pair("de", "train3"))
    folders = PairFolders([str(tmp_path)])
    parts = [str(tmp_path / f"train{part}.de-en.") for part in ("", "1")]
    assert folders.prefixes("de", "train", combine=True) == parts
    assert folders.prefixes("de", "train") == parts[:1]


def test_text_is_found_if_asked_for(tmp_path):
    touch(tmp_path, "train.de-en.de", "train.de-en.en", "train.si-en.si.gz", "train.si-en.en.gz")
    assert PairFolders([str(tmp_path)]).languages == []
    assert PairFolders([str(tmp_path)], "segmented").languages == ["de"]
    assert PairFolders([str(tmp_path)], "text").languages == ["de", "si"]


def test_data_of_the_other_kind_names_the_flag(tmp_path):
    touch(tmp_path / "text", "train.de-en.de", "train.de-en.en")
    touch(tmp_path / "ids", *pair("de"))
    for folder, kind, message in (
        ("text", "binarized", r"found text, .*/text/train\.de-en\.\*: give --from-text and --bpe"),
        ("ids", "segmented", r"found .*/ids/train\.de-en\.\*\.idx: leave out --dataset-impl raw"),
        ("ids", "text", r"found .*/ids/train\.de-en\.\*\.idx: leave out --from-text"),
    ):
        folders = PairFolders([str(tmp_path / folder)], kind)
        implementation = "raw" if kind == "segmented" else None
        with pytest.raises(FileNotFoundError, match=message):
            open_split(folders, ["de"], "train", Dictionary(), implementation)


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no-such-folder"):
        PairFolders([str(tmp_path / "no-such-folder")])


def test_choosing_languages_does_not_depend_on_the_order_of_the_flag(tmp_path):
    touch(tmp_path, *pair("si"), *pair("de"), *pair("ta"))
    folders = PairFolders([str(tmp_path)])
    assert folders.choose(None, None) == ["de", "si", "ta"]
    assert folders.choose(None, "ta,de") == folders.choose(None, "de, ta,") == ["de", "ta"]
    assert folders.choose("si", None) == folders.choose("si", "si,de") == ["si"]


@pytest.mark.parametrize(
    ("source_lang", "source_langs", "message"),
    [
        (None, "de,xx", "names xx, but there is data only for de"),
        ("si", "de", "not among --source-langs"),
        ("en", None, "en is the target language"),
        (None, "de,en", "en is the target language"),
        (None, "", "--source-langs '' names no language: leave it out to read all"),
        (None, " , ", "names no language"),
    ],
)
def test_impossible_choices_are_refused(tmp_path, source_lang, source_langs, message):
    touch(tmp_path, *pair("de"))
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        PairFolders([str(tmp_path)]).choose(source_lang, source_langs)


def test_dictionaries_of_the_chosen_languages_only(tmp_path):
    touch(tmp_path / "de-en", *pair("de"), "dict.de.txt", "dict.en.txt")
    touch(tmp_path / "si-en", *pair("si"), "dict.si.txt", "dict.en.txt")
    folders = PairFolders([str(tmp_path)])
    names = [path.relative_to(tmp_path).as_posix() for path in folders.dictionary_files(["si"])]
    assert names == ["si-en/dict.en.txt", "si-en/dict.si.txt"]
    assert len(folders.dictionary_files(["de", "si"])) == 4
