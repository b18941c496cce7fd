"""The scores of several systems equal sacreBLEU's, with signatures."""

from sacrebleu.metrics import BLEU, CHRF

from fairseq_subword_ext.evaluation.corpus_scores import systems_scores

REFERENCE = ["The cat sat on the mat.", "", "It is 0.5 % larger, isn't it?"]
SYSTEMS = [
    ["The cat sat on a mat.", "", "It is 0.5% larger, is it?"],
    ["A cat is on the mat.", "empty", "It's 0.5 % bigger, isn't it?"],
]


def test_scores_and_signatures():
    found = systems_scores(SYSTEMS, REFERENCE, "intl")
    for lines, scores in zip(SYSTEMS, found):
        metrics = {"BLEU": BLEU(tokenize="intl"), "chrF3": CHRF(beta=3), "chrF": CHRF()}
        assert list(scores) == list(metrics)
        for name, metric in metrics.items():
            assert scores[name].value == metric.corpus_score(lines, [REFERENCE]).score
            assert scores[name].signature == str(metric.get_signature())
