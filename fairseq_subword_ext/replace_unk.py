"""Makes ``fairseq-generate --replace-unk`` work: in current Fairseq it dies on its own alignments.

Since Fairseq gives alignments as pairs of positions, its replacement of unknown words, which expects
one position for each target word, ends in a TypeError; without ``--print-alignment`` in an IndexError;
and ``--replace-unk`` without a file tries to open one called "@@ ". It also joins pieces first
(``--remove-bpe`` those of the output, ``--bpe`` those of the source) and then takes the positions of
pieces for those of words. Its functions are replaced by ones that do what its manual says: unknown
pieces are replaced, and then joined.
"""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from fairseq_subword_ext.baselines.back_off import load_dictionary, replace_unknown

# What Fairseq's parser puts where --replace-unk comes without a file.
_NO_FILE = "@@ "


class Alignment(List[Tuple[int, int]]):
    """(source position, target position) pairs that know what their positions count.

    Args:
        links: the pairs.
        length: the number of source pieces that the model read.
        source: these pieces as they are in the data, if the task knows them.
    """

    def __init__(
        self, links: Iterable[Tuple[int, int]], length: int, source: Optional[List[str]] = None
    ):
        super().__init__(links)
        self.length = length
        self.source = source


def install() -> None:
    """Puts our functions in the place of Fairseq's."""
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
        return replaced_and_joined(pieces, src_str, alignment, align_dict, tgt_dict, remove_bpe)

    utils.extract_hard_alignment = extract_hard_alignment
    utils.post_process_prediction = post_process_prediction
    utils.load_align_dict = load_align_dict
    utils.replace_unk = replace_unk


def load_align_dict(replace_unk: Optional[str]) -> Optional[Dict[str, str]]:
    """The dictionary that ``--replace-unk`` names.

    Args:
        replace_unk: the option's value: a file, nothing in particular (copy the source word), or
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


def replaced_and_joined(
    pieces: str,
    src_str: str,
    alignment: Any,
    align_dict: Mapping[str, str],
    tgt_dict,
    remove_bpe: Optional[str],
) -> tuple:
    """Replaces the unknown pieces of one hypothesis, and joins pieces if ``--remove-bpe`` asks for it.

    Args:
        pieces: the hypothesis.
        src_str, alignment, align_dict: as of :func:`replace_unk`.
        tgt_dict: the target dictionary.
        remove_bpe: ``--post-process``, or None.

    Returns:
        What Fairseq's ``post_process_prediction`` gives: ids, text and alignment.
    """
    from fairseq.data import data_utils

    text = replace_unk(pieces, src_str, alignment, align_dict, tgt_dict.unk_string())
    text = data_utils.post_process(text, remove_bpe)
    # As in Fairseq, replaced words get ids of their own for its scores.
    return tgt_dict.encode_line(text, add_if_not_exist=True), text, alignment


def replace_unk(
    hypo_str: str, src_str: str, alignment: Any, align_dict: Mapping[str, str], unk: str
) -> str:
    """Replaces the unknown pieces of one hypothesis; called by Fairseq with these arguments.

    Args:
        hypo_str: the hypothesis, not joined.
        src_str: the source as Fairseq prints it; it counts only if the alignment does not know the
            pieces itself.
        alignment: what ``--print-alignment`` gives.
        align_dict: from :func:`load_align_dict`.
        unk: how the dictionary spells the unknown word.

    Raises:
        ValueError: If there is no alignment, or the source was joined before.
    """
    words = hypo_str.split()
    if unk not in words:
        return hypo_str
    if not isinstance(alignment, list) or not all(isinstance(link, tuple) for link in alignment):
        raise ValueError(
            "--replace-unk needs to know which source word an unknown one comes from: give "
            "--print-alignment (hard) too"
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
