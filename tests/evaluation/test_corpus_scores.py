"""Scores counted a part of the sentences at a time are sacreBLEU's."""

import random

import pytest
from sacrebleu.metrics import BLEU, CHRF

from fairseq_subword_ext.evaluation import corpus_scores
from fairseq_subword_ext.evaluation.corpus_scores import systems_scores


@pytest.mark.parametrize("sentences", [1, 29, 30, 31, 64])
def test_parts_make_no_difference(sentences, monkeypatch):
    monkeypatch.setattr(corpus_scores, "_SENTENCES_AT_A_TIME", 30)
    chance = random.Random(sentences)
    words = ["a", "low", "lower,", "newest.", "ü", "", "0.5"]
    reference, *systems = (
        [" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(sentences)]
        for _ in range(3)
    )
    found = systems_scores(systems, reference)
    for lines, scores in zip(systems, found):
        for name, metric in (("BLEU", BLEU()), ("chrF3", CHRF(beta=3)), ("chrF", CHRF())):
            expected = metric.corpus_score(lines, [reference])
            assert scores[name].value == pytest.approx(expected.score, abs=1e-9)
            assert scores[name].signature == str(metric.get_signature())
