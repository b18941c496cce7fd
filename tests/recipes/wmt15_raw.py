"""Made text in the raw formats of WMT 2015, English-German and English-Russian."""

import random

from made_text import as_text, sentence, sgml, write_archive, write_files

NAMES = [
    ("Vladimir", "Владимир"),
    ("Natalia", "Наталиа"),
    ("Moskva", "Москва"),
    ("Ivanov", "Иванов"),
]
UNSEEN = [("Zaratustra", "Заратустра")]  # in the test sets only


def pairs(language, lines, seed, known=NAMES):
    """Pairs of the other language and English, with a name in both."""
    draw = random.Random(f"{language} {seed}")
    names = [known[number % len(known)] for number in range(lines)]
    other = [russian if language == "ru" else name for name, russian in names]
    return [
        (
            sentence(draw, language, name=theirs),
            sentence(draw, "en", name=name).replace("small", "R & D"),
        )
        for (name, _), theirs in zip(names, other)
    ]


def sides(stem, language, found):
    """The two files of a parallel corpus."""
    return {
        f"{stem}.{language}-en.{side}": as_text(pair[place] for pair in found)
        for place, side in enumerate((language, "en"))
    }


def write_release(folder, lines=60, test_lines=10):
    """Writes what the archives hold, unpacked, since a made one cannot have their checksums; and Yandex's archive.

    The second training pair of Common Crawl has 51 words on one side, the third none on the other.
    """
    folder.mkdir(parents=True)
    crawl, news = {}, {}
    valid, test = {}, {}
    for language in ("de", "ru"):
        found = pairs(language, lines, "crawl")
        found[1] = (found[1][0], "word " * 51)
        found[2] = ("", found[2][1])
        crawl.update(sides("commoncrawl", language, found))
        news.update(sides("news-commentary-v10", language, pairs(language, lines, "news")))
        held_out = pairs(language, test_lines, "test", NAMES + UNSEEN)
        english, other = [pair[1] for pair in held_out], [pair[0] for pair in held_out]
        test[f"test/newstest2015-en{language}-src.en.sgm"] = sgml(english)
        test[f"test/newstest2015-en{language}-ref.{language}.sgm"] = sgml(other, "ref")
        valid[f"test/newstest2013-src.{language}.sgm"] = sgml(other)
        valid["test/newstest2013-src.en.sgm"] = sgml(english)
    europarl = sides("training/europarl-v7", "de", pairs("de", lines, "europarl"))
    titles = "".join(f"{other} ||| {name}\n" for name, other in NAMES)
    headlines = {"wiki/ru-en/wiki.ru-en": titles}
    for files in (crawl, news, valid, test, europarl, headlines):
        write_files(folder, files)
    yandex = pairs("ru", lines, "yandex")
    files = sides("1mcorpus/corpus", "ru", yandex)
    write_archive(
        folder / "1mcorpus.zip",
        {name.replace(".ru-en.", ".en_ru.1m."): text for name, text in files.items()},
    )
