"""Dictionary indices for encodings that can only produce text: their symbols are looked up."""

from typing import TYPE_CHECKING, List, Optional

from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder, TextIdSegmenter
from fairseq_subword_ext.textio.lines import Block

if TYPE_CHECKING:
    from fairseq_subword_ext.codecs.codec import Codec


def text_id_encoder(
    codec: "Codec", dictionary: DictionaryIndices, append_eos: bool, carriage_return: str
) -> IdEncoder:
    """Returns the default of :meth:`.Codec.id_encoder`, for codecs without a faster one."""
    end: Optional[int] = dictionary.eos_index if append_eos else None
    text = _EncodedText(codec, carriage_return)
    return IdEncoder(TextIdSegmenter(text, dictionary.indices, dictionary.unk_index, end))


class _EncodedText:
    """Adapts a codec to :class:`.TextIdSegmenter`."""

    def __init__(self, codec: "Codec", carriage_return: str):
        self._codec = codec
        self._code = codec.block_coder(carriage_return).code

    def segment_lines(
        self, lines: List[str], dropout: float, seed: int, first_line: int, num_workers: int
    ) -> List[str]:
        _refuse_dropout(dropout)
        return self._codec.encode_lines(lines, num_workers)

    def segment_text(self, text: Block, dropout: float, seed: int, first_line: int) -> bytes:
        _refuse_dropout(dropout)
        return self._code(text, first_line)


def _refuse_dropout(dropout: float) -> None:
    if dropout:
        raise ValueError("dropout skips merges, and this encoding has none")
