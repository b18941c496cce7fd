"""Which ids belong to which language, for people and for whoever scores fairseq-generate's output."""

from fairseq_subword_ext.data.x_en_dataset import XEnDataset
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer


def describe(dataset: XEnDataset) -> str:
    """One line for the log: how much there is of each language, or how its ids run."""
    parts = []
    for language, first, pairs in dataset.language_ranges():
        if not dataset.training:
            parts.append(f"{language} {first}-{first + pairs - 1}")
        elif dataset.sampler is None:
            parts.append(f"{language} {pairs:,}")
        else:
            drawn = dataset.sampler.counts[dataset.languages.index(language)]
            parts.append(f"{language} {pairs:,} (drawn {drawn:,} times an epoch)")
    what = "" if dataset.training else "ids by language: "
    subset = "" if dataset.subset is None else f", of which {len(dataset.subset):,} are used"
    return (
        f"{dataset.name}: {len(dataset):,} pairs of {len(parts)} languages{subset}; "
        f"{what}{', '.join(parts)}"
    )


def write_language_ids(dataset: XEnDataset, path: PathLike) -> None:
    """Writes a line for each language: its code, its first id and its number of lines, by tabs.

    Raises:
        OSError: where the file cannot be written.
    """
    with atomic_text_writer(path) as stream:
        for language, first, lines in dataset.language_ranges():
            stream.write(f"{language}\t{first}\t{lines}\n")
