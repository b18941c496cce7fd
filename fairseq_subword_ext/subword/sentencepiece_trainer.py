"""Trains SentencePiece models on byte text."""

import io
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import sentencepiece

from fairseq_subword_ext.subword.borders import LONGEST_PIECE
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, SPACE_SYMBOL, bytes_to_symbols
from fairseq_subword_ext.subword.sentencepiece_model import SentencePieceModel, load_processor
from fairseq_subword_ext.textio.files import (
    STANDARD_STREAM,
    PathLike,
    atomic_writer,
)
from fairseq_subword_ext.textio.lines import read_lines
from fairseq_subword_ext.textio.text_input import TextInput

logger = logging.getLogger(__name__)

BYTES = len(BYTE_SYMBOLS)
MODEL_TYPES = ("bpe", "unigram")
TRAINER_BORDERS = ("none", "sentencepiece")
# Represents no byte, so that no merge can spell it.
UNKNOWN_PIECE = "\u2047"


def train_sentencepiece_bytes(
    files: Sequence[PathLike],
    model_prefix: PathLike,
    total_symbols: int,
    model_type: str = "bpe",
    num_workers: int = 1,
    sentence_limit: int = 0,
    borders: str = "none",
) -> SentencePieceModel:
    """Trains a SentencePiece model on byte text and writes it.

    All 256 bytes are pieces regardless of the text, and merges stay within a word.

    Args:
        files: UTF-8 text files, one sentence per line; together they are one corpus.
        model_prefix: the output file; ``.model`` is appended if it is missing.
        total_symbols: number of symbols, the 256 bytes included, Fairseq's four control symbols not.
        model_type: SentencePiece's model type, "bpe" or "unigram".
        num_workers: number of threads.
        sentence_limit: number of lines to train on, drawn at random; 0 for all.
        borders: ``none``, as in the native learner, or ``sentencepiece`` for the library's default
            splitting rules; see :mod:`.borders`.

    Returns:
        The model. It has fewer symbols than requested, with a log message, if the text does not give
        enough merges.

    Raises:
        ValueError: If total_symbols is below 256, the files contain no text, or a line is not UTF-8 or
            contains a lone carriage return.
        OSError: If a file cannot be read or written.
    """
    if total_symbols < BYTES:
        raise ValueError(
            f"total symbols: expected at least {BYTES}, one per byte, found {total_symbols}"
        )
    if borders not in TRAINER_BORDERS:
        raise ValueError(
            f"borders must be one of {', '.join(TRAINER_BORDERS)} with SentencePiece, not {borders!r}; use "
            "the native trainer"
        )
    if model_type not in MODEL_TYPES:
        raise ValueError(f"model type must be one of {', '.join(MODEL_TYPES)}, not {model_type!r}")
    if STANDARD_STREAM in map(os.fspath, files):
        raise ValueError("training a SentencePiece model reads its text twice: give files, not '-'")
    # This also validates every line; SentencePiece would replace the iterator's error with its own.
    absent = absent_symbols(files)
    content = io.BytesIO()
    names = ", ".join(map(os.fspath, files))
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=byte_sentences(files),
            model_writer=content,
            model_type=model_type,
            vocab_size=total_symbols + 1,  # the unknown piece
            hard_vocab_limit=False,
            # Bytes missing from the text take part in no merge, as user-defined symbols do.
            user_defined_symbols=absent,
            unk_piece=UNKNOWN_PIECE,
            unk_id=0,
            bos_id=-1,
            eos_id=-1,
            pad_id=-1,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            add_dummy_prefix=True,
            character_coverage=1.0,
            split_by_unicode_script=borders == "sentencepiece",
            split_by_number=borders == "sentencepiece",
            max_sentencepiece_length=LONGEST_PIECE if borders == "sentencepiece" else 512,
            # By default long lines are skipped silently.
            max_sentence_length=1 << 30,
            input_sentence_size=sentence_limit,
            shuffle_input_sentence=sentence_limit > 0,
            num_threads=num_workers,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ValueError(
            f"{names}: SentencePiece cannot learn from this text ({error}); did it change in the meantime?"
        ) from error
    path = model_path(model_prefix)
    model = SentencePieceModel(content.getvalue(), str(path))
    if model.missing:
        raise ValueError(f"{names}: changed between two reads; learn from it again")
    learned = load_processor(content.getvalue(), str(path)).get_piece_size() - 1
    if learned < total_symbols:
        logger.warning(
            "%s: %d symbols requested, but the text gave %d; this is normal for small texts",
            path,
            total_symbols,
            learned,
        )
    with atomic_writer(path) as stream:
        stream.write(content.getvalue())
    return model


def model_path(prefix: PathLike) -> Path:
    """The file that a model is written to: ``.model`` is appended if it is missing."""
    name = os.fspath(prefix)
    return Path(name if name.endswith(".model") else f"{name}.model")


def absent_symbols(files: Sequence[PathLike]) -> list[str]:
    """Returns the stand-ins of bytes that no file contains; byte text always contains a space.

    Raises:
        ValueError: If no file contains any text, or a line is not UTF-8 or contains a lone carriage
            return.
    """
    present = set()
    for sentence in byte_sentences(files):
        present.update(sentence)
    if not present - {SPACE_SYMBOL}:
        raise ValueError(
            f"{', '.join(str(path) for path in files) or 'no files'}: found no text to learn from"
        )
    return [symbol for symbol in BYTE_SYMBOLS if symbol not in present | {SPACE_SYMBOL}]


def byte_sentences(files: Iterable[PathLike]) -> Iterator[str]:
    """Yields the lines of files as byte text, without the leading U+2581, which SentencePiece adds.

    Raises:
        ValueError: If a line is not UTF-8 or contains a lone carriage return; names file and line.
    """
    for path in files:
        with TextInput([path]) as source:
            for line in read_lines(source, name=source.name):
                if line:
                    yield bytes_to_symbols(line.encode())
