"""SHA-256 of files: how signatures and records tell them by their content."""

import hashlib
from collections.abc import Iterable

from fairseq_subword_ext.textio.files import PathLike, binary_reader

_BLOCK = 1 << 20


def digest_of(paths: Iterable[PathLike]) -> str:
    """The digest of the bytes of all files, one after the other, in hexadecimal.

    Raises:
        OSError: If a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        with binary_reader(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()
