"""The text that raw data (``--dataset-impl raw``) was read from."""

from typing import Optional

from fairseq.data import ConcatDataset, data_utils


class OriginalText(ConcatDataset):
    """Token ids of one or more raw files, with what fairseq-generate --replace-unk prints of them.

    Args:
        side: Fairseq's dataset of raw text, or a concatenation of such.
        post_process: ``--post-process`` (``--remove-bpe``), which Fairseq applies to everything that
            it prints but this.
    """

    def __init__(self, side, post_process: Optional[str] = None):
        super().__init__(side.datasets if isinstance(side, ConcatDataset) else [side])
        self._post_process = post_process

    def pieces(self, index: int) -> str:
        """A line as it is in the file: what the model reads, its unknown words spelled out."""
        part, place = self._get_dataset_and_sample_index(index)
        return self.datasets[part].get_original_text(place)

    def get_original_text(self, index: int) -> str:
        """A line as Fairseq prints it."""
        return data_utils.post_process(self.pieces(index), self._post_process)
