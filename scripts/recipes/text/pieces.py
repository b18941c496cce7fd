"""BPE by SentencePiece itself, on plain text: all characters are pieces, and no word-final copy of one counts.

    pieces.py learn -s 16384 -i train.ja train.en -o codes
    pieces.py segment -c codes -i valid.ja -o valid.pieces.ja

SentencePiece's own splitting rules apply: by script, by number, at most 16 characters. The text is not normalized.
Fairseq undoes the pieces with ``--bpe sentencepiece --sentencepiece-model codes``.
"""

import argparse
import io
import sys
from itertools import islice
from pathlib import Path
from typing import Iterator

from fairseq_subword_ext.textio.files import atomic_writer
from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import write_lines
from recipes.text.raw_text import read_lines

BLOCK = 100_000  # lines in memory


def learn(args: argparse.Namespace) -> None:
    """Learns ``--symbols`` pieces, base characters included, the unknown symbol not.

    Raises:
        ValueError: If the text cannot be used, or has more characters than that.
    """
    import sentencepiece

    content = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(line for path in args.input for line in read_lines(path) if line),
            model_writer=content,
            model_type="bpe",
            vocab_size=args.symbols + 1,  # the unknown symbol
            hard_vocab_limit=False,
            unk_id=0,
            bos_id=-1,
            eos_id=-1,
            pad_id=-1,
            normalization_rule_name="identity",
            character_coverage=1.0,
            max_sentence_length=1 << 30,  # by default long lines are skipped
            num_threads=args.num_workers,
            minloglevel=1,
        )
    except RuntimeError as error:
        raise ValueError(f"SentencePiece cannot learn {args.symbols} pieces ({error})") from error
    with atomic_writer(args.output) as stream:
        stream.write(content.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=content.getvalue())
    print(f"learned {model.get_piece_size() - 1:,} of {args.symbols:,} pieces")


def segment(args: argparse.Namespace) -> None:
    """Writes each line of a text as pieces separated by spaces."""
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(args.codes))

    def pieces() -> Iterator[str]:
        lines = read_lines(args.input)
        while block := list(islice(lines, BLOCK)):
            encoded = model.encode(block, out_type=str, num_threads=args.num_workers)
            yield from map(" ".join, encoded)

    args.output.parent.mkdir(parents=True, exist_ok=True)
    write_lines(args.output, pieces())


def main() -> int:
    parser = make_parser(__doc__)
    jobs = parser.add_subparsers(required=True)
    for job, inputs in ((learn, "+"), (segment, None)):
        added = jobs.add_parser(job.__name__)
        added.add_argument("-i", "--input", type=Path, nargs=inputs, required=True)
        added.add_argument("-o", "--output", type=Path, required=True)
        added.add_argument("--num-workers", type=int, default=1, metavar="N")
        added.set_defaults(job=job)
        if job is learn:
            added.add_argument("-s", "--symbols", type=int, required=True)
        else:
            added.add_argument("-c", "--codes", type=Path, required=True)
    return run_script(parser, lambda args: args.job(args))


if __name__ == "__main__":
    sys.exit(main())
