"""Reads names from the ISO catalogues in ``pycountry`` and from Unicode CLDR in ``Babel``.

Both packages include data. ``pycountry`` ships Debian's iso-codes: for each language a gettext catalogue
of the names of languages (ISO 639-3, 639-5), countries and subdivisions (ISO 3166-1, -2, -3), currencies
(ISO 4217) and scripts (ISO 15924), keyed by the English name. ``Babel`` ships CLDR: the same kinds of
names, keyed by code, which pairs English with every other language.
"""

import gettext
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import List, NamedTuple, Optional, Set

CLDR_TABLES = ("territories", "languages", "scripts", "currencies", "variants")

# gettext separates a message's context from its text by this character.
_CONTEXT_SEPARATOR = "\x04"


class Pair(NamedTuple):
    """A name in one language, and in English."""

    source: str
    english: str


def default_catalogues() -> Path:
    """The folder of gettext catalogues in the installed ``pycountry``.

    Raises:
        ImportError: If pycountry is missing; the message says how to install it.
    """
    try:
        import pycountry
    except ImportError as error:
        raise ImportError(_how_to_install("pycountry")) from error
    return Path(pycountry.__file__).parent / "locales"


def _how_to_install(package: str) -> str:
    return (
        f"the Python package {package}, which has the names for this corpus, is missing; "
        'install the extra with: pip install -e ".[quickstart]"'
    )


def catalogue_pairs(catalogues: Path, language: str) -> Iterator[Pair]:
    """Yields every translated entry of a language's gettext catalogues.

    Args:
        catalogues: a folder with ``LANGUAGE/LC_MESSAGES/DOMAIN.mo``. Fuzzy (unconfirmed) entries are
            never in ``.mo`` files, so they need no filter.
        language: a language code; :func:`catalogue_of` finds its catalogue.

    Raises:
        ValueError: If a catalogue cannot be read; the message names the file.
    """
    folder = catalogue_of(catalogues, language)
    if folder is None:
        return
    for path in sorted((folder / "LC_MESSAGES").glob("*.mo")):
        for message, translation in _read_catalogue(path).items():
            # A message with plural forms has the key (text, form); the first form is the singular.
            if isinstance(message, tuple):
                message, form = message
                if form != 0:
                    continue
            english = message.rpartition(_CONTEXT_SEPARATOR)[2]
            if english:  # the empty message is the catalogue's header
                yield Pair(translation, english)


def _read_catalogue(path: Path) -> dict:
    try:
        with path.open("rb") as stream:
            # The standard library only offers look-up; this private field, which it has always had,
            # has all messages.
            return gettext.GNUTranslations(stream)._catalog
    except (OSError, ValueError, LookupError, struct.error) as error:
        raise ValueError(
            f"{path}: not a gettext catalogue ({error}); install pycountry again"
        ) from error


def catalogue_of(catalogues: Path, language: str) -> Optional[Path]:
    """Finds the catalogue of a language: its own, or else the largest regional one.

    For example, ``sr`` is Serbian in Cyrillic (``sr@latin`` is separate), and ``zh``, which has no
    catalogue of its own, becomes ``zh_CN``.
    """
    own = catalogues / language
    if own.is_dir():
        return own
    regional = [*catalogues.glob(f"{language}_*"), *catalogues.glob(f"{language}@*")]
    return max(regional, key=lambda folder: (_size(folder), folder.name), default=None)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.mo"))


def cldr_pairs(language: str) -> Iterator[Pair]:
    """Yields CLDR's names in a language with the English names of the same codes.

    Names that only repeat the code ("XXX") are skipped, since CLDR has no translation for them.

    Raises:
        ImportError: If Babel is missing; the message says how to install it.
    """
    try:
        from babel import Locale, UnknownLocaleError
    except ImportError as error:
        raise ImportError(_how_to_install("Babel")) from error
    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return
    english = Locale.parse("en")
    for table in CLDR_TABLES:
        english_names = getattr(english, table)
        for code, name in getattr(locale, table).items():
            if name != code and english_names.get(code, code) != code:
                yield Pair(name, english_names[code])
    english_cities = dict(_cities(english))
    for zone, city in _cities(locale):
        # CLDR's rule: without an exemplar city, use the last part of the zone's name.
        yield Pair(city, english_cities.get(zone) or zone.rpartition("/")[2].replace("_", " "))


def _cities(locale) -> Iterator[tuple]:
    for zone in locale.time_zones:
        try:
            names = locale.time_zones[zone]
        except KeyError:  # an alias of a zone that this language has no data for
            continue
        if "city" in names:
            yield zone, names["city"]


def read_names(
    catalogues: Optional[Path], language: str, dropped: Optional[Counter] = None
) -> List[Pair]:
    """Reads all usable pairs of one language, without duplicates, sorted.

    Pairs are dropped if a side is empty, if they contain a line break or another control character,
    which would break the line, or if both sides are equal. In a Latin-script language, an equal pair is
    either a name that is the same in both languages or an untranslated one, and a catalogue does not say
    which; in German, two thirds of the pairs are equal. They would teach the model to copy and make the
    copied source, the baseline of the scores, look like a good translation.

    Args:
        catalogues: folder of gettext catalogues; None for pycountry's, and Babel's names with them.
        language: its code.
        dropped: receives the number of dropped pairs by reason.

    Raises:
        ValueError: If a catalogue cannot be read.
        ImportError: If a package is missing.
    """
    dropped = Counter() if dropped is None else dropped
    pairs: Set[Pair] = set()
    found = catalogue_pairs(catalogues or default_catalogues(), language)
    for source, english in found if catalogues else chain(found, cldr_pairs(language)):
        pair = Pair(source.strip(), english.strip())
        reason = _why_unusable(pair)
        if reason is None:
            pairs.add(pair)
        else:
            dropped[reason] += 1
    return sorted(pairs)


def _why_unusable(pair: Pair) -> Optional[str]:
    if not pair.source or not pair.english:
        return "empty side"
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for side in pair for c in side):
        return "control character or line break"
    if pair.source == pair.english:
        return "same in English"
    return None
