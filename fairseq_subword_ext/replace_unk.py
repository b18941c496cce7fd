"""Fixes ``fairseq-generate --replace-unk``, which crashes in current Fairseq.

Fairseq's alignments are pairs of positions, but its replacement of unknown words expects one position per
target word and fails with a TypeError; without ``--print-alignment`` it fails with an IndexError; and
``--replace-unk`` without a file tries to open a file called "@@ ". It also joins pieces first (those of the
output with ``--remove-bpe``, those of the source with ``--bpe``) and then uses the positions of pieces as
positions of words. The functions here replace Fairseq's and do what its manual says: first replace unknown
pieces, then join.
"""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from fairseq_subword_ext.baselines.back_off import load_dictionary, replace_unknown

# The value that Fairseq's parser sets for --replace-unk without a file.
_NO_FILE = "@@ "


class Alignment(List[Tuple[int, int]]):
    """(source position, target position) pairs, with the source pieces that they refer to.

    Args:
        links: the pairs.
        length: the number of source pieces that the model read.
        source: these pieces as in the data, if the task provides them.
    """

    def __init__(
        self, links: Iterable[Tuple[int, int]], length: int, source: Optional[List[str]] = None
    ):
        super().__init__(links)
        self.length = length
        self.source = source


def install() -> None:
    """Replaces Fairseq's functions with ours."""
    from fairseq import utils

    extract, post_process = utils.extract_hard_alignment, utils.post_process_prediction

    def extract_hard_alignment(attn, src_sent, tgt_sent, pad, eos):
        links = extract(attn, src_sent, tgt_sent, pad, eos)
        return Alignment(links, int(((src_sent != pad) & (src_sent != eos)).sum()))

    def post_process_prediction(
        hypo_tokens, src_str, alignment, align_dict, tgt_dict, remove_bpe=None, *args, **kwargs
    ):
        if align_dict is None:
            return post_process(
                hypo_tokens, src_str, alignment, align_dict, tgt_dict, remove_bpe, *args, **kwargs
            )
        _, pieces, _ = post_process(
            hypo_tokens, src_str, alignment, None, tgt_dict, None, *args, **kwargs
        )
        return replace_and_join(pieces, src_str, alignment, align_dict, tgt_dict, remove_bpe)

    utils.extract_hard_alignment = extract_hard_alignment
    utils.post_process_prediction = post_process_prediction
    utils.load_align_dict = load_align_dict
    utils.replace_unk = replace_unk


def load_align_dict(replace_unk: Optional[str]) -> Optional[Dict[str, str]]:
    """The dictionary that ``--replace-unk`` names.

    Args:
        replace_unk: the option's value: a file, an empty or default value (copy the source word), or
            None if the option is not given.

    Raises:
        ValueError: If the file is not a dictionary.
        OSError: If it cannot be read.
    """
    if replace_unk is None:
        return None
    if not isinstance(replace_unk, str) or replace_unk in ("", _NO_FILE):
        return {}
    return load_dictionary(replace_unk)


def replace_and_join(
    pieces: str,
    src_str: str,
    alignment: Any,
    align_dict: Mapping[str, str],
    tgt_dict,
    remove_bpe: Optional[str],
) -> tuple:
    """Replaces the unknown pieces of one hypothesis, then joins pieces if ``--remove-bpe`` asks for it.

    Args:
        pieces: the hypothesis.
        src_str, alignment, align_dict: as in :func:`replace_unk`.
        tgt_dict: the target dictionary.
        remove_bpe: the value of ``--post-process``, or None.

    Returns:
        Ids, text and alignment, as Fairseq's ``post_process_prediction`` does.
    """
    from fairseq.data import data_utils

    text = replace_unk(pieces, src_str, alignment, align_dict, tgt_dict.unk_string())
    text = data_utils.post_process(text, remove_bpe)
    # As in Fairseq, new words get new ids, which its scorer uses.
    return tgt_dict.encode_line(text, add_if_not_exist=True), text, alignment


def replace_unk(
    hypo_str: str, src_str: str, alignment: Any, align_dict: Mapping[str, str], unk: str
) -> str:
    """Replaces the unknown pieces of one hypothesis; called by Fairseq with these arguments.

    Args:
        hypo_str: the hypothesis, as pieces.
        src_str: the source as Fairseq prints it, used only if the alignment has no source pieces.
        alignment: the alignment of ``--print-alignment``.
        align_dict: from :func:`load_align_dict`.
        unk: the dictionary's string for the unknown word.

    Raises:
        ValueError: If there is no alignment, or the pieces of the source are already joined.
    """
    words = hypo_str.split()
    if unk not in words:
        return hypo_str
    if not isinstance(alignment, list) or not all(isinstance(link, tuple) for link in alignment):
        raise ValueError(
            "--replace-unk needs to know the source word of each unknown word: also give "
            "--print-alignment (hard)"
        )
    source = getattr(alignment, "source", None)
    if source is None:
        source = src_str.split()
    if len(source) < getattr(alignment, "length", 0):
        raise ValueError(
            f"--replace-unk: the model read {alignment.length} source pieces, but here they are joined "
            f"into {len(source)} words: leave out --bpe and --remove-bpe, or give a --task of "
            "fairseq_subword_ext"
        )
    return " ".join(replace_unknown(words, source, alignment, align_dict))
