"""The files of the IWSLT 2014 German-English release (de-en.tgz), as WIT3 made them.

Training text: ``train.tags.de-en.de`` and ``.en``. Test text: ``IWSLT14.TED.tst2010.de-en.de.xml`` and the
like, mteval's XML.
"""

from pathlib import Path
from typing import List, Sequence

from corpus_files import Pair
from mteval import read_set
from raw_text import find_file
from talks import read_talks

LANGUAGES = ("de", "en")
ARCHIVE = "the release's de-en.tgz"
# The paper's test set. dev2012 is a set of TEDx talks and has that in its name.
TEST_SETS = ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")


def read_train(folders: Sequence[Path]) -> List[Pair]:
    """Reads the training text: the talks' sentences and, as in the usual preparation of this corpus,
    their titles and descriptions.

    Raises:
        ValueError: If a file is missing or the sides do not have the same number of sentences.
        OSError: If a file cannot be read.
    """
    return read_talks(folders, "-".join(LANGUAGES), ARCHIVE)


def read_test(folders: Sequence[Path], name: str) -> List[Pair]:
    """Reads one of :data:`TEST_SETS`.

    Raises:
        ValueError: If a file is missing or holds no segments, or where the sides have other ones.
        OSError: If a file cannot be read.
    """
    paths = []
    for language in LANGUAGES:
        file = f"IWSLT14.{name}.de-en.{language}.xml"
        names = dict.fromkeys((file, file.replace("TEDX", "TED")))  # some copies call dev2012 so
        paths.append(find_file(folders, list(names), ARCHIVE))
    return read_set(*paths)
