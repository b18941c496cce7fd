"""Runs one job of one tool once, in its own process, and prints how many seconds the work took.

    python bpe_tools.py TOOL learn|apply TEXT MODEL OUTPUT MERGES THREADS CHARACTERS

Imports are not timed. Learning and applying go from file to file; tools with their own command line (ours,
subword-nmt, fastBPE) are timed by the caller instead. The TOOL ``ours:user`` learns with a measure written in
Python; ``ours:lines`` applies to a list of strings in memory.
"""

import sys
import time
from pathlib import Path
from typing import Callable, Dict, NamedTuple, Optional


class Work(NamedTuple):
    text: str
    model: str
    output: str
    merges: int
    threads: int
    characters: int  # distinct characters of the text, which other tools' vocabulary sizes include


Job = Callable[[Work], Optional[Callable[[], object]]]


def ours(what: str) -> Dict[str, Job]:
    import numpy as np

    from fairseq_subword_ext.subword.goodness import Measure, register_measure
    from fairseq_subword_ext.subword.learner import learn_bpe
    from fairseq_subword_ext.subword.merge_table import MergeTable
    from fairseq_subword_ext.subword.segmenter import Segmenter

    @register_measure("user")
    class User(Measure):
        reads = frozenset({"occ", "c"})

        def score(self, stats):
            return stats.occ * np.sqrt(stats.occ) / (stats.c_a + stats.c_b)

    def learn(work: Work) -> None:
        learn_bpe(work.text, work.merges, what, num_workers=work.threads).save(work.model)

    def apply(work: Work) -> None:
        segmenter = Segmenter(MergeTable.load(work.model))
        with Path(work.text).open("rb") as source, Path(work.output).open("wb") as target:
            segmenter.segment_stream(source, target, num_workers=work.threads)

    def apply_lines(work: Work) -> Callable[[], object]:
        segmenter = Segmenter(MergeTable.load(work.model))
        lines = Path(work.text).read_text(encoding="utf-8").split("\n")
        return lambda: segmenter.segment_lines(lines, num_workers=work.threads)

    return {"learn": learn, "apply": apply_lines if what == "lines" else apply}


def huggingface(what: str) -> Dict[str, Job]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def learn(work: Work) -> None:
        tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.BpeTrainer(
            vocab_size=work.merges + 2 * work.characters, end_of_word_suffix="</w>",
            special_tokens=["<unk>"], show_progress=False,
        )  # fmt: skip
        tokenizer.train([work.text], trainer)
        tokenizer.save(work.model)

    def apply(work: Work) -> Callable[[], object]:
        tokenizer = Tokenizer.from_file(work.model)
        lines = Path(work.text).read_text(encoding="utf-8").split("\n")
        return lambda: tokenizer.encode_batch(lines)

    return {"learn": learn, "apply": apply}


def sentencepiece(what: str) -> Dict[str, Job]:
    import sentencepiece as spm

    def learn(work: Work) -> None:
        spm.SentencePieceTrainer.train(
            input=work.text, model_prefix=work.model.removesuffix(".model"), model_type="bpe",
            vocab_size=work.merges + work.characters, character_coverage=1.0,
            hard_vocab_limit=False, num_threads=work.threads, normalization_rule_name="identity",
            max_sentence_length=1 << 20, minloglevel=2,
        )  # fmt: skip

    def apply(work: Work) -> None:
        processor = spm.SentencePieceProcessor(model_file=work.model)
        lines = Path(work.text).read_text(encoding="utf-8").split("\n")
        pieces = processor.encode(lines, out_type=str, num_threads=work.threads)
        Path(work.output).write_text("\n".join(map(" ".join, pieces)), encoding="utf-8")

    return {"learn": learn, "apply": apply}


def youtokentome(what: str) -> Dict[str, Job]:
    import youtokentome as yttm

    def learn(work: Work) -> None:
        size = work.merges + work.characters
        yttm.BPE.train(
            data=work.text, model=work.model, vocab_size=size, coverage=1.0, n_threads=work.threads
        )

    def apply(work: Work) -> None:
        lines = Path(work.text).read_text(encoding="utf-8").split("\n")
        bpe = yttm.BPE(model=work.model, n_threads=work.threads)
        pieces = bpe.encode(lines, output_type=yttm.OutputType.SUBWORD)
        Path(work.output).write_text("\n".join(map(" ".join, pieces)), encoding="utf-8")

    return {"learn": learn, "apply": apply}


def gigabpe(what: str) -> Dict[str, Job]:
    import gigabpe

    def learn(work: Work) -> None:
        size = work.merges + work.characters
        gigabpe.train_tokenizer(
            [work.text], vocab_size=size, output=work.model, pretokenizer="whitespace", min_frequency=2,
            threads=work.threads,
        )  # fmt: skip

    return {"learn": learn}


def gigatoken(what: str) -> Dict[str, Job]:
    import gigatoken

    def learn(work: Work) -> None:
        gigatoken.train_bpe(gigatoken.TextFileSource([work.text]), work.merges + 256, [])

    return {"learn": learn}


def rustbpe(what: str) -> Dict[str, Job]:
    import rustbpe

    def learn(work: Work) -> None:
        with Path(work.text).open(encoding="utf-8", newline="\n") as lines:
            rustbpe.Tokenizer().train_from_iterator(lines, work.merges + 256)

    return {"learn": learn}


def ffbpe(what: str) -> Dict[str, Job]:
    import ffbpe

    def learn(work: Work) -> None:
        with Path(work.text).open(encoding="utf-8", newline="\n") as lines:
            ffbpe.train_bpe(lines, vocab_size=work.merges + 256)

    return {"learn": learn}


TOOLS = {
    "ours": ours,
    "Hugging Face tokenizers": huggingface,
    "SentencePiece": sentencepiece,
    "YouTokenToMe": youtokentome,
    "gigabpe": gigabpe,
    "gigatoken": gigatoken,
    "rustbpe": rustbpe,
    "ffbpe": ffbpe,
}

if __name__ == "__main__":
    name, job, text, model, output, merges, threads, characters = sys.argv[1:]
    tool, _, what = name.partition(":")
    work = Work(text, model, output, int(merges), int(threads), int(characters))
    do = TOOLS[tool](what)[job]
    begin = time.perf_counter()
    prepared = do(work)
    if prepared is not None:  # timing starts with the lines in memory
        begin = time.perf_counter()
        prepared()
    print(time.perf_counter() - begin)
