"""Checks what the measures of `suggest-size` say about translation quality, on a small corpus.

Trains one small model per number of merges on names in a few languages into English, and prints the rank
correlation of each measure of the training text with chrF on the test set.

    python scripts/benchmarks/size_check.py --work runs/size_check \
        --record docs/results/size_check.json --page docs/choosing-a-size.md

A batch is a number of sentences, not of tokens. So all models see the same sentences equally often in
equally many updates, and only the segmentation differs. Finished runs are kept; if interrupted, run it again.
With --page, the table in that page is replaced, from the record alone.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

from records import FAIRSEQ, header
from scipy.stats import kendalltau, spearmanr

from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.tables import markdown_lines

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (*FAIRSEQ, "sacrebleu", "pycountry", "Babel")
SETTINGS = ("languages", "sizes", "seeds", "sentences", "epochs", "lr", "warmup")
BEGIN, END = "<!-- size_check: begin -->", "<!-- size_check: end -->"
TRAINING = (
    "--task multilingual_x_en --arch contextualized_transformer_tiny --share-all-embeddings "
    "--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --optimizer adam "
    "--lr-scheduler inverse_sqrt --dropout 0.1 --attention-dropout 0 --activation-dropout 0 "
    "--no-epoch-checkpoints --no-last-checkpoints --log-format simple --log-interval 50"
).split()

# The measures, as functions of a size in the output of suggest-size and of the recommended number of merges.
MEASURES: Dict[str, Callable[[Dict[str, Any], int], float]] = {
    "tokens per sentence": lambda size, best: size["tokens_per_sentence"],
    "whole words": lambda size, best: size["whole_words"],
    "100+ times, all symbols": lambda size, best: size["frequent"]["100"],
    "100+ times, made by merges": lambda size, best: size["frequent_made"]["100"],
    "Rényi efficiency": lambda size, best: size["renyi_efficiency"],
    "embedding parameters": lambda size, best: size["embedding"],
    "closeness to the recommended size": lambda size, best: -abs(math.log(size["merges"] / best)),
}


def run(*command: Any, log: Path, output: Path = Path(os.devnull)) -> None:
    """Runs a Python module with its messages in a log.

    Raises:
        RuntimeError: If it fails.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}",
        "PYTHONWARNINGS": "ignore",
    }
    with log.open("wb") as messages, output.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, *map(str, command)], stdout=stream, stderr=messages, env=environment
        )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))} failed, see {log}")


def build_corpus(args: argparse.Namespace) -> Path:
    """Builds the corpus of names, with a larger test set than the quickstart's."""
    corpus = args.work / "corpus"
    if not (corpus / "corpus.json").exists():  # written last
        sizes = "--test-share 0.1 --test-lines 250 --valid-share 0.03 --valid-lines 150".split()
        command = ["-m", "recipes.engine.corpus", "names_x_en", "--out", corpus]
        run(*command, "--languages", args.languages, *sizes, log=args.work / "corpus.log")
    return corpus


def measure_sizes(args: argparse.Namespace, corpus: Path) -> Dict[str, Any]:
    """Returns what suggest-size says of the training text."""
    path, largest = args.work / "sizes.json", str(max(args.sizes))
    texts = sorted(corpus.glob("train.*-en.*"))
    options = ["--max", largest, "--dimension", "128", "--json", path]
    command = ["-m", "fairseq_subword_ext", "suggest-size", "-i", *texts, *options]
    run(*command, log=args.work / "sizes.log")
    return json.loads(path.read_text(encoding="utf-8"))[0]


def translate(args: argparse.Namespace, corpus: Path, merges: int, seed: int) -> Dict[str, Any]:
    """Trains one model, translates the test set and returns its scores."""
    data, folder = args.work / f"{merges}" / "bin", args.work / f"{merges}" / f"seed{seed}"
    scores = folder / "scores.json"
    if not scores.exists():
        if not (data / "binarize.json").exists():
            texts = [f"--{split}pref={corpus / split}" for split in ("train", "valid", "test")]
            learn = ["--learn", merges, "--joint", "--joined-dictionary", "-t", "en"]
            command = ["-m", "fairseq_subword_ext", "binarize", *texts, *learn, "--destdir", data]
            run(*command, log=args.work / f"{merges}" / "binarize.log")
        plugin = ["--user-dir", ROOT / "fairseq_subword_ext", "--cpu"]
        budget = ["--batch-size", args.sentences, "--max-epoch", args.epochs, "--seed", seed]
        rate = ["--lr", args.lr, "--warmup-updates", args.warmup, "--adam-betas", "(0.9, 0.98)"]
        command = ["-m", "fairseq_cli.train", data, *plugin, *TRAINING, *budget, *rate]
        run(*command, "--save-dir", folder, log=folder / "train.err", output=folder / "train.log")
        model = folder / "checkpoint_best.pt"
        search = ["--task", "multilingual_x_en", "--beam", 5, "--max-tokens", 4000]
        codes = ["--bpe", "generalized_bpe", "--bpe-codes", data / "codes"]
        command = ["-m", "fairseq_cli.generate", data, *plugin, *search, *codes, "--path", model]
        run(*command, log=folder / "generate.log", output=folder / "test.out")
        reference = folder / "reference.en"
        texts = [path.read_bytes() for path in sorted(corpus.glob("test.*-en.en"))]
        reference.write_bytes(b"".join(texts))
        command = ["-m", "fairseq_subword_ext", "score", "-r", reference, "--json", scores]
        run(*command, f"test={folder / 'test.out'}", log=folder / "score.log")
        model.unlink()
    return json.loads(scores.read_text(encoding="utf-8"))


def correlations(record: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Returns the rank correlation of every measure with the mean chrF."""
    rows, best = record["sizes"], record["recommendation"]["merges"]
    quality = [statistics.mean(row["chrf"]) for row in rows]
    found = []
    for name, value in MEASURES.items():
        values = [value(row["measures"], best) for row in rows]
        rho, tau = spearmanr(values, quality), kendalltau(values, quality)
        found.append({"measure": name, "spearman": rho.statistic, "kendall": tau.statistic})
    return found


def make_record(args: argparse.Namespace) -> Dict[str, Any]:
    """Trains everything that is missing, seed after seed, and returns the record."""
    corpus = build_corpus(args)
    advice = measure_sizes(args, corpus)
    measured = {size["merges"]: size for size in advice["sizes"]}
    rows = [
        {"merges": merges, "measures": measured[merges], "chrf": [], "bleu": []}
        for merges in sorted(args.sizes)
    ]
    for seed in args.seeds:
        for merges in args.sizes:
            print(f"{merges} merges, seed {seed}", file=sys.stderr, flush=True)
            translate(args, corpus, merges, seed)
    signatures = {}
    for row in rows:
        for seed in args.seeds:
            system = translate(args, corpus, row["merges"], seed)["systems"][0]
            row["chrf"].append(system["scores"]["chrF"])
            row["bleu"].append(system["scores"]["BLEU"])
            signatures = system["signatures"]
    record = {
        **header(f"python scripts/benchmarks/size_check.py {shown(args)}", PACKAGES),
        "lines": {
            split: sum(1 for path in corpus.glob(f"{split}.*-en.en") for _ in path.open("rb"))
            for split in ("train", "valid", "test")
        },
        "training": " ".join(TRAINING),
        "settings": {name: getattr(args, name) for name in SETTINGS},
        "signatures": signatures,
        "recommendation": advice["recommendation"],
        "sizes": rows,
    }
    record["correlations"] = correlations(record)
    return record


def shown(args: argparse.Namespace) -> str:
    """The settings as command-line arguments."""
    values = {name: getattr(args, name) for name in SETTINGS}
    return " ".join(
        f"--{name} {','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )


def _numbers(text: str) -> List[int]:
    return [int(number) for number in text.split(",")]


def page_lines(record: Dict[str, Any]) -> List[str]:
    """The two tables of the documentation."""
    sizes = [["Merges", "Tokens per sentence", "100+ times, %", "Rényi efficiency", "chrF", "BLEU"]]
    for row in record["sizes"]:
        measures = row["measures"]
        sizes.append(
            [
                f"{row['merges']:,}",
                f"{measures['tokens_per_sentence']:.1f}",
                f"{100 * measures['frequent']['100']:.1f}",
                f"{measures['renyi_efficiency']:.3f}",
                f"{statistics.mean(row['chrf']):.1f}",
                f"{statistics.mean(row['bleu']):.1f}",
            ]
        )
    ranks = [["Measure", "Spearman's ρ", "Kendall's τ"]]
    for row in record["correlations"]:
        ranks.append([row["measure"], f"{row['spearman']:+.2f}", f"{row['kendall']:+.2f}"])
    return [*markdown_lines(sizes), "", *markdown_lines(ranks)]


def write_page(page: Path, record: Dict[str, Any]) -> None:
    """Replaces what stands between the two marks of a page.

    Raises:
        ValueError: If the page has no such marks.
    """
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (found and end):
        raise ValueError(f"{page}: expected the lines {BEGIN} and {END}")
    lines = "\n".join(page_lines(record))
    with atomic_text_writer(page) as stream:
        stream.write(f"{before}{BEGIN}\n\n{lines}\n\n{END}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--work", type=Path, help="folder of the runs; without it, --record is read"
    )
    parser.add_argument("--record", type=Path, required=True, help="JSON file of all figures")
    parser.add_argument("--page", type=Path, help="page of the documentation to update")
    parser.add_argument("--languages", default="be,ru,sr,uk")
    parser.add_argument("--sizes", type=_numbers, default=[250 * 2**step for step in range(8)])
    parser.add_argument("--seeds", type=_numbers, default=[1])
    parser.add_argument("--sentences", type=int, default=96, help="per batch")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", default="2e-3")
    parser.add_argument("--warmup", type=int, default=200)
    args = parser.parse_args()
    if args.work is not None:
        args.work.mkdir(parents=True, exist_ok=True)
        with atomic_text_writer(args.record) as stream:
            stream.write(json.dumps(make_record(args), ensure_ascii=False, indent=1) + "\n")
    record = json.loads(args.record.read_text(encoding="utf-8"))
    print("\n".join(page_lines(record)))
    if args.page:
        write_page(args.page, record)


if __name__ == "__main__":
    main()
