"""Makes ``fairseq-generate --replace-unk`` work: in current Fairseq it dies on its own alignments.

Since Fairseq gives alignments as pairs of positions, its replacement of unknown words, which expects
one position for each target word, ends in a TypeError; without ``--print-alignment`` in an IndexError;
and ``--replace-unk`` without a file tries to open one called "@@ ". Its two functions are replaced by
ones that do what its manual says.
"""

from typing import Any, Dict, Mapping, Optional

from fairseq_subword_ext.baselines.back_off import load_dictionary, replace_unknown

# What Fairseq's parser puts where --replace-unk comes without a file.
_NO_FILE = "@@ "


def mend_replace_unk() -> None:
    """Puts our functions in the place of Fairseq's."""
    from fairseq import utils

    utils.load_align_dict = load_align_dict
    utils.replace_unk = replace_unk


def load_align_dict(replace_unk: Optional[str]) -> Optional[Dict[str, str]]:
    """The dictionary that ``--replace-unk`` names.

    Args:
        replace_unk: the option's value: a file, nothing in particular (copy the source word), or
            None where the option is not given.

    Raises:
        ValueError: where the file is no dictionary.
        OSError: where it cannot be read.
    """
    if replace_unk is None:
        return None
    if not isinstance(replace_unk, str) or replace_unk in ("", _NO_FILE):
        return {}
    return load_dictionary(replace_unk)


def replace_unk(
    hypo_str: str, src_str: str, alignment: Any, align_dict: Mapping[str, str], unk: str
) -> str:
    """Replaces the unknown words of one hypothesis; called by Fairseq with these arguments.

    Args:
        hypo_str: the hypothesis.
        src_str: the source as it is in the raw text.
        alignment: what ``--print-alignment`` gives: (source position, target position) pairs.
        align_dict: from :func:`load_align_dict`.
        unk: how the dictionary spells the unknown word.

    Raises:
        ValueError: where there is no alignment of that kind.
    """
    words = hypo_str.split()
    if unk not in words:
        return hypo_str
    if not isinstance(alignment, list) or not all(isinstance(link, tuple) for link in alignment):
        raise ValueError(
            "--replace-unk needs to know which source word an unknown one comes from: give "
            "--print-alignment (hard) too"
        )
    return " ".join(replace_unknown(words, src_str.split(), alignment, align_dict))
