"""Synthetic text in the raw formats of WMT 2014, KFTT, JESC and IWSLT 2017, in archives with the real names."""

import random

from made_text import as_text, parallel, sentence, sgml, talk_tags, write_archive, xml

# The first test sentences of both sides, raw; the model must never see them in this form.
ODD_TEST = {
    "en": ['He said "R&D" costs < 5.', "It's the dog's house."],
    "de": ['Er sagte "R&D" kostet < 5.', "Das ist das Haus."],
}
LONG = 251  # words


def write_wmt14(folder, lines=(150, 90, 40), seed=1):
    """The five archives of WMT 2014 English-German."""
    draw = random.Random(seed)
    europarl, crawl, news = (parallel(draw, ("de", "en"), count) for count in lines)
    # An empty side, an overlong sentence, and spaces that would split a line.
    europarl["en"] += "\n" + "dog " * LONG + "\nYes\u2028no.\r\n"
    europarl["de"] += "Leer.\nHund\nJa\u00a0nein.\r\n"
    for archive, name, texts in (
        ("training-parallel-europarl-v7.tgz", "training/europarl-v7", europarl),
        ("training-parallel-commoncrawl.tgz", "commoncrawl", crawl),
        ("training-parallel-nc-v9.tgz", "training/news-commentary-v9", news),
    ):
        write_archive(
            folder / archive, {f"{name}.de-en.{side}": text for side, text in texts.items()}
        )
    sets = {}
    for name, size in (("valid", 12), ("test", 11)):
        sets[name] = {side: [sentence(draw, side) for _ in range(size)] for side in ("en", "de")}
    for side, texts in ODD_TEST.items():
        sets["test"][side][: len(texts)] = texts
    write_archive(
        folder / "dev.tgz",
        {
            "dev/newstest2013-src.en.sgm": sgml(sets["valid"]["en"]),
            "dev/newstest2013-ref.de.sgm": sgml(sets["valid"]["de"], "ref"),
            "dev/newstest2013-src.fr.sgm": "another language",
        },
    )
    write_archive(
        folder / "test-full.tgz",
        {
            "test-full/newstest2014-deen-src.en.sgm": sgml(sets["test"]["en"]),
            "test-full/newstest2014-deen-ref.de.sgm": sgml(sets["test"]["de"], "ref", quote=False),
        },
    )
    return sets


def write_ja_en(folder, lines=(60, 50, 120), seed=1):
    """The three archives of the Japanese-English corpora."""
    draw = random.Random(seed)
    files = {}
    for name, count in (("train", lines[0]), ("dev", 4), ("test", 5)):
        for side, text in parallel(draw, ("ja", "en"), count).items():
            files[f"kftt-data-1.0/data/orig/kyoto-{name}.{side}"] = text
            files[f"kftt-data-1.0/data/tok/kyoto-{name}.{side}"] = "tok\n"
    files["kftt-data-1.0/data/orig/kyoto-train.ja"] += "\n"
    files["kftt-data-1.0/data/orig/kyoto-train.en"] += "No Japanese.\n"
    write_archive(folder / "kftt-data-1.0.tar.gz", files)
    files = {
        f"split/{name}": jesc_table(draw, n)
        for name, n in (("train", lines[2]), ("dev", 6), ("test", 7))
    }
    write_archive(folder / "split.tar.gz", files)
    files = {f"ja-en/{name}": text for name, text in ja_en_talks(draw, lines[1]).items()}
    for name in ("dev2010", *(f"tst{year}" for year in range(2010, 2016))):
        for side in ("ja", "en"):
            texts = [sentence(draw, side) for _ in range(2)]
            files[f"ja-en/IWSLT17.TED.{name}.ja-en.{side}.xml"] = xml(texts)
    write_archive(folder / "ja-en.zip", files)


def ja_en_talks(draw, lines):
    """The training text of one talk, by file name."""
    sides = {"ja": [], "en": []}
    talk_tags(sides)
    for side, text in sides.items():
        text += [f" {sentence(draw, side)} " for _ in range(lines)]
    return {f"train.tags.ja-en.{side}": as_text(text) for side, text in sides.items()}


def jesc_table(draw, lines):
    return as_text(f"{sentence(draw, 'en').lower()}\t{sentence(draw, 'ja')}" for _ in range(lines))
