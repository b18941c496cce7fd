"""Small synthetic tables of TED talks in the archive's format."""


def write_talks(folder, header, splits):
    """Writes all_talks_SPLIT.tsv for the splits train, dev and test.

    Args:
        header: names of the columns.
        splits: rows of cells by split.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits.items():
        text = "".join("\t".join(row) + "\n" for row in [header, *rows])
        (folder / f"all_talks_{split}.tsv").write_bytes(text.encode())
