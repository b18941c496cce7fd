"""SHA-256: what identifies files by content, and what seeds the random numbers of a text."""

import hashlib
from collections.abc import Iterable
from typing import Optional

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


def text_seed(seed: Optional[int], name: str) -> Optional[int]:
    """The seed of one text's random numbers, which depends on its name but not on other texts.

    It is the first eight bytes of the SHA-256 of ``SEED NAME``.

    Args:
        seed: of the whole corpus; None if nothing is drawn.
        name: of the text: its path below the output folder, or split, pair and side (and the epoch, if each
            epoch has its own segmentation).
    """
    if seed is None:
        return None
    digest = hashlib.sha256(f"{seed} {name}".encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:8], "big")
