"""Made text in the raw formats of WMT 2015, English-German and English-Russian."""

import random
import zipfile

ENGLISH = "the a dog cat house sees buys greets runs fast big small street books & numbers".split()
GERMAN = "der ein Hund Katze Haus sieht kauft grüßt läuft schnell groß klein Straße Bücher".split()
RUSSIAN = "и собака кошка дом видит покупает бежит быстро большой маленький улица книги".split()
NAMES = [
    ("Vladimir", "Владимир"),
    ("Natalia", "Наталиа"),
    ("Moskva", "Москва"),
    ("Ivanov", "Иванов"),
]
UNSEEN = [("Zaratustra", "Заратустра")]  # in the test sets only
WORDS = {"en": ENGLISH, "de": GERMAN, "ru": RUSSIAN}


def sentence(draw, language, name):
    words = draw.choices(WORDS[language], k=draw.randint(3, 8))
    words.insert(draw.randint(1, len(words)), name)
    words[0] = words[0].capitalize()
    return " ".join(words) + "."


def pairs(language, lines, seed, known=NAMES):
    """Pairs of the other language and English, with a name in both."""
    draw = random.Random(f"{language} {seed}")
    names = [known[number % len(known)] for number in range(lines)]
    return [
        (
            sentence(draw, language, russian if language == "ru" else name),
            sentence(draw, "en", name),
        )
        for name, russian in names
    ]


def write_files(folder, files):
    """Writes texts by name, below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def sides(stem, language, found):
    """The two files of a parallel corpus."""
    return {
        f"{stem}.{language}-en.{side}": "".join(f"{pair[place]}\n" for pair in found)
        for place, side in enumerate((language, "en"))
    }


def sgm(language, kind, lines):
    """A side of a test set: two documents, numbered each on its own."""
    half = len(lines) // 2
    out = [f'<{kind}set setid="newstest" srclang="any" trglang="{language}">']
    for name, part in (("first", lines[:half]), ("second", lines[half:])):
        out.append(f'<doc sysid="ref" docid="{name}" genre="news" origlang="en">\n<p>')
        out += [
            f'<seg id="{n}">{text.replace("&", "&amp;")}</seg>' for n, text in enumerate(part, 1)
        ]
        out.append("</p>\n</doc>")
    return "\n".join([*out, f"</{kind}set>", ""])


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
        test[f"test/newstest2015-en{language}-src.en.sgm"] = sgm("en", "src", english)
        test[f"test/newstest2015-en{language}-ref.{language}.sgm"] = sgm(language, "ref", other)
        valid[f"test/newstest2013-src.{language}.sgm"] = sgm(language, "src", other)
        valid["test/newstest2013-src.en.sgm"] = sgm("en", "src", english)
    europarl = sides("training/europarl-v7", "de", pairs("de", lines, "europarl"))
    titles = "".join(f"{other} ||| {name}\n" for name, other in NAMES)
    headlines = {"wiki/ru-en/wiki.ru-en": titles}
    for files in (crawl, news, valid, test, europarl, headlines):
        write_files(folder, files)
    yandex = pairs("ru", lines, "yandex")
    with zipfile.ZipFile(folder / "1mcorpus.zip", "w") as archive:
        for place, side in enumerate(("ru", "en")):
            text = "".join(f"{pair[place]}\n" for pair in yandex)
            archive.writestr(f"1mcorpus/corpus.en_ru.1m.{side}", text)
