"""Work by threads: on streams of items whose results come in order, and on items in turn.

:class:`Workers` is for blocks of text, which have to be written in the order in which they were read;
:func:`take_turns` is for files and parts of files, each of which one thread reads to its end.
"""

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Optional, TypeVar

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
    """Threads that work for one stream of items, or for several at once.

    Use as a context manager. However many streams there are, few items are held at a time.

    Args:
        num_workers: threads; with 1 the thread of each stream does everything itself.
    """

    def __init__(self, num_workers: int):
        self._pool = ThreadPoolExecutor(num_workers) if num_workers > 1 else None
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

        With more than one thread the next items are made on the calling thread, and earlier results are
        used on another one, while the threads work. ``work`` must release Python's lock to gain from it.
        A result is used as soon as it is there, however long the next item takes to come.

        Args:
            items: any number of them; few are held at a time.
            work: called by several threads at once.
            use: never called twice at once.

        Raises:
            BaseException: what items, ``work`` or ``use`` raise; of those of ``work`` and ``use`` the
                first one in the order of the items. Nothing is used after that.
        """
        if self._pool is None:
            for item in items:
                use(work(item))
            return
        pending: queue.SimpleQueue[Optional[Future]] = queue.SimpleQueue()
        failures: List[BaseException] = []

        def use_all() -> None:
            while (future := pending.get()) is not None:
                # After a failure what is left is only waited for, or never begun.
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
            user.start()  # in here, since an interrupt may come while it waits for the thread
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

    def _submit(self, work: Callable[[Item], Result], item: Item) -> Future:
        try:
            return self._pool.submit(work, item)
        except BaseException:
            self._room.release()
            raise


class StopError(Exception):
    """Another thread has failed, or the user has interrupted: what an item's work may raise to end."""


class Turns:
    """What the threads of :func:`take_turns` share.

    Attributes:
        stop: set when nothing more is to be done; long work checks it now and then.
        failures: why items were not done, by their place.
    """

    def __init__(
        self, items: Iterable[Any], goes_on: Callable[[Any, Exception], bool], finishes: bool
    ):
        self.stop = threading.Event()
        self.failures: Dict[int, Exception] = {}
        self._goes_on = goes_on
        self._finishes = finishes
        self._is_over = False
        self._waiting = iter(enumerate(items))
        self._lock = threading.Lock()

    def check(self) -> None:
        """Ends the work on an item where there is a reason to.

        Raises:
            StopError: If another thread has failed, or the user has interrupted.
        """
        if self.stop.is_set():
            raise StopError

    def take(self, work: Callable[[Any], None]) -> None:
        """Works on the next item until there is none, or no reason to go on."""
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
                if not self._goes_on(item, error):
                    self._is_over = True
                    if not self._finishes:
                        self.stop.set()


def take_turns(
    items: Iterable[Item],
    make_works: Callable[[Turns], Sequence[Callable[[Item], None]]],
    goes_on: Callable[[Item, Exception], bool] = lambda item, error: False,
    tick: Optional[Callable[[], None]] = None,
    patience: Optional[float] = None,
    finishes: bool = False,
) -> Dict[int, Exception]:
    """Lets threads take the next item until there are none.

    Args:
        items: begun in their order.
        make_works: gives one function per thread; with a single one this thread calls it.
        goes_on: whether the other items are worth doing after a failure of this one.
        tick: called several times a second, by this thread.
        patience: seconds to wait for threads after an interrupt, as one may wait for a pipe for ever;
            None for as long as they take.
        finishes: items that were begun before a failure are finished, so that the first failure in the
            order of the items is found, always; otherwise their threads stop too.

    Returns:
        Why items were not done, by their place.

    Raises:
        BaseException: what ``tick`` raises, and KeyboardInterrupt.
    """
    turns = Turns(items, goes_on, finishes)
    works = make_works(turns)
    if len(works) == 1 and tick is None:
        try:
            turns.take(works[0])
        finally:
            turns.stop.set()
        return turns.failures
    # An interrupt inside Thread.join() makes Python take a thread for dead that is not; so events are
    # what is waited for.
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
        # They are through with all items, or have to leave what they are at.
        turns.stop.set()
        for thread, ended in zip(threads, all_ended):
            if thread.ident is not None and ended.wait(patience):
                thread.join()
    return turns.failures
