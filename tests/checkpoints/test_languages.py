"""The language pair of a model that was trained without -s and -t."""

import pytest

from fairseq_subword_ext.checkpoints.languages import EMBEDDINGS, record_pair
from fairseq_subword_ext.checkpoints.model_parts import ModelParts


def state(source=None, target=None, rows=(6, 7), task="translation"):
    """A checkpoint with only the given parts; embedding tables are lists of rows."""
    section = {"_name": task, "source_lang": source, "target_lang": target}
    return {
        "cfg": {"task": section, "model": {"arch": "transformer", "source_lang": source}},
        "model": {EMBEDDINGS[side]: [0] * n for side, n in zip(("source", "target"), rows)},
    }


def pair_of(states, folder, source=None, target=None):
    paths = [folder / f"{number}.pt" for number in range(len(states))]
    parts = ModelParts(paths, [folder], "none", source_lang=source, target_lang=target)
    return record_pair(states, parts, [folder])


def dictionaries(folder, **symbols):
    for language, count in symbols.items():
        text = "".join(f"s{number} 1\n" for number in range(count))
        (folder / f"dict.{language}.txt").write_text(text)


def test_recorded_pair_is_taken(tmp_path):
    assert pair_of([state("de", "en")], tmp_path) == ("de", "en")


def test_given_pair_is_recorded(tmp_path):
    states = [state(), state("de", "en")]
    assert pair_of(states, tmp_path, "de", "en") == ("de", "en")
    assert states[0]["cfg"]["task"] == states[1]["cfg"]["task"]
    assert states[0]["cfg"]["model"] == {"arch": "transformer", "source_lang": "de"}


@pytest.mark.parametrize(
    "names",
    [
        ["train.si-en.si.idx", "train.si-en.si.bin", "train.si-en.en.idx", "preprocess.log"],
        ["test.si-en.si", "test.si-en.en"],  # --dataset-impl raw
    ],
)
def test_names_of_the_data_tell_the_direction(tmp_path, names):
    dictionaries(tmp_path, si=2, en=2)
    for name in names:
        (tmp_path / name).touch()
    states = [state(rows=(6, 6))]
    assert pair_of(states, tmp_path) == ("si", "en")
    assert states[0]["cfg"]["task"]["target_lang"] == "en"


def test_data_in_a_later_folder_comes_before_dictionaries(tmp_path):
    """--data may have only copies of the dictionaries; the data themselves say more."""
    here, trained = tmp_path / "here", tmp_path / "trained"
    here.mkdir()
    trained.mkdir()
    dictionaries(here, si=2, en=2)
    (trained / "train.si-en.si.idx").touch()
    parts = ModelParts([tmp_path / "1.pt"], [here], "none")
    assert record_pair([state(rows=(6, 6))], parts, [here, trained]) == ("si", "en")


def test_sizes_of_the_dictionaries_tell_the_direction(tmp_path):
    dictionaries(tmp_path, en=3, si=2)
    assert pair_of([state(rows=(6, 7))], tmp_path) == ("si", "en")
    assert pair_of([state(rows=(7, 6))], tmp_path) == ("en", "si")


@pytest.mark.parametrize(
    ("symbols", "possible"),
    [({"en": 2, "si": 2}, "en to si, si to en"), ({"en": 2}, "none"), ({"en": 2, "si": 9}, "none")],
)
def test_open_direction_is_asked_for(tmp_path, symbols, possible):
    dictionaries(tmp_path, **symbols)
    with pytest.raises(ValueError, match=rf"possible: {possible}\): give -s and -t"):
        pair_of([state(rows=(6, 6))], tmp_path)


def test_data_of_several_pairs_leave_it_open(tmp_path):
    for name in "train.si-en.si.idx", "train.ne-en.ne.idx":
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match="possible: ne to en, si to en"):
        pair_of([state()], tmp_path)


def test_contradictions_are_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"1\.pt translates from en into de, but .*0\.pt from de into en"
    ):
        pair_of([state("de", "en"), state("en", "de")], tmp_path)
    with pytest.raises(
        ValueError, match=r"0\.pt translates from de into en, but -s and -t from ru into en"
    ):
        pair_of([state("de", "en")], tmp_path, "ru", "en")
    with pytest.raises(ValueError, match="give both -s and -t"):
        pair_of([state("de", "en")], tmp_path, "de")


def test_many_to_english_models_have_one_dictionary(tmp_path):
    assert pair_of([state(task="multilingual_x_en")], tmp_path) == ("en", "en")
    with pytest.raises(ValueError, match="leave out -s and -t"):
        pair_of([state(task="transfer_x_en")], tmp_path, "de", "en")


def test_tasks_without_languages_are_refused(tmp_path):
    language_model = {"cfg": {"task": {"_name": "language_modeling"}, "model": {}}, "model": {}}
    with pytest.raises(ValueError, match="language_modeling has no source and target language"):
        pair_of([language_model], tmp_path)
