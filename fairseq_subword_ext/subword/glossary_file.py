"""Files of glossary terms that mean what they spell."""

import re
from typing import List

from fairseq_subword_ext.subword.files import PathLike, read_text_lines


def read_literal_terms(path: PathLike) -> List[str]:
    """The regular expressions that match the terms of a file, one a line; blank lines do not count.

    Raises:
        ValueError: where a term holds a space, so that no word can match it, or the file is not
            UTF-8: with file and line.
        OSError: where the file cannot be read.
    """
    terms = []
    for number, line in enumerate(read_text_lines(path), start=1):
        term = line.rstrip("\r")
        if " " in term:
            raise ValueError(
                f"{path}:{number}: the term {term!r} holds a space; words are split there first, so "
                "it can never match: give its words one by one"
            )
        if term:
            terms.append(re.escape(term))
    return terms
