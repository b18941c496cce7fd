"""One process writes while the others wait for it, and notice how it ends."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("fairseq")

from fairseq_subword_ext.data.writer_lock import WriterFailedError, writer_lock

HOLD = """
import sys
from pathlib import Path
from fairseq_subword_ext.data.writer_lock import writer_lock

with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    if sys.stdin.readline() == "fail\\n":
        raise ValueError("text:3: not UTF-8")
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock until it reads a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "lock"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def waiter(tmp_path):
    """Waits for the lock in a thread; the result is what it was told."""
    result = []

    def wait():
        try:
            with writer_lock(tmp_path / "lock"):
                result.append("held")
        except WriterFailedError as error:
            result.append(str(error))

    thread = threading.Thread(target=wait)

    def finish():
        thread.join(30)
        return result

    thread.start()
    time.sleep(0.3)
    assert not result
    return finish


def test_the_others_wait(holder, waiter, tmp_path):
    assert json.loads((tmp_path / "lock").read_text())["pid"] == holder.pid
    holder.communicate("done\n")
    assert waiter() == ["held"]


def test_the_others_fail_with_the_error_of_the_writer(holder, waiter, tmp_path):
    holder.communicate("fail\n")
    assert waiter() == ["text:3: not UTF-8"]
    with writer_lock(tmp_path / "lock"):  # one that comes later tries for itself
        pass


def test_a_killed_writer_is_replaced(holder, waiter, caplog):
    os.kill(holder.pid, signal.SIGKILL)
    assert waiter() == ["held"]
    assert f"process {holder.pid} ended while it segmented text" in caplog.text


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def flock(handle, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    message = "--text-cache DIR puts the segmented text on another"
    with pytest.raises(OSError, match=message), writer_lock(tmp_path / "lock"):
        pass
