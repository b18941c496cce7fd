"""Work by several threads whose results come in order."""

import threading
import time

import pytest

from fairseq_subword_ext.subword.pipeline import in_order


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


def test_few_items_are_held():
    made, used = [], []

    def items():
        for item in range(100):
            made.append(item)
            assert len(made) - len(used) < 12
            yield item

    in_order(items(), lambda item: item, used.append, 2)
    assert len(used) == 100


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_error_in_order_ends_it(workers):
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
def test_other_errors_end_it_too(workers, where, error):
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
