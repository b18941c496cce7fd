"""Joint BPE across alphabets: Cyrillic letters as Latin ones, and merges back in both.

Sennrich, Haddow & Birch 2016, section 4: for English-Russian the Russian side is written in Latin
letters (ISO 9) to learn joint merges, and the merges are then written in Cyrillic to segment Russian.
A name is so cut alike in both scripts.
"""

import unicodedata
from collections import Counter
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD, word_to_symbols

# ISO 9:1995, one Latin letter for each: the Russian alphabet, then what other Slavic languages and the
# older spelling have beside it, as far as the standard writes it with a single character. (Letters
# that it writes with a letter and a combining mark, such as the Serbian lj, stay as they are.)
_SMALL = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя" + "ђѓєѕіїћќўѣѫѵ",
        "abvgdeëžzijklmnoprstufhcčšŝʺyʹèûâ" + "đǵêẑìïćḱŭěǎỳ",
    )
)
# The standard has one sign for the capital and the small hard sign, and one for the soft signs; primes
# stand for the capital ones here, so that nothing is lost.
_CAPITAL = {
    **{letter.upper(): latin.upper() for letter, latin in _SMALL.items()},
    "Ъ": "\u2033",
    "Ь": "\u2032",
}
ISO9: Dict[str, str] = {**_SMALL, **_CAPITAL}

SCHEMES = {"iso9": ISO9}


class Transliteration:
    """Writes Cyrillic in Latin letters and back, letter for letter."""

    def __init__(self, scheme: str = "iso9"):
        """Takes a table.

        Raises:
            ValueError: If there is none of the name.
        """
        if scheme not in SCHEMES:
            raise ValueError(f"transliteration {scheme!r} is none of {', '.join(SCHEMES)}")
        table = SCHEMES[scheme]
        self._to_latin = str.maketrans(table)
        self._to_cyrillic = {latin: letter for letter, latin in table.items()}

    def to_latin(self, text: str) -> str:
        """The text with each letter of the table in Latin; everything else stays."""
        return text.translate(self._to_latin)

    def to_cyrillic(self, text: str) -> Optional[str]:
        """The text in Cyrillic; None where it has a Latin letter that stands for no Cyrillic one."""
        letters = []
        for character in text:
            letter = self._to_cyrillic.get(character, character)
            if letter == character and unicodedata.name(character, "").startswith("LATIN "):
                return None
            letters.append(letter)
        return "".join(letters)

    def latin_counts(self, counts: Iterable[Tuple[str, int]]) -> Dict[str, int]:
        """Word counts of the text in Latin letters; words that fall together are one."""
        latin: Counter = Counter()
        for word, count in counts:
            latin[self.to_latin(word)] += count
        return dict(latin)

    def with_cyrillic_merges(self, table: MergeTable, words: Mapping[str, int]) -> MergeTable:
        """The merges in Latin letters, each followed by the same one in Cyrillic.

        Both scripts keep the order of the merges, so that a word and its transliteration are cut at
        the same places.

        Args:
            table: learned on text in Latin letters, with characters as its unit.
            words: the words of all texts as they are, with their counts, for the alphabet.

        Returns:
            A new table. Merges of letters that Cyrillic lacks (w, q, x), and of no letters at all,
            are in it once.
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
    """Reads what ``--transliterate ru=iso9`` says.

    Args:
        argument: a language and a scheme.
        paths: the texts; the language's are those whose name ends in ``.ru``.

    Returns:
        The transliteration, and for each text whether it is to be transliterated.

    Raises:
        ValueError: If the argument is no such pair, or no text or every text is of the language.
    """
    language, _, scheme = argument.partition("=")
    if not language or not scheme:
        raise ValueError(f"--transliterate {argument}: expected LANGUAGE=SCHEME, such as ru=iso9")
    chosen = [path.endswith(f".{language}") for path in paths]
    if not any(chosen):
        raise ValueError(
            f"--transliterate {argument}: no input (-i) ends in .{language}: {', '.join(paths)}"
        )
    return Transliteration(scheme), chosen
