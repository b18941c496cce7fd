"""From segmented text back to text, whichever encoder segmented it."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Callable, List, Optional, Tuple

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.baselines import NAMES as BASELINES
from fairseq_subword_ext.subword.byte_codecs import ByteLevel
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, SPACE_SYMBOL, to_byte_texts
from fairseq_subword_ext.subword.char_codec import CharLevel
from fairseq_subword_ext.subword.detection import is_generation_log, is_unsplit
from fairseq_subword_ext.subword.escaping import ESCAPE, is_control, join_pieces
from fairseq_subword_ext.subword.fairseq_codecs import FairseqBytes, FairseqCharacters
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.utf8 import decode_report
from fairseq_subword_ext.textio.block_stream import count_lines
from fairseq_subword_ext.textio.lines import (
    Block,
    LineFacts,
    convert_block,
    decode_block,
    line_blocks,
)
from fairseq_subword_ext.textio.pipeline import Workers

# How Fairseq knows the encoders; bbpe and byte_level differ in where they cut byte text only.
ENCODERS = ("generalized_bpe", "bbpe", "byte_level", "char_level")
BYTE_TEXT = ("bbpe", "byte_level")
COMPAT = ("subword-nmt", "fairseq")

# So many lines that are not empty decide what a text is, where nobody says it.
LINES_TO_DETECT = 1000

_ESCAPED_CHARACTER = re.compile(f"{ESCAPE}[0-9A-F]{{1,6}};")


def detect_encoder(lines: Iterable[str], separator: str = SEPARATOR) -> str:
    """Tells by its look how a text was segmented.

    Byte text starts every line with U+2581 and has no other characters than the bytes' stand-ins;
    ``@@`` text has pieces that end in the separator; characters stand one by one.

    Args:
        lines: the beginning of the text.
        separator: that of ``@@`` text.

    Returns:
        One of :data:`ENCODERS`.

    Raises:
        ValueError: where the text looks like none of them.
    """
    full = [line for line in lines if line.strip(" ")]
    tokens = {
        token for line in full for token in line.split(" ") if token and not is_control(token)
    }
    alphabet = {*BYTE_SYMBOLS}
    if (
        tokens
        and all(line.startswith(SPACE_SYMBOL) for line in full)
        and alphabet.issuperset(character for token in tokens for character in token)
    ):
        return "byte_level" if all(len(token) == 1 for token in tokens) else "bbpe"
    if any(token.endswith(separator) for token in tokens):
        return "generalized_bpe"
    if tokens and all(len(token) == 1 or _ESCAPED_CHARACTER.fullmatch(token) for token in tokens):
        return "char_level"
    raise ValueError(
        f"the text looks neither like byte text (every line starts with {SPACE_SYMBOL}), nor like "
        f"pieces ending in {separator}, nor like single characters; say what it is with "
        f"--encoder ({', '.join(ENCODERS)})"
    )


def encoder_to_undo(lines: Sequence[str], separator: str = SEPARATOR) -> str:
    """As :func:`detect_encoder`, of text to restore: words that apply-bpe left whole are ``@@`` text too.

    Raises:
        ValueError: as :func:`detect_encoder`, and for what fairseq-generate prints.
    """
    if is_generation_log(lines):
        raise ValueError(
            "this is what fairseq-generate prints, not segmented text: take the translations from it "
            "first, for example with grep ^D- FILE | sort -V | cut -f3- (its D- lines are restored "
            "already where it was given --bpe)"
        )
    try:
        return detect_encoder(lines, separator)
    except ValueError:
        tokens = {token for line in lines for token in line.split(" ") if token}
        if is_unsplit((token for token in tokens if not is_control(token)), separator):
            return "generalized_bpe"
        raise


def line_restorer(
    encoder: str, separator: str = SEPARATOR, compat: Optional[str] = None
) -> Callable[[Sequence[str]], List[str]]:
    """The function that undoes an encoder's segmentation for many lines; it never raises.

    Args:
        encoder: one of :data:`ENCODERS`, or a baseline's name: they all write ``@@`` text.
        separator: that of ``generalized_bpe``.
        compat: "subword-nmt" for ``@@`` text without escapes, "fairseq" for text that Fairseq's own
            byte_bpe, bytes or characters made; None for ours.

    Raises:
        ValueError: where encoder and compat do not go together.
    """
    if encoder in BASELINES:
        encoder = "generalized_bpe"
    if encoder == "generalized_bpe" and compat in (None, "subword-nmt"):
        join = _join_unescaped if compat else join_pieces
        # No line can have held a newline, which a model may spell as an escape.
        return lambda lines: [join(line, separator).replace("\n", " ") for line in lines]
    if encoder in ENCODERS and encoder != "generalized_bpe" and compat in (None, "fairseq"):
        if encoder == "char_level":
            return (FairseqCharacters if compat else CharLevel)().decode_lines
        return (FairseqBytes if compat else ByteLevel)().decode_lines
    raise ValueError(
        f"found encoder {encoder!r} with compat {compat!r}; expected one of {', '.join(ENCODERS)}, "
        "and compat subword-nmt for the first, fairseq for the others, or none"
    )


def _join_unescaped(line: str, separator: str) -> str:
    return (line + " ").replace(f"{separator} ", "").rstrip(" ")


# A block of lines and the number of lines before it -> its text, and the losses.
Decoder = Callable[[Block, int], Tuple[Block, int, int]]

# Kind of segmentation and compat -> the core's name for it.
_NATIVE = {
    ("generalized_bpe", None): "pieces",
    ("generalized_bpe", "subword-nmt"): "unescaped",
    ("byte_text", None): "bytes",
    ("char_level", None): "characters",
}


def _kind(encoder: Optional[str]) -> Optional[str]:
    if encoder in BASELINES:
        return "generalized_bpe"
    return "byte_text" if encoder in BYTE_TEXT else encoder


class Restorer:
    """Restores lines, finds out what they are where nobody says it, and counts what was lost.

    Attributes:
        encoder: one of :data:`ENCODERS`; None until the first lines told it.
        dropped_bytes: bytes of byte text that belonged to no valid character.
        unknown_symbols: control symbols, and characters that stand for no byte, in byte text.
    """

    def __init__(
        self,
        encoder: Optional[str] = None,
        separator: str = SEPARATOR,
        compat: Optional[str] = None,
    ):
        """Chooses what to undo.

        Args:
            encoder: one of :data:`ENCODERS`, or a baseline's name; None to tell it by the first
                lines.
            separator: that of ``generalized_bpe``.
            compat: as in :func:`line_restorer`.

        Raises:
            ValueError: where encoder and compat do not go together.
        """
        if encoder is None and compat is not None:
            raise ValueError(f"compat {compat} needs an encoder: say which (--encoder)")
        self.encoder = encoder
        self.dropped_bytes = 0
        self.unknown_symbols = 0
        self._separator = separator
        self._compat = compat
        self._restore = line_restorer(encoder, separator, compat) if encoder else None

    def __call__(self, lines: Sequence[str]) -> List[str]:
        """Restores lines.

        Raises:
            ValueError: where the encoder cannot be told by the first ones.
        """
        if self._restore is None:
            if not any(line.strip(" ") for line in lines):
                return [""] * len(lines)  # no encoder makes anything else of an empty line
            self._detect(lines)
        texts = self._restore(lines)
        if self.encoder in BYTE_TEXT and not self._compat:
            self._count_losses(lines, texts)
        return texts

    def restore_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        num_workers: int,
        carriage_return: str = "error",
        name: str = "input",
    ) -> None:
        """Restores UTF-8 text from one stream to another, blocks of lines in threads.

        Args:
            source, target: Where to read and write; flushed after each block.
            num_workers: Threads; they change nothing but the time taken.
            carriage_return, name: As for :func:`.convert_stream`.

        Raises:
            ValueError: If the encoder cannot be told by the first lines, a line is not UTF-8 or holds a
                carriage return: with its number.
        """

        def numbered_blocks() -> Iterator[Tuple[Block, int, Decoder]]:
            lines = 0
            # A guess wants as many lines as there are.
            for block in line_blocks(source, whole=self.encoder is None):
                if self.encoder is None:
                    text = decode_block(bytes(block), name, lines)
                    self._detect(text.replace("\r", " ").split("\n"))
                yield block, lines, self._decoder(carriage_return, name)
                lines += count_lines(block)

        def work(numbered: Tuple[Block, int, Decoder]) -> Tuple[Block, int, int]:
            block, lines, decode = numbered
            return decode(block, lines)

        def use(restored: Tuple[Block, int, int]) -> None:
            text, dropped_bytes, unknown_symbols = restored
            self.dropped_bytes += dropped_bytes
            self.unknown_symbols += unknown_symbols
            target.write(text)
            target.flush()

        with Workers(num_workers) as workers:
            workers.in_order(numbered_blocks(), work, use)

    def _detect(self, lines: Sequence[str]) -> None:
        """Sets the encoder, unless all lines are empty: no encoder makes anything else of those."""
        if any(line.strip(" ") for line in lines):
            self.encoder = encoder_to_undo(lines[:LINES_TO_DETECT], self._separator)
            self._restore = line_restorer(self.encoder, self._separator)

    def _decoder(self, carriage_return: str, name: str) -> Decoder:
        """What restores a block of lines, given the number of lines before it, and counts what was lost."""
        kind = _NATIVE.get((_kind(self.encoder), self._compat))
        with contextlib.suppress(ImportError):
            if kind is not None:
                restore = native_core().restore_text
                return lambda block, lines: restore(
                    block, kind, self._separator, carriage_return, lines
                )

        def decode(block: Block, lines: int) -> Tuple[Block, int, int]:
            alone = Restorer(self.encoder, self._separator, self._compat)
            facts = LineFacts(lines)
            text = convert_block(block, alone, carriage_return, name, facts)
            return text, alone.dropped_bytes, alone.unknown_symbols

        return decode

    def _count_losses(self, lines: Sequence[str], texts: Sequence[str]) -> None:
        for line, again in zip(lines, to_byte_texts(texts)):
            if line.replace(" ", "") != again:
                report = decode_report(line)
                self.dropped_bytes += report.dropped_bytes
                self.unknown_symbols += report.unknown_symbols
