"""Signatures: one quotable line that says how a result was made, like sacreBLEU's."""

import hashlib
from collections.abc import Mapping
from typing import Any

from fairseq_subword_ext.version import __version__


def format_signature(entries: Mapping[str, Any], version: str = __version__) -> str:
    """Formats one line of ``name:value`` entries, without spaces so that it is easy to search for.

    Args:
        entries: the entries in order; those whose value is None are left out.
        version: version of the package that made the result; it comes last.
    """
    known = {**entries, "version": version}
    return "|".join(
        f"{name}:{str(value).replace(', ', '+').replace(' ', '_')}"
        for name, value in known.items()
        if value is not None
    )


def short_digest(data: bytes) -> str:
    """The short SHA-256 digest that identifies a file in a signature."""
    return hashlib.sha256(data).hexdigest()[:12]
