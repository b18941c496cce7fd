"""Loads Fairseq's dictionaries through this package's reader, whose messages name file and line."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, List, Optional, Type

from fairseq_subword_ext.subword.dictionary_file import DictionaryFile
from fairseq_subword_ext.textio.files import PathLike

if TYPE_CHECKING:
    from fairseq.data import Dictionary


def dictionary_folders(checkpoint: Path, data: Optional[str]) -> List[Path]:
    """The folders that may hold a model's dictionaries, the most certain first.

    Args:
        checkpoint: the model; training on raw text puts the dictionaries beside it.
        data: the folders of its training data, as its configuration has them.
    """
    beside = [checkpoint.parent] if any(checkpoint.parent.glob("dict.*.txt")) else []
    return [*beside, *(Path(place) for place in (data or "").split(os.pathsep) if place)]


def load_dictionary(path: PathLike, kind: "Optional[Type[Dictionary]]" = None) -> "Dictionary":
    """Loads a dict.txt as ``Dictionary.load`` does.

    Args:
        path: the file.
        kind: the class, ``Dictionary`` or a subclass.

    Raises:
        ValueError: If it is not a dictionary. Names file and line.
        OSError: If the file cannot be read.
    """
    from fairseq.data import Dictionary

    dictionary = (kind or Dictionary)()
    for symbol, count in DictionaryFile.load(path).entries:
        dictionary.add_symbol(symbol, n=count, overwrite=True)
    return dictionary
