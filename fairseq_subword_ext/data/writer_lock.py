"""A lock that lets one process of a machine write while the others wait for its result."""

import fcntl
import json
import logging
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 10.0  # without a message


class WriterFailedError(ValueError):
    """The process that this one waited for could not write; has that process's message."""


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Holds the lock of a file; waits while another process holds it.

    The kernel releases the lock when its owner ends, however it ends. An owner that fails leaves its error in
    the file for those that wait for it, so that they do not fail one after another, each after the same
    work.

    Raises:
        WriterFailedError: If another process failed while this one waited.
        OSError: If the file cannot be opened, or its file system has no locks.
    """
    with path.open("a+b", buffering=0) as stream:
        waited = _acquire(stream.fileno(), path)
        before = _read(path)
        if before.get("state") == "writing":
            logger.warning(
                f"process {before.get('pid')} ended while it segmented text into {path.parent}; this one "
                "takes over"
            )
        if waited and before.get("state") == "failed":
            raise WriterFailedError(before.get("error"))
        _write(path, {"state": "writing", "pid": os.getpid()})
        try:
            yield
        except Exception as error:
            _write(path, {"state": "failed", "pid": os.getpid(), "error": str(error)})
            raise
        except BaseException:  # an interrupt says nothing about the text
            _write(path, {})
            raise
        _write(path, {})


def _acquire(handle: int, path: Path) -> bool:
    """Locks the file; returns whether another process held it."""
    started: Optional[float] = None
    reported = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return started is not None
        except BlockingIOError:
            pass
        except OSError as error:
            reason = (
                f"{error.strerror}; --text-cache DIR puts the segmented text on another file system"
            )
            raise OSError(error.errno, reason, str(path)) from None
        started = time.monotonic() if started is None else started
        if not reported and time.monotonic() - started > _PATIENCE_SECONDS:
            reported = True
            logger.info(
                f"waiting for process {_read(path).get('pid')}, which segments text into {path.parent}"
            )
        time.sleep(_POLL_SECONDS)


def _read(path: Path) -> dict:
    try:
        found = json.loads(path.read_text(encoding="utf-8") or "{}")
    except (OSError, ValueError):  # in the middle of a change
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, state: dict) -> None:
    try:
        path.write_text(json.dumps(state) if state else "", encoding="utf-8")
    except OSError:  # on a full disk, the error to report is the writer's own
        logger.debug("%s cannot be written", path)
