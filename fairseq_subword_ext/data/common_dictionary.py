"""The one dictionary that all languages share."""

from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

from fairseq.data import Dictionary

from fairseq_subword_ext.checkpoints.comparing import Symbols, compare_dictionaries
from fairseq_subword_ext.checkpoints.dictionaries import load_dictionary
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, language_token


class CommonDictionary(Dictionary):
    """A dictionary that omits language tokens when it turns ids into text."""

    def language_token_ids(self) -> List[int]:
        """Ids of the entries spelled ``<lang:xx>``, in file order."""
        # Searched again only if the dictionary has grown: existing symbols never change.
        if getattr(self, "_searched_size", None) != len(self):
            self._searched_size = len(self)
            self._language_token_ids = [
                index
                for index, symbol in enumerate(self.symbols)
                if LANGUAGE_TOKEN.fullmatch(symbol) is not None
            ]
        return self._language_token_ids

    def string(
        self, tensor, bpe_symbol=None, escape_unk=False, extra_symbols_to_ignore=None, **kwargs
    ):
        """As Fairseq's, without language tokens."""
        ignored = {*(extra_symbols_to_ignore or ()), *self.language_token_ids()}
        return super().string(tensor, bpe_symbol, escape_unk, ignored, **kwargs)


def load_common_dictionary(paths: Sequence[Path], searched: Sequence[Path]) -> CommonDictionary:
    """Loads the dictionary and checks that every file has the same symbols in the same order.

    Counts may differ, since ids do not depend on them.

    Args:
        paths: the ``dict.xx.txt`` files that exist.
        searched: the folders that were searched, for the message.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If a file is not a dictionary, or two files differ; names both and the first difference.
    """
    if not paths:
        places = ", ".join(str(folder / "dict.en.txt") for folder in searched)
        raise FileNotFoundError(
            f"no dictionary found (tried {places}); fairseq-preprocess writes it beside the data"
        )
    first = paths[0]
    content = first.read_bytes()
    dictionary = load_dictionary(first, CommonDictionary)
    for path in paths[1:]:
        if path.read_bytes() == content:
            continue
        compare_dictionaries(
            Symbols(dictionary.symbols, first),
            Symbols(load_dictionary(path).symbols, path),
            "all languages share one dictionary; binarize every pair with "
            f"`fairseq-preprocess --srcdict {first} --tgtdict {first} ...`",
        )
    return dictionary


def make_common_dictionary(entries: Iterable[Tuple[str, int]]) -> CommonDictionary:
    """The dictionary of a file with these symbols and counts."""
    dictionary = CommonDictionary()
    for symbol, count in entries:
        dictionary.add_symbol(symbol, count)
    return dictionary


def language_token_ids(dictionary: Dictionary, languages: Iterable[str]) -> Dict[str, int]:
    """The id of the token that marks the sources of each language.

    Raises:
        ValueError: If the dictionary lacks the token of a language; lists all missing ones.
    """
    tokens = {language: language_token(language) for language in languages}
    missing = [token for token in tokens.values() if token not in dictionary]
    if missing:
        raise ValueError(
            f"--source-lang-token: the dictionary has no {' '.join(missing)}; add a line "
            f"`{missing[0]} 1` for each language to the file that `fairseq-preprocess --srcdict FILE "
            "--tgtdict FILE` reads, so that this file alone determines the ids"
        )
    return {language: dictionary.index(token) for language, token in tokens.items()}
