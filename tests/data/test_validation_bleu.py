"""BLEU in training equals the BLEU of fairseq-generate, language by language."""

import functools

import pytest
import sacrebleu

pytest_plugins = ["task_helpers"]

DECODING = '{"beam": 2, "max_len_b": 20}'
EVAL_BLEU = ["--eval-bleu", "--eval-bleu-args", DECODING, "--bpe", "byte_level"]


@pytest.fixture
def easy(make_corpus, tmp_path):
    """Short words from a small set, so that a tiny model soon gets some right."""
    made = make_corpus(tmp_path / "easy")
    words = ["a bad cafe here a", "dada dada dada ab", "hgf e h g f e", "a dead bee had a bee"]
    for language in ("si", "de"):
        made.add(language, "train", words * 10)
        made.add(language, "valid", words[: 3 if language == "si" else 4])
    return made


@pytest.fixture
def train(train, easy):
    return functools.partial(train, data=easy.folder)


@pytest.fixture
def translate(translate, easy):
    return functools.partial(translate, data=easy.folder)


def test_bleu_in_training_equals_that_of_generate(train, translate):
    log = train(*EVAL_BLEU, "--max-epoch", 60, "--max-tokens", 3000, "--validate-interval", 60)
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in log
    printed = translate("--gen-subset", "valid", "--scoring", "sacrebleu")
    hypotheses, references = printed.outputs("D"), printed.references()
    for name, ids in (("bleu", range(7)), ("bleu_de", range(4)), ("bleu_si", range(4, 7))):
        expected = sacrebleu.corpus_bleu(
            [hypotheses[i] for i in ids], [[references[i] for i in ids]]
        )
        assert log.scores(name)[-1] == round(expected.score, 2) > 0
    assert f"BLEU = {log.scores('bleu')[-1]:.2f}" in printed
    assert set(references.values()) <= {
        "a bad cafe here a",
        "dada dada dada ab",
        "hgf e h g f e",
        "a dead bee had a bee",
    }


def test_the_best_checkpoint_can_be_chosen_by_the_bleu_of_a_language(train):
    metric = "bleu_si"
    options = ["--best-checkpoint-metric", metric, "--maximize-best-checkpoint-metric"]
    log = train(*EVAL_BLEU, *options, "--max-epoch", 4, "--lr", 0.03)
    assert log.scores(f"best_{metric}")[-1] == max(log.scores(metric))
    assert "checkpoint_best.pt" in log


def test_bleu_on_symbols_gives_a_warning(train):
    log = train("--eval-bleu", "--eval-bleu-args", DECODING)
    assert "--eval-bleu without --bpe: BLEU is computed on undecoded symbols" in log


def test_a_marker_can_be_stripped_instead_of_decoding(train):
    log = train(
        "--eval-bleu",
        "--eval-bleu-remove-bpe",
        "sentencepiece",
        "--eval-bleu-print-samples",
        "--eval-tokenized-bleu",
        "--eval-bleu-args",
        DECODING,
    )
    assert "without --bpe" not in log
    assert "tok:none" in log
    assert "example reference: a dead bee had a bee" in log


def test_validation_reports_outputs_at_the_limit(train):
    log = train(*EVAL_BLEU, "--lr", 1e-9)
    assert "7 validation outputs reached the length limit" in log
