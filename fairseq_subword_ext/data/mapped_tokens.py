"""Reads binarized sentences from memory-mapped files, on access."""

from pathlib import Path

import numpy as np
import torch

# The index: this magic, version 1 (uint64), the type code of the ids (uint8), the number of sentences
# (uint64), their lengths (int32 each) and the byte offsets of their first ids (int64 each).
MAGIC = b"MMIDIDX\x00\x00"
HEADER = np.dtype([("magic", "S9"), ("version", "<u8"), ("type", "u1"), ("sentences", "<u8")])
TYPES = {1: "u1", 2: "i1", 3: "<i2", 4: "<i4", 5: "<i8", 8: "<u2", 9: "<u4"}


class MappedTokens(torch.utils.data.Dataset):
    """The files ``PATH.idx`` and ``PATH.bin`` of ``fairseq-preprocess --dataset-impl mmap``.

    Fairseq's own class reads both files completely when it opens them; if they are not cached, that takes
    longer than the rest of a run's start.

    Args:
        path: the path without extension.

    Raises:
        ValueError: If the index has another format, or a file is truncated.
    """

    supports_prefetch = False

    def __init__(self, path: str):
        self.path = path
        index = Path(f"{path}.idx")
        size = index.stat().st_size
        header = np.fromfile(index, HEADER, count=1) if size >= HEADER.itemsize else None
        if header is None or index.open("rb").read(len(MAGIC)) != MAGIC:
            raise ValueError(f"{index} is not an index of fairseq-preprocess --dataset-impl mmap")
        version, kind, sentences = (
            int(header[name][0]) for name in ("version", "type", "sentences")
        )
        expected = HEADER.itemsize + sentences * 12
        if version != 1 or kind not in TYPES or size < expected:
            raise ValueError(
                f"{index}: found version {version}, type {kind} and {size:,} bytes, expected version "
                f"1 and {expected:,} bytes; was fairseq-preprocess interrupted? Run it again"
            )
        # asarray gives a plain array over the mapped memory; slices of a memmap object are slow.
        mapped = np.asarray(np.memmap(index, np.uint8, mode="r"))[HEADER.itemsize :]
        self.sizes = mapped[: 4 * sentences].view("<i4")
        self._offsets = mapped[4 * sentences : 12 * sentences].view("<i8")
        self._tokens = np.asarray(np.memmap(f"{path}.bin", TYPES[kind], mode="r"))
        if self._offsets[-1] // self._tokens.itemsize + self.sizes[-1] > len(self._tokens):
            raise ValueError(
                f"{path}.bin is shorter than its index says; run fairseq-preprocess again"
            )

    def __getitem__(self, index) -> torch.Tensor:
        start = self._offsets[index] // self._tokens.itemsize
        tokens = self._tokens[start : start + self.sizes[index]]
        return torch.from_numpy(tokens.astype(np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self):
        return type(self), (self.path,)  # another process maps the files again
