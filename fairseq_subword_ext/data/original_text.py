"""Keeps the text of raw data (``--dataset-impl raw``)."""

from typing import Optional

from fairseq.data import ConcatDataset, data_utils


class OriginalText(ConcatDataset):
    """Token ids of one or more raw files, with the text that fairseq-generate --replace-unk prints.

    Args:
        side: Fairseq's dataset of raw text, or a concatenation of several.
        post_process: ``--post-process`` (``--remove-bpe``), which Fairseq applies to all its output
            except this text.
    """

    def __init__(self, side, post_process: Optional[str] = None):
        super().__init__(side.datasets if isinstance(side, ConcatDataset) else [side])
        self._post_process = post_process

    def pieces(self, index: int) -> str:
        """A line as in the file: the pieces that the model reads, with unknown ones spelled out."""
        part, index_in_part = self._get_dataset_and_sample_index(index)
        return self.datasets[part].get_original_text(index_in_part)

    def get_original_text(self, index: int) -> str:
        """A line as Fairseq prints it."""
        return data_utils.post_process(self.pieces(index), self._post_process)
