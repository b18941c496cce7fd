"""Synthetic text in the raw formats of WMT, KFTT, JESC and IWSLT 2017, in archives with the real names."""

import io
import random
import tarfile
import zipfile
from xml.sax.saxutils import escape

WORDS = {
    "en": "the dog a cat its house sees buys greets runs fast big small street books".split(),
    "de": "der Hund die Katze das Haus sieht kauft grüßt läuft schnell große kleine Bücher".split(),
    "ja": "犬 猫 家 見る 買う 走る 速い 大きな 小さな 街 本 国 経済 です ます".split(),
}


def sentence(draw, language, words=(3, 9)):
    chosen = draw.choices(WORDS[language], k=draw.randint(*words))
    if language == "ja":
        return "".join(chosen) + "。"
    return " ".join(chosen).capitalize() + "."


def parallel(draw, languages, lines):
    """The text of two parallel files."""
    return {
        language: "".join(f"{sentence(draw, language)}\n" for _ in range(lines))
        for language in languages
    }


def sgml(texts, kind="src", language="en", documents=2, quote=True):
    """A set as WMT releases it: segment numbers restart in each document.

    Args:
        texts: plain text; characters that XML does not allow are escaped.
    """
    per_document = -(-len(texts) // documents)
    out = [
        f'<{kind}set setid="newstest" srclang="any"' + (' trglang="de">' if kind == "ref" else ">")
    ]
    for start in range(0, len(texts), per_document):
        out.append(f'<doc sysid="ref" docid="paper.example/{start}" genre="news" origlang="en">')
        for number, text in enumerate(texts[start : start + per_document], start=1):
            text = escape(text, {'"': "&quot;"} if quote else {})
            around = ("<hl>", "</hl>") if number == 1 else ("<p>", "</p>")
            out += [around[0], f'<seg id="{number}">{text}</seg>', around[1]]
        out.append("</doc>")
    return "\n".join([*out, f"</{kind}set>", ""])


def xml(texts):
    """A set as IWSLT releases it."""
    segments = [
        f'<seg id="{number}"> {escape(text)} </seg>' for number, text in enumerate(texts, 1)
    ]
    head = ['<?xml version="1.0" encoding="UTF-8"?>', "<mteval>", '<srcset setid="x" srclang="x">']
    head += ['<doc docid="7" genre="lectures">', "<title>Never read &amp; parsed</title>"]
    return "\n".join([*head, *segments, "</doc>", "</srcset>", "</mteval>", ""])


def write_archive(path, files):
    """Writes a .tgz or .zip archive of texts, given by member name."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            data = text.encode("utf-8")
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


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


def talk_tags(draw, lines):
    """train.tags.ja-en.ja and .en."""
    sides = {"ja": [], "en": []}
    for side, text in sides.items():
        text += [f"<url>http://www.ted.com/{side}</url>", "<keywords>a, b</keywords>"]
        text += ["<speaker>A. B.</speaker>", "<talkid>1</talkid>", f"<title>{side} title</title>"]
        text += [f"<description>TED {side}</description>", '<translator href="x">C</translator>']
        text += [f" {sentence(draw, side)} " for _ in range(lines)]
    sides["ja"].append("<reviewer></reviewer>")
    return {side: "".join(f"{line}\n" for line in text) for side, text in sides.items()}


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
    files = {
        f"ja-en/train.tags.ja-en.{side}": text for side, text in talk_tags(draw, lines[1]).items()
    }
    for name in ("dev2010", *(f"tst{year}" for year in range(2010, 2016))):
        for side in ("ja", "en"):
            texts = [sentence(draw, side) for _ in range(2)]
            files[f"ja-en/IWSLT17.TED.{name}.ja-en.{side}.xml"] = xml(texts)
    write_archive(folder / "ja-en.zip", files)


def jesc_table(draw, lines):
    rows = (f"{sentence(draw, 'en').lower()}\t{sentence(draw, 'ja')}\n" for _ in range(lines))
    return "".join(rows)
