#!/usr/bin/env python3
"""Moses tokenization and its undoing, by sacremoses, in several processes.

    moses.py tokenize -l de -i raw.de -o tokenized.de
    moses.py detokenize -l en -i GENERATED -o text.en

GENERATED is tokenized text, or what fairseq-generate printed with --bpe. Lines end at \\n only; any other
white space counts as a space, as for Moses itself. The tokenizer escapes what Moses's does (``&apos;`` and
the like), the detokenizer undoes it.
"""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, Sequence

from corpus_files import Pair, read_lines, write_lines
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.system_output import read_system

CHUNK = 2000  # lines that a process gets at a time
BLOCK = 200_000  # pairs in memory

_work = None  # what a worker process does with a line


def _start(job: str, language: str) -> None:
    global _work
    from sacremoses import MosesDetokenizer, MosesTokenizer

    if job == "tokenize":
        tokenizer = MosesTokenizer(lang=language)
        _work = lambda line: tokenizer.tokenize(line, return_str=True)  # noqa: E731
    else:
        detokenizer = MosesDetokenizer(lang=language)
        _work = lambda line: detokenizer.detokenize(line.split())  # noqa: E731


def _run(lines: List[str]) -> List[str]:
    return [_work(" ".join(line.split())) for line in lines]


def _process(job: str, lines: List[str], language: str, workers: Optional[int]) -> Iterator[str]:
    if find_spec("sacremoses") is None:
        raise ImportError(
            "Moses tokens need sacremoses: pip install 'fairseq_subword_ext[recipes]'"
        )
    workers = workers or len(os.sched_getaffinity(0))
    chunks = [lines[at : at + CHUNK] for at in range(0, len(lines), CHUNK)]
    if workers == 1 or len(chunks) < 2:
        _start(job, language)
        done = map(_run, chunks)
        yield from (line for chunk in done for line in chunk)
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(job, language)) as pool:
        yield from (line for chunk in pool.map(_run, chunks) for line in chunk)


def tokenize_lines(lines: List[str], language: str, workers: Optional[int] = None) -> List[str]:
    """Tokenizes lines as Moses's ``tokenizer.perl -l LANGUAGE`` does.

    Args:
        lines: raw text, a sentence each.
        language: its code, which chooses the abbreviations that keep their full stop.
        workers: processes; default as many as there are processors.
    """
    return list(_process("tokenize", lines, language, workers))


def tokenize_pairs(
    pairs: Iterable[Pair], languages: Sequence[str], workers: Optional[int] = None
) -> Iterator[Pair]:
    """The same for both sides of a corpus, of which only a part is in memory.

    Args:
        pairs: raw text.
        languages: the sides' codes.
        workers: processes; default as many as there are processors.
    """
    pairs = iter(pairs)
    while block := list(islice(pairs, BLOCK)):
        yield from zip(
            *(
                tokenize_lines(list(side), code, workers)
                for side, code in zip(zip(*block), languages)
            )
        )


def detokenize_lines(lines: List[str], language: str, workers: Optional[int] = None) -> List[str]:
    """Makes running text of tokenized lines, as Moses's ``detokenizer.perl -l LANGUAGE``."""
    return list(_process("detokenize", lines, language, workers))


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("job", choices=("tokenize", "detokenize"))
    parser.add_argument("-l", "--language", required=True)
    parser.add_argument("-i", "--input", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--workers", type=int)
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    if args.job == "tokenize":
        lines = tokenize_lines(read_lines(args.input), args.language, args.workers)
    else:
        tokenized = read_system(str(args.input)).lines
        lines = detokenize_lines(tokenized, args.language, args.workers)
    write_lines(args.output, lines)


if __name__ == "__main__":
    sys.exit(main())
