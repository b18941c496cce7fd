"""Sums per language add up to the scores of sacreBLEU and the criterion for the whole set."""

import math
import random

import pytest

pytest.importorskip("fairseq")

import sacrebleu
import torch
from fairseq.logging import metrics

from fairseq_subword_ext.data.language_scores import (
    BLEU_FIELDS,
    batch_scores,
    bleu_score,
    bleu_sums,
    log_scores,
)

WORDS = "the cat sat on a mat , near some dog .".split()


def sentences(number, seed):
    source = random.Random(seed)
    return [" ".join(source.choices(WORDS, k=source.randint(1, 9))) for _ in range(number)]


def test_sums_over_batches_give_the_corpus_bleu():
    hypotheses, references = sentences(40, 1), sentences(40, 2)
    total = [0.0] * (len(BLEU_FIELDS) - 1)
    for start in range(0, 40, 7):
        sums, signature = bleu_sums(
            hypotheses[start : start + 7], references[start : start + 7], "13a"
        )
        total = [one + other for one, other in zip(total, sums)]
    expected = sacrebleu.corpus_bleu(hypotheses, [references])
    assert bleu_score(total) == round(expected.score, 2) > 0
    metric = sacrebleu.BLEU()
    metric.corpus_score(hypotheses, [references])
    assert signature == metric.get_signature().format()


def test_scores_are_logged_by_language_over_batches():
    languages = ["de", "ru", "si"]
    hypotheses, references = sentences(20, 3), sentences(20, 4)
    tables = []
    for language, part, loss in (
        ("si", slice(0, 5), 30.0),
        ("de", slice(5, 9), 8.0),
        ("si", slice(9, 20), 60.0),
    ):
        output = {
            "loss": torch.tensor(loss),
            "nll_loss": loss / 2,
            "sample_size": 10,
            "ntokens": 20,
        }
        sums, _ = bleu_sums(hypotheses[part], references[part], "13a")
        tables.append(batch_scores(languages, language, output, [*sums, 0.0]))
    with metrics.aggregate(new_root=True) as together:
        log_scores(sum(tables), languages, with_bleu=True)
    with metrics.aggregate(new_root=True) as one_by_one:
        for table in tables:
            log_scores(table, languages, with_bleu=True)
    found = dict(together.get_smoothed_values())
    assert found == dict(one_by_one.get_smoothed_values())
    assert found["loss_si"] == round(90 / 20 / math.log(2), 3)
    assert found["nll_loss_si"] == round(45 / 40 / math.log(2), 3)
    assert found["loss_de"] == round(8 / 10 / math.log(2), 3)
    si = [*range(5), *range(9, 20)]
    for name, chosen in (("bleu", range(20)), ("bleu_si", si), ("bleu_de", range(5, 9))):
        expected = sacrebleu.corpus_bleu(
            [hypotheses[i] for i in chosen], [[references[i] for i in chosen]]
        )
        assert found[name] == round(expected.score, 2)
    assert not any(key.endswith("_ru") or key.startswith("_") for key in found)


def test_meters_hold_plain_floats():
    table = batch_scores(["si"], "si", {"loss": 1.0, "sample_size": 2, "ntokens": 3}, ())
    with metrics.aggregate(new_root=True) as logged:
        log_scores(table, ["si"], with_bleu=False)
    # A criterion without nll_loss is a plain cross entropy.
    assert logged["nll_loss_si"].avg == pytest.approx(1 / 3 / math.log(2))
    for meter in logged.values():
        assert type(meter.sum) is float and type(meter.count) in (int, float)
