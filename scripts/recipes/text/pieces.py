"""BPE by SentencePiece itself, on plain text: all characters are pieces, and no word-final copy of one counts.

    pieces.py learn -s 16384 -i train.ja train.en -o codes
    pieces.py binarize -c codes -i corpus --splits train valid test -t en -o bin

SentencePiece's own splitting rules apply: by script, by number, at most 16 characters. The text is not normalized.
``binarize`` writes Fairseq's data of all pairs SPLIT.xx-en.{xx,en} that the corpus has, with one dictionary of all
pieces, also those that training text shows only inside longer ones. Fairseq undoes the pieces with ``--bpe
sentencepiece --sentencepiece-model codes``.
"""

import argparse
import io
import sys
from itertools import islice
from pathlib import Path
from typing import Iterable, List

import numpy as np

from fairseq_subword_ext.subword.dictionary import CONTROL_SYMBOLS, save
from fairseq_subword_ext.subword.dictionary_file import EOS, UNK
from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetWriter, id_type
from fairseq_subword_ext.textio.inputs import expand
from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import find_languages, paths_of
from recipes.text.raw_text import read_lines

BLOCK = 100_000  # lines in memory
SHIFT = UNK  # of a piece's number: the unknown symbol is the first piece, and Fairseq's last control symbol


def train_model(lines: Iterable[str], symbols: int, workers: int = 1) -> bytes:
    """Learns so many pieces, base characters included, the unknown symbol not; returns the model.

    Raises:
        ValueError: If the text cannot be used, or has more characters than that.
    """
    import sentencepiece

    content = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(line for line in lines if line),
            model_writer=content,
            model_type="bpe",
            vocab_size=symbols + 1,  # the unknown symbol
            hard_vocab_limit=False,
            unk_id=0,
            bos_id=-1,
            eos_id=-1,
            pad_id=-1,
            normalization_rule_name="identity",
            character_coverage=1.0,
            max_sentence_length=1 << 30,  # by default long lines are skipped
            num_threads=workers,
            minloglevel=1,
        )
    except RuntimeError as error:
        raise ValueError(f"SentencePiece cannot learn {symbols} pieces ({error})") from error
    return content.getvalue()


def learn(args: argparse.Namespace) -> None:
    """Learns ``--symbols`` pieces from all texts together.

    Raises:
        ValueError: As for :func:`train_model`.
    """
    import sentencepiece

    paths = [Path(name) for name in expand(args.input)]
    lines = (line for path in paths for line in read_lines(path))
    content = train_model(lines, args.symbols, args.num_workers)
    with atomic_writer(args.output) as stream:
        stream.write(content)
    model = sentencepiece.SentencePieceProcessor(model_proto=content)
    print(f"learned {model.get_piece_size() - 1:,} of {args.symbols:,} pieces")


def pieces_of(model) -> List[str]:
    """All pieces of a model but the unknown symbol."""
    return [model.id_to_piece(number) for number in range(1, model.get_piece_size())]


def binarize(args: argparse.Namespace) -> None:
    """Writes the data and the dictionary; validation comes after training, then the test sets."""
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(args.codes))
    entries = [(piece, 1) for piece in pieces_of(model)]
    dtype = id_type(CONTROL_SYMBOLS + len(entries))
    args.output.mkdir(parents=True, exist_ok=True)
    train, valid, *tests = args.splits
    names = {train: "train", valid: "valid"}
    names.update((test, f"test{number or ''}") for number, test in enumerate(tests))
    written = {args.target}
    for split, name in names.items():
        for language in find_languages(args.input, split, args.target):
            for path in paths_of(args.input, split, language, args.target):
                prefix = args.output / f"{name}{path.name[len(split) :]}"
                with IndexedDatasetWriter(prefix, dtype) as writer:
                    write_ids(writer, model, path, args.num_workers)
            written.add(language)
    for language in written:
        save(entries, args.output / f"dict.{language}.txt")


def write_ids(writer: IndexedDatasetWriter, model, path: Path, workers: int) -> None:
    """Writes a text's pieces as Fairseq's ids."""
    lines = read_lines(path)
    while block := list(islice(lines, BLOCK)):
        encoded = model.encode(block, num_threads=workers)
        writer.add_sizes(np.array([len(line) + 1 for line in encoded]))
        ended = (number for line in encoded for number in (*line, EOS - SHIFT))
        writer.add_ids(np.fromiter(ended, np.int64) + SHIFT)


def main() -> int:
    parser = make_parser(__doc__)
    jobs = parser.add_subparsers(required=True)
    for job in (learn, binarize):
        added = jobs.add_parser(job.__name__)
        added.set_defaults(job=job)
        added.add_argument(
            "-i", "--input", type=Path, nargs="+" if job is learn else None, required=True
        )
        added.add_argument("-o", "--output", type=Path, required=True)
        added.add_argument("--num-workers", type=int, default=1, metavar="N")
        if job is learn:
            added.add_argument("-s", "--symbols", type=int, required=True)
        else:
            added.add_argument("-c", "--codes", type=Path, required=True)
            added.add_argument("--splits", nargs="+", required=True, metavar="SPLIT")
            added.add_argument("-t", "--target", default="en", metavar="LANG")
    return run_script(parser, lambda args: args.job(args))


if __name__ == "__main__":
    sys.exit(main())
