"""Moses tokenization, truecasing, and their undoing, by sacremoses, in several processes.

White space of any kind counts as a space, as for Moses itself. The tokenizer escapes what Moses's does (``&apos;`` and
the like), the detokenizer undoes it.
"""

import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Sequence

from recipes.text.raw_text import Pair

CHUNK = 2000  # lines that a process gets at a time
BLOCK = 200_000  # pairs in memory

_work = None  # what a worker process does with a line


def _start(job: str, setting: str) -> None:
    """Makes ready for a job; the setting is its language, or truecasing's file of counts."""
    global _work
    from sacremoses import MosesDetokenizer, MosesDetruecaser, MosesTokenizer

    if job == "tokenize":
        tokenizer = MosesTokenizer(lang=setting)
        _work = lambda line: tokenizer.tokenize(line, return_str=True)  # noqa: E731
    elif job == "truecase":
        truecaser = _truecaser(load_from=setting)
        # As Moses': a form that training text has inside sentences stays as it is.
        _work = lambda line: truecaser.truecase(line, return_str=True, use_known=True)  # noqa: E731
    elif job == "detruecase":
        detruecaser = MosesDetruecaser()
        _work = lambda line: detruecaser.detruecase(line, return_str=True)  # noqa: E731
    else:
        detokenizer = MosesDetokenizer(lang=setting)
        _work = lambda line: detokenizer.detokenize(line.split())  # noqa: E731


def _truecaser(**options):
    from sacremoses import MosesTruecaser

    class Truecaser(MosesTruecaser):
        MAX_MODEL_ENTRIES = sys.maxsize  # German news have almost the two million of sacremoses

    return Truecaser(**options)


def _run(lines: List[str]) -> List[str]:
    return [_work(" ".join(line.split())) for line in lines]


def _check_installed() -> None:
    if find_spec("sacremoses") is None:
        raise ImportError(
            "Moses tokens need sacremoses: pip install 'fairseq_subword_ext[recipes]'"
        )


def _process(job: str, lines: List[str], setting: str, workers: Optional[int]) -> Iterator[str]:
    _check_installed()
    workers = workers or len(os.sched_getaffinity(0))
    chunks = [lines[at : at + CHUNK] for at in range(0, len(lines), CHUNK)]
    if workers == 1 or len(chunks) < 2:
        _start(job, setting)
        done = map(_run, chunks)
        yield from (line for chunk in done for line in chunk)
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(job, setting)) as pool:
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


def learn_truecaser(lines: Iterable[str], path: Path) -> None:
    """Counts the forms that words have inside sentences, as Moses's ``train-truecaser.perl``.

    Args:
        lines: tokenized text.
        path: where the counts go, for :func:`truecase_lines`.
    """
    _check_installed()
    truecaser = _truecaser()
    forms: Dict[str, Counter] = defaultdict(Counter)
    for line in lines:
        for lowered, form, weight in truecaser.learn_truecase_weights(line.split()):
            forms[lowered][form] += weight
    truecaser.model = {"casing": forms}
    truecaser.save_model(str(path))


def truecase_lines(lines: List[str], model: Path, workers: Optional[int] = None) -> List[str]:
    """Gives the words that begin a sentence the form that they have elsewhere."""
    return list(_process("truecase", lines, str(model), workers))


def detruecase_lines(lines: List[str], workers: Optional[int] = None) -> List[str]:
    """Gives sentences a capital letter at their beginning."""
    return list(_process("detruecase", lines, "", workers))
