"""Made sentences, test sets and archives, as the recipes' sources have them."""

import io
import tarfile
import zipfile
from xml.sax.saxutils import escape

WORDS = {
    "en": "the dog a cat its house sees buys greets runs fast big small street books".split(),
    "de": "der Hund die Katze das Haus sieht kauft grüßt läuft schnell große kleine Straße Bücher".split(),
    "ru": "и собака кошка дом видит покупает бежит быстро большой маленький улица книги".split(),
    "ja": "犬 猫 家 見る 買う 走る 速い 大きな 小さな 街 本 国 経済 です ます".split(),
    "zh": "狗 猫 房子 看见 购买 问候 跑 快 大 小 街道 书 人 国家 经济".split(),
}
UNSPACED = {"ja", "zh"}


def sentence(draw, language, words=(3, 9), name=None):
    """A sentence; ``name`` stands somewhere after its first word."""
    chosen = draw.choices(WORDS[language], k=draw.randint(*words))
    if language in UNSPACED:
        return "".join(chosen) + "。"
    if name:
        chosen.insert(draw.randint(1, len(chosen)), name)
    return f"{chosen[0].capitalize()} {' '.join(chosen[1:])}."


def as_text(lines):
    return "".join(f"{line}\n" for line in lines)


def parallel(draw, languages, lines):
    """The text of parallel files by language."""
    return {
        language: as_text(sentence(draw, language) for _ in range(lines)) for language in languages
    }


def sgml(texts, kind="src", documents=2, quote=True):
    """A set as WMT releases it: segment numbers restart in each document.

    Args:
        texts: plain text; characters that XML does not allow are escaped.
        kind: src or ref.
        documents: their number.
        quote: whether quotes are escaped, too.
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


def xml(segments):
    """A set as IWSLT releases it; ``segments`` are XML."""
    lines = [f'<seg id="{number}"> {text} </seg>' for number, text in enumerate(segments, 1)]
    head = ['<?xml version="1.0" encoding="UTF-8"?>', "<mteval>", '<srcset setid="x" srclang="x">']
    head += ['<doc docid="7" genre="lectures">', "<url>http://www.ted.com/talks/x.html</url>"]
    head += [
        "<description>TED Talk Subtitles</description>",
        "<title>Never read &amp; parsed</title>",
    ]
    return "\n".join([*head, *lines, "</doc>", "</srcset>", "</mteval>", ""])


def talk_tags(sides, number=0):
    """Adds the metadata of a talk to both sides, by language; its title and description are sentences."""
    for language, text in sides.items():
        text += [f"<url>http://www.ted.com/talks/lang/{language}/{number}.html</url>"]
        text += [
            "<speaker>A. B.</speaker>",
            f"<talkid>{number}</talkid>",
            "<keywords>a, b</keywords>",
        ]
        text += ['<translator href="x">C</translator>', f"<title>{language} title {number}</title>"]
        text += [f"<description>TED {language}</description>"]
    next(iter(sides.values())).append("<reviewer></reviewer>")  # one side only


def write_files(folder, files):
    """Writes texts by name, below a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


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
