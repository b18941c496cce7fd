#!/usr/bin/env python3
"""Compares Fairseq's byte_bpe with bbpe: encoding and decoding a list of lines, all in one run.

Both segment with the same number of symbols, learned on the text itself: byte_bpe with a
SentencePiece model as Fairseq's example trains it, bbpe with byte codes of the native learner and,
apart, with a SentencePiece model. The candidates take turns, so that a busy machine slows them all.
"first time" builds an encoder for every round, "again" gives it the lines a second time, when it
remembers words, as it does in a long text. The table gives the median round of each and the median
over the rounds of Fairseq's time divided by its own. Every result is checked against the text.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from fairseq.data.encoders.byte_bpe import ByteBPE, ByteBpeConfig
from fairseq.data.encoders.byte_utils import byte_encode
from records import FAIRSEQ, header, write_record

from fairseq_subword_ext.codecs.bbpe import ByteLevelBPE
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes
from fairseq_subword_ext.textio.tables import markdown_lines

# First and last letter of scripts with one, two, three and four bytes a letter.
SCRIPTS = [
    (0x61, 0x7A),
    (0x61, 0x7A),
    (0x430, 0x44F),
    (0xD9A, 0xDC6),
    (0x4E00, 0x5200),
    (0x10900, 0x10915),
]


def make_text(lines: int, seed: int = 1) -> list:
    """Lines of words that are distributed as in a language: few are frequent, most are rare."""
    generator = random.Random(seed)
    languages = []
    for first, last in SCRIPTS:
        letters = [chr(code) for code in range(first, last + 1)]
        weights = [1 / rank for rank in range(1, len(letters) + 1)]
        words = [
            "".join(generator.choices(letters, weights, k=generator.randint(1, 12)))
            for _ in range(20_000)
        ]
        languages.append((words, [1 / rank for rank in range(1, len(words) + 1)]))
    return [
        " ".join(generator.choices(*generator.choice(languages), k=generator.randint(3, 20)))
        for _ in range(lines)
    ]


def read_text(files: list, lines: int) -> list:
    """At most so many lines, drawn from all files, spaces as Fairseq's encoder leaves them."""
    text = []
    for path in files:
        for line in path.read_text(encoding="utf-8").split("\n"):
            line = " ".join(line.split())
            if line:
                text.append(line)
    random.Random(1).shuffle(text)
    return text[:lines]


def damage(lines: list, share: float, seed: int = 2) -> list:
    """Repeats a byte symbol in some lines: the error that byte-level models make most."""
    generator = random.Random(seed)
    damaged = []
    for line in lines:
        places = [i for i, symbol in enumerate(line) if symbol > "\x7f" and symbol not in " ▁"]
        if places and generator.random() < share:
            place = generator.choice(places)
            line = line[:place] + line[place] + line[place:]
        damaged.append(line)
    return damaged


class Peer:
    """Fairseq's byte_bpe, a line at a time: it has no other way."""

    def __init__(self, model: Path):
        self.encoder = ByteBPE(ByteBpeConfig(sentencepiece_model_path=str(model)))

    def encode_lines(self, lines: list) -> list:
        return [self.encoder.encode(line) for line in lines]

    def decode_lines(self, lines: list) -> list:
        return [self.encoder.decode(line) for line in lines]


def train_peer(lines: list, symbols: int, folder: Path) -> Path:
    """A SentencePiece model with the settings of Fairseq's example."""
    import sentencepiece

    text = folder / "byte_text"
    text.write_text("".join(f"{byte_encode(line)}\n" for line in lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "peer"),
        model_type="bpe",
        vocab_size=symbols,
        character_coverage=1.0,
        normalization_rule_name="identity",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "peer.model"


def timed(function, argument):
    started = time.perf_counter()
    result = function(argument)
    return time.perf_counter() - started, result


ROWS = [["job", "tool", "seconds", "times Fairseq's speed"]]
RUNS = {}  # job -> tool -> seconds of each round


class Timings:
    """The rounds of one job; Fairseq's is the first candidate that is added."""

    def __init__(self, job: str):
        self.job = job
        self.seconds = RUNS.setdefault(job, {})

    def add(self, label: str, seconds: float) -> None:
        self.seconds.setdefault(label, []).append(seconds)

    def report(self) -> None:
        peer = next(iter(self.seconds.values()))
        for label, times in self.seconds.items():
            ratio = statistics.median(a / b for a, b in zip(peer, times))
            ROWS.append([self.job, label, f"{statistics.median(times):.4f}", f"{ratio:.1f}"])


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--lines", type=int, default=100_000, help="at most (default: %(default)s)")
    parser.add_argument("--symbols", type=int, default=4096, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument(
        "--broken", type=float, default=0.02,
        help="share of broken lines in the third job (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, default=len(os.sched_getaffinity(0)),
        help="our threads (default: as many as there are processors)",
    )  # fmt: skip
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write all rounds there, as JSON"
    )
    return parser


def main() -> int:
    args = build_parser().parse_args()
    lines = read_text(args.files, args.lines) if args.files else make_text(args.lines)
    with tempfile.TemporaryDirectory() as name:
        run(args, lines, Path(name))
    return 0


def run(args: argparse.Namespace, lines: list, folder: Path) -> None:
    text = folder / "text"
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    about = (
        f"{len(lines)} lines, {text.stat().st_size / 1e6:.1f} MB, {args.symbols} symbols, "
        f"{args.rounds} rounds, {args.workers} threads of ours"
    )
    codes = compare_learning(args, text, folder)
    compare_encoding(args, lines, codes, folder)
    encoded = ByteLevelBPE(codes).encode_lines(lines)
    compare_decoding(args, "decode", encoded, codes, lines)
    broken = damage(encoded, args.broken)
    kept = ByteLevelBPE(codes).decode_lines(broken)
    compare_decoding(args, f"decode, {args.broken:.0%} broken", broken, codes, kept)
    print("\n".join([about, "", *markdown_lines(ROWS)]))
    if args.record is not None:
        files = [path.name for path in args.files]
        options = f"--lines {args.lines} --symbols {args.symbols} --rounds {args.rounds}"
        command = " ".join(["python scripts/benchmarks/bytes.py", *files, options])
        keys = ("job", "tool", "seconds", "times_fairseq")
        records = [dict(zip(keys, (*row[:2], *map(float, row[2:])))) for row in ROWS[1:]]
        found = header(command, [*FAIRSEQ, "sentencepiece"], text=about, rows=records, seconds=RUNS)
        write_record(args.record, found)


def compare_learning(args: argparse.Namespace, text: Path, folder: Path) -> Path:
    """Learns as many merges over characters and over bytes; gives the byte codes."""
    table = Timings("learn")
    for _ in range(args.rounds):
        for unit in ("char", "byte"):
            seconds, learned = timed(
                lambda unit: learn_bpe(
                    [text], args.symbols - 256, unit=unit, num_workers=args.workers
                ),
                unit,
            )
            table.add(f"learn_bpe, unit {unit}", seconds)
    table.report()
    learned.save(folder / "codes")
    return folder / "codes"


def compare_encoding(args: argparse.Namespace, lines: list, codes: Path, folder: Path) -> None:
    peer_model = train_peer(lines, args.symbols, folder)
    train_sentencepiece_bytes([folder / "text"], folder / "ours", args.symbols)
    candidates = {
        "fairseq byte_bpe": lambda: Peer(peer_model),
        "bbpe, byte codes": lambda: ByteLevelBPE(codes),
        "bbpe, SentencePiece model": lambda: ByteLevelBPE(folder / "ours.model"),
    }
    first, again = Timings("encode, first time"), Timings("encode, again")
    for _ in range(args.rounds):
        for label, build in candidates.items():
            encoder = build()
            options = {} if isinstance(encoder, Peer) else {"num_workers": args.workers}
            encode = partial(encoder.encode_lines, **options)
            for table in (first, again):
                seconds, encoded = timed(encode, lines)
                table.add(label, seconds)
            check(label, encoder.decode_lines(encoded), lines)
    first.report()
    again.report()


def compare_decoding(
    args: argparse.Namespace, job: str, encoded: list, codes: Path, expected: list
) -> None:
    table = Timings(job)
    decoders = {
        "fairseq smart_byte_decode": lambda lines: [ByteBPE.decode(line) for line in lines],
        "bbpe": partial(ByteLevelBPE(codes).decode_lines, num_workers=args.workers),
    }
    for _ in range(args.rounds):
        for label, decode in decoders.items():
            seconds, decoded = timed(decode, encoded)
            table.add(label, seconds)
            check(label, decoded, expected)
    table.report()


def check(label: str, decoded: list, expected: list) -> None:
    # Fairseq's encoder leaves the space in front that SentencePiece adds.
    if [line.strip(" ") for line in decoded] != [line.strip(" ") for line in expected]:
        raise AssertionError(f"{label}: the text has changed")


if __name__ == "__main__":
    sys.exit(main())
