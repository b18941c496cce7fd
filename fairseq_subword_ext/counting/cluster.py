"""Counts on a Dask cluster, with the same counter on every worker.

A map task counts one span and partitions its words by a hash; a reduce task adds up and sorts one
partition. Each machine thus holds only its share of the words. All data travels through Dask: if a worker
dies, the scheduler repeats its tasks, and no file written by a worker is ever read.
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

# A scheduler handles about a thousand tasks per second, so spans and parts grow with the corpus.
_MOST_SPANS = 1024
_FEWEST_PARTS, _MOST_PARTS = 8, 128
# The words of one part must fit into a worker's memory; this much text has a few million of them.
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
        names: paths, globs and URLs, which must name the same files here and on the workers.
        scheduler: the address of a Dask scheduler, or "local" for processes on this machine.
        num_workers: number of processes, for "local".
        carriage_return: "error", or "replace" to read a lone ``\\r`` as a space.
        split_size: bytes of a plain file per task; None to choose by the size of the corpus.
        temporary_folder: a folder on this machine that holds the parts until they are merged.

    Yields:
        The words with their counts, in order, and the totals of :class:`.tally.Tally`.

    Raises:
        ValueError: If text cannot be used (names file and line), or an input is standard input.
        OSError: If an input cannot be read, the scheduler cannot be reached, or workers die
            repeatedly.
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
        totals = _collect(client, spans, parts, carriage_return, runs)
        yield ((word, -count) for count, word in runs.merged()), totals


def _collect(
    client: Any, spans: Sequence[Span], parts: int, carriage_return: str, runs: SortedRuns
) -> Counter:
    """Counts all spans, writes each part's words as a run, and returns the totals."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    # Not "pure": the file may hold different text in the next run.
    maps = [client.submit(_count, span, parts, carriage_return, pure=False) for span in spans]
    reduces = [
        client.submit(_add_up, [client.submit(itemgetter(part), one) for one in maps])
        for part in range(parts)
    ]
    totals = client.submit(sum, [client.submit(itemgetter(parts), one) for one in maps], Counter())
    del maps  # lets Dask free their results once they are partitioned
    try:
        for reduce in as_completed(reduces):
            runs.add(map(ranked, io.BytesIO(reduce.result())))
            reduce.release()  # the result is here now
        return totals.result()
    except KilledWorker as error:
        raise OSError(
            f"workers died repeatedly on the same task ({error}); if they ran out of memory, give them "
            "more, or choose a smaller --split-size"
        ) from None


def _count(span: Span, parts: int, carriage_return: str) -> list:
    """The map task: returns the words of a span in parts, with the totals as the last element."""
    tally = Tally(carriage_return)
    tally.add(span)
    return [*tally.parts(parts), tally.totals]


def _add_up(texts: List[bytes]) -> bytes:
    """The reduce task: adds up one part's words of all spans, in the order of the result."""
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
            env={"DASK_LOGGING__DISTRIBUTED": "critical"},  # this process reports the errors
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _check_workers(client: Any) -> int:
    """Waits for workers, checks that they have this package, and returns their number."""
    if not client.scheduler_info()["workers"]:
        logger.warning("the cluster has no workers yet: waiting for the first")
    client.wait_for_workers(1)
    try:
        versions = client.run(_version)
    except Exception as error:  # an import error on a worker arrives as a bare Exception
        if "ModuleNotFoundError" not in str(error):
            raise
        raise ImportError(
            f"a worker of the cluster lacks this package or one of its dependencies ({error}); install "
            "it there"
        ) from None
    for address, version in versions.items():
        if version != __version__:
            raise ValueError(
                f"the worker {address} has version {version} of this package, this machine has "
                f"{__version__}; install the same version"
            )
    return len(versions)


def _version() -> str:
    native_core()
    return __version__
