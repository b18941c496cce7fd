"""Whether one system is better than another, or only luckier on these sentences.

Paired bootstrap resampling and approximate randomization are sacreBLEU's (seed SACREBLEU_SEED, or
12345). The sign test is the one over sentences that Wu & Zhao 2018 mark their tables by, ``++`` at
p < 0.01 and ``+`` at p < 0.05.
"""

from typing import Iterable, List, Mapping, NamedTuple, Optional, Sequence

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from fairseq_subword_ext.evaluation.corpus_scores import metrics
from fairseq_subword_ext.evaluation.score_record import SignificanceRecord
from fairseq_subword_ext.evaluation.words import DEFAULT_TOKENIZER

BOOTSTRAP, RANDOMIZATION, SIGN = "bootstrap", "randomization", "sign"
TESTS = (BOOTSTRAP, RANDOMIZATION, SIGN)

_SACREBLEU_TESTS = {BOOTSTRAP: "bs", RANDOMIZATION: "ar"}

# sacreBLEU holds all its samples of all sentences, and the n-grams of the reference, at once.
MANY_SENTENCES = 20_000
KILOBYTES_A_SENTENCE = 120


class SignCounts(NamedTuple):
    """Sentences on which a system is better than, worse than and equal to the baseline."""

    better: int
    worse: int
    equal: int


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of the sign test; ties are left out beforehand.

    Under the null hypothesis a sentence that differs is better or worse by the toss of a coin. The
    binomial distribution's tails are summed exactly, in integers.

    Args:
        better, worse: numbers of sentences.

    Returns:
        The probability of a split at least as uneven as this one; 1 where nothing differs.
    """
    tosses = better + worse
    term, tail = 1, 1  # the binomial coefficient of k, and the sum up to it
    for k in range(1, min(better, worse) + 1):
        term = term * (tosses - k + 1) // k
        tail += term
    return min(1.0, 2 * tail / 2**tosses)


def sentence_bleu(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> List[float]:
    """BLEU of each sentence by itself, with sacreBLEU's usual smoothing for sentences.

    That is exponential smoothing over the orders that the sentence is long enough for.
    """
    metric = BLEU(tokenize=tokenizer, effective_order=True, force=True)
    return [metric.sentence_score(line, [right]).score for line, right in zip(lines, reference)]


def count_signs(system: Iterable[float], baseline: Iterable[float]) -> SignCounts:
    """Counts on how many sentences the system scores higher, lower and the same."""
    signs = [(ours > theirs) - (ours < theirs) for ours, theirs in zip(system, baseline)]
    return SignCounts(signs.count(1), signs.count(-1), signs.count(0))


def mark(p: float, better: Optional[bool]) -> str:
    """``++`` or ``+`` (Wu & Zhao 2018, Tables 2 and 3), ``--`` or ``-`` where the system is worse."""
    if better is None or p >= 0.05:
        return ""
    return ("+" if better else "-") * (2 if p < 0.01 else 1)


def compare_systems(
    tests: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    baseline: str,
    reference: Sequence[str],
    tokenizer: str = DEFAULT_TOKENIZER,
) -> List[SignificanceRecord]:
    """Compares every system with the baseline.

    Args:
        tests: of :data:`TESTS`.
        systems: lines by the system's name, the baseline among them.
        baseline: its name.
        reference: the raw reference lines.
        tokenizer: for BLEU.

    Returns:
        For bootstrap and randomization a result a system and metric, for the sign test one a system.
    """
    ordered = {baseline: systems[baseline], **systems}
    found: List[SignificanceRecord] = []
    for test in dict.fromkeys(tests):
        run = _by_signs if test == SIGN else _by_samples
        found += run(test, ordered, baseline, reference, tokenizer)
    return found


def _by_signs(
    test: str,
    systems: Mapping[str, Sequence[str]],
    baseline: str,
    reference: Sequence[str],
    tokenizer: str,
) -> List[SignificanceRecord]:
    scores = {name: sentence_bleu(lines, reference, tokenizer) for name, lines in systems.items()}
    found = []
    for name in systems:
        if name == baseline:
            continue
        signs = count_signs(scores[name], scores[baseline])
        p = sign_test(signs.better, signs.worse)
        better = None if signs.better == signs.worse else signs.better > signs.worse
        details = (
            f"sentence BLEU, tok:{tokenizer}, smooth:exp, eff:yes; better on {signs.better} "
            f"sentences, worse on {signs.worse}, equal on {signs.equal}"
        )
        found.append(
            SignificanceRecord(test, "BLEU", name, baseline, p, better, mark(p, better), details)
        )
    return found


def _by_samples(
    test: str,
    systems: Mapping[str, Sequence[str]],
    baseline: str,
    reference: Sequence[str],
    tokenizer: str,
) -> List[SignificanceRecord]:
    found = []
    for metric_name, metric in metrics(reference, tokenizer):
        signatures, results = PairedTest(
            [(name, list(lines)) for name, lines in systems.items()],
            {metric_name: metric},
            None,  # the metric holds the reference
            test_type=_SACREBLEU_TESTS[test],
        )()
        # sacreBLEU goes by its own name of the metric, as in "chrF2".
        (own_name, signature), *_ = signatures.items()
        by_name = dict(zip(results["System"], results[own_name]))
        for name in systems:
            if name == baseline:
                continue
            difference = by_name[name].score - by_name[baseline].score
            better = None if difference == 0 else difference > 0
            p = float(by_name[name].p_value)
            details = str(signature)
            if by_name[name].ci is not None:
                details += (
                    f"; 95 % of the resampled scores lie in {by_name[name].mean:.2f} ± "
                    f"{by_name[name].ci:.2f}"
                )
            found.append(
                SignificanceRecord(
                    test, metric_name, name, baseline, p, better, mark(p, better), details
                )
            )
    return found
