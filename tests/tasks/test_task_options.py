"""Options that do not fit the task or the data are refused in one line, before anything trains."""

import pytest

pytest_plugins = ["task_helpers"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "de"], "into English only, but --target-lang is 'de'"),
        (["-s", "en"], "en is the target language"),
        (["--source-langs", "de,xx"], "names xx, but there is data only for de, ru, si"),
        (["-s", "si", "--source-langs", "de"], "--source-lang si is not among --source-langs"),
        (["-s", "xx"], "no valid data for xx"),
        (["--load-alignments"], "--load-alignments is not supported"),
        (["--num-batch-buckets", "3"], "--num-batch-buckets is not supported"),
        (["--upsample-primary", "2"], "--upsample-primary is not supported"),
        (["--valid-sample", "0"], "--valid-sample must be 1 or more, not 0"),
        (["--sampling-temperature", "0"], "--sampling-temperature must be greater than 0, not 0"),
        (["--sampling-weights", "de:2"], "found 'de:2', expected LANGUAGE=WEIGHT"),
        (["--sampling-weights", "xx=2"], "no training data for 'xx'; there is data for de, ru, si"),
        (
            ["--source-lang-token"],
            "the dictionary has no <lang:de> <lang:ru> <lang:si>; add a line",
        ),
        (["--eval-bleu", "--eval-bleu-args", "beam=2"], "--eval-bleu-args: expected a JSON object"),
        (["--eval-bleu", "--eval-bleu-args", "[2]"], "--eval-bleu-args: expected a JSON object"),
    ],
)
def test_refused(train, options, message):
    with pytest.raises((ValueError, FileNotFoundError)) as error:
        train(*options)
    assert message in str(error.value) and "\n" not in str(error.value)


MAXIMIZE = "--maximize-best-checkpoint-metric"


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("bleu", [MAXIMIZE], "--best-checkpoint-metric bleu needs --eval-bleu"),
        ("bleu_si", [MAXIMIZE], "--best-checkpoint-metric bleu_si needs --eval-bleu"),
        (
            "bleu_xx",
            ["--eval-bleu", MAXIMIZE],
            "no validation data for 'xx'; there is data for de, ru, si",
        ),
        ("loss_xx", [], "no validation data for 'xx'"),
        ("nll_loss_ta", [], "no validation data for 'ta'"),
        ("bleu_si", ["--eval-bleu"], f"would keep the worst checkpoint; add {MAXIMIZE}"),
    ],
)
def test_a_best_metric_that_is_never_logged_is_refused_before_training(
    train, metric, options, message
):
    with pytest.raises(ValueError, match=message):
        train("--best-checkpoint-metric", metric, *options)


def test_a_sample_may_leave_a_language_without_a_score(train):
    options = ["--valid-sample", 1, "--best-checkpoint-metric"]
    with pytest.raises(ValueError, match="no validation data for"):
        for language in ("de", "ru", "si"):
            train(*options, f"loss_{language}", "--no-save")


def test_dictionaries_that_differ_between_pairs_are_refused(
    make_corpus, sentences, train, tmp_path
):
    for language, extra in (("de", ()), ("si", ("x@@",))):
        pair = make_corpus(tmp_path / "bin" / f"{language}-en", extra_symbols=extra)
        pair.add(language, "train", sentences(3, 1))
    with pytest.raises(ValueError) as error:
        train(data=tmp_path / "bin")
    assert f"{tmp_path}/bin/de-en/dict.en.txt" in str(error.value)
    assert f"{tmp_path}/bin/si-en/dict.en.txt" in str(error.value)
    # Those of languages not asked for do not matter.
    train("-s", "de", "--disable-validation", data=tmp_path / "bin")


def test_a_missing_dictionary_names_the_path_tried(corpus, train):
    for path in corpus.folder.glob("dict.*"):
        path.unlink()
    with pytest.raises(FileNotFoundError, match=f"tried {corpus.folder}/dict.en.txt"):
        train()


def test_a_missing_data_folder_is_named(train, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        train(data=tmp_path / "nowhere")
