"""SentencePiece models trained on byte text: ours and those of Fairseq's example.

SentencePiece treats its input as text: by default it drops spaces, normalizes characters (which
turns the stand-in ``²`` into that of another byte), and joins unknown characters into one piece, which
may then spell a control symbol. None of that is reversible, so models are adapted on loading, and the
pieces of a line always spell its byte text.
"""

import logging
import math
import struct
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.byte_text import (
    BYTE_SYMBOLS,
    SPACE_SYMBOL,
    to_byte_texts,
)
from fairseq_subword_ext.subword.escaping import is_control
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.protobuf import Value, encode_field, read_fields

if TYPE_CHECKING:
    import sentencepiece

logger = logging.getLogger(__name__)

# Field numbers and piece types of sentencepiece_model.proto.
PIECE_FIELD, TRAINER_FIELD, NORMALIZER_FIELD = 1, 2, 3
TEXT_FIELD, SCORE_FIELD, TYPE_FIELD = 1, 2, 3
NORMAL, USER_DEFINED, UNUSED, BYTE = 1, 4, 5, 6
MODEL_TYPE_FIELD = 3
BPE_MODEL, CHARACTER_MODEL = 2, 4

# The cache of segmented words is bounded in words and word length, and so in memory.
CACHED_WORDS = 1 << 18
CACHED_LENGTH = 64


class SentencePieceModel:
    """Segments byte text with a SentencePiece model.

    Attributes:
        pieces: all pieces that segmentation can produce.
        missing: the byte values without a piece. Each is written as its own symbol, which a dictionary
            made from the model's vocabulary lacks.
    """

    def __init__(self, model: bytes, path: str = "SentencePiece model"):
        """Adapts a model to byte text.

        Args:
            model: the content of a ``.model`` file.
            path: for messages.

        Raises:
            ValueError: If this is not a SentencePiece model, or one of plain text.
        """
        adapted = adapt_model(model, path)
        self._processor = processor = load_processor(adapted, path)
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
        known = frozenset(self.pieces)
        self.missing = [byte for byte, symbol in enumerate(BYTE_SYMBOLS) if symbol not in known]
        if self.missing:
            logger.warning(
                "%s has no piece for %d of the 256 bytes (%s); text with these bytes is written with "
                "single byte symbols, which become <unk> wherever the dictionary lacks them",
                path,
                len(self.missing),
                _summary(self.missing),
            )
        # Pieces that cross a word's start (--split_by_whitespace=false) need the whole line.
        self._by_words = not any(SPACE_SYMBOL in piece[1:] for piece in self.pieces)
        self._cache = _WordCache(self._segment_whole)
        self._scored_pieces = _scored_pieces(adapted) if self._by_words else None
        self._native = self.native_segmenter("keep")

    def native_segmenter(self, carriage_return: str) -> Optional[NativeSegmenter]:
        """Returns a segmenter of the compiled core that does the same; None if there is none.

        The core supports BPE and character models whose pieces lie within words and whose user-defined
        symbols are single bytes.

        Args:
            carriage_return: as for :class:`.Segmenter`.
        """
        if self._scored_pieces is None:
            return None
        try:
            core = native_core()
        except ImportError:
            return None
        return NativeSegmenter(
            core.TextSegmenter.of_scored_pieces(self._scored_pieces, carriage_return)
        )

    def segment_line(self, line: str, dropout: float = 0.0) -> str:
        """Segments one line of text, which must be encodable as UTF-8."""
        return self.segment_lines([line], 1, dropout)[0]

    def segment_lines(
        self,
        lines: Sequence[str],
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
    ) -> List[str]:
        """Segments lines of text, which must be encodable as UTF-8; the arguments are those of :class:`.Segmenter`.

        Raises:
            ValueError: If dropout is above 0 and only SentencePiece itself can segment.
        """
        if self._native is not None:
            return self._native.segment_lines(lines, num_workers, dropout, seed, first_line)
        if dropout:
            raise ValueError(
                "dropout needs byte-level codes, or a BPE model whose pieces do not cross words; "
                "it needs the compiled core"
            )
        segment = self.segment
        return [byte_text and segment(byte_text) for byte_text in to_byte_texts(lines)]

    def segment(self, byte_text: str) -> str:
        """Segments one line of byte text with SentencePiece itself, into pieces separated by spaces."""
        if not self._by_words:
            return self._segment_whole(byte_text)
        words = byte_text.replace(SPACE_SYMBOL, f" {SPACE_SYMBOL}").split(" ")
        if not words[0]:
            words = words[1:]
        return " ".join(map(self._cache.__getitem__, words))

    def _segment_whole(self, byte_text: str) -> str:
        pieces = self._processor.encode(byte_text, out_type=str)
        if self.missing:
            # SentencePiece joins adjacent unknown symbols, which may then spell a piece.
            ids = self._processor.encode(byte_text, out_type=int)
            unknown = self._processor.unk_id()
            pieces = [
                p for piece, i in zip(pieces, ids) for p in (piece if i == unknown else [piece])
            ]
        return " ".join(pieces)


def _scored_pieces(model: bytes) -> Optional[List[Tuple[str, float, bool]]]:
    """Returns the mergeable pieces of an adapted model: (piece, score, whether it is unused).

    Pieces with characters that are not the stand-in of a byte are left out, since byte text does not
    contain them, and so are pieces with user-defined characters, since these never merge.

    Returns:
        None if the model is neither a BPE nor a character model, or has longer user-defined symbols.
    """
    model_type = 1  # SentencePiece's default, unigram
    alphabet = {*BYTE_SYMBOLS}
    pieces = []
    for number, value in read_fields(model):
        if number == TRAINER_FIELD:
            model_type = dict(read_fields(value)).get(MODEL_TYPE_FIELD, model_type)
        elif number == PIECE_FIELD:
            piece = dict(read_fields(value))
            kind = piece.get(TYPE_FIELD, NORMAL)
            score = struct.unpack("<f", piece.get(SCORE_FIELD, bytes(4)))[0]
            text = piece[TEXT_FIELD].decode("utf-8")
            if math.isnan(score) or (kind == USER_DEFINED and len(text) > 1):
                return None
            if kind == USER_DEFINED:
                alphabet.discard(text)
            elif kind in (NORMAL, UNUSED):
                pieces.append((text, score, kind == UNUSED))
    if model_type == CHARACTER_MODEL:
        return []  # nothing merges
    if model_type != BPE_MODEL:
        return None
    return [piece for piece in pieces if alphabet.issuperset(piece[0])]


class _WordCache(dict):
    """A cache of segmented words; calls ``segment`` for those that it lacks."""

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
    """Loads a model without adapting it.

    Raises:
        ValueError: If SentencePiece rejects it.
    """
    import sentencepiece  # slow to import, and needed for such models only

    try:
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, OSError) as error:
        raise ValueError(f"{path}: found a broken SentencePiece model ({error})") from None


def is_sentencepiece_model(content: bytes) -> bool:
    """Returns whether the content of a file is a SentencePiece model, rather than codes or other text."""
    try:
        fields = list(read_fields(content))
    except ValueError:
        return False
    return any(number == NORMALIZER_FIELD for number, _ in fields) and any(
        number == PIECE_FIELD for number, _ in fields
    )


def adapt_model(model: bytes, path: str) -> bytes:
    """Makes a model's segmentation reversible on byte text.

    Normalization is switched off, and spaces are left alone (byte text has its own U+2581). Pieces that
    spell a control symbol, and byte-fallback pieces, are marked as unused, so that SentencePiece undoes
    their last merge.

    Args:
        model: the content of a ``.model`` file.
        path: for messages.

    Raises:
        ValueError: If the content is not a SentencePiece model.
    """
    if not is_sentencepiece_model(model):
        raise ValueError(f"{path}: expected a SentencePiece model, found something else")
    adapted = bytearray()
    for number, value in read_fields(model):
        if number == PIECE_FIELD and _must_not_appear(_piece(value, path)):
            value = value + encode_field(TYPE_FIELD, UNUSED)
        adapted += encode_field(number, value)
    # Of a message that occurs twice, the later value of each field wins.
    identity = {1: b"identity", 2: b"", 3: 0, 4: 0, 5: 1, 6: b""}
    normalizer = b"".join(encode_field(number, value) for number, value in identity.items())
    byte_fallback_off = encode_field(35, 0)
    adapted += encode_field(NORMALIZER_FIELD, normalizer)
    adapted += encode_field(TRAINER_FIELD, byte_fallback_off)
    return bytes(adapted)


def _piece(message: Value, path: str) -> Dict[int, Value]:
    """Returns the fields of one piece.

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
    # The model may have been trained with SentencePiece's default normalization.
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
