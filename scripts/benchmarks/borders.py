"""Compares the borders of byte-level BPE with the paper's: tokens with partial characters, and mean lengths.

    python scripts/benchmarks/borders.py train.de train.en --json docs/results/borders.json

Learns a joint vocabulary of each size under each rule, and by SentencePiece, segments both texts, and measures
them with `fairseq-subword stats` (Wang, Cho & Gu 2020, Tables 3 and 4).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

from records import header, write_record

# What one vocabulary is learned with.
RULES = {
    "sentencepiece": ["--borders", "sentencepiece"],
    "SentencePiece itself": ["--trainer", "sentencepiece", "--borders", "sentencepiece"],
    "none": ["--borders", "none"],
    "character": ["--borders", "character"],
}
# Wang, Cho & Gu 2020, WMT 2014 English-German: share of partial tokens, and mean lengths.
PAPER = {
    2048: {"partial": 4.3, "de": 55, "en": 48},
    4096: {"partial": 4.9, "de": 48, "en": 41},
    8192: {"partial": 5.5, "de": 42, "en": 36},
}


def subword(*arguments: object) -> str:
    """Runs one command and returns what it printed on standard error."""
    words = [sys.executable, "-m", "fairseq_subword_ext", *map(str, arguments)]
    return subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stderr


def measured(texts: List[Path], size: int, flags: List[str], folder: Path) -> Dict[str, object]:
    """The figures of one vocabulary, and its signature."""
    codes = folder / "codes"
    learn = ["learn-bpe", "--unit", "byte", "--total-symbols", "-s", size, *flags]
    printed = subword(*learn, "-i", *texts, "-o", codes)
    if "--trainer" in flags:
        codes = codes.with_name("codes.model")
    segmentations = []
    for text in texts:
        cut = folder / f"cut{text.suffix}"
        subword("apply-bpe", "--encoder", "bbpe", "-c", codes, "-i", text, "-o", cut)
        segmentations.append(f"bbpe={cut}")
    raw = [word for text in texts for word in ("--raw", text)]
    subword("stats", *raw, *segmentations, "--json", folder / "stats.json")
    rows = json.loads((folder / "stats.json").read_text(encoding="utf-8"))["segmentations"]
    tokens = sum(row["tokens"] for row in rows)
    figures: Dict[str, object] = {row["language"]: row["mean_length"] for row in rows}
    figures["partial"] = 100 * sum(row["partial_tokens"] for row in rows) / tokens
    figures["signature"] = printed.strip().split("\n")[-1].partition("signature: ")[2]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs=2, metavar="TEXT.LANG", type=Path)
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="the record")
    args = parser.parse_args()
    rows = [{"rule": "paper (WMT 2014)", "figures": {str(size): PAPER[size] for size in PAPER}}]
    for rule, flags in RULES.items():
        figures = {}
        for size in PAPER:
            with tempfile.TemporaryDirectory() as folder:
                figures[str(size)] = measured(args.texts, size, flags, Path(folder))
        rows.append({"rule": rule, "figures": figures})
    names = " ".join(text.name for text in args.texts)
    command = f"python scripts/benchmarks/borders.py {names}"
    write_record(args.json, header(command, ["sentencepiece"], rows=rows))


if __name__ == "__main__":
    main()
