"""Which ids belong to which language, for whoever scores fairseq-generate's output."""

from fairseq_subword_ext.data.x_en_pairs import XEnPairs
from fairseq_subword_ext.textio.files import PathLike, atomic_text_writer


def write_language_ids(dataset: XEnPairs, path: PathLike) -> None:
    """Writes a line for each language: its code, its first id and its number of lines, by tabs.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_text_writer(path) as stream:
        for language, first, lines in dataset.language_ranges():
            stream.write(f"{language}\t{first}\t{lines}\n")
