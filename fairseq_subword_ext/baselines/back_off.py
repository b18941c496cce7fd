"""The back-off dictionary, which replaces the unknown words of a translation."""

from collections import Counter
from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

from fairseq_subword_ext.baselines.words import UNKNOWN
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer, read_text_lines, shown

Link = Tuple[int, int]


def most_linked(links: Iterable[Tuple[str, str]]) -> Dict[str, str]:
    """Translates each source word by the target word that it is most often aligned to.

    Ties go to the target word that is rarer among all links, so that a rare name is not translated by a
    word that is aligned to everything, then to the lexicographically least.

    Args:
        links: (source word, target word) for each link of the training text.

    Source: Jean et al. 2015, section 3.3; Sennrich, Haddow & Birch 2016, section 4.
    """
    together = Counter(links)
    target_counts: Counter = Counter()
    for (_, target), count in together.items():
        target_counts[target] += count
    best: Dict[str, Tuple[int, int, str]] = {}
    for (source, target), count in together.items():
        candidate = (-count, target_counts[target], target)
        if source not in best or candidate < best[source]:
            best[source] = candidate
    return {source: target for source, (_, _, target) in best.items()}


def save_dictionary(entries: Mapping[str, str], path: PathLike) -> None:
    """Writes ``source target`` lines, in order of the source words: Fairseq's format.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_text_writer(path) as stream:
        for source in sorted(entries):
            stream.write(f"{source} {entries[source]}\n")


def load_dictionary(path: PathLike) -> Dict[str, str]:
    """Reads ``source target`` lines; with an empty file, every word is copied.

    Raises:
        ValueError: If a line does not have two columns; names path and line.
        OSError: If the file cannot be read.
    """
    entries: Dict[str, str] = {}
    for number, line in enumerate(read_text_lines(path), 1):
        columns = line.split()
        if len(columns) != 2:
            raise ValueError(
                f"{path}:{number}: expected 'source target', found {shown(line)}; make one with "
                "`segment-baseline word --write-dictionary`"
            )
        entries.setdefault(columns[0], columns[1])
    return entries


def replace_unknown(
    hypothesis: Sequence[str],
    source: Sequence[str],
    alignment: Iterable[Link],
    dictionary: Mapping[str, str],
) -> List[str]:
    """Replaces each unknown word of a translation.

    The replacement is the dictionary's translation of the source word that the unknown word is aligned
    to, or that source word itself if the dictionary lacks it, for example a name unseen in training.

    Args:
        hypothesis: the words of the translation, including ``<unk>``.
        source: the words of the source text.
        alignment: (source position, target position) pairs, from 0. An unknown word that is not
            aligned, or aligned to the end of the sentence, stays.
        dictionary: source word -> target word; empty to copy.

    Source: Luong et al. 2015; Jean et al. 2015, section 3.3.
    """
    position_of = {target: origin for origin, target in alignment}
    words = list(hypothesis)
    for position, word in enumerate(words):
        origin = position_of.get(position)
        if word == UNKNOWN and origin is not None and 0 <= origin < len(source):
            words[position] = dictionary.get(source[origin], source[origin])
    return words
