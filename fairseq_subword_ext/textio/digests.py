"""SHA-256 of files: how signatures and records identify them by content."""

import hashlib
from collections.abc import Iterable

from fairseq_subword_ext.textio.files import PathLike, binary_reader

_BLOCK = 1 << 20


def digest_of(paths: Iterable[PathLike]) -> str:
    """Returns the hexadecimal digest of the concatenated bytes of all files.

    Raises:
        OSError: If a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        with binary_reader(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()
