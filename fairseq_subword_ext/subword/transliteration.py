"""Joint BPE across alphabets: learns on Cyrillic transliterated to Latin, and returns merges in both.

Sennrich, Haddow & Birch 2016, section 4: for English-Russian, the Russian side is transliterated to Latin
(ISO 9) to learn joint merges, and the merges are transliterated back to Cyrillic to segment Russian, so
that names are cut alike in both scripts.
"""

import unicodedata
from collections import Counter
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD, word_to_symbols

# ISO 9:1995, one Latin letter each: the Russian alphabet, then letters of other Slavic languages and of
# the older orthography, as far as the standard uses a single character. (Letters for which it uses a
# letter and a combining mark, such as the Serbian lj, stay as they are.)
_SMALL = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя" + "ђѓєѕіїћќўѣѫѵ",
        "abvgdeëžzijklmnoprstufhcčšŝʺyʹèûâ" + "đǵêẑìïćḱŭěǎỳ",
    )
)
# The standard does not distinguish the case of the hard and soft signs; here primes represent the
# capitals, so that nothing is lost.
_CAPITAL = {
    **{letter.upper(): latin.upper() for letter, latin in _SMALL.items()},
    "Ъ": "\u2033",
    "Ь": "\u2032",
}
ISO9: Dict[str, str] = {**_SMALL, **_CAPITAL}

SCHEMES = {"iso9": ISO9}


class Transliteration:
    """Transliterates Cyrillic to Latin and back, letter by letter."""

    def __init__(self, scheme: str = "iso9"):
        """Selects a scheme.

        Raises:
            ValueError: If there is no such scheme.
        """
        if scheme not in SCHEMES:
            raise ValueError(f"transliteration must be one of {', '.join(SCHEMES)}, not {scheme!r}")
        table = SCHEMES[scheme]
        self._to_latin = str.maketrans(table)
        self._to_cyrillic = {latin: letter for letter, latin in table.items()}

    def to_latin(self, text: str) -> str:
        """Transliterates the letters of the scheme to Latin; everything else stays."""
        return text.translate(self._to_latin)

    def to_cyrillic(self, text: str) -> Optional[str]:
        """Transliterates to Cyrillic; None if a Latin letter has no Cyrillic equivalent."""
        letters = []
        for character in text:
            letter = self._to_cyrillic.get(character, character)
            if letter == character and unicodedata.name(character, "").startswith("LATIN "):
                return None
            letters.append(letter)
        return "".join(letters)

    def latin_counts(self, counts: Iterable[Tuple[str, int]]) -> Dict[str, int]:
        """Transliterates word counts to Latin; counts of words that become equal are added up."""
        latin: Counter = Counter()
        for word, count in counts:
            latin[self.to_latin(word)] += count
        return dict(latin)

    def with_cyrillic_merges(self, table: MergeTable, words: Mapping[str, int]) -> MergeTable:
        """Adds the Cyrillic form of each merge after the Latin one.

        Both scripts keep the order of the merges, so that a word and its transliteration are cut at
        the same positions.

        Args:
            table: a table learned on Latin text, with unit ``char``.
            words: the original words of all texts with their counts, for the alphabet.

        Returns:
            A new table. Merges of letters without a Cyrillic equivalent (w, q, x), and merges without
            letters, occur once.
        """
        merges = []
        for merge in table:
            merges.append(merge)
            cyrillic = tuple(map(self._symbol_to_cyrillic, merge))
            if None not in cyrillic and cyrillic != merge:
                merges.append(cyrillic)
        alphabet: Counter = Counter()
        for word, count in words.items():
            for symbol in word_to_symbols(word, table.version):
                alphabet[symbol] += count
        metadata = {**table.metadata, "alphabet": dict(alphabet)}
        return MergeTable(merges, table.unit, table.version, metadata)

    def _symbol_to_cyrillic(self, symbol: str) -> Optional[str]:
        marked = symbol.endswith(END_OF_WORD)
        stem = symbol[: -len(END_OF_WORD)] if marked else symbol
        cyrillic = self.to_cyrillic(stem)
        return None if cyrillic is None else cyrillic + END_OF_WORD * marked


def parse_transliteration(argument: str, paths: List[str]) -> Tuple[Transliteration, List[bool]]:
    """Parses ``--transliterate ru=iso9``.

    Args:
        argument: a language and a scheme.
        paths: the texts; the language applies to those whose name ends in ``.ru``.

    Returns:
        The transliteration, and for each text whether to transliterate it.

    Raises:
        ValueError: If the argument is not of this form, or no text is in the language.
    """
    language, _, scheme = argument.partition("=")
    if not language or not scheme:
        raise ValueError(
            f"--transliterate {argument}: expected LANGUAGE=SCHEME, for example ru=iso9"
        )
    chosen = [path.endswith(f".{language}") for path in paths]
    if not any(chosen):
        raise ValueError(
            f"--transliterate {argument}: no input (-i) ends in .{language}: {', '.join(paths)}"
        )
    return Transliteration(scheme), chosen
