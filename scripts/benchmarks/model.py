"""Measures the cost of a context: training and generation speed of the same Transformer without context, with
a convolution, with a Bi-GRU, and with the Bi-GRU of Fairseq's byte_level_bpe example.

The variants take turns, so that a busy machine slows them all down. The table shows the median speed of each,
and the median over all rounds of its speed relative to the plain Transformer and to the example.
"""

import argparse
import logging
import statistics
import sys
import time
from pathlib import Path

import torch
from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion
from fairseq.sequence_generator import SequenceGenerator
from model_variants import PRECISIONS, VARIANTS, JointVocabulary, batches, build, build_optimizer
from records import FAIRSEQ, header, write_record

import fairseq_subword_ext
from fairseq_subword_ext.textio.tables import text_lines


def clock(args: argparse.Namespace) -> float:
    if args.device == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if args.cpu_time else time.perf_counter()


def train(model, criterion, optimizer, samples, args) -> float:
    """Runs a few updates and returns target tokens per second."""
    model.train()
    start = clock(args)
    for sample in samples:
        optimizer.zero_grad()
        loss, sample_size, _ = criterion(model, sample)
        optimizer.backward(loss)
        optimizer.multiply_grads(1 / sample_size)
        try:
            optimizer.clip_grad_norm(1.0)
        except OverflowError:  # fp16's loss scale was too large and has been lowered
            continue
        optimizer.step()
    return sum(s["ntokens"] for s in samples) / (clock(args) - start)


def generate(generator, sample, args) -> float:
    """Runs beam search, with all hypotheses at the length limit, and returns tokens per second."""
    start = clock(args)
    hypotheses = generator.generate([generator.model.single_model], sample)
    return sum(len(h[0]["tokens"]) for h in hypotheses) / (clock(args) - start)


def measure(args: argparse.Namespace, precision: str, samples: list, task: JointVocabulary) -> dict:
    """Speeds in one precision: ``{"training": {variant: [tokens/s of each round]}, "generation": ...}``."""
    criterion = LabelSmoothedCrossEntropyCriterion(task, True, 0.1).to(args.device)
    built = {v: build(v, args.arch, task, args.device, precision) for v in VARIANTS}
    optimizers = {v: build_optimizer(m, precision) for v, m in built.items()}
    generators = {
        v: SequenceGenerator(
            [m], task.target_dictionary, beam_size=args.beam,
            max_len_a=0, max_len_b=args.mean_length, min_len=args.mean_length,
        )
        for v, m in built.items()
    }  # fmt: skip
    speeds = {kind: {variant: [] for variant in VARIANTS} for kind in ("training", "generation")}
    rotation = list(VARIANTS)
    for turn in range(-1, args.rounds):  # the first turn only warms up
        first = max(turn, 0) * args.updates
        turn_samples = samples[first : first + args.updates]
        sentences = {
            key: value[: args.sentences] for key, value in turn_samples[0]["net_input"].items()
        }
        for variant in rotation:
            model = built[variant]
            trained = train(model, criterion, optimizers[variant], turn_samples, args)
            model.eval()
            generated = generate(generators[variant], {"net_input": sentences}, args)
            if turn >= 0:
                speeds["training"][variant].append(trained)
                speeds["generation"][variant].append(generated)
        rotation.append(rotation.pop(0))
    return speeds


def summary(speeds: dict) -> dict:
    """Each variant's median speed, and its median ratios to the plain Transformer and to the example."""
    return {
        variant: {
            "tokens_per_second": statistics.median(speeds[variant]),
            "of_plain": ratio(speeds[variant], speeds["none"]),
            "of_example": ratio(speeds[variant], speeds["example"]),
        }
        for variant in VARIANTS
    }


def ratio(one: list, other: list) -> float:
    return statistics.median(a / b for a, b in zip(one, other))


def table(title: str, rows: dict) -> str:
    cells = [(title, "tokens/s", "of plain", "of example")]
    for variant, row in rows.items():
        ratios = (f"{row[key]:.3f}" for key in ("of_plain", "of_example"))
        cells.append((variant, f"{row['tokens_per_second']:.0f}", *ratios))
    return "\n".join(text_lines(cells))


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="contextualized_transformer_base")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument(
        "--precisions", default="fp32", help="fp32, fp16 and bf16, separated by commas"
    )
    parser.add_argument("--vocabulary", type=int, default=4096, help="size of the joint dictionary")
    parser.add_argument("--mean-length", type=int, default=41, help="symbols per sentence")
    parser.add_argument("--max-tokens", type=int, default=2000, help="per batch")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each variant")
    parser.add_argument("--updates", type=int, default=2, help="updates per turn")
    parser.add_argument("--sentences", type=int, default=32, help="sentences translated per turn")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the speeds to this file")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="measure CPU time instead, for a shared machine (with OMP_NUM_THREADS=1)",
    )
    return parser


def main() -> None:
    parser = build_parser()
    args = parser.parse_args()
    precisions = args.precisions.split(",")
    unknown = set(precisions) - set(PRECISIONS)
    if unknown:
        parser.error(f"--precisions: expected {', '.join(PRECISIONS)}, found {unknown.pop()}")
    if "fp16" in precisions and args.device != "cuda":
        parser.error("--precisions fp16: Fairseq trains in fp16 on a GPU only")
    logging.disable(logging.INFO)
    fairseq_subword_ext.register()
    task = JointVocabulary(args.vocabulary)
    samples = batches(
        task.source_dictionary, args.rounds * args.updates, args.max_tokens, args.mean_length,
        args.device,
    )  # fmt: skip
    settings = (
        f"{args.arch} on {args.device}, {torch.get_num_threads()} thread(s), "
        f"torch {torch.__version__}: {args.rounds} rounds of {args.updates} updates of up to "
        f"{args.max_tokens} tokens and of {args.sentences} sentences, beam {args.beam}"
    )
    print(settings)
    command = f"python scripts/benchmarks/model.py {' '.join(sys.argv[1:])}".strip()
    record = header(command, FAIRSEQ, seeds=[1], settings=settings, precisions={})
    for precision in precisions:
        speeds = measure(args, precision, samples, task)
        found = {kind: summary(by_variant) for kind, by_variant in speeds.items()}
        record["precisions"][precision] = found
        for kind, rows in found.items():
            print(table(f"{kind}, {precision}", rows), flush=True)
        if args.json:  # after each precision, since the next one may run out of memory or time
            write_record(args.json, record)


if __name__ == "__main__":
    main()
