"""Counting on a Dask cluster: the same counter, on many machines.

A map task counts one span and divides its words by a hash; a reduce task adds up one part of the
words and sorts it. So each machine holds its share of the words only. Everything travels through
Dask: where a worker dies, the scheduler has its tasks done again, and no file that a worker wrote is
ever read.
"""

import io
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, List, Optional, Tuple

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.local import SPLIT_SIZE
from fairseq_subword_ext.counting.runs import Counted, SortedRuns, merge_ranked, ranked
from fairseq_subword_ext.counting.spans import Span, divide
from fairseq_subword_ext.counting.tally import Tally
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.version import __version__

logger = logging.getLogger(__name__)

LOCAL = "local"

# A scheduler handles some thousand tasks a second: spans and parts grow where there would be more.
_MOST_SPANS = 1024
_FEWEST_PARTS, _MOST_PARTS = 8, 128
# One part's words have to fit into a worker's memory; so much text has some million of them.
_TEXT_OF_PART = 1 << 30


@contextmanager
def counted_on_cluster(
    names: Sequence[str],
    scheduler: str,
    num_workers: int = 1,
    carriage_return: str = "error",
    split_size: Optional[int] = None,
    temporary_folder: Optional[str] = None,
) -> Iterator[Tuple[Iterator[Counted], Counter]]:
    """Counts the words of files on a cluster; the result is that of :func:`.local.counted_here`.

    Args:
        names: paths, globs and URLs, which have to mean the same here and on the workers.
        scheduler: the address of a Dask scheduler, or "local" for processes on this machine.
        num_workers: their number, for "local".
        carriage_return: "error", or "replace" for reading a lone ``\\r`` as a space.
        split_size: bytes of a plain file in one task; None for a size that suits the corpus.
        temporary_folder: on this machine, for the parts until they are put together.

    Yields:
        the words with their counts in order, and the facts of :class:`.tally.Tally`.

    Raises:
        ValueError: with file and line, for text that cannot be used; for standard input.
        OSError: If an input cannot be read, the scheduler cannot be reached, or workers die again
            and again.
        ImportError: If Dask is missing here, or this package on a worker.
    """
    if STANDARD_STREAM in names:
        raise ValueError("a cluster cannot read standard input: give files")
    names = expand(names)
    total = sum(span.size or 0 for span in divide(names, 1 << 62))
    spans = divide(names, split_size or max(SPLIT_SIZE, total // _MOST_SPANS))
    with (
        _client(scheduler, num_workers) as client,
        SortedRuns(temporary_folder, merge_ranked, ranked=True) as runs,
    ):
        workers = _check_workers(client)
        parts = min(max(total // _TEXT_OF_PART, 2 * workers, _FEWEST_PARTS), _MOST_PARTS)
        facts = _collect(client, spans, parts, carriage_return, runs)
        yield ((word, -count) for count, word in runs.merged()), facts


def _collect(
    client: Any, spans: Sequence[Span], parts: int, carriage_return: str, runs: SortedRuns
) -> Counter:
    """Has everything counted, and writes each part's words as a run; gives the facts."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    # Not "pure": the same file may hold other text in the next run.
    maps = [client.submit(_count, span, parts, carriage_return, pure=False) for span in spans]
    reduces = [
        client.submit(_add_up, [client.submit(itemgetter(part), one) for one in maps])
        for part in range(parts)
    ]
    facts = client.submit(sum, [client.submit(itemgetter(parts), one) for one in maps], Counter())
    del maps  # their results are needed no longer than until they are divided
    try:
        for reduce in as_completed(reduces):
            runs.add(map(ranked, io.BytesIO(reduce.result())))
            reduce.release()  # what is here need not be there
        return facts.result()
    except KilledWorker as error:
        raise OSError(
            f"workers died while they did the same task, again and again ({error}); if they ran out "
            "of memory, give them more, or a smaller --split-size"
        ) from None


def _count(span: Span, parts: int, carriage_return: str) -> list:
    """The map task: the words of a span in parts, and the facts as the last element."""
    tally = Tally(carriage_return)
    tally.add(span)
    return [*tally.parts(parts), tally.facts]


def _add_up(texts: List[bytes]) -> bytes:
    """The reduce task: one part's words of all spans, in the order of the result."""
    tally = Tally()
    tally.absorb(texts)
    return b"".join(map(b"%b %d\n".__mod__, tally.most_frequent_first()))


@contextmanager
def _client(scheduler: str, num_workers: int) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ImportError(
            'a cluster needs Dask: pip install distributed fsspec (or: pip install -e ".[cluster]")'
        ) from error
    if scheduler != LOCAL:
        with Client(scheduler) as client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=num_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            env={"DASK_LOGGING__DISTRIBUTED": "critical"},  # errors are told by this process
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _check_workers(client: Any) -> int:
    """Waits for workers and asks them for this package; gives their number."""
    if not client.scheduler_info()["workers"]:
        logger.warning("the cluster has no workers yet: waiting for the first")
    client.wait_for_workers(1)
    try:
        versions = client.run(_version)
    except Exception as error:  # what a worker cannot import comes back as a bare Exception
        if "ModuleNotFoundError" not in str(error):
            raise
        raise ImportError(
            f"a worker of the cluster lacks this package, or what it needs ({error}); install it there"
        ) from None
    for address, version in versions.items():
        if version != __version__:
            raise ValueError(
                f"the worker {address} has version {version} of this package, and this machine has "
                f"{__version__}; install the same"
            )
    return len(versions)


def _version() -> str:
    native_core()
    return __version__
