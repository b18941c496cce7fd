"""Made text in the raw formats of IWSLT 2014 and News Commentary."""

import gzip
import io
import random
import tarfile

GERMAN = (
    "der Hund die Katze das Haus sieht kauft grüßt läuft schnell große kleine Straße Bücher".split()
)
ENGLISH = "the dog a cat its house sees buys greets runs fast big small street books".split()
CHINESE = "狗 猫 房子 看见 购买 问候 跑 快 大 小 街道 书 人 国家 经济".split()

TEST_SETS = {"TED.dev2010": 12, "TEDX.dev2012": 9, "TED.tst2010": 8, "TED.tst2011": 7, "TED.tst2012": 11}  # fmt: skip
RAW_TEST = {  # raw text in the XML of tst2012, and what it says
    1: ("Forschung &amp; Technik kostet &quot;viel&quot;.", 'Forschung & Technik kostet "viel".'),
    2: ("Das kostet < 5 & mehr.", "Das kostet < 5 & mehr."),  # bare, as some files have it
}


def sentence(draw, words):
    return " ".join(draw.choices(words, k=draw.randint(3, 9))) + "."


def iwslt_train(lines, draw):
    """The two train.tags files: talks of metadata and sentences."""
    sides = {"de": [], "en": []}
    for number in range(lines):
        if number % 50 == 0:
            for language, text in sides.items():
                text += [
                    f"<url>http://www.ted.com/talks/lang/{language}/{number}.html</url>",
                    "<speaker>Ada Lovelace</speaker>" if language == "de" else "<speaker>A. Lovelace</speaker>",
                    f"<talkid>{number}</talkid>",
                    "<keywords>talks, numbers</keywords>",
                ]  # fmt: skip
            sides["en"].append("<reviewer>Only One Side</reviewer>")
            sides["de"].append(f"<title>Ada Lovelace: Über Zahl {number}</title>")
            sides["en"].append(f"<title>Ada Lovelace: On number {number}</title>")
            sides["de"].append("<description>Worum es geht.</description>")
            sides["en"].append("<description>What it is about.</description>")
        sides["de"].append(f" {sentence(draw, GERMAN)} ")
        sides["en"].append(f" {sentence(draw, ENGLISH)} ")
    sides["de"] += ["Hund " * 51, "Ja\u2028nein.", "Leer hier.", "Fünfzig " * 50]
    sides["en"] += ["dog", "Yes\u00a0no.", "", "fifty " * 50]
    return {language: "".join(f"{line}\n" for line in text) for language, text in sides.items()}


def iwslt_xml(name, lines, language, draw):
    words = GERMAN if language == "de" else ENGLISH
    kind = "srcset" if language == "de" else "refset"
    out = ['<?xml version="1.0" encoding="UTF-8"?>', "<mteval>", f'<{kind} setid="{name}" srclang="german">']  # fmt: skip
    out += ['<doc docid="1" genre="lectures">', "<url>http://www.ted.com/talks/x.html</url>"]
    out += ["<description>TED Talk Subtitles</description>", "<title>A title</title>"]
    for number in range(1, lines + 1):
        text = sentence(draw, words)
        if name == "TED.tst2012" and number in RAW_TEST:
            text = RAW_TEST[number][0]
        if name == "TED.dev2010" and number == 1 and language == "en":
            text = "It’s the dog’s house."
        out.append(f'<seg id="{number}"> {text} </seg>')
    return "\n".join([*out, "</doc>", f"</{kind}>", "</mteval>", ""])


def iwslt_files(lines=300, seed=1):
    """The release's files by name."""
    draw = random.Random(seed)
    files = {f"train.tags.de-en.{side}": text for side, text in iwslt_train(lines, draw).items()}
    for name, size in TEST_SETS.items():
        for language in ("de", "en"):
            text = iwslt_xml(name, size, language, draw)
            files[f"IWSLT14.{name}.de-en.{language}.xml"] = text
    return files


def write_tgz(path, files, folder):
    """An archive as the release is."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            data = text.encode("utf-8")
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def news_pairs(lines=300, seed=2):
    """Chinese-English pairs; None between two articles."""
    draw = random.Random(seed)
    pairs = []
    for number in range(lines):
        if number % 40 == 39:
            pairs.append(None)
        chinese = "".join(draw.choices(CHINESE, k=draw.randint(4, 14))) + "。"
        if number % 7 == 0:
            chinese = "2008 年 " + chinese
        pairs.append((chinese, sentence(draw, ENGLISH).capitalize()))
    return pairs


def news_table(pairs, swap=False):
    """The tab-separated form."""
    rows = [("", "") if pair is None else pair[:: -1 if swap else 1] for pair in pairs]
    return "".join(f"{first}\t{second}\n" for first, second in rows)


def write_news_table(path, pairs, swap=False):
    data = news_table(pairs, swap).encode("utf-8")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
