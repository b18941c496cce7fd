"""Hyphenation by the patterns of Liang's algorithm, through the library pyphen."""

import re
from typing import List

from fairseq_subword_ext.baselines.extras import import_extra
from fairseq_subword_ext.baselines.word_codec import WordCodec

_LETTERS = re.compile(r"[^\W\d_]+")


class Hyphenation(WordCodec):
    """Cuts words where they may be hyphenated at the end of a line of print.

    Letters alone are hyphenated: a word with punctuation is cut as the one without. Where a language
    changes letters at a hyphen (Hungarian *asszony*, *asz-szony*), the word is cut there and its
    letters stay.

    Source: Sennrich, Haddow & Birch 2016, Table 1; Liang 1983 for the algorithm. The patterns are
    those that pyphen brings, of LibreOffice.
    """

    name = "hyphenation"

    def __init__(self, language: str, errors: str = "strict"):
        """Loads a language's patterns.

        Args:
            language: such as ``de`` or ``en_GB``.
            errors: as in :class:`.CodecOptions`.

        Raises:
            ValueError: If there are no patterns for the language.
            ImportError: If pyphen is not installed.
        """
        super().__init__(errors)
        pyphen = import_extra("pyphen", "hyphenation")
        name = pyphen.language_fallback(language)
        if name is None:
            known = ", ".join(sorted({name.split("_")[0] for name in pyphen.LANGUAGES}))
            raise ValueError(
                f"there are no hyphenation patterns for {language!r}, only for {known}"
            )
        self._positions = pyphen.Pyphen(lang=name).positions

    def pieces(self, word: str) -> List[str]:
        pieces = []
        start = 0
        for letters in _LETTERS.finditer(word):
            for position in self._positions(letters.group()):
                pieces.append(word[start : letters.start() + position])
                start = letters.start() + position
        return [*pieces, word[start:]]
