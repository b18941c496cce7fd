"""Detection of the encoding that a text was segmented with."""

import threading
from collections.abc import Sequence
from typing import Callable, List, Optional

from fairseq_subword_ext.codecs.notation import Losses, Notation, Sample, line_coder
from fairseq_subword_ext.codecs.plain_text import looks_like_sentencepiece
from fairseq_subword_ext.codecs.registry import ENCODINGS, notation_of
from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL
from fairseq_subword_ext.subword.detection import is_generation_log, is_unsplit
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder
from fairseq_subword_ext.textio.lines import Block

# Number of non-blank lines from which the encoding is detected.
LINES_TO_DETECT = 1000


def detect_encoder(lines: Sequence[str], separator: str = SEPARATOR) -> str:
    """Detects the encoding of a text.

    Args:
        lines: the beginning of the text.
        separator: that of ``@@`` text.

    Raises:
        ValueError: If no encoding recognizes the text.
    """
    sample = Sample(lines, separator)
    for name in ENCODINGS:
        if notation_of(name, separator).recognizes(sample):
            return name
    raise ValueError(
        f"the text looks neither like byte text (every line starts with {SPACE_SYMBOL}), nor like "
        f"pieces ending in {separator}, nor like single characters; say what it is with "
        f"--encoder ({', '.join(ENCODINGS)})"
    )


def encoder_to_undo(lines: Sequence[str], separator: str = SEPARATOR) -> str:
    """As :func:`detect_encoder`, for text to restore: text of whole words only is ``@@`` text, too.

    Raises:
        ValueError: As :func:`detect_encoder`, and for the output of fairseq-generate.
    """
    if is_generation_log(lines):
        raise ValueError(
            "this is the output of fairseq-generate, not segmented text: extract the translations from it "
            "first, for example with grep ^D- FILE | sort -V | cut -f3- (its D- lines are restored "
            "already where it was given --bpe)"
        )
    try:
        return detect_encoder(lines, separator)
    except ValueError:
        if is_unsplit(Sample(lines, separator).tokens, separator):
            return "generalized_bpe"
        raise


def recognize(lines: Sequence[str], separator: str = SEPARATOR) -> str:
    """As :func:`detect_encoder`, but recognizes text of SentencePiece and plain words, too.

    Returns:
        One of :func:`.readable`.
    """
    full = [line for line in lines if line.strip(" ")]
    try:
        encoder = detect_encoder(full, separator)
    except ValueError:
        return "sentencepiece" if looks_like_sentencepiece(full, bytewise=False) else "words"
    bytewise = notation_of(encoder, separator).bytewise
    if bytewise and looks_like_sentencepiece(full, bytewise=True):
        return "sentencepiece"
    return encoder


class Restorer:
    """Undoes a segmentation block by block and counts losses. May be used from several threads.

    Args:
        find: returns the notation of the text; called once, with the first block.

    Attributes:
        losses: those of all blocks so far.
    """

    def __init__(self, find: Callable[[], Notation]):
        self.losses = Losses()
        self._find = find
        self._notation: Optional[Notation] = None
        self._lock = threading.Lock()

    def block_coder(self, carriage_return: str = "error", name: str = "input") -> BlockCoder:
        """Returns a coder that restores blocks of lines; the arguments are those of :meth:`.Codec.block_coder`."""
        by_lines = line_coder(self.restore, carriage_return, name)
        try:
            core = native_core()
        except ImportError:
            return by_lines

        def code(block: Block, first_line: int) -> Block:
            notation = self._found()
            if notation.native is None:
                return by_lines.code(block, first_line)
            text, dropped, unknown = core.restore_text(
                block, notation.native, notation.separator or "", carriage_return, first_line
            )
            self._count(Losses(dropped, unknown))
            return text

        return BlockCoder(code, core.TextSegmenter.count_lines)

    def restore(self, lines: Sequence[str]) -> List[str]:
        """Restores lines."""
        notation = self._found()
        texts = notation.decode_lines(lines, num_workers=1)
        self._count(notation.losses(lines, texts))
        return texts

    def _found(self) -> Notation:
        with self._lock:
            if self._notation is None:
                self._notation = self._find()
            return self._notation

    def _count(self, losses: Losses) -> None:
        with self._lock:
            self.losses.add(losses)
