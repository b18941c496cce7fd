"""Segmentation without the compiled core, so that using a trained model does not require a compiler.

Built on the reference implementation: the output is that of the core, at about a hundredth of the speed.
"""

import logging
from functools import lru_cache
from typing import (
    Any,
    Callable,
    Collection,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from fairseq_subword_ext.core import BUILD_COMMAND
from fairseq_subword_ext.subword.escaping import escape_pieces
from fairseq_subword_ext.subword.id_encoder import TextIdSegmenter
from fairseq_subword_ext.subword.reference import ReferenceRules
from fairseq_subword_ext.subword.symbols import END_OF_WORD, unit_of
from fairseq_subword_ext.textio.errors import LONE_CARRIAGE_RETURN, LineError

logger = logging.getLogger(__name__)

_CACHED_WORDS = 1 << 16


class ReferenceSegmenter:
    """Replaces the core's TextSegmenter; see :class:`.segmenter.Segmenter` for the arguments."""

    def __init__(
        self,
        merges: Sequence[Tuple[str, str]],
        version: str,
        separator: str,
        vocabulary: Optional[Set[str]],
        unknown: str,
        alphabet: Optional[Collection[str]],
        like_subword_nmt: bool,
        escape: bool,
        carriage_return: str,
        glossary: Optional[Callable[[str], Any]],
    ):
        logger.warning(
            "the compiled core of fairseq_subword_ext is missing: segmenting slowly in Python. "
            "Build it with: %s",
            BUILD_COMMAND,
        )
        rules = SubwordNmtRules if like_subword_nmt else ReferenceRules
        self._rules = rules(merges, version, separator, vocabulary, like_subword_nmt)
        self._byte = unit_of(version) == "byte"
        self._version = version
        self._separator = separator
        self._unknown = unknown
        self._alphabet = alphabet
        self._escape = escape
        self._carriage_return = carriage_return
        self._glossary = glossary
        self._printed = lru_cache(_CACHED_WORDS)(self._print)

    def pieces(self, word: str, dropout: float, seed: int) -> List[str]:
        """Segments one word."""
        _refuse_dropout(dropout)
        pieces: List[str] = []
        for part, is_term in (self._glossary and self._glossary(word)) or [(word, False)]:
            pieces += [part] if is_term else self._checked(part, self._rules.segment(part))
        return pieces

    def segment_lines(
        self, lines: List[str], dropout: float, seed: int, first_line: int, num_workers: int
    ) -> List[str]:
        """Segments every line, in one thread."""
        _refuse_dropout(dropout)
        segmented = []
        for number, line in enumerate(lines, first_line + 1):
            try:
                line.encode("utf-8")
                segmented.append(self._line(line))
            except UnicodeEncodeError as error:
                found = f"U+{ord(line[error.start]):04X}, which UTF-8 cannot encode"
                raise LineError(
                    f"character {error.start + 1} is the lone surrogate {found}", number
                ) from None
            except ValueError as error:
                raise LineError(str(error), number) from None
        return segmented

    def segment_text(self, text: bytes, dropout: float, seed: int, first_line: int) -> bytes:
        """Segments the lines of a text."""
        lines = bytes(text).decode("utf-8").split("\n")
        return "\n".join(self.segment_lines(lines, dropout, seed, first_line, 1)).encode("utf-8")

    @staticmethod
    def count_lines(text: bytes) -> int:
        """Counts the lines; the last may lack a newline."""
        text = bytes(text)
        return text.count(b"\n") + (not text.endswith(b"\n"))

    def id_segmenter(
        self, indices: Mapping[str, int], unknown: int, end: Optional[int]
    ) -> TextIdSegmenter:
        """Returns an encoder that gives dictionary indices."""
        return TextIdSegmenter(self, indices, unknown, end)

    def _line(self, line: str) -> str:
        newline = "\n" if line.endswith("\n") else ""
        text = line[: len(line) - len(newline)]
        if "\n" in text:
            raise ValueError("a newline inside the line")
        end = ""
        if self._carriage_return != "keep":
            if text.endswith("\r"):
                text, end = text[:-1], "\r"
            if "\r" in text and self._carriage_return == "error":
                raise ValueError(LONE_CARRIAGE_RETURN)
            text = text.replace("\r", " ")
        if self._byte:
            words = text.split(" ") if text else []
            return " ".join(map(self._printed, words)) + end + newline
        core = text.strip("\r ")
        lead = len(text) - len(text.lstrip("\r "))
        words = [self._printed(word) for word in core.split(" ") if word]
        return text[:lead] + " ".join(words) + text[lead + len(core) :] + end + newline

    def _print(self, word: str) -> str:
        pieces = self.pieces(word, 0.0, 0)
        if self._byte:
            return " ".join(pieces)  # byte symbols need no escapes
        if self._escape and "<unk>" not in pieces:
            return " ".join(escape_pieces(pieces, self._separator))
        return " ".join([piece + self._separator for piece in pieces[:-1]] + pieces[-1:])

    def _checked(self, word: str, pieces: List[str]) -> List[str]:
        if self._unknown == "keep":
            return pieces
        known = self._alphabet or ()
        last = len(pieces) - 1
        for i, piece in enumerate(pieces):
            joined = END_OF_WORD if self._version == "0.2" and i == last else ""
            if len(piece) > 1 or piece + joined in known:
                continue
            if self._unknown == "error":
                raise ValueError(
                    f"the character {piece!r} of the word {word[:200]!r} is not in the alphabet that "
                    "the codes were learned from"
                )
            pieces[i] = "<unk>"
        return pieces


class SubwordNmtRules(ReferenceRules):
    """Undoes merges as subword-nmt does, even if that leaves a piece outside the vocabulary."""

    def segment(self, word: str) -> List[str]:
        return [word] if len(word) == 1 else super().segment(word)

    def _undo(self, symbol: str, final: bool) -> Iterator[str]:
        if not (final and self.version == "0.1"):
            yield from super()._undo(symbol, final)
            return
        # The last piece is looked up with its marker, whether or not the marker was merged.
        marked = symbol if symbol.endswith(END_OF_WORD) else symbol + END_OF_WORD
        piece = marked[: -len(END_OF_WORD)]
        if marked not in self.parts or self._may_print(piece, True):
            yield piece
            return
        left, right = self.parts[marked]
        yield from self._undo(left, False)
        yield from self._undo(right, True)


def _refuse_dropout(dropout: float) -> None:
    if dropout > 0:
        raise ValueError(f"dropout needs the compiled core; build it with: {BUILD_COMMAND}")
