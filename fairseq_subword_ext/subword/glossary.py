"""Glossaries: terms that segmentation leaves whole.

As in subword-nmt, a glossary term is a regular expression, and a word is cut around its matches. Three
things differ, since in subword-nmt they corrupt text or protect nothing: a term is also tried literally
(so ``C++`` and ``[`` protect what they spell), groups in an expression do not duplicate text, and if
several terms match at one position the longest wins.
"""

import logging
import re
from typing import List, Optional, Pattern, Sequence, Tuple

from fairseq_subword_ext.textio.files import PathLike, read_text_lines

logger = logging.getLogger(__name__)

Part = Tuple[str, bool]


class SubwordNmtGlossary:
    """Cuts words as subword-nmt does: regular expressions only, one after the other.

    The one difference is groups: subword-nmt prints their matches a second time.

    Args:
        terms: regular expressions.

    Raises:
        ValueError: If a term is not a regular expression.
    """

    def __init__(self, terms: Sequence[str]):
        self._terms = [(_compiled(f"^{term}$"), _compiled(term)) for term in terms]
        self._whole = _compiled("^({})$".format("|".join(terms)))

    def __call__(self, word: str) -> Optional[List[Part]]:
        """Like :meth:`Glossary.__call__`."""
        segments = [word]
        for whole, term in self._terms:
            segments = [
                part
                for segment in segments
                for part in ([segment] if whole.match(segment) else _cut(term, segment))
            ]
        parts = [(segment, self._whole.match(segment) is not None) for segment in segments]
        return None if parts == [(word, False)] else parts


def _compiled(expression: str) -> Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ValueError(
            f"the glossary term {expression!r} is not a regular expression ({error})"
        ) from None


def _cut(term: Pattern[str], word: str) -> List[str]:
    """Splits a word into the matches of a term and the text between them."""
    parts: List[str] = []
    at = 0
    for match in term.finditer(word):
        parts += [word[at : match.start()], match.group()]
        at = match.end()
    return [part for part in [*parts, word[at:]] if part]


class Glossary:
    """Cuts words at the terms of a glossary.

    Args:
        terms: literal terms or regular expressions.

    Raises:
        ValueError: If a term is empty.
    """

    def __init__(self, terms: Sequence[str]):
        self._patterns: List[Pattern[str]] = []
        for term in terms:
            if not term:
                raise ValueError("a glossary term is empty")
            if " " in term:
                logger.warning("the glossary term %r contains a space: no word can match it", term)
            self._patterns += _patterns(term)

    def __call__(self, word: str) -> Optional[List[Part]]:
        """Returns the parts of a word and whether each is a term; None if the word contains no term."""
        if any(pattern.fullmatch(word) for pattern in self._patterns):
            return [(word, True)]
        parts: List[Part] = []
        at = 0
        while at < len(word):
            found = [match for p in self._patterns if (match := _search(p, word, at))]
            if not found:
                break
            term = min(found, key=lambda match: (match.start(), -match.end()))
            if at < term.start():
                parts.append((word[at : term.start()], False))
            parts.append((term.group(), True))
            at = term.end()
        if not parts:
            return None
        return [*parts, (word[at:], False)] if at < len(word) else parts


def _patterns(term: str) -> List[Pattern[str]]:
    literal = re.compile(re.escape(term))
    if literal.pattern == term:
        return [literal]
    try:
        return [literal, re.compile(term)]
    except re.error as error:
        logger.warning(
            "the glossary term %r is not a regular expression (%s): taken literally", term, error
        )
        return [literal]


def _search(pattern: Pattern[str], word: str, at: int) -> Optional["re.Match[str]"]:
    """The first non-empty match."""
    while at <= len(word):
        match = pattern.search(word, at)
        if match is None or match.end() > match.start():
            return match
        at = match.start() + 1
    return None


def read_literal_terms(path: PathLike) -> List[str]:
    """Reads literal terms, one per line, as regular expressions; blank lines are ignored.

    Raises:
        ValueError: If a term contains a space, so that no word can match it, or the file is not
            UTF-8; names file and line.
        OSError: If the file cannot be read.
    """
    terms = []
    for number, line in enumerate(read_text_lines(path), start=1):
        term = line.rstrip("\r")
        if " " in term:
            raise ValueError(
                f"{path}:{number}: the term {term!r} contains a space; text is split there first, so "
                "it can never match: list its words separately"
            )
        if term:
            terms.append(re.escape(term))
    return terms
