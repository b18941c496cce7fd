"""Writes the range of sentence ids of each language, to score fairseq-generate's output by language."""

from fairseq_subword_ext.data.x_en_pairs import XEnPairs
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer


def write_language_ids(dataset: XEnPairs, path: PathLike) -> None:
    """Writes one line per language: code, first id and number of lines, separated by tabs.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_text_writer(path) as stream:
        for language, first, lines in dataset.language_ranges():
            stream.write(f"{language}\t{first}\t{lines}\n")
