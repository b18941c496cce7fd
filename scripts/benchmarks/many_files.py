"""Compares ways of segmenting many files, every second one compressed, in turns.

One call of apply-bpe for all files, one call per file, and one call per file between gzip and gzip; each one after
the other and by xargs. The texts are joined and split into files of very different sizes.
"""

import argparse
import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
from itertools import accumulate
from pathlib import Path
from typing import Dict, List

from bpe import TABLES, Run, print_table, run
from bpe_text import words_text
from records import header, write_record

SUBWORD = f"{sys.executable} -m fairseq_subword_ext"
PER_FILE = f'{SUBWORD} apply-bpe -c codes -i "$1" -o out/"${{1##*/}}" --num-workers'
BY_GZIP = (
    f'case "$1" in *.gz) gzip -dc "$1" | {SUBWORD} apply-bpe -c codes | gzip > out/"${{1##*/}}" ;; '
    f'*) {SUBWORD} apply-bpe -c codes -i "$1" -o out/"${{1##*/}}" ;; esac'
)


def ways(workers: int) -> Dict[str, str]:
    """The commands for a shell in the folder of the files, by name."""

    def each(command: str, processes: int) -> str:
        return f"printf '%s\\n' in/* | xargs -P {processes} -I FILE sh -c '{command}' sh FILE"

    all_files = f"{SUBWORD} apply-bpe -c codes -i 'in/*' --output-dir out --num-workers"
    return {
        "one call, 1 worker": f"{all_files} 1",
        f"one call, {workers} workers": f"{all_files} {workers}",
        f"one call per file, {workers} workers each": each(f"{PER_FILE} {workers}", 1),
        f"one call per file, xargs -P {workers}": each(f"{PER_FILE} 1", workers),
        "zcat, apply-bpe and gzip, one file at a time": each(BY_GZIP, 1),
        f"zcat, apply-bpe and gzip, xargs -P {workers}": each(BY_GZIP, workers),
    }


def split(text: Path, folder: Path, files: int) -> None:
    """The file of rank r gets a share proportional to 1 / (r + 1); every second one is compressed."""
    lines = text.read_bytes().splitlines(keepends=True)
    shares = list(accumulate(1 / (rank + 1) for rank in range(1, files + 1)))
    ends = [0, *(round(len(lines) * share / shares[-1]) for share in shares)]
    for rank, (start, end) in enumerate(zip(ends, ends[1:]), start=1):
        part = b"".join(lines[start:end])
        name = f"part{rank}.txt{'' if rank % 2 else '.gz'}"
        (folder / name).write_bytes(part if rank % 2 else gzip.compress(part))


def content(folder: Path) -> str:
    """A digest of all files' texts."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("part*")):
        data = path.read_bytes()
        digest.update(gzip.decompress(data) if path.suffix == ".gz" else data)
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8 text; without any, one is made")
    parser.add_argument("--files", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--merges", type=int, default=32_000)
    parser.add_argument("--megabytes", type=float, default=30, help="size of a text that is made")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write all runs there, as JSON")
    args = parser.parse_args()
    texts = [path.resolve() for path in args.texts]
    record = args.record and args.record.resolve()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        Path("in").mkdir()
        if not texts:
            texts = [Path("made")]
            words_text(texts[0], args.megabytes)
        Path("all").write_bytes(b"".join(path.read_bytes() for path in texts))
        learn = [*SUBWORD.split(), "learn-bpe", "-i", "all", "-o", "codes", "-s", str(args.merges)]
        subprocess.run(learn, check=True, stderr=subprocess.DEVNULL)
        split(Path("all"), Path("in"), args.files)
        megabytes = Path("all").stat().st_size / 1e6
        runs: Dict[str, List[Run]] = {}
        contents = set()
        for _ in range(args.rounds):
            for way, command in ways(args.workers).items():
                subprocess.run(["rm", "-rf", "out"], check=True)
                Path("out").mkdir()
                done = run(["sh", "-c", command], text_megabytes=megabytes)
                if done is None:
                    sys.exit(f"{way} failed")
                runs.setdefault(way, []).append(done.run)
                contents.add(content(Path("out")))
        if len(contents) > 1:
            sys.exit("the outputs differ between the ways")
        title = f"Segmenting {args.files} files, {megabytes:.1f} MB, {args.merges} merges"
        print_table("files", title, runs, next(iter(runs)))
        if record:
            options = [
                f"--{key} {vars(args)[key]}" for key in ("files", "rounds", "workers", "merges")
            ]
            command = [
                "python scripts/benchmarks/many_files.py",
                *(path.name for path in args.texts),
                *options,
            ]
            write_record(record, header(" ".join(command), seeds=[1], tables=TABLES))


if __name__ == "__main__":
    main()
