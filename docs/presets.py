"""Writes docs/results/presets.json: the sizes of the presets, read off the models that they build.

    python docs/presets.py

Table 2 of Wang, Cho & Gu (2020) names no vocabulary; here it is 4,096 symbols with shared embeddings, the context a
Bi-GRU.
"""

import argparse
import datetime
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import torch
from fairseq import models
from fairseq.data import Dictionary

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

import fairseq_subword_ext  # noqa: E402

RECORD = DOCS / "results" / "presets.json"
SYMBOLS = 4096
# The parameters that the paper's Table 2 gives.
PAPER = {"tiny": None, "flores": "38M", "base": "44M", "big": "180M"}


class Vocabulary:
    """The part of a task that a model needs."""

    def __init__(self):
        self.source_dictionary = self.target_dictionary = Dictionary()
        for number in range(SYMBOLS - len(self.source_dictionary)):
            self.source_dictionary.add_symbol(f"s{number}")


def rows() -> list:
    """One row per preset."""
    fairseq_subword_ext.register()
    return [row(name) for name in PAPER]


def row(name: str) -> dict:
    settings = argparse.Namespace(
        arch=f"contextualized_transformer_{name}", share_all_embeddings=True
    )
    with torch.device("meta"):  # no memory, no time
        model = models.build_model(settings, Vocabulary())
    cfg = model.encoder.cfg
    return {
        "preset": name,
        "layers": cfg.encoder.layers,
        "dimension": cfg.encoder.embed_dim,
        "feed_forward": cfg.encoder.ffn_embed_dim,
        "heads": cfg.encoder.attention_heads,
        "dropout": cfg.dropout,
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "paper": PAPER[name],
    }


def main() -> None:
    record = {
        "date": datetime.date.today().isoformat(),
        "command": "python docs/presets.py",
        "versions": {
            "python": platform.python_version(),
            "fairseq_subword_ext": fairseq_subword_ext.__version__,
            "torch": version("torch"),
        },
        "rows": rows(),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
