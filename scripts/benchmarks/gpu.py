"""Runs all checks that need a GPU, phase by phase, and writes the results to OUT/gpu.json.

The record is written after every phase, and each phase has its own time limit, so that a phase that fails
or takes too long does not affect the others. Called by scripts/gpu.sh.
"""

import argparse
import json
import os
import re
import sys
import xml.etree.ElementTree
from pathlib import Path
from typing import Any, Dict, List

from phases import ROOT, PhaseError, Run
from records import FAIRSEQ, header

SCRIPTS = ROOT / "scripts"
PACKAGES = (*FAIRSEQ, "numpy", "sacrebleu")
TESTS_LIMIT, SPEED_LIMIT = 150, 150  # seconds
CLOSING = 60  # reserved for translating and scoring after training

# The quickstart's settings at base size; sizes and precision are added.
TRAINING = """--task multilingual_x_en --share-all-embeddings --criterion label_smoothed_cross_entropy
--label-smoothing 0.1 --optimizer adam --lr 7e-4 --lr-scheduler inverse_sqrt --warmup-updates 1000
--clip-norm 1.0 --dropout 0.1 --seed 1 --no-epoch-checkpoints --log-format json --log-interval 50""".split()


def check_device(run: Run) -> Dict[str, Any]:
    """Multiplies two matrices on the device and compares the product to the CPU's."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    one, other = torch.randn(2, 512, 512).unbind()
    expected = one.double() @ other.double()
    product = (one.to(run.device) @ other.to(run.device)).cpu().double()
    error = ((product - expected).norm() / expected.norm()).item()
    if not error < 1e-5:
        raise PhaseError(f"a matrix product differs from the CPU's by {error:.1e}")
    found: Dict[str, Any] = {"product_error": error, "cuda": torch.version.cuda}
    if run.device == "cuda":
        properties = torch.cuda.get_device_properties(0)
        found.update(
            name=properties.name,
            memory_gib=round(properties.total_memory / 2**30, 1),
            bf16=torch.cuda.is_bf16_supported(),
        )
    return found


def run_tests(run: Run) -> Dict[str, Any]:
    """Runs the tests marked gpu; without a GPU they are counted as skipped."""
    files = sorted(
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if "mark.gpu" in path.read_text("utf-8")
    )
    report = run.out / "tests.xml"
    failure = None
    try:
        run.command(
            "tests.log", sys.executable, "-m", "pytest", "-m", "gpu", "-q", "-p", "no:cacheprovider",
            "-n", min(4, os.cpu_count() or 1), f"--junitxml={report}", *files, limit=TESTS_LIMIT, OMP_NUM_THREADS="1",
        )  # fmt: skip
    except PhaseError as error:
        failure = error
    if not report.is_file():
        raise failure or PhaseError("pytest wrote no report")
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    counts = {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}
    bad = [
        f"{case.get('name')}: {(problem.get('message') or '').splitlines()[0][:200]}"
        for case in suite.iter("testcase")
        for problem in (*case.findall("failure"), *case.findall("error"))
    ]
    if failure is None and run.device == "cuda" and counts["skipped"]:
        failure = PhaseError(f"{counts['skipped']} of {counts['tests']} tests were skipped")
    if failure is None:
        return {**counts, "failed": bad}
    return {**counts, "failed": bad, "status": "failed", "reason": str(failure)}


def measure_speed(run: Run) -> Dict[str, Any]:
    """Measures training and generation with each context in each precision that the device supports."""
    if run.args.tiny:
        sizes = "--arch contextualized_transformer_tiny --vocabulary 300 --mean-length 6 --max-tokens 60"
        sizes += " --rounds 1 --updates 1 --sentences 2 --beam 2"
    else:
        sizes = "--arch contextualized_transformer_base --vocabulary 8192 --max-tokens 8192"
        sizes += " --rounds 5 --updates 4 --sentences 64"
    precisions = "fp32,fp16,bf16" if run.device == "cuda" else "fp32,bf16"
    report = run.out / "speed.json"
    failure = None
    try:
        run.command(
            "speed.log", sys.executable, SCRIPTS / "benchmarks" / "model.py", *sizes.split(),
            "--device", run.device, "--precisions", precisions, "--json", report, limit=SPEED_LIMIT,
        )  # fmt: skip
    except PhaseError as error:
        failure = error
        if not report.is_file():
            raise
    found = json.loads(report.read_text(encoding="utf-8"))
    return {**found, **({"status": "failed", "reason": str(failure)} if failure else {})}


def train(run: Run) -> Dict[str, Any]:
    """Trains on the corpus of names, translates its test set and scores it against the raw text."""
    work = run.out / "names"
    work.mkdir(exist_ok=True)
    corpus, codes, data = work / "corpus", work / "bbpe.codes", work / "bin"
    small = ["--languages", "be,el", "--lines", 150] if run.args.tiny else []
    symbols = 1024 if run.args.tiny else 4096
    subword = [sys.executable, "-m", "fairseq_subword_ext"]
    run.command(
        "corpus.log", sys.executable, "-m", "recipes.engine.corpus", "names_x_en", "--out", corpus, *small,
        PYTHONPATH=tools_path(),
    )  # fmt: skip
    run.command(
        "learn.log", *subword, "learn-bpe", "--unit", "byte", "--total-symbols", "-s", symbols,
        "-i", corpus / "train.*-en.*", "-o", codes,
    )  # fmt: skip
    run.command("dictionary.log", *subword, "build-dict", "-c", codes, "-o", work / "dict.txt")
    run.command(
        "binarize.log", *subword, "binarize", "--encoder", "bbpe", "-c", codes, "--srcdict", work / "dict.txt",
        "--joined-dictionary", "-t", "en", "--trainpref", corpus / "train", "--validpref", corpus / "valid",
        "--testpref", corpus / "test", "--destdir", data,
    )  # fmt: skip
    size = "tiny" if run.args.tiny else "base"
    minutes = min(run.args.minutes, (run.left() - CLOSING) / 60)
    if minutes <= 0:
        raise PhaseError("skipped: the corpus took all the time")
    checkpoints, ids = work / "checkpoints", work / "languages.tsv"
    precision = ["--cpu"] if run.device == "cpu" else ["--fp16"]
    user_dir = ROOT / "fairseq_subword_ext"
    log = run.command(
        "train.log", sys.executable, "-m", "fairseq_cli.train", data, "--user-dir", user_dir,
        "--arch", f"contextualized_transformer_{size}", *TRAINING, *precision,
        "--max-tokens", 600 if run.args.tiny else 16000, "--stop-time-hours", minutes / 60,
        *(["--max-update", 2] if run.args.tiny else []), "--save-dir", checkpoints,
    )  # fmt: skip
    output = run.command(
        "translations.log", sys.executable, "-m", "fairseq_cli.generate", data, "--user-dir", user_dir,
        "--task", "multilingual_x_en", "--gen-subset", "test", "--bpe", "bbpe", "--bpe-codes",
        codes, "--language-ids", ids, "--path", checkpoints / "checkpoint_best.pt", "--beam", 5, *precision,
        "--max-tokens", 16000, "--max-len-a", 0, "--max-len-b", 6 if run.args.tiny else 100,
        "--scoring", "sacrebleu",
    )  # fmt: skip
    scores = run.out / "scores.json"
    run.command(
        "scores.log", sys.executable, "-m", "recipes.engine.score_languages", "--system", output,
        "--language-ids", ids, "--corpus", corpus, "--copy", "--json", scores, PYTHONPATH=tools_path(),
    )  # fmt: skip
    systems = json.loads(scores.read_text(encoding="utf-8"))["systems"]
    found = {system["name"]: system for system in systems}
    return {
        **training_figures(log),
        "scores": {"system": found["all"]["scores"], "copy": found["copy.all"]["scores"]},
        "signatures": found["all"]["signatures"],
        "minutes": round(minutes, 2),
        "precision": precision[0].strip("-"),
    }


def tools_path() -> str:
    """The PYTHONPATH for the recipes' modules."""
    return os.pathsep.join([str(SCRIPTS), os.environ.get("PYTHONPATH", "")])


def training_figures(log: Path) -> Dict[str, Any]:
    """The last figures in fairseq-train's log, and its median speed.

    Raises:
        PhaseError: If the log has none.
    """
    lines: List[Dict[str, str]] = [
        json.loads(found[0])
        for found in re.finditer(r"\{.*num_updates.*\}$", log.read_text("utf-8"), re.MULTILINE)
    ]
    if not lines:
        raise PhaseError(f"no figures in {log.name}")
    figures: Dict[str, Any] = {}
    for line in lines:
        for key in ("train_num_updates", "valid_loss", "train_loss", "train_gb_free"):
            if key in line:
                figures[key] = float(line[key])
    for key in "ups", "wps":
        # A short training logs its speed at the end of the epoch only.
        for name in key, f"train_{key}":
            values = sorted(float(line[name]) for line in lines if name in line)
            if values:
                figures[key] = values[len(values) // 2]
                break
    return figures


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=570, help="total time of all phases")
    parser.add_argument("--minutes", type=float, default=3, help="training time")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    return parser


def main() -> int:
    args = build_parser().parse_args()
    args.out = args.out.resolve()
    tiny = " --tiny" if args.tiny else ""
    run = Run(args, **header(f"scripts/gpu.sh{tiny}", PACKAGES, seeds=[1]))
    run.phase("device", check_device)
    if run.record["phases"]["device"]["status"] != "ok":
        return 1
    training = args.minutes * 60 + CLOSING
    run.phase("tests", run_tests, reserve=training)
    run.phase("speed", measure_speed, reserve=training)
    run.phase("training", train)
    phases = run.record["phases"]
    if "precisions" in phases["speed"]:
        print((args.out / "speed.log").read_text(encoding="utf-8", errors="replace"))
    for name, phase in phases.items():
        figures = {k: v for k, v in phase.items() if k not in ("precisions", "settings", "status")}
        print(f"{name}: {phase['status']} {json.dumps(figures)}")
    print(f"record: {args.out / 'gpu.json'}")
    return int(any(phase["status"] != "ok" for phase in phases.values()))


if __name__ == "__main__":
    sys.exit(main())
