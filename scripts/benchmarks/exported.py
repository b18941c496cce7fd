"""Compares translating with an exported model to fairseq-generate: the whole process, start-up included, one thread.

    python scripts/benchmarks/exported.py --record docs/results/exported_models.json

The models have had one update of training on the tutorial's made text, and every output has the same number of
symbols, so that all translate equally much. The tools take turns; the record has the median of each.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Dict, List

from bpe import BIN, run
from records import FAIRSEQ, header, write_record

from fairseq_subword_ext.textio.tables import markdown_lines

ROOT = Path(__file__).resolve().parents[2]
USER_DIR = ["--user-dir", str(ROOT / "fairseq_subword_ext")]
# Preset: lines, symbols per output, sentences per batch.
SETTINGS = {"tiny": (2000, 12, 32), "base": (60, 25, 64)}
CODES = "data-bin/codes"


def prepare(folder: Path, presets: List[str]) -> None:
    """Makes the text and the data, and a trained and an exported model of each preset."""

    def call(program: str, *arguments: object) -> None:
        words = [str(BIN / program), *map(str, arguments)]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    call("python", ROOT / "docs" / "made_corpus.py")
    for language in ("de", "en"):
        made = (folder / f"test.{language}").read_text("utf-8").splitlines(keepends=True)
        for number, (lines, _, _) in enumerate(SETTINGS.values()):
            (folder / f"test{number}.{language}").write_text(
                "".join((made * lines)[:lines]), "utf-8"
            )
    call(
        "fairseq-subword", "binarize", "-s", "de", "-t", "en", "--trainpref", "train", "--validpref", "valid",
        "--testpref", ",".join(f"test{number}" for number in range(len(SETTINGS))),
        "--learn", 300, "--unit", "byte", "--joint", "--joined-dictionary", "--destdir", "data-bin",
    )  # fmt: skip
    for preset in presets:
        call(
            "fairseq-train", "data-bin", *USER_DIR, "--arch", f"contextualized_transformer_{preset}",
            "--share-all-embeddings", "--optimizer", "adam", "--lr", 1e-4, "--max-tokens", 1000, "--max-update", 1,
            "--no-epoch-checkpoints", "--disable-validation", "--save-dir", preset, "--cpu",
        )  # fmt: skip
        for flags in ([], ["--int8"]):
            call(
                "fairseq-subword", "export-model", f"{preset}/checkpoint_last.pt", "--data", "data-bin",
                "--bpe", "bbpe", "--codes", CODES, "-o", f"{preset}.exported{''.join(flags)}", *flags,
            )  # fmt: skip


def commands(preset: str) -> Dict[str, List[str]]:
    """What translates the preset's test set, by the name of the tool."""
    number = list(SETTINGS).index(preset)
    _, length, batch = SETTINGS[preset]
    search = f"--beam 5 --min-len {length} --max-len-a 0 --max-len-b {length} --batch-size {batch}"
    generate = (
        f"fairseq-generate data-bin --path {preset}/checkpoint_last.pt --gen-subset test{number or ''} --cpu "
        f"--bpe bbpe --bpe-codes {CODES} --required-batch-size-multiple 1 {search}"
    ).split() + USER_DIR
    translate = f"{search} --num-workers 1".split()
    return {
        "fairseq-generate": generate,
        "translate": ["fairseq-subword", "translate", f"{preset}.exported", *translate],
        "translate, int8": ["fairseq-subword", "translate", f"{preset}.exported--int8", *translate],
    }


def measure(preset: str, rounds: int) -> List[Dict[str, object]]:
    """One row per tool: median CPU seconds and peak memory, and how many times as fast as fairseq-generate."""
    tools = commands(preset)
    taken: Dict[str, list] = {tool: [] for tool in tools}
    number = list(SETTINGS).index(preset)
    for _ in range(rounds):
        for tool, (program, *arguments) in tools.items():
            process = run([str(BIN / program), *arguments], stdin=f"test{number}.de")
            if process is None:
                sys.exit(1)
            taken[tool].append(process.run)
    lines, length, batch = SETTINGS[preset]
    rows = []
    for tool, runs in taken.items():
        ratios = [
            one.cpu_seconds / own.cpu_seconds for one, own in zip(taken["fairseq-generate"], runs)
        ]
        rows.append(
            {
                "preset": preset,
                "lines": lines,
                "symbols": length,
                "batch": batch,
                "tool": tool,
                "cpu_seconds": median(one.cpu_seconds for one in runs),
                "megabytes": median(one.megabytes for one in runs),
                "times": median(ratios),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--presets", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument("--record", type=Path, metavar="FILE", help="writes the figures as JSON")
    args = parser.parse_args()
    record = args.record and args.record.resolve()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), args.presets)
        os.chdir(folder)
        rows = [row for preset in args.presets for row in measure(preset, args.rounds)]
        os.chdir(ROOT)
    cells = [[f"{v:.2f}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    print("\n".join(markdown_lines([list(rows[0]), *cells])))
    if record:
        command = f"python scripts/benchmarks/exported.py --rounds {args.rounds}"
        write_record(record, header(command, [*FAIRSEQ, "onnxruntime"], rows=rows))


if __name__ == "__main__":
    main()
