"""Character n-grams with a shortlist of whole words: the systems C2-50k and C2-3/500k."""

from typing import AbstractSet, List, Mapping

from fairseq_subword_ext.baselines.word_codec import WordCodec
from fairseq_subword_ext.subword.vocabulary import Vocabulary


class CharNgrams(WordCodec):
    """Splits words into n-grams of characters, from the left; words on a shortlist stay whole.

    With n = 1 and no shortlist the pieces are characters. A character is a Unicode code point.

    Source: Sennrich, Haddow & Birch 2016, sections 3.1 and 4.
    """

    name = "char-ngrams"

    def __init__(
        self, n: int = 2, shortlist: AbstractSet[str] = frozenset(), errors: str = "strict"
    ):
        """Sets the length of the n-grams.

        Args:
            n: characters per piece; the last piece of a word may be shorter.
            shortlist: raw words that stay whole.
            errors: as in :class:`.CodecOptions`.

        Raises:
            ValueError: If n is not positive.
        """
        super().__init__(errors)
        if n < 1:
            raise ValueError(f"n must be 1 or more, not {n}")
        self._n = n
        self._shortlist = shortlist

    def pieces(self, word: str) -> List[str]:
        if word in self._shortlist:
            return [word]
        return [word[start : start + self._n] for start in range(0, len(word), self._n)]


def most_frequent(counts: Mapping[str, int], size: int) -> AbstractSet[str]:
    """The shortlist: the ``size`` most frequent words, ties in order of first occurrence.

    Args:
        counts: word -> count, in order of first occurrence.
        size: number of words; all of them if there are fewer.

    Raises:
        ValueError: If size is negative.
    """
    if size < 0:
        raise ValueError(f"the shortlist's size must be 0 or more, not {size}")
    ordered = Vocabulary(dict(counts)).most_frequent_first()
    return frozenset(word for word, _ in ordered[:size])
