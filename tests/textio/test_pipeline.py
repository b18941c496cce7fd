"""Thread pools: results in order, failures, interrupts."""

import threading
import time

import pytest

from fairseq_subword_ext.textio.pipeline import StopError, Workers, take_turns


def in_order(items, work, use, num_workers):
    with Workers(num_workers) as workers:
        workers.in_order(items, work, use)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_items_order(workers):
    used = []

    def work(item):
        time.sleep(0.002 if item % 3 == 0 else 0)
        return item * item

    in_order(range(50), work, used.append, workers)
    assert used == [item * item for item in range(50)]


def test_a_result_does_not_wait_for_the_next_item():
    used = threading.Event()

    def items():
        yield 1
        assert used.wait(10), "the first result was not used before the second item came"

    in_order(items(), lambda item: item, lambda _: used.set(), 2)


def test_few_items_are_in_memory():
    made, used = [], []

    def items():
        for item in range(100):
            made.append(item)
            assert len(made) - len(used) < 12
            yield item

    in_order(items(), lambda item: item, used.append, 2)
    assert len(used) == 100


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_error_in_order_stops_the_stream(workers):
    used = []

    def work(item):
        if item == 7:
            time.sleep(0.05)
        if item >= 7:
            raise ValueError(f"item {item}")
        return item

    before = threading.active_count()
    with pytest.raises(ValueError, match="item 7"):
        in_order(iter(range(1000)), work, used.append, workers)
    assert used == list(range(7))
    assert threading.active_count() == before


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("where", ["items", "use"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_other_errors_stop_the_stream_too(workers, where, error):
    used = []

    def items():
        for item in range(1000):
            if where == "items" and item == 5:
                raise error
            yield item

    def use(item):
        if where == "use" and item == 5:
            raise error
        used.append(item)

    before = threading.active_count()
    with pytest.raises(error):
        in_order(items(), lambda item: item, use, workers)
    assert used == list(range(len(used))) and len(used) <= 5
    assert threading.active_count() == before


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_shared_workers_keep_each_streams_order(workers):
    def work(item):
        time.sleep(0.001 * (item % 3))
        return item

    used = {stream: [] for stream in range(4)}
    running, most = [], []

    def items():
        for item in range(40):
            running.append(item)
            most.append(len(running))
            yield item

    with Workers(workers) as shared:

        def read(stream):
            def use(item):
                running.pop()
                used[stream].append(item)

            shared.in_order(items(), work, use)

        threads = [threading.Thread(target=read, args=(stream,)) for stream in used]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert all(results == list(range(40)) for results in used.values())
    assert max(most) <= 3 * workers + 2 * len(used)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("where", ["items", "work", "use"])
def test_a_failed_stream_leaves_room_for_the_others(workers, where):
    def fail(at, item):
        if at == where and item == 20:
            raise ValueError(at)
        return item

    with Workers(workers) as shared:
        for _ in range(5):  # each would use up some of the room if it did not release it
            used = []
            with pytest.raises(ValueError, match=where):
                shared.in_order(
                    (fail("items", item) for item in range(50)),
                    lambda item: fail("work", item),
                    lambda item, used=used: used.append(fail("use", item)),
                )
            assert used == list(range(len(used))) and len(used) <= 20
        used = []
        shared.in_order(range(50), str, used.append)
    assert used == list(map(str, range(50)))


@pytest.mark.parametrize("workers", [1, 3])
def test_every_item_is_taken_once_in_turn(workers):
    taken = []
    assert take_turns(range(50), lambda turns: [taken.append] * workers) == {}
    assert sorted(taken) == list(range(50)) and (workers > 1 or taken == sorted(taken))


@pytest.mark.parametrize("workers", [1, 3])
def test_a_failure_stops_all_turns_or_none(workers):
    def work(item):
        if item % 10 == 7:
            raise ValueError(item)
        time.sleep(0.001)

    failures = take_turns(range(50), lambda turns: [work] * workers, lambda item, error: True)
    assert sorted(failures) == [7, 17, 27, 37, 47]
    failures = take_turns(range(50), lambda turns: [work] * workers)
    assert min(failures) == 7 and max(failures) < 27


def test_the_first_failure_is_found_if_items_are_finished():
    later_has_failed = threading.Event()

    def work(item):
        if item == 0:
            assert later_has_failed.wait(60)
            time.sleep(0.05)
        else:
            later_has_failed.set()
        raise ValueError(item)

    failures = take_turns(range(9), lambda turns: [work] * 2, finishes=True)
    assert sorted(failures) == [0, 1]


def test_an_interrupt_stops_all_and_waits_for_them():
    left = []

    def works(turns):
        def work(item):
            try:
                while True:
                    time.sleep(0.01)
                    turns.check()
            except StopError:
                left.append(item)
                raise

        return [work] * 2

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take_turns(range(9), works, tick=interrupt)
    assert sorted(left) == [0, 1]


def test_patience_bounds_the_wait_for_a_thread_that_hangs():
    hang = threading.Event()

    def interrupt():
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        take_turns([1], lambda turns: [lambda item: hang.wait(60)], tick=interrupt, patience=0.1)
    assert time.monotonic() - started < 30
    hang.set()
