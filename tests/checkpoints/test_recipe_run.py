"""Finding the files of a recipe's system from its folder."""

import pytest

from fairseq_subword_ext.checkpoints.recipe_run import parts_of_runs

TABLE = (
    "# a comment\n"
    "system\trow\tsegmentation\tencoder\tpair\tmodel\tgenerate\tback_off\tfigure:BLEU\n"
    "gru\tBBPE 2K+\tbbpe_2k\tbbpe\t-\t-\t--beam 5\t-\t30.0\n"
    'words\tWords "rare"\twords\t-\ten-de\t-\t-\t1\t20.0\n'
    "greedy\tgreedy\tbbpe_2k\tbbpe\t-\tgru\t--beam 1\t-\t29.0\n"
)


@pytest.fixture
def work(tmp_path):
    work = tmp_path / "runs" / "mine"
    for folder in (
        "systems/gru",
        "systems/words",
        "systems/greedy",
        "segmentations/bbpe_2k",
        "corpus",
    ):
        (work / folder).mkdir(parents=True)
    (work / "systems.tsv").write_text(TABLE)
    (work / "recipe").write_text("ted58_x_en\n")
    (work / "segmentations" / "bbpe_2k" / "codes").write_text("")
    return work


def test_a_row_says_what_belongs_to_a_system(work):
    (work / "systems" / "gru" / "scores.json").write_text("{}")
    parts = parts_of_runs([work / "systems" / "gru"], None)
    assert parts.checkpoints == [work / "systems/gru/checkpoints/checkpoint_best.pt"]
    assert parts.data == [work / "segmentations/bbpe_2k/bin"]
    assert (parts.encoder, parts.codes) == ("bbpe", work / "segmentations/bbpe_2k/codes")
    assert parts.target_codes is None and parts.generate == "--beam 5" and parts.more == []
    assert parts.scores == [work / "systems/gru/scores.json"]
    assert parts.about == {"recipe": "ted58_x_en", "system": "gru", "row": "BBPE 2K+"}


def test_segmented_text_and_what_it_needs(work):
    counts = work / "corpus" / "truecase.en-de.en"
    counts.write_text("")
    parts = parts_of_runs([work / "systems" / "words"], None)
    assert (parts.encoder, parts.codes) == ("none", None)
    assert parts.more == [counts, work / "segmentations/words/back-off"]
    assert parts.about["row"] == 'Words "rare"'


def test_a_system_may_decode_with_the_model_of_another(work):
    parts = parts_of_runs([work / "systems" / "greedy"], None)
    assert parts.checkpoints == [work / "systems/gru/checkpoints/checkpoint_best.pt"]
    assert parts.generate == "--beam 1"


def test_an_ensemble_shares_its_subwords(work):
    systems = work / "systems"
    parts = parts_of_runs([systems / "gru", systems / "greedy"], None)
    assert len(parts.checkpoints) == 2
    with pytest.raises(ValueError, match=r"words has different data from .*gru"):
        parts_of_runs([systems / "gru", systems / "words"], None)


def test_the_models_of_all_seeds_are_those_that_the_scores_name(work):
    systems = work / "systems"
    run = systems / "gru.ensemble"
    run.mkdir()
    with pytest.raises(ValueError, match="it has neither models nor scores that name the seeds"):
        parts_of_runs([run], None)
    (run / "test.json").write_text('{"systems": [{"settings": {"seeds": "1+3"}}]}')
    expected = [systems / name / "checkpoints/checkpoint_best.pt" for name in ("gru", "gru.seed3")]
    assert parts_of_runs([run], None).checkpoints == expected


@pytest.mark.parametrize("record", ["{", "[]", "{}", '{"systems": [1]}', "[" * 100_000, "\xff"])
def test_a_damaged_record_of_scores_is_refused(work, record):
    run = work / "systems" / "gru.ensemble"
    run.mkdir()
    (run / "test.json").write_text(record, encoding="latin-1")
    with pytest.raises(ValueError, match=r"test\.json is not a record of scores"):
        parts_of_runs([run], None)


def test_the_table_of_an_older_run_is_given(work, tmp_path):
    run = work / "systems" / "gru"
    (work / "systems.tsv").unlink()
    with pytest.raises(ValueError, match=r"there is no .*mine/systems\.tsv: give --recipe FOLDER"):
        parts_of_runs([run], None)
    recipe = tmp_path / "other_recipe"
    recipe.mkdir()
    (recipe / "systems.tsv").write_text(TABLE)
    assert parts_of_runs([run], recipe).about["recipe"] == "other_recipe"


def test_folders_that_are_not_runs_are_refused(work):
    with pytest.raises(ValueError, match="expected the folder of a system, WORK/systems/SYSTEM"):
        parts_of_runs([work], None)
    (work / "systems" / "none").mkdir()
    with pytest.raises(ValueError, match=r"systems\.tsv has no system none: gru, words, greedy"):
        parts_of_runs([work / "systems" / "none"], None)
    (work / "systems.tsv").write_text("system\tencoder\nnone\tbbpe\n")
    with pytest.raises(ValueError, match="the system none has no segmentation"):
        parts_of_runs([work / "systems" / "none"], None)
