"""Splits text into the words that scores count."""

from typing import Callable, Dict, Iterable, List, Sequence, Tuple

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.evaluation.sacrebleu_adapter import (
    FLORES200,
    MECAB_EXTRAS,
    make_bleu,
)
from fairseq_subword_ext.textio.text_input import read_text

AS_IT_IS = "none"  # words are separated by spaces
# The last three need a package, or a model that sacreBLEU downloads.
SACREBLEU_TOKENIZERS = ("13a", "intl", "zh", "char", AS_IT_IS, FLORES200, *MECAB_EXTRAS)
DEFAULT_TOKENIZER = "13a"

# These never look beyond the spaces around a word.
_WORD_BY_WORD = ("13a", "char", AS_IT_IS)

MOSES = "moses"
TOKENIZERS = (MOSES, *SACREBLEU_TOKENIZERS)

Cutter = Callable[[str], List[str]]


def word_cutter(tokenizer: str = DEFAULT_TOKENIZER, language: str = "en") -> Cutter:
    """Returns the function that splits a line into words.

    Args:
        tokenizer: one of :data:`TOKENIZERS`: sacreBLEU's name of a tokenizer, or "moses".
        language: language code; only Moses uses it, for its list of abbreviations.

    Raises:
        ValueError: If the tokenizer lacks a package or a model; the message says how to get it.
    """
    if tokenizer == MOSES:
        moses = _moses_tokenizer(language)
        # Only Moses' own tools need escapes, and text that has them already would be escaped twice.
        return lambda line: moses.tokenize(line, escape=False)
    tokenize = make_bleu(tokenizer).tokenizer
    return lambda line: tokenize(line.rstrip()).split()


def cutter_signature(tokenizer: str, language: str = "en") -> str:
    """The name of a tokenizer with its version and language, if it has any."""
    if tokenizer != MOSES:
        return make_bleu(tokenizer).tokenizer.signature()
    from sacremoses import __version__

    return f"{MOSES}-{language}-sacremoses-{__version__}"


def _moses_tokenizer(language: str):
    try:
        from sacremoses import MosesTokenizer
    except ImportError:
        raise ValueError(
            "the Moses tokenizer needs sacremoses, which is not installed: "
            "pip install 'fairseq_subword_ext[recipes]', or choose another tokenizer: "
            f"{', '.join(TOKENIZERS)}"
        ) from None
    return MosesTokenizer(lang=language)


def count_training_words(
    files: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER, num_workers: int = 1
) -> Dict[str, int]:
    """Counts the words of training text.

    Args:
        files: text files, one sentence per line.
        tokenizer: one of :data:`SACREBLEU_TOKENIZERS`.
        num_workers: number of threads; it does not affect the result.

    Raises:
        ValueError: If text is not UTF-8 or has lone carriage returns (the message has path and line), or
            the tokenizer lacks a package or a model.
        OSError: If a file cannot be read.
    """
    cut = word_cutter(tokenizer)
    counts: Dict[str, int] = {}
    for text, count in _training_texts(files, tokenizer, num_workers):
        for word in cut(text):
            counts[word] = counts.get(word, 0) + count
    return counts


def _training_texts(
    files: Sequence[str], tokenizer: str, num_workers: int
) -> Iterable[Tuple[str, int]]:
    """Texts to split, with their counts: word types if words are split one by one, else lines."""
    if tokenizer in _WORD_BY_WORD:
        yield from count_words(list(files), num_workers=num_workers).items()
        return
    for file in files:
        yield from ((line, 1) for line in read_text(file))
