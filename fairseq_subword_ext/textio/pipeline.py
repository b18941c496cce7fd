"""Thread pools: for streams of items whose results are used in order, and for items taken in turn.

:class:`Workers` is for blocks of text, which must be written in the order in which they were read;
:func:`take_turns` is for files and parts of files, each of which one thread reads to the end.
"""

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, TypeVar

if TYPE_CHECKING:  # slow to import, and many commands do not need it
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

# Maximum number of items held in memory per thread.
_ITEMS_PER_WORKER = 3

_TICK_SECONDS = 0.2


def available_processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """A pool of threads that serves one stream of items, or several at once.

    Use it as a context manager. The number of items in memory is bounded, however many streams there are.

    Args:
        num_workers: number of threads; with 1, each stream's calling thread does everything itself.
    """

    def __init__(self, num_workers: int):
        self._pool = None
        if num_workers > 1:  # imported here for the same reason
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(num_workers)
        self._room = threading.Semaphore(_ITEMS_PER_WORKER * num_workers)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def in_order(
        self,
        items: Iterable[Item],
        work: Callable[[Item], Result],
        use: Callable[[Result], None],
    ) -> None:
        """Calls ``use(work(item))`` for all items of one stream: ``work`` in threads, ``use`` in order.

        With more than one thread, the calling thread produces the items and another one uses the results,
        while the pool works. ``work`` must release the GIL to gain from threads. A result is used as soon
        as it is ready, however long the next item takes to arrive.

        Args:
            items: any number of items; few are in memory at a time.
            work: called from several threads at once.
            use: never called concurrently.

        Raises:
            BaseException: Anything that the items, ``work`` or ``use`` raise; of several errors of ``work``
                and ``use``, the first in the order of the items. Nothing is used after it.
        """
        if self._pool is None:
            for item in items:
                use(work(item))
            return
        pending: queue.SimpleQueue[Optional[Future]] = queue.SimpleQueue()
        failures: List[BaseException] = []

        def use_all() -> None:
            while (future := pending.get()) is not None:
                # After a failure, running work is awaited and the rest is cancelled.
                try:
                    if not failures or not future.cancel():
                        result = future.result()
                        if not failures:
                            use(result)
                except BaseException as error:
                    failures.append(error)
                finally:
                    self._room.release()

        user = threading.Thread(target=use_all, name="use results")
        try:
            user.start()  # inside the try: an interrupt may come while start() waits
            for item in items:
                self._room.acquire()
                pending.put(self._submit(work, item))
                if failures:
                    break
        except BaseException as error:
            failures.insert(0, error)
        finally:
            pending.put(None)
            if user.ident is not None:
                user.join()
        if failures:
            raise failures[0]

    def _submit(self, work: Callable[[Item], Result], item: Item) -> "Future":
        try:
            return self._pool.submit(work, item)
        except BaseException:
            self._room.release()
            raise


class StopError(Exception):
    """Ends the work on an item, because another thread has failed or the user has interrupted."""


class Turns:
    """The state that the threads of :func:`take_turns` share.

    Attributes:
        stop: set when all threads should stop; long work checks it regularly.
        failures: the errors, by the index of the item.
    """

    def __init__(
        self, items: Iterable[Any], continues: Callable[[Any, Exception], bool], finishes: bool
    ):
        self.stop = threading.Event()
        self.failures: Dict[int, Exception] = {}
        self._continues = continues
        self._finishes = finishes
        self._is_over = False
        self._waiting = iter(enumerate(items))
        self._lock = threading.Lock()

    def check(self) -> None:
        """Ends the work on an item if all threads should stop.

        Raises:
            StopError: If another thread has failed, or the user has interrupted.
        """
        if self.stop.is_set():
            raise StopError

    def take(self, work: Callable[[Any], None]) -> None:
        """Works on one item after another until there are none left, or the threads should stop."""
        while not (self.stop.is_set() or self._is_over):
            with self._lock:
                index, item = next(self._waiting, (-1, None))
            if index < 0:
                return
            try:
                work(item)
            except StopError:
                return
            except Exception as error:
                self.failures[index] = error
                if not self._continues(item, error):
                    self._is_over = True
                    if not self._finishes:
                        self.stop.set()


def take_turns(
    items: Iterable[Item],
    make_works: Callable[[Turns], Sequence[Callable[[Item], None]]],
    continues: Callable[[Item, Exception], bool] = lambda item, error: False,
    tick: Optional[Callable[[], None]] = None,
    patience: Optional[float] = None,
    finishes: bool = False,
) -> Dict[int, Exception]:
    """Distributes items over threads: each takes the next one until there are none left.

    Args:
        items: the items, started in order.
        make_works: returns one function per thread; if there is only one, the calling thread runs it.
        continues: whether to continue with the other items after this one failed.
        tick: called several times per second, from the calling thread.
        patience: seconds to wait for the threads after an interrupt, since one may be blocked on a pipe
            forever; None to wait as long as they take.
        finishes: finish the items started before a failure, so that the first failure in the order of
            the items is always found; otherwise their threads stop too.

    Returns:
        The errors of the items that failed, by index.

    Raises:
        BaseException: Anything that ``tick`` raises, and KeyboardInterrupt.
    """
    turns = Turns(items, continues, finishes)
    works = make_works(turns)
    if len(works) == 1 and tick is None:
        try:
            turns.take(works[0])
        finally:
            turns.stop.set()
        return turns.failures
    # Wait for events, since an interrupt inside Thread.join() can mark a running thread as dead.
    all_ended = [threading.Event() for _ in works]

    def run(work: Callable[[Item], None], ended: threading.Event) -> None:
        try:
            turns.take(work)
        finally:
            ended.set()

    threads = [
        threading.Thread(target=run, args=arguments, daemon=True)
        for arguments in zip(works, all_ended)
    ]
    try:
        for thread in threads:
            thread.start()
        for ended in all_ended:
            while not ended.wait(_TICK_SECONDS):
                if tick is not None:
                    tick()
    finally:
        # All items are done, or the threads must abandon theirs.
        turns.stop.set()
        for thread, ended in zip(threads, all_ended):
            if thread.ident is not None and ended.wait(patience):
                thread.join()
    return turns.failures
