"""Hyphenation with Liang's algorithm, through the library pyphen."""

import re
from typing import List

from fairseq_subword_ext.baselines.word_codec import WordCodec
from fairseq_subword_ext.textio.extras import import_extra

_LETTERS = re.compile(r"[^\W\d_]+")


class Hyphenation(WordCodec):
    """Splits words at their hyphenation points.

    Only runs of letters are hyphenated: punctuation does not change where a word is cut. If a language
    changes letters at a hyphen (Hungarian *asszony*, *asz-szony*), the word is cut there but keeps its
    letters.

    Source: Sennrich, Haddow & Birch 2016, Table 1; Liang 1983 for the algorithm. The patterns are
    LibreOffice's, which come with pyphen.
    """

    name = "hyphenation"

    def __init__(self, language: str, errors: str = "strict"):
        """Loads a language's patterns.

        Args:
            language: a language code, for example ``de`` or ``en_GB``.
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
            raise ValueError(f"no hyphenation patterns for {language!r}, only for {known}")
        self._positions = pyphen.Pyphen(lang=name).positions

    def pieces(self, word: str) -> List[str]:
        pieces = []
        start = 0
        for letters in _LETTERS.finditer(word):
            for position in self._positions(letters.group()):
                pieces.append(word[start : letters.start() + position])
                start = letters.start() + position
        return [*pieces, word[start:]]
