"""Training of SentencePiece models on byte text."""

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
# Stands for no byte, so that no merge can spell it.
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

    All 256 bytes are pieces whatever the text holds, and merges stay within a word.

    Args:
        files: text files, UTF-8, a sentence a line; all together are one corpus.
        model_prefix: where to write; ``.model`` is added where it is missing.
        total_symbols: the 256 bytes and the merges; Fairseq's four special symbols do not count.
        model_type: SentencePiece's: "bpe" or "unigram".
        num_workers: threads.
        sentence_limit: train on so many lines, drawn at random; 0 for all.
        borders: ``none``, as in the native learner, or ``sentencepiece`` for the library's default
            splitting rules; see :mod:`.borders`.

    Returns:
        The model. It has fewer symbols than asked where the text gives no more merges; the log
        says so.

    Raises:
        ValueError: If total_symbols is below 256, the files hold no text, or a line is not
            UTF-8 or holds a lone carriage return.
        OSError: If a file cannot be read or written.
    """
    if total_symbols < BYTES:
        raise ValueError(
            f"total symbols: expected at least the {BYTES} bytes, found {total_symbols}"
        )
    if borders not in TRAINER_BORDERS:
        raise ValueError(
            f"borders: SentencePiece knows {' and '.join(TRAINER_BORDERS)}, not {borders!r}; the native "
            "trainer does"
        )
    if model_type not in MODEL_TYPES:
        raise ValueError(
            f"model type: expected one of {', '.join(MODEL_TYPES)}, found {model_type!r}"
        )
    if STANDARD_STREAM in map(os.fspath, files):
        raise ValueError("training a SentencePiece model reads its text twice: give files, not '-'")
    # Also reads every line once: SentencePiece would turn an error of the iterator into its own.
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
            # Bytes that the text lacks take part in no merge, which is what these are.
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
            # By default long lines are skipped in silence.
            max_sentence_length=1 << 30,
            input_sentence_size=sentence_limit,
            shuffle_input_sentence=sentence_limit > 0,
            num_threads=num_workers,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ValueError(
            f"{names}: SentencePiece cannot learn from this text ({error}); did it change meanwhile?"
        ) from error
    path = model_path(model_prefix)
    model = SentencePieceModel(content.getvalue(), str(path))
    if model.missing:
        raise ValueError(f"{names}: changed while it was read twice; learn from it again")
    learned = load_processor(content.getvalue(), str(path)).get_piece_size() - 1
    if learned < total_symbols:
        logger.warning(
            "%s: asked for %d symbols, the text gave %d; that is normal for a small text",
            path,
            total_symbols,
            learned,
        )
    with atomic_writer(path) as stream:
        stream.write(content.getvalue())
    return model


def model_path(prefix: PathLike) -> Path:
    """The file that a model is written to: ``.model`` is added where it is missing."""
    name = os.fspath(prefix)
    return Path(name if name.endswith(".model") else f"{name}.model")


def absent_symbols(files: Sequence[PathLike]) -> list[str]:
    """The stand-ins of the bytes that no file holds; a space is always present in byte text.

    Raises:
        ValueError: If no file holds any text, and as :func:`byte_sentences`.
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
    """The lines of files as byte text, without the leading U+2581, which SentencePiece adds itself.

    Raises:
        ValueError: naming the file and line that is not UTF-8 or holds a lone carriage return.
    """
    for path in files:
        with TextInput([path]) as source:
            for line in read_lines(source, name=source.name):
                if line:
                    yield bytes_to_symbols(line.encode())
