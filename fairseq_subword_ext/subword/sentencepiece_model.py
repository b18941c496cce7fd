"""SentencePiece models trained on byte text, ours and those that fairseq's example made.

SentencePiece treats its input as text: by default it drops spaces, normalizes characters (which
turns the stand-in ``²`` into another byte's), and joins unknown characters into one piece, which may
then spell a control symbol. None of that is reversible, so a model is adapted as it is loaded, and
the pieces of a line always spell its byte text.
"""

import logging
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Dict, List

from fairseq_subword_ext.subword.byte_text import (
    BYTE_SYMBOLS,
    SPACE_SYMBOL,
    to_byte_text,
    to_byte_texts,
)
from fairseq_subword_ext.subword.escaping import is_control
from fairseq_subword_ext.subword.protobuf import Value, encode_field, read_fields

if TYPE_CHECKING:
    import sentencepiece

logger = logging.getLogger(__name__)

# Field numbers and piece types of sentencepiece_model.proto.
PIECE_FIELD, TRAINER_FIELD, NORMALIZER_FIELD = 1, 2, 3
TEXT_FIELD, TYPE_FIELD = 1, 3
NORMAL, UNUSED, BYTE = 1, 5, 6

# Words are looked up here before SentencePiece is asked; bounded, so that memory is.
CACHED_WORDS = 1 << 18
CACHED_LENGTH = 64


class SentencePieceModel:
    """Segments byte text with a SentencePiece model.

    Attributes:
        pieces: every piece that segmentation can produce.
        missing: the byte values that the model has no piece for. They still come out, each as its
            own symbol, but a dictionary made from the model's vocabulary does not hold them.
    """

    def __init__(self, model: bytes, path: str = "SentencePiece model"):
        """Adapts a model to byte text.

        Args:
            model: the content of a ``.model`` file.
            path: named in messages.

        Raises:
            ValueError: If this is no SentencePiece model, or one of plain text.
        """
        self._processor = load_processor(adapt_model(model, path), path)
        processor = self._processor
        usable = [
            index
            for index in range(processor.get_piece_size())
            if not (
                processor.is_unknown(index)
                or processor.is_control(index)
                or processor.is_unused(index)
            )
        ]
        self.pieces = [processor.id_to_piece(index) for index in usable]
        _refuse_plain_text(self.pieces, path)
        self._known = frozenset(self.pieces)
        self.missing = [
            byte for byte, symbol in enumerate(BYTE_SYMBOLS) if symbol not in self._known
        ]
        if self.missing:
            logger.warning(
                "%s has no piece for %d of the 256 bytes (%s); text that holds them is written with "
                "single byte symbols, which become <unk> wherever the dictionary lacks them",
                path,
                len(self.missing),
                _summary(self.missing),
            )
        # Pieces that cross a word's start (--split_by_whitespace=false) need the whole line.
        self._by_words = not any(SPACE_SYMBOL in piece[1:] for piece in self.pieces)
        self._cache = _WordCache(self._segment_whole)

    def segment_line(self, line: str) -> str:
        """Segments one line of text, which can be encoded."""
        byte_text = to_byte_text(line)
        return byte_text and self.segment(byte_text)

    def segment_lines(self, lines: Sequence[str], num_workers: int = 1) -> List[str]:
        """Segments lines of text, which can be encoded, in one thread."""
        segment = self.segment
        return [byte_text and segment(byte_text) for byte_text in to_byte_texts(lines)]

    def segment(self, byte_text: str) -> str:
        """Segments one line of byte text into pieces separated by spaces."""
        if not self._by_words:
            return self._segment_whole(byte_text)
        words = byte_text.replace(SPACE_SYMBOL, f" {SPACE_SYMBOL}").split(" ")
        if not words[0]:
            words = words[1:]
        return " ".join(map(self._cache.__getitem__, words))

    def _segment_whole(self, byte_text: str) -> str:
        pieces = self._processor.encode(byte_text, out_type=str)
        if self.missing:
            # SentencePiece joins unknown symbols that stand together into one piece.
            pieces = [part for piece in pieces for part in self._split_unknown(piece)]
        return " ".join(pieces)

    def _split_unknown(self, piece: str) -> Iterable[str]:
        return (piece,) if piece in self._known else piece


class _WordCache(dict):
    """Segmented words; asks ``segment`` for those that it does not hold."""

    def __init__(self, segment):
        super().__init__()
        self._segment = segment

    def __missing__(self, word: str) -> str:
        segmented = self._segment(word)
        if len(word) <= CACHED_LENGTH:
            if len(self) >= CACHED_WORDS:
                self.clear()
            self[word] = segmented
        return segmented


def load_processor(model: bytes, path: str) -> "sentencepiece.SentencePieceProcessor":
    """Loads a model as it is.

    Raises:
        ValueError: If SentencePiece refuses it.
    """
    import sentencepiece  # here, for what needs no such model should not wait for it

    try:
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, OSError) as error:
        raise ValueError(f"{path}: found a broken SentencePiece model ({error})") from None


def is_sentencepiece_model(content: bytes) -> bool:
    """Whether a file's content is a SentencePiece model; codes and other texts are not."""
    try:
        fields = list(read_fields(content))
    except ValueError:
        return False
    return any(number == NORMALIZER_FIELD for number, _ in fields) and any(
        number == PIECE_FIELD for number, _ in fields
    )


def adapt_model(model: bytes, path: str) -> bytes:
    """Makes a model's segmentation reversible on byte text.

    Normalization is switched off, the spaces are left alone (byte text brings its own U+2581 in
    front), and pieces that spell a control symbol, or bytes of the stand-ins' own UTF-8, are marked
    as unused, so that SentencePiece undoes their last merge.

    Args:
        model: the content of a ``.model`` file.
        path: named in messages.

    Raises:
        ValueError: If the content is no SentencePiece model.
    """
    if not is_sentencepiece_model(model):
        raise ValueError(f"{path}: expected a SentencePiece model, found something else")
    adapted = bytearray()
    for number, value in read_fields(model):
        if number == PIECE_FIELD and _must_not_appear(_piece(value, path)):
            value = value + encode_field(TYPE_FIELD, UNUSED)
        adapted += encode_field(number, value)
    # A message given twice is merged, and the later value of a field wins.
    identity = {1: b"identity", 2: b"", 3: 0, 4: 0, 5: 1, 6: b""}
    normalizer = b"".join(encode_field(number, value) for number, value in identity.items())
    byte_fallback_off = encode_field(35, 0)
    adapted += encode_field(NORMALIZER_FIELD, normalizer)
    adapted += encode_field(TRAINER_FIELD, byte_fallback_off)
    return bytes(adapted)


def _piece(message: Value, path: str) -> Dict[int, Value]:
    """The fields of one piece.

    Raises:
        ValueError: If it has no text, or its text or type is invalid.
    """
    try:
        piece = dict(read_fields(message)) if type(message) is bytes else {}
        piece[TEXT_FIELD].decode("utf-8")
        if isinstance(piece.get(TYPE_FIELD, NORMAL), int):
            return piece
    except (ValueError, LookupError, AttributeError):
        pass
    raise ValueError(
        f"{path}: found a broken SentencePiece model (a piece without a valid text or type)"
    )


def _must_not_appear(piece: dict) -> bool:
    kind = piece.get(TYPE_FIELD, NORMAL)
    return kind == BYTE or (kind == NORMAL and is_control(piece[TEXT_FIELD].decode("utf-8")))


def _refuse_plain_text(pieces: Iterable[str], path: str) -> None:
    # A model may have been trained with SentencePiece's default normalization on.
    alphabet = set(unicodedata.normalize("NFKC", "".join(BYTE_SYMBOLS))) | set(BYTE_SYMBOLS)
    alphabet |= set("".join(alphabet).casefold())
    foreign = sorted(set("".join(pieces)) - alphabet)
    if foreign:
        raise ValueError(
            f"{path}: found the character {foreign[0]!r} (and {len(foreign) - 1} more that stand "
            "for no byte), so this SentencePiece model was trained on plain text; train one on "
            "byte text with `fairseq-subword learn-bpe --unit byte --trainer sentencepiece`, or use "
            "it with --bpe sentencepiece"
        )


def _summary(values: list, shown: int = 8) -> str:
    named = ", ".join(f"0x{value:02X}" for value in values[:shown])
    return named if len(values) <= shown else f"{named}, ..."
