"""The names of systems for your own data: what is segmented how, into how many symbols, with which context.

frequency-8k, frq-8k, av-8k, dlg-8k, frq-weighted-8k, av-weighted-8k, dlg-weighted-8k, dlg-average-8k
                 BPE of characters by this measure, 8,000 merges; bpe-8k is frequency-8k
bbpe-4k          byte-level BPE, 4,096 symbols including the 256 bytes
bbpe-dlg-weighted-4k   the same by another measure
bytes, chars     no merges
...-gru, ...-conv      any of these with contextualized source embeddings

words-50k        whole words, the 50,000 most frequent ones of each side; words: all of them
char-bigrams, char-trigrams    pieces of two or three characters; char-bigrams-50k keeps that many words whole
compounds, morfessor, hyphenation    Koehn & Knight's splitting, Morfessor's morphs, hyphenation by pyphen

enc, enc_dec, embed_enc, all   with --parent: these parts of the parent are trained further
zero_shot, scratch             with --parent: the parent unchanged; a new model of its size
"""

import re
from typing import Dict, List, Tuple

from recipes.engine.systems import System

from fairseq_subword_ext.subword.goodness import measure_names

CONTEXTS = ("none", "conv", "gru")
PARTS = {
    "zero_shot": "",
    "enc": "enc",
    "enc_dec": "enc+dec",
    "embed_enc": "embed+enc",
    "all": "all",
    "scratch": "scratch",
}
_SIZE = re.compile(r"(\d+)(k?)")
_BASELINE = re.compile(
    r"(words|char-bigrams|char-trigrams)(?:-(\d+)(k?))?|(compounds|morfessor|hyphenation)"
)


def system_of(name: str, model: str, pair: str, separate: bool, baseline: str) -> System:
    """The row of a system's name.

    Args:
        name: of the system.
        model: the configuration.
        pair: source and target language, such as ``si-en``.
        separate: whether each side learns its own subwords.
        baseline: name of the system that the others are compared with.

    Raises:
        ValueError: If the name has another form; the message shows the forms.
    """
    parts = name.split("-")
    context = "none"
    if parts[-1] in CONTEXTS:
        context = parts.pop()
    segmentation = "-".join(parts)
    settings = [f"model.embedding_context={context}"]
    baseline_columns = baseline_of(segmentation, pair)
    encoder, learn = ("", []) if baseline_columns else segmentation_of(segmentation, name)
    if separate and learn:
        segmentation += ".separate"
    if separate or baseline_columns:  # which have a dictionary for each side
        settings.append("model.share_all_embeddings=false")
    columns = {
        **dict.fromkeys(("segment", "segment_target", "words", "words_target"), ""),
        **baseline_columns,
        "row": name,
        "segmentation": segmentation,
        "encoder": encoder,
        "learn": " ".join(learn),
        "learn_target": " ".join(learn) if separate else "",
        "dictionary": "separate" if separate else "",
        "pair": pair,
        "config": model,
        "set": " ".join(settings),
        "generate": "--beam 5 --max-len-a 2 --max-len-b 100",
        "baseline": "" if name == baseline else baseline,
    }
    return System(name, columns, {})


def baseline_of(text: str, pair: str) -> Dict[str, str]:
    """The columns of a segmentation that BPE is compared with; empty if the text names none."""
    found = _BASELINE.fullmatch(text)
    if found is None:
        return {}
    name = found[1] or found[4]
    size = str(int(found[2]) * (1000 if found[3] else 1)) if found[2] else ""
    flags = {
        "words": ["word"],
        "char-bigrams": ["char-ngrams", "--n", "2"],
        "char-trigrams": ["char-ngrams", "--n", "3"],
    }.get(name, [name])
    if size and name != "words":
        flags += ["--shortlist", size]
    sides = [
        flags + (["--lang", language] if name == "hyphenation" else [])
        for language in pair.split("-")
    ]
    columns = {"segment": " ".join(sides[0]), "segment_target": " ".join(sides[1])}
    if name == "words" and size:
        columns.update(words=size, words_target=size)
    return columns


def segmentation_of(text: str, name: str) -> Tuple[str, List[str]]:
    """The encoder of a segmentation, and the flags of learn-bpe.

    Raises:
        ValueError: If the text has another form.
    """
    if text in ("bytes", "byte"):
        return "byte_level", []
    if text in ("chars", "char"):
        return "char_level", []
    *words, size = text.split("-")
    found = _SIZE.fullmatch(size)
    unit = words.pop(0) if words and words[0] in ("bpe", "bbpe") else ""
    measure = "-".join(words) or "frequency"
    if found is None or not (unit or words):
        raise ValueError(f"{name}: {_HELP}")
    if measure not in measure_names():
        raise ValueError(f"{name}: no measure {measure!r}; they are {', '.join(measure_names())}")
    number = int(found[1])
    if unit == "bbpe":
        symbols = number * 1024 if found[2] else number
        return "bbpe", [
            "--unit",
            "byte",
            "--total-symbols",
            "-s",
            str(symbols),
            "--measure",
            measure,
        ]
    merges = number * 1000 if found[2] else number
    return "generalized_bpe", ["-s", str(merges), "--measure", measure]


_HELP = (
    "a system is MEASURE-SIZE, bpe-SIZE, bbpe-SIZE, bytes, chars or a baseline, with -gru or -conv for a context: "
    "frequency-8k, dlg-weighted-8k, bbpe-4k-gru, bytes-conv, words-50k, char-bigrams, compounds"
)
