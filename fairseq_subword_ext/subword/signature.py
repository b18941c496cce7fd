"""Signatures: how a result came about, in one line that can be quoted, in the manner of sacreBLEU."""

import hashlib
from collections.abc import Mapping
from typing import Any

from fairseq_subword_ext.version import __version__


def format_signature(facts: Mapping[str, Any], version: str = __version__) -> str:
    """One line of ``name:value``, without spaces so that it can be searched for.

    Args:
        facts: in the order of the line; those that are None are left out.
        version: of the package that made the result; it comes last.
    """
    known = {**facts, "version": version}
    return "|".join(
        f"{name}:{str(value).replace(', ', '+').replace(' ', '_')}"
        for name, value in known.items()
        if value is not None
    )


def short_digest(data: bytes) -> str:
    """What a signature calls the content of a file."""
    return hashlib.sha256(data).hexdigest()[:12]
