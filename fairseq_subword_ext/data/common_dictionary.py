"""The one dictionary that all languages share, and what proves that two dictionaries are the same."""

from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from fairseq.data import Dictionary

from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, language_token


class CommonDictionary(Dictionary):
    """A dictionary in whose texts the tokens that name a language never show."""

    def language_token_ids(self) -> List[int]:
        """Ids of the entries spelled ``<lang:xx>``, in file order."""
        return [
            index
            for index, symbol in enumerate(self.symbols)
            if LANGUAGE_TOKEN.fullmatch(symbol) is not None
        ]

    def string(
        self, tensor, bpe_symbol=None, escape_unk=False, extra_symbols_to_ignore=None, **kwargs
    ):
        """As fairseq's, without the language tokens."""
        ignored = {*(extra_symbols_to_ignore or ()), *self._hidden()}
        return super().string(tensor, bpe_symbol, escape_unk, ignored, **kwargs)

    def _hidden(self) -> List[int]:
        # Computed once the file is loaded: the symbols never change after that.
        if getattr(self, "_hidden_at", None) != len(self):
            self._hidden_at, self._hidden_ids = len(self), self.language_token_ids()
        return self._hidden_ids


def load_common_dictionary(paths: Sequence[Path], searched: Sequence[Path]) -> CommonDictionary:
    """Loads the dictionary and makes sure that every file spells the same symbols in the same order.

    The counts may differ: they have no influence on ids.

    Args:
        paths: the ``dict.xx.txt`` files that exist.
        searched: the folders they were looked for in, for the message.

    Raises:
        FileNotFoundError: where there is none.
        ValueError: naming the two files that differ, and where.
    """
    if not paths:
        places = ", ".join(str(folder / "dict.en.txt") for folder in searched)
        raise FileNotFoundError(
            f"no dictionary found (tried {places}); fairseq-preprocess writes it beside the data"
        )
    first = paths[0]
    content = first.read_bytes()
    dictionary = CommonDictionary.load(str(first))
    for path in paths[1:]:
        if path.read_bytes() == content:
            continue
        difference = first_difference(dictionary.symbols, Dictionary.load(str(path)).symbols)
        if difference is not None:
            line, one, other = difference
            raise ValueError(
                f"{first} and {path} differ (line {line - dictionary.nspecial}: {one} and {other}), "
                "but all languages share one dictionary; binarize every pair with "
                f"`fairseq-preprocess --srcdict {first} --tgtdict {first} ...`"
            )
    return dictionary


def first_difference(one: Sequence[str], other: Sequence[str]) -> Optional[Tuple[int, str, str]]:
    """Where two lists of symbols part.

    Returns:
        The position (counted from 1) and both symbols there, quoted, or "nothing" at a list's end;
        None where the lists are equal.
    """
    for position, (left, right) in enumerate(zip(one, other), start=1):
        if left != right:
            return position, repr(left), repr(right)
    if len(one) == len(other):
        return None
    position = min(len(one), len(other)) + 1
    ends = [
        repr(symbols[position - 1]) if position <= len(symbols) else "nothing"
        for symbols in (one, other)
    ]
    return position, ends[0], ends[1]


def language_token_ids(dictionary: Dictionary, languages: Iterable[str]) -> Dict[str, int]:
    """The id that marks a source of each language.

    Raises:
        ValueError: listing the languages whose token the dictionary file lacks.
    """
    tokens = {language: language_token(language) for language in languages}
    missing = [token for token in tokens.values() if token not in dictionary]
    if missing:
        raise ValueError(
            f"--source-lang-token: the dictionary has no {' '.join(missing)}; add a line "
            f"`{missing[0]} 1` for each language to the file that `fairseq-preprocess --srcdict FILE "
            "--tgtdict FILE` reads, so that the file alone decides the ids"
        )
    return {language: dictionary.index(token) for language, token in tokens.items()}
