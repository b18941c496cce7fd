"""Whole words, optionally a shortlist of them and ``<unk>``: the systems WUnk and WDict."""

from typing import AbstractSet, List, Optional

from fairseq_subword_ext.baselines.word_codec import WordCodec

UNKNOWN = "<unk>"


class Words(WordCodec):
    """Keeps words whole; words outside a shortlist become ``<unk>``.

    Without a shortlist every line can be restored, and ``fairseq-preprocess --nwordssrc`` and
    ``--nwordstgt`` limit the vocabulary later: a back-off dictionary needs the words.

    Source: Sennrich, Haddow & Birch 2016, section 4 (WUnk); Luong et al. 2015 and Jean et al. 2015
    for the back-off dictionary.
    """

    name = "word"

    def __init__(self, shortlist: Optional[AbstractSet[str]] = None, errors: str = "strict"):
        """Sets the words to keep.

        Args:
            shortlist: raw words to keep; None for all.
            errors: as in :class:`.CodecOptions`.
        """
        super().__init__(errors)
        self._shortlist = shortlist

    def pieces(self, word: str) -> List[str]:
        return [word]

    def word_tokens(self, word: str) -> str:
        if self._shortlist is not None and word not in self._shortlist:
            return UNKNOWN
        return super().word_tokens(word)
