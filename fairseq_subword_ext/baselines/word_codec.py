"""The base class of the baselines: segments a line word by word into ``@@`` pieces, without loss."""

import abc
import re
from functools import lru_cache
from typing import List

from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.codecs.pieces import Pieces
from fairseq_subword_ext.subword.byte_text import checked_line
from fairseq_subword_ext.subword.escaping import escape_character, escape_pieces
from fairseq_subword_ext.subword.symbols import SEPARATOR

# Number of word types cached; few of them make up most of a text.
CACHED_WORDS = 1 << 18

# A piece for each space beyond the one between two words.
EXTRA_SPACE = escape_character(" ")

_RUNS = re.compile(" +|[^ ]+")


class WordCodec(Codec):
    """Segments each word into pieces, all but the last of which end in ``@@``.

    Characters and tokens that Fairseq would misread are escaped as in :mod:`.escaping`, so that
    :func:`.join_pieces`, and with it the command restore, recovers the line. Spaces beyond the one
    between two words, which plain ``@@`` text would lose, become pieces of their own: ``a  b`` is
    ``a ␛20;@@ b``.
    """

    def __init__(self, errors: str = "strict"):
        super().__init__(errors=errors)
        self._tokens = lru_cache(maxsize=CACHED_WORDS)(self.word_tokens)

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return Pieces("generalized_bpe", separator)

    @abc.abstractmethod
    def pieces(self, word: str) -> List[str]:
        """Splits a non-empty word without U+0020 into pieces whose concatenation is the word."""

    def word_tokens(self, word: str) -> str:
        """The tokens of a word as they are printed, separated by spaces."""
        return " ".join(escape_pieces(self.pieces(word)))

    def encode(self, line: str) -> str:
        line = checked_line(line, self.options.errors)
        words = line.split(" ")
        if all(words):
            return " ".join(map(self._tokens, words))
        return self._with_extra_spaces(line) if line else ""

    def _with_extra_spaces(self, line: str) -> str:
        extra = EXTRA_SPACE + SEPARATOR
        tokens: List[str] = []
        end = 0
        for run in _RUNS.finditer(line):
            end = run.end()
            if not run.group().startswith(" "):
                tokens.append(self._tokens(run.group()))
            elif end == len(line):
                # No word follows, so the last of these ends the word before them.
                if tokens:
                    tokens[-1] += SEPARATOR
                tokens += [extra] * (len(run.group()) - 1) + [EXTRA_SPACE]
            else:
                tokens += [extra] * (len(run.group()) - bool(tokens))
        return " ".join(tokens)
