"""Work on streams of items by several threads, whose results come in each stream's order."""

import os
import queue
import threading
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Callable, Deque, List, Optional, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# So many items a thread are in memory at most.
_ITEMS_A_WORKER = 3


def available_processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    items: Iterable[Item],
    work: Callable[[Item], Result],
    use: Callable[[Result], None],
    num_workers: int,
) -> None:
    """Calls ``use(work(item))`` for all items, ``work`` in threads, ``use`` in the items' order.

    With more than one thread the next items are made, on this thread, and earlier results are used, on
    another one, while the threads work. ``work`` has to release Python's lock to gain from it. A result
    is used as soon as it is there, however long the next item takes to come.

    Args:
        items: any number of them; few are held at a time.
        work: called by several threads at once.
        use: never called twice at once.
        num_workers: threads for ``work``; with 1 all is done on this thread.

    Raises:
        BaseException: what items, ``work`` or ``use`` raise; of those of ``work`` and ``use`` the first one
            in the items' order. Nothing is used after that, and no thread is left.
    """
    if num_workers == 1:
        for item in items:
            use(work(item))
        return
    pending: queue.Queue[Optional[Future]] = queue.Queue(_ITEMS_A_WORKER * num_workers)
    failures: List[BaseException] = []

    def use_all() -> None:
        while (future := pending.get()) is not None:
            # After a failure the rest is taken, so that nobody waits, and left.
            if not failures:
                try:
                    use(future.result())
                except BaseException as error:
                    failures.append(error)

    user = threading.Thread(target=use_all, name="use results")
    with ThreadPoolExecutor(num_workers) as pool:
        try:
            user.start()  # in here, since an interrupt may come while it waits for the thread
            for item in items:
                pending.put(pool.submit(work, item))
                if failures:
                    break
        except BaseException as error:
            failures.append(error)
            raise
        finally:
            if failures:
                pool.shutdown(wait=False, cancel_futures=True)
            pending.put(None)
            if user.ident is not None:
                user.join()
    if failures:
        raise failures[0]


class SharedWorkers:
    """Threads that work for several streams of items at once, each of which a thread of its own reads.

    Use as a context manager. However many streams there are, few items are held at a time.

    Args:
        num_workers: threads; with 1 each stream's own thread does the work.
    """

    def __init__(self, num_workers: int):
        self._pool = ThreadPoolExecutor(num_workers) if num_workers > 1 else None
        self._room = threading.Semaphore(_ITEMS_A_WORKER * num_workers)

    def __enter__(self) -> "SharedWorkers":
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
        """Calls ``use(work(item))`` for all items of one stream, ``use`` in their order on this thread.

        Raises:
            BaseException: what items, ``work`` or ``use`` raise; nothing is used after that.
        """
        if self._pool is None:
            for item in items:
                use(work(item))
            return
        pending: Deque[Future] = deque()

        def use_oldest() -> None:
            future = pending.popleft()
            try:
                use(future.result())
            finally:
                self._room.release()

        try:
            for item in items:
                # Whoever holds results gives them up before he waits for room, so that there will be some.
                while not self._room.acquire(blocking=not pending):
                    use_oldest()
                pending.append(self._pool.submit(work, item))
                while pending and pending[0].done():
                    use_oldest()
            while pending:
                use_oldest()
        finally:
            for future in pending:
                future.cancel()
                self._room.release()
