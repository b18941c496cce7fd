"""Finds the dictionary of an X-En task: beside the data, given, or made from the codes of raw text."""

from pathlib import Path
from typing import Optional, Sequence

from fairseq_subword_ext.data.common_dictionary import (
    CommonDictionary,
    load_common_dictionary,
    make_common_dictionary,
)
from fairseq_subword_ext.data.from_text import FromText
from fairseq_subword_ext.data.pair_folders import PairFolders
from fairseq_subword_ext.data.text_dictionary import entries_of_codes
from fairseq_subword_ext.subword.dictionary import language_token


def find_dictionary(
    cfg,
    folders: PairFolders,
    languages: Sequence[str],
    text: Optional[FromText],
    from_checkpoint: bool = False,
) -> CommonDictionary:
    """Loads or makes the dictionary of all languages.

    Args:
        cfg: the task's options.
        folders: the folders with the pairs.
        languages: the source languages.
        text: the raw text, if the task reads any.
        from_checkpoint: whether the options are those of a finished model, whose ``--text-dict`` need not
            exist any more.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If two files differ, or the codes do not determine a dictionary.
    """
    files = folders.dictionary_files(languages)
    if text is not None and cfg.text_dict and not (from_checkpoint and files):
        path = Path(cfg.text_dict)
        if not path.is_file():
            raise FileNotFoundError(2, "--text-dict: no such file", cfg.text_dict)
        files = [path]
    if text is None or files:
        return load_common_dictionary(files, folders.paths)
    tokens = map(language_token, languages) if cfg.source_lang_token else ()
    return make_common_dictionary(entries_of_codes(text.codec, tokens))
