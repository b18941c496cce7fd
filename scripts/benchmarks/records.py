"""What every record of a benchmark begins with, and how it is written."""

import datetime
import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, Iterable, Optional

from fairseq_subword_ext.textio.files import atomic_text_writer

FAIRSEQ = ("ve-fairseq", "fairseq-fixed", "fairseq", "torch")  # distributions of Fairseq, and torch
PACKAGE = "fairseq_subword_ext"


def header(command: str, packages: Iterable[str] = (), **more: Any) -> Dict[str, Any]:
    """Date, command, versions and processor.

    Args:
        command: that gives these results.
        packages: whose versions matter, besides this one; those that are not installed are left out.
        more: such as ``seeds``.
    """
    versions = {name: version_of(name) for name in (PACKAGE, *packages)}
    found = {name: number for name, number in versions.items() if number}
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": command,
        "versions": {"python": platform.python_version(), **found},
        "processor": processor(),
        "processors": os.cpu_count(),
        **more,
    }


def version_of(package: str) -> Optional[str]:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor() -> str:
    """The processor's name, if the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def write_record(path: Path, record: Dict[str, Any]) -> None:
    """Writes a record as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_text_writer(path) as stream:
        stream.write(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
