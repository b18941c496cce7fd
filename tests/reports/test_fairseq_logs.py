"""Costs from Fairseq's logs; the sums are worked out in the comments."""

import json

import pytest

from fairseq_subword_ext.reports.fairseq_logs import read_generation_log, read_training_log

EPOCHS = [
    {"epoch": 1, "num_updates": 600, "bsz": "300.5", "wpb": "2000", "train_wall": "200"},
    {"epoch": 2, "num_updates": 800, "bsz": "301", "wpb": "2100", "train_wall": "90"},
]


def simple(prefix):
    lines = [
        f"{prefix}epoch {e['epoch']:03d} | loss 4.2 | wps 7295.3 | ups 3.05 | wpb {e['wpb']} | "
        f"bsz {e['bsz']} | num_updates {e['num_updates']} | lr 0.002 | train_wall {e['train_wall']} "
        f"| wall 304"
        for e in EPOCHS
    ]
    valid = (
        "2026-11-30 12:09:56 | INFO | valid | epoch 002 | valid on 'valid' subset | num_updates 9"
    )
    return [lines[0], valid, "... | INFO | fairseq_cli.train | begin", lines[1]]


LOGS = {
    "fairseq-train": simple("2026-11-30 12:08:23 | INFO | train | "),
    "fairseq-hydra-train": simple("[2026-11-30 09:04:06,512][train][INFO] - "),
    "--log-format json": [
        "2026-11-30 12:08:23 | INFO | train | "
        + json.dumps(
            {"epoch": e["epoch"], **{f"train_{k}": str(v) for k, v in e.items() if k != "epoch"}}
        )
        for e in EPOCHS
    ],
}


@pytest.mark.parametrize("log", LOGS)
def test_training(log, tmp_path):
    """600 updates of 300.5 sentences and 200 of 301 are 180,300 + 60,200; 290 s for them."""
    (tmp_path / "log").write_text("\n".join(LOGS[log]) + "\n", encoding="utf-8")
    cost = read_training_log(tmp_path / "log")
    assert (cost.sentences, cost.tokens, cost.seconds) == (240_500, 1_620_000, 290)
    assert cost.milliseconds_per_sentence == pytest.approx(290_000 / 240_500)


def test_a_log_of_resumed_training(tmp_path):
    """The part of epoch 1 before the log is unknown, so only epoch 2 counts: 200 updates."""
    lines = LOGS["fairseq-train"]
    resumed = [
        lines[0].replace("epoch 001", "epoch 007"),
        lines[3].replace("epoch 002", "epoch 008"),
    ]
    (tmp_path / "log").write_text("\n".join(resumed) + "\n", encoding="utf-8")
    cost = read_training_log(tmp_path / "log")
    assert (cost.sentences, cost.seconds) == (60_200, 90)


GENERATED = """\
S-1\tdas ist@@ t
H-1\t-0.3\tthis is
S-0\tja
2026-11-30 | INFO | fairseq_cli.generate | Translated 1,200 sentences (25,320 tokens) in 12.5s \
(96.00 sentences/s, 2025.60 tokens/s)
"""


def test_generating(tmp_path):
    """das istt and ja are 8 + 2 characters; 12.5 s for 1,200 sentences."""
    (tmp_path / "log").write_text(GENERATED, encoding="utf-8")
    cost = read_generation_log(tmp_path / "log")
    assert (cost.sentences, cost.tokens, cost.seconds) == (1200, 25_320, 12.5)
    assert cost.source_characters == 10
    assert cost.milliseconds_per_sentence == pytest.approx(12_500 / 1200)
    (tmp_path / "log").write_text(GENERATED.split("\n", 3)[3], encoding="utf-8")
    assert read_generation_log(tmp_path / "log").source_characters is None


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_training_log, "nothing\n", "found no complete epoch"),
        (read_training_log, LOGS["fairseq-train"][0].replace("wall 200", "wall 0"), "took 0 s"),
        (read_generation_log, "S-0\tja\n", "found no line 'Translated"),
        (read_generation_log, GENERATED.replace("12.5s", "0.0s"), "too little to measure"),
    ],
)
def test_errors(read, text, message, tmp_path):
    (tmp_path / "log").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"log: .*{message}"):
        read(tmp_path / "log")
