"""The worker processes of Fairseq's data loaders."""

from fairseq.data.iterators import EpochBatchIterating


def ending_with_epoch(iterator: EpochBatchIterating) -> EpochBatchIterating:
    """The iterator, whose workers now end with their epoch.

    Each epoch starts new workers. Kept ones, the default of some Fairseq builds, would outlive theirs until
    the garbage collector finds them, which then waits five seconds for each.
    """
    iterator.persistent_workers = False
    return iterator
