"""sources.tsv: where the recipes' files come from. Its first lines describe the columns."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import List, Sequence

TABLE = Path(__file__).resolve().parents[1] / "sources.tsv"
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")


@dataclass(frozen=True)
class Source:
    """One row; a "-" has become ""."""

    recipe: str
    file: str
    address: str
    holds: str
    sha256: str
    page: str
    licence: str
    tried: str

    @property
    def members(self) -> List[str]:
        """The files that the archive has to hold, or the file itself if it is not an archive."""
        return self.holds.split() or ([] if self.file.endswith(ARCHIVES) else [self.file])

    def missing(self, why: str) -> ValueError:
        """The error for a file that is not available."""
        untried = "" if self.tried == "yes" else " (this address has not been tested)"
        return ValueError(
            f"{self.file}: {why}. {self.address or 'It has no address'}{untried}. Get it as "
            f"{self.page} says, and give its folder as --raw DIR"
        )


def read_sources(path: Path, recipe: str) -> List[Source]:
    """Reads the rows of one recipe.

    Raises:
        ValueError: If a row has the wrong number of columns, or the recipe has no rows.
        OSError: If the table cannot be read.
    """
    names = [field.name for field in fields(Source)]
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        cells = ["" if cell == "-" else cell for cell in line.split("\t")]
        if len(cells) != len(names):
            raise ValueError(f"{path}:{number}: {len(cells)} columns, expected {len(names)}")
        if cells[0] == recipe:
            found.append(Source(*cells))
    if not found:
        raise ValueError(f"{path}: no files for the recipe {recipe!r}")
    return found


def for_languages(sources: Sequence[Source], languages: Sequence[str]) -> List[Source]:
    """Puts each language into the rows that are meant for one.

    Raises:
        ValueError: If there are such rows, but no languages.
    """
    expanded = []
    for source in sources:
        if "{language}" not in source.file + source.holds:
            expanded.append(source)
        elif not languages:
            raise ValueError(f"{source.file}: say for which --languages")
        else:
            expanded += [
                replace(
                    source,
                    file=source.file.replace("{language}", language),
                    address=source.address.replace("{language}", language),
                    holds=source.holds.replace("{language}", language),
                )
                for language in languages
            ]
    return list(dict.fromkeys(expanded))
