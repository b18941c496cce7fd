#!/usr/bin/env python3
"""Scores fairseq-generate's output of many languages into English, for each language and over all.

    score_x_en.py --system GENERATED --language-ids IDS --corpus DIR --json scores.json [--moses]

GENERATED is what fairseq-generate printed with --language-ids IDS; the references are the raw files
SPLIT.xx-en.en in DIR. Over all means all lines as one text, so large test sets count for more.

BLEU is sacreBLEU on detokenized text, with its signature. With --moses the corpus is text that Moses
has tokenized, and so is what the model writes: both are detokenized for that, and beside it stands
"tokenized BLEU", case-sensitive, on both as they are, which is what many papers report.
"""

import argparse
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

from corpus_files import paths_of
from moses import detokenize_lines
from scores_file import write_scores
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.corpus_scores import CorpusScore, corpus_scores
from fairseq_subword_ext.evaluation.corpus_scores import tokenized_bleu as bleu_of_tokenized
from fairseq_subword_ext.evaluation.score_record import TOKENIZED_BLEU
from fairseq_subword_ext.evaluation.system_output import read_reference, read_system
from fairseq_subword_ext.textio.files import read_text_lines
from fairseq_subword_ext.textio.tables import text_lines

ALL = "all"
Scores = Dict[str, CorpusScore]


class Lines(NamedTuple):
    """One language's translations and references, in one order."""

    system: List[str]
    reference: List[str]


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--system", type=Path, required=True, help="output of fairseq-generate")
    parser.add_argument("--language-ids", type=Path, required=True, help="its --language-ids file")
    parser.add_argument("--corpus", type=Path, required=True, help="folder with the raw files")
    parser.add_argument("--split", default="test", help="default: %(default)s")
    parser.add_argument("--moses", action="store_true", help="the corpus is Moses-tokenized")
    parser.add_argument("--seed", type=int, help="seed of the training, for the record")
    parser.add_argument("--json", type=Path, help="write the scores to this file, for table.py")
    return parser


def main() -> int:
    return run_script(build_parser(), run)


def run(args: argparse.Namespace) -> None:
    languages = read_languages(args)
    if not languages:
        raise ValueError(f"{args.language_ids}: no languages in it")
    languages[ALL] = Lines(
        [line for lines in languages.values() for line in lines.system],
        [line for lines in languages.values() for line in lines.reference],
    )
    score = score_moses if args.moses else score_raw
    scores = {name: score(lines) for name, lines in languages.items()}
    print_table(scores, {name: len(lines.reference) for name, lines in languages.items()})
    signatures = {metric: found.signature for metric, found in scores[ALL].items()}
    for metric, signature in signatures.items():
        print(f"{metric}: {signature}")
    if args.json:
        record = {
            "figures": {
                name: {metric: found.value for metric, found in row.items()}
                for name, row in scores.items()
            },
            "lines": {name: len(lines.reference) for name, lines in languages.items()},
            "signatures": signatures,
            "seed": args.seed,
        }
        write_scores(args.json, record)


def read_languages(args: argparse.Namespace) -> Dict[str, Lines]:
    """Reads each language's part of the output and its raw reference.

    Raises:
        ValueError: If lines are missing, or the raw file has another number of lines.
    """
    spans = read_spans(args.language_ids)
    # Fairseq numbers the sentences from 0, language after language.
    total = max((ids.stop for ids in spans.values()), default=0)
    translations = read_system(str(args.system), ids=range(total)).lines
    languages = {}
    for language, ids in spans.items():
        path = paths_of(args.corpus, args.split, language)[1]
        if not ids and not path.exists():
            continue
        reference = read_reference(str(path))
        if len(reference) != len(ids):
            raise ValueError(
                f"{path} has {len(reference)} lines, but {len(ids)} were translated: score against "
                "the corpus that was binarized"
            )
        languages[language] = Lines(translations[ids.start : ids.stop], reference)
    return languages


def read_spans(path: Path) -> Dict[str, range]:
    """Reads which sentences are each language's.

    Raises:
        ValueError: With path and line, for a line of another form.
        OSError: If the file cannot be read.
    """
    spans = {}
    for number, line in enumerate(read_text_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or not (cells[1] + cells[2]).isdecimal():
            raise ValueError(
                f"{path}:{number}: expected language, first id and lines by tabs, found {line!r}"
            )
        first, count = int(cells[1]), int(cells[2])
        spans[cells[0]] = range(first, first + count)
    return spans


def score_raw(lines: Lines) -> Scores:
    """BLEU and chrF of text as people write it."""
    scores = corpus_scores(lines.system, lines.reference)
    return {metric: scores[metric] for metric in ("BLEU", "chrF")}


def score_moses(lines: Lines) -> Scores:
    """The same of detokenized text, and BLEU of the tokenized text as it is."""
    plain = Lines(*(detokenize_lines(side, "en") for side in lines))
    found = bleu_of_tokenized(lines.system, lines.reference, tokenizer="none")
    return {TOKENIZED_BLEU: found, **score_raw(plain)}


def print_table(scores: Dict[str, Scores], lines: Dict[str, int]) -> None:
    metrics: Sequence[str] = list(scores[ALL])
    table = [["", "lines", *metrics]]
    for name, row in scores.items():
        table.append([name, str(lines[name]), *(f"{row[metric].value:.2f}" for metric in metrics)])
    print("\n".join(text_lines(table)))


if __name__ == "__main__":
    sys.exit(main())
