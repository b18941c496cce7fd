"""Made text in the raw formats of IWSLT 2014 and News Commentary."""

import random

from made_text import as_text, sentence, talk_tags, write_files, xml

TEST_SETS = {"TED.dev2010": 12, "TEDX.dev2012": 9, "TED.tst2010": 8, "TED.tst2011": 7, "TED.tst2012": 11}  # fmt: skip
RAW_TEST = {  # raw text in the XML of tst2012, and what it says
    1: ("Forschung &amp; Technik kostet &quot;viel&quot;.", 'Forschung & Technik kostet "viel".'),
    2: ("Das kostet < 5 & mehr.", "Das kostet < 5 & mehr."),  # bare, as some files have it
}


def iwslt_train(lines, draw):
    """The two train.tags files: talks of metadata and sentences."""
    sides = {"de": [], "en": []}
    for number in range(lines):
        if number % 50 == 0:
            talk_tags(sides, number)
        for language, text in sides.items():
            text.append(f" {sentence(draw, language)} ")
    sides["de"] += ["Hund " * 51, "Ja\u2028nein.", "Leer hier.", "Fünfzig " * 50]
    sides["en"] += ["dog", "Yes\u00a0no.", "", "fifty " * 50]
    return {language: as_text(text) for language, text in sides.items()}


def iwslt_set(name, lines, language, draw):
    """A test set."""
    segments = [sentence(draw, language) for _ in range(lines)]
    if name == "TED.tst2012":
        segments[: len(RAW_TEST)] = [text for text, _ in RAW_TEST.values()]
    if name == "TED.dev2010" and language == "en":
        segments[0] = "It’s the dog’s house."
    return xml(segments)


def iwslt_files(lines=300, seed=1):
    """The release's files by name."""
    draw = random.Random(seed)
    files = {f"train.tags.de-en.{side}": text for side, text in iwslt_train(lines, draw).items()}
    for name, size in TEST_SETS.items():
        for language in ("de", "en"):
            text = iwslt_set(name, size, language, draw)
            files[f"IWSLT14.{name}.de-en.{language}.xml"] = text
    return files


def news_pairs(lines=300, seed=2):
    """Chinese-English pairs; None between two articles."""
    draw = random.Random(seed)
    pairs = []
    for number in range(lines):
        if number % 40 == 39:
            pairs.append(None)
        date = "2008 年 " if number % 7 == 0 else ""
        pairs.append((date + sentence(draw, "zh", (4, 14)), sentence(draw, "en")))
    return pairs


def write_news(folder, pairs):
    """The two files of a release; empty lines separate articles."""
    for side, language in enumerate(("zh", "en")):
        text = as_text("" if pair is None else pair[side] for pair in pairs)
        write_files(folder, {f"news-commentary-v12.zh-en.{language}": text})
