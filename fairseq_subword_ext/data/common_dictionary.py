"""The one dictionary that all languages share."""

from pathlib import Path
from typing import Dict, Iterable, List, Sequence

from fairseq.data import Dictionary

from fairseq_subword_ext.checkpoints.comparing import Symbols, compare_dictionaries
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, language_token


class CommonDictionary(Dictionary):
    """A dictionary in whose texts the tokens that name a language never show."""

    def language_token_ids(self) -> List[int]:
        """Ids of the entries spelled ``<lang:xx>``, in file order."""
        # Sought again only if the dictionary has grown: the symbols that it has never change.
        if getattr(self, "_sought_in", None) != len(self):
            self._sought_in = len(self)
            self._language_token_ids = [
                index
                for index, symbol in enumerate(self.symbols)
                if LANGUAGE_TOKEN.fullmatch(symbol) is not None
            ]
        return self._language_token_ids

    def string(
        self, tensor, bpe_symbol=None, escape_unk=False, extra_symbols_to_ignore=None, **kwargs
    ):
        """As fairseq's, without the language tokens."""
        ignored = {*(extra_symbols_to_ignore or ()), *self.language_token_ids()}
        return super().string(tensor, bpe_symbol, escape_unk, ignored, **kwargs)


def load_common_dictionary(paths: Sequence[Path], searched: Sequence[Path]) -> CommonDictionary:
    """Loads the dictionary and makes sure that every file spells the same symbols in the same order.

    The counts may differ: they have no influence on ids.

    Args:
        paths: the ``dict.xx.txt`` files that exist.
        searched: the folders they were looked for in, for the message.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If two files differ; names both, and where.
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
        compare_dictionaries(
            Symbols(dictionary.symbols, first),
            Symbols(Dictionary.load(str(path)).symbols, path),
            "all languages share one dictionary; binarize every pair with "
            f"`fairseq-preprocess --srcdict {first} --tgtdict {first} ...`",
        )
    return dictionary


def language_token_ids(dictionary: Dictionary, languages: Iterable[str]) -> Dict[str, int]:
    """The id that marks a source of each language.

    Raises:
        ValueError: If the dictionary file lacks the token of a language; lists them.
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
