"""Scores fairseq-generate's output of many languages into English, for each language and over all.

    python -m recipes.engine.score_languages --system GENERATED --language-ids IDS --corpus DIR --json FILE

GENERATED is what fairseq-generate printed with --language-ids IDS; the references are the raw files
SPLIT.xx-en.en in DIR. Over all means all lines as one text, so large test sets count for more. FILE has the layout of
`fairseq-subword score --json`, with one system per language.

BLEU is sacreBLEU on detokenized text, with its signature. With --moses the corpus is Moses tokens, and so is what the
model writes: both are detokenized for BLEU, and "tokenized BLEU" is case-sensitive, on both as they are, which is what
many papers report. Without it, tokenized BLEU is that of Moses' tokens of both.

--copy adds the scores of copying the source, the baseline for names, and --samples N prints N translations.
"""

import argparse
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

from fairseq_subword_ext.evaluation.corpus_scores import CorpusScore, corpus_scores, tokenized_bleu
from fairseq_subword_ext.evaluation.score_record import (
    BLEU,
    CHRF2,
    TOKENIZED_BLEU,
    ScoreRecord,
    SystemRecord,
)
from fairseq_subword_ext.evaluation.system_output import read_reference, read_system
from fairseq_subword_ext.textio.digests import text_seed
from fairseq_subword_ext.textio.files import read_text_lines
from fairseq_subword_ext.textio.tables import text_lines
from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import paths_of
from recipes.text.moses import detokenize_lines

ALL = "all"
EXACT = "exact match"
Scores = Dict[str, CorpusScore]


class Lines(NamedTuple):
    """One language's lines, in one order."""

    source: List[str]
    system: List[str]
    reference: List[str]


def main() -> int:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--system", type=Path, required=True, help="output of fairseq-generate")
    add("--language-ids", type=Path, required=True, help="its --language-ids file")
    add("--corpus", type=Path, required=True, help="folder with the raw files")
    add("--split", default="test", help="default: %(default)s")
    add("--target", default="en", help="default: %(default)s")
    add("--moses", action="store_true", help="the corpus is Moses tokens")
    add("--copy", action="store_true", help="also score copying the source, and exact matches")
    add("--samples", type=int, default=0, metavar="N", help="print N translations, drawn at random")
    add("--seed", type=int, default=1, help="seed of the training, for the record")
    add("--prefix", default="", help="of the columns of the table that the scores are for")
    add("--json", type=Path, required=True, help="write the scores to this file")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    languages = read_languages(args)
    languages[ALL] = Lines(
        *([x for part in parts for x in part] for parts in zip(*languages.values()))
    )
    scores = {name: score(lines, lines.system, args) for name, lines in languages.items()}
    copies = {}
    if args.copy:
        copies = {name: score(lines, lines.source, args) for name, lines in languages.items()}
    print_table(scores, copies, languages)
    for metric, found in scores[ALL].items():
        if found.signature:
            print(f"{metric}: {found.signature}")
    record = [
        record_of(name, scores[name], languages[name], args, {"decoding": args.prefix + name})
        for name in scores
    ]
    record += [
        record_of(f"copy.{name}", copies[name], languages[name], args, {}) for name in copies
    ]
    ScoreRecord({"file": f"{args.split}.*", "lines": len(languages[ALL].reference)}, record).save(
        args.json
    )
    print_samples(languages, args.samples)


def record_of(
    name: str, scores: Scores, lines: Lines, args: argparse.Namespace, settings: Dict[str, str]
) -> SystemRecord:
    """The scores of one language as `score --json` writes those of a system."""
    return SystemRecord(
        name,
        str(args.system),
        "D-",
        len(lines.reference),
        {**settings, "seed": args.seed},
        {metric: found.value for metric, found in scores.items()},
        {metric: found.signature for metric, found in scores.items() if found.signature},
    )


def read_languages(args: argparse.Namespace) -> Dict[str, Lines]:
    """Reads each language's part of the output, its source and its raw reference.

    Raises:
        ValueError: If lines are missing, or the raw file has another number of lines.
    """
    spans = read_spans(args.language_ids)
    # Fairseq numbers the sentences from 0, language after language.
    total = max((ids.stop for ids in spans.values()), default=0)
    translations = read_system(str(args.system), ids=range(total)).lines
    languages = {}
    for language, ids in spans.items():
        paths = paths_of(args.corpus, args.split, language, args.target)
        if not ids:
            continue
        source, reference = read_text_lines(paths[0]), read_reference(str(paths[1]))
        if len(reference) != len(ids):
            raise ValueError(
                f"{paths[1]} has {len(reference)} lines, but {len(ids)} were translated: score against "
                "the corpus that was binarized"
            )
        languages[language] = Lines(source, translations[ids.start : ids.stop], reference)
    if not languages:
        raise ValueError(f"{args.language_ids}: it has no languages")
    return languages


def read_spans(path: Path) -> Dict[str, range]:
    """Reads which sentences are each language's.

    Raises:
        ValueError: If a line has another form; the message has path and line.
        OSError: If the file cannot be read.
    """
    spans = {}
    for number, line in enumerate(read_text_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or not (cells[1] + cells[2]).isdecimal():
            raise ValueError(
                f"{path}:{number}: expected language, first id and lines separated by tabs, found {line!r}"
            )
        first, count = int(cells[1]), int(cells[2])
        spans[cells[0]] = range(first, first + count)
    return spans


def score(lines: Lines, output: List[str], args: argparse.Namespace) -> Scores:
    """The scores of an output: tokenized BLEU, BLEU and chrF, or exact match in place of the first."""
    reference = lines.reference
    if args.copy:
        equal = sum(one.strip() == other.strip() for one, other in zip(output, reference))
        first = {EXACT: CorpusScore(100 * equal / len(reference), "")}
    else:
        by = "none" if args.moses else "moses"
        first = {TOKENIZED_BLEU: tokenized_bleu(output, reference, tokenizer=by)}
    if args.moses:
        output, reference = (detokenize_lines(side, args.target) for side in (output, reference))
    found = corpus_scores(output, reference)
    return {**first, **{metric: found[metric] for metric in (BLEU, CHRF2)}}


def print_table(
    scores: Dict[str, Scores], copies: Dict[str, Scores], languages: Dict[str, Lines]
) -> None:
    """Prints one row per language, and beside each score that of copying the source."""
    metrics: Sequence[str] = list(scores[ALL])
    header = ["", "lines"]
    for metric in metrics:
        header += [metric, "copy"] if copies else [metric]
    table = [header]
    for name, row in scores.items():
        cells = [name, str(len(languages[name].reference))]
        for metric in metrics:
            value = row[metric].value
            if copies:
                copied = copies[name][metric].value
                cells += [f"{value:.1f}{' <' if value < copied else '  '}", f"{copied:.1f}"]
            else:
                cells.append(f"{value:.2f}")
        table.append(cells)
    print("\n".join(text_lines(table)))
    below = [
        f"{metric} {scores[ALL][metric].value:.1f} (copying: {copied.value:.1f})"
        for metric, copied in copies.get(ALL, {}).items()
        if scores[ALL][metric].value < copied.value
    ]
    if below:
        print(
            f"< Over all languages, worse than copying the source: {', '.join(below)}; train longer."
        )


def print_samples(languages: Dict[str, Lines], number: int) -> None:
    """Prints translations from as many languages as possible, the same ones for every system."""
    drawn = []
    for language, lines in languages.items():
        if language != ALL:
            ranked = sorted(
                range(len(lines.source)), key=lambda line: text_seed(1, f"{language} {line}")
            )
            drawn += [
                (place, text_seed(1, language), language, line)
                for place, line in enumerate(ranked[:number])
            ]
    for _, _, language, line in sorted(drawn)[:number]:
        lines = languages[language]
        print(f"\n{language:<8}source     {lines.source[line]}")
        print(f"{'':<8}output     {lines.system[line]}")
        print(f"{'':<8}reference  {lines.reference[line]}")


if __name__ == "__main__":
    sys.exit(main())
