"""Runs one job of one tool once, in its own process.

    python bpe_tools.py TOOL learn|apply|lines|ids TEXT MODEL OUTPUT MERGES THREADS CHARACTERS

Learning and applying go from file to file, and the caller times the process. The jobs "lines" (to pieces) and
"ids" work on the lines in memory, twice with the same tokenizer, and print "cold SECONDS CPU" and
"warm SECONDS CPU". The tool "ours, user" learns with a measure written in Python.
"""

import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional


class Work(NamedTuple):
    text: str
    model: str
    output: str
    merges: int
    threads: int
    characters: int  # distinct characters of the text, which other tools' vocabulary sizes include

    def lines(self) -> List[str]:
        return Path(self.text).read_text(encoding="utf-8").split("\n")


# A job either does its work, or prepares it and returns it, to be timed without the preparation.
Job = Callable[[Work], Optional[Callable[[], object]]]


def ours(what: str) -> Dict[str, Job]:
    import numpy as np

    from fairseq_subword_ext.subword.dictionary import producible_tokens
    from fairseq_subword_ext.subword.goodness import Measure, register_measure
    from fairseq_subword_ext.subword.id_encoder import DictionaryIndices
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

    def lines(work: Work) -> Callable[[], object]:
        segmenter, all_lines = Segmenter(MergeTable.load(work.model)), work.lines()
        return lambda: segmenter.segment_lines(all_lines, num_workers=work.threads)

    def ids(work: Work) -> Callable[[], object]:
        table, all_lines = MergeTable.load(work.model), work.lines()
        tokens = enumerate(sorted(producible_tokens(table)), start=4)
        dictionary = DictionaryIndices({token: index for index, token in tokens})
        encoder = Segmenter(table).id_encoder(dictionary, append_eos=False)
        return lambda: encoder.encode_lines(all_lines, num_workers=work.threads)

    return {"learn": learn, "lines": lines, "ids": ids}


def tokenizers(what: str) -> Dict[str, Job]:
    def learn(work: Work) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.BpeTrainer(
            vocab_size=work.merges + 2 * work.characters, end_of_word_suffix="</w>",
            special_tokens=["<unk>"], show_progress=False,
        )  # fmt: skip
        tokenizer.train([work.text], trainer)
        tokenizer.save(work.model)

    def lines(work: Work) -> Callable[[], object]:
        from tokenizers import Tokenizer

        tokenizer, all_lines = Tokenizer.from_file(work.model), work.lines()
        return lambda: tokenizer.encode_batch(all_lines)

    return {"learn": learn, "lines": lines}


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
        pieces = processor.encode(work.lines(), out_type=str, num_threads=work.threads)
        Path(work.output).write_text("\n".join(map(" ".join, pieces)), encoding="utf-8")

    return {"learn": learn, "apply": apply}


def youtokentome(what: str) -> Dict[str, Job]:
    import youtokentome as yttm

    def learn(work: Work) -> None:
        size = work.merges + work.characters
        yttm.BPE.train(
            data=work.text, model=work.model, vocab_size=size, coverage=1.0, n_threads=work.threads
        )

    return {"learn": learn}


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

    def ids(work: Work) -> Callable[[], object]:
        from fairseq_subword_ext.subword.export_tiktoken import format_ranks, tiktoken_ranks
        from fairseq_subword_ext.subword.merge_table import MergeTable

        ranks = f"{work.output}.tiktoken"
        codes = Path(work.model).with_name("ours-bytes.model")
        Path(ranks).write_text(
            format_ranks(tiktoken_ranks(MergeTable.load(codes))), encoding="utf-8"
        )
        tokenizer, all_lines = gigatoken.Tokenizer.from_tiktoken(ranks, "gpt2"), work.lines()
        return lambda: tokenizer.encode_batch(all_lines)

    return {"learn": learn, "ids": ids}


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
    "tokenizers": tokenizers,
    "tokenizers 1.0.0rc3": tokenizers,
    "SentencePiece": sentencepiece,
    "YouTokenToMe": youtokentome,
    "gigabpe": gigabpe,
    "gigatoken": gigatoken,
    "rustbpe": rustbpe,
    "ffbpe": ffbpe,
}

if __name__ == "__main__":
    name, job, text, model, output, merges, threads, characters = sys.argv[1:]
    tool, _, what = name.partition(", ")
    work = Work(text, model, output, int(merges), int(threads), int(characters))
    prepared = TOOLS[tool](what)[job](work)
    for which in ("cold", "warm") if prepared is not None else ():
        wall, cpu = time.perf_counter(), time.process_time()
        result = prepared()
        print(which, time.perf_counter() - wall, time.process_time() - cpu)
        del result
