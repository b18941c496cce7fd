"""Loss and BLEU per language, summed over batches and workers and logged by name."""

import math
from typing import List, Sequence, Tuple

import torch
from fairseq.logging import metrics
from fairseq.logging.meters import MetersDict
from sacrebleu.metrics import BLEU

ORDER = 4  # the longest n-grams of BLEU

LOSS_FIELDS = ("loss", "nll_loss", "sample_size", "ntokens")
BLEU_FIELDS = (
    *(f"correct_{n}" for n in range(1, ORDER + 1)),
    *(f"total_{n}" for n in range(1, ORDER + 1)),
    "sys_len",
    "ref_len",
    "at_limit",
)
FIELDS = (*LOSS_FIELDS, *BLEU_FIELDS)

# Fairseq prints smaller priorities first, so the scores per language come last.
PRIORITY = 1000


def bleu_sums(
    hypotheses: Sequence[str], references: Sequence[str], tokenize: str
) -> Tuple[List[float], str]:
    """The sufficient statistics of corpus BLEU, for some of its sentences.

    Args:
        hypotheses, references: detokenized sentences.
        tokenize: sacreBLEU's tokenizer, ``13a`` or ``none``.

    Returns:
        The values of ``BLEU_FIELDS`` except the last, which are additive over parts of a corpus, and
        sacreBLEU's signature.
    """
    metric = BLEU(tokenize=tokenize, force=True)  # force: no warning on text that looks tokenized
    score = metric.corpus_score(list(hypotheses), [list(references)])
    sums = [*score.counts, *score.totals, score.sys_len, score.ref_len]
    return [float(number) for number in sums], metric.get_signature().format()


def bleu_score(sums: Sequence[float]) -> float:
    """The corpus BLEU (0-100, two decimals) of total sums in the order of ``BLEU_FIELDS``."""
    numbers = [int(number) for number in sums]
    score = BLEU.compute_bleu(
        correct=numbers[:ORDER],
        total=numbers[ORDER : 2 * ORDER],
        sys_len=numbers[2 * ORDER],
        ref_len=numbers[2 * ORDER + 1],
        smooth_method="exp",
    )
    return round(score.score, 2)


def batch_scores(
    languages: Sequence[str], language: str, logging_output: dict, bleu: Sequence[float]
) -> torch.Tensor:
    """The sums of one batch, as a table that is additive over batches and workers.

    Args:
        languages: the rows of the table.
        language: the language of all sentences of the batch.
        logging_output: the criterion's logging output, with sums in nats.
        bleu: values of ``BLEU_FIELDS``; empty if BLEU is not computed.

    Returns:
        float64 tensor of shape (languages, len(FIELDS)).
    """
    table = torch.zeros(len(languages), len(FIELDS), dtype=torch.float64)
    sums = {
        "nll_loss": logging_output["loss"],
        **logging_output,
    }  # plain cross entropy has no nll_loss
    row = [float(sums[field]) for field in LOSS_FIELDS] + list(bleu)
    table[languages.index(language), : len(row)] = torch.tensor(row, dtype=torch.float64)
    return table


def log_scores(table: torch.Tensor, languages: Sequence[str], with_bleu: bool) -> None:
    """Logs ``loss_xx``, ``nll_loss_xx`` (bits) and ``bleu_xx`` per language, and ``bleu``.

    Fairseq's meters get only Python floats, since they end up in checkpoints.
    """
    for language, row in zip(languages, table.tolist()):
        scores = dict(zip(FIELDS, row))
        if not scores["sample_size"] > 0:
            continue
        for name, weight in (("loss", scores["sample_size"]), ("nll_loss", scores["ntokens"])):
            bits = scores[name] / weight / math.log(2)
            metrics.log_scalar(f"{name}_{language}", bits, weight, priority=PRIORITY, round=3)
        if with_bleu:
            _log_bleu(f"bleu_{language}", row[len(LOSS_FIELDS) :], PRIORITY + 1)
    if with_bleu:
        _log_bleu("bleu", table.sum(dim=0).tolist()[len(LOSS_FIELDS) :], 20)


def outputs_at_limit(meters: MetersDict) -> int:
    """The number of outputs that reached the length limit, among those that BLEU was computed on."""
    meter = meters.get("_bleu_at_limit")
    return 0 if meter is None else int(meter.sum)


def _log_bleu(name: str, sums: Sequence[float], priority: int) -> None:
    keys = [f"_{name}_{field}" for field in BLEU_FIELDS]
    for key, number in zip(keys, sums):
        metrics.log_scalar(
            key, number
        )  # read back as a sum; Fairseq does not show names that start with _
    metrics.log_derived(
        name, lambda meters: bleu_score([meters[key].sum for key in keys]), priority=priority
    )
