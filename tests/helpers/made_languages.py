"""Made text in many scripts: words of an invented vocabulary, frequent ones as frequent as Zipf says."""

import random
import unicodedata

# Name -> ranges of its letters. Thirty made languages share them, two of each script.
SCRIPTS = {
    "Latin": [(0x61, 0x7A), (0xDF, 0xF6), (0x101, 0x131)],
    "Cyrillic": [(0x430, 0x45F)],
    "Greek": [(0x3AC, 0x3CE)],
    "Armenian": [(0x561, 0x586)],
    "Hebrew": [(0x5D0, 0x5EA)],
    "Arabic": [(0x621, 0x64A), (0x64B, 0x652)],
    "Devanagari": [(0x904, 0x939), (0x93E, 0x94D)],
    "Bengali": [(0x985, 0x9B9), (0x9BE, 0x9CD)],
    "Tamil": [(0xB85, 0xBB9), (0xBBE, 0xBCD)],
    "Sinhala": [(0xD85, 0xDC6), (0xDCF, 0xDDF)],
    "Thai": [(0xE01, 0xE3A), (0xE40, 0xE4E)],
    "Georgian": [(0x10D0, 0x10F0)],
    "Ethiopic": [(0x1200, 0x1248)],
    "Han": [(0x4E00, 0x4F80)],
    "Hangul": [(0xAC00, 0xAE00)],
}
LANGUAGES = [(script, number) for number in range(2) for script in SCRIPTS]
MARKS = [",", ".", "?", "«", "»", "...", "12", "3.5", "—", "😀", "👩‍👩‍👧", "(", ")", "1999"]


def made_lines(count, seed=0):
    """Lines of all languages in turn.

    Args:
        count: of the lines.
        seed: of the text; the languages' words are always the same.
    """
    generator = random.Random(seed)
    languages = [_words(script, number) for script, number in LANGUAGES]
    weights = [1 / rank for rank in range(1, len(languages[0]) + 1)]
    lines = []
    for number in range(count):
        words = generator.choices(
            languages[number % len(languages)], weights, k=generator.randrange(1, 12)
        )
        for place, word in enumerate(words):
            if generator.random() < 0.1:
                words[place] = word + generator.choice(MARKS)
            elif generator.random() < 0.05:
                words[place] = "".join(generator.sample(word, len(word)))
        lines.append(" ".join(words))
    return lines


def _words(script, number, count=1500):
    generator = random.Random(f"{script} {number}")
    letters = [
        chr(code)
        for first, last in SCRIPTS[script]
        for code in range(first, last + 1)
        if unicodedata.category(chr(code)) != "Cn"
    ]
    generator.shuffle(letters)
    weights = [1 / rank for rank in range(1, len(letters) + 1)]
    syllables = ["".join(generator.choices(letters, weights, k=2)) for _ in range(60)]
    return [
        "".join(generator.choices(syllables, k=generator.randrange(1, 5)))
        + generator.choice(["", generator.choice(letters)])
        for _ in range(count)
    ]


# Written for these tests: what breaks splitting, normalizing and special symbols.
NAUGHTY = [
    "", " ", "  ", " a", "a ", "a  b", "\t", "a\tb", "\x0b\x0c", "\x00", "a\x00b", "\x1b[31mred", "\x7f\x80\x85",
    "\xa0", "a\xa0b", "\xad", "so\xadft", "\u1680 \u2000\u2003", "\u2028", "x\u2029y", "\u202f\u205f\u3000",
    "\ufeffmark", "in\ufefffix", "\ufffd", "\uffff", "\U0010ffff", "\ue000", "\u200b\u200c\u200d\u2060",
    "</w>", "a</w>", "a</w>b", "</w></w>", "@@", "a@@", "@@ @@", "a@@ b", "a@", "@ @", "▁", "▁▁a ▁", "_", "Ġ",
    "ĠaĊ", "##ing", "Ċ", "<s>", "</s>", "<pad>", "<unk>", "<s> a </s>", "x<unk>y", "[UNK] [CLS] [MASK]",
    "<|endoftext|>", "<0x0A>", "madeupword0001", "madeupword0001 madeupword", "<lang:si>", "␛", "␛A0;", "␛3C;s>",
    "#version: 0.2", "e\u0301 \u00e9", "\u1e9b\u0323", "ﬁ ﬂ", "Å Å Å", "İ ı I i", "ẞ ß SS", "ǆ ǅ Ǆ",
    "Z̸̡̢͇͓̤a̷͖̩̟l̶̢̙̙g̵̡̖o̸", "\u0301", "\u0301 \u0301a", "ᄒ\u1161\u11ab 한", "क्षत्रिय र्‍य", "ශ්‍රී ලංකා", "ကျေးဇူး", "ព្រះ",
    "تَشْكِيل", "\u202eabc\u202c", "\u2066אב\u2069 cd", "שָׁלוֹם", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇱🇰🇩🇪", "👍🏽", "☺️ ☺︎", "𝔘𝔫𝔦 𝒸𝑜𝒹𝑒", "𠜎𠜱𡿺",
    "①②③ ⅷ ½", "１２３ ＡＢＣ", "ｶﾞｷﾞ", "٣٫١٤", "१२३", "0.1e-10", "1,000,000.00", "−1 – 2 — 3", "‘a’ “b” „c”", "''\"\"``",
    "'; DROP TABLE users;--", "<script>alert(1)</script>", "&lt;b&gt;", "%s %d %n", "${HOME}", "{{7*7}}", "../../etc",
    "http://a.b/c?d=e&f=%20", "C:\\new\\table", "null None NaN undefined", "true", "((((", "||||", "don't I'll we've",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abcabcabcabcabcabcabc", "ab" * 300, "ක" * 100, "😀" * 50, "a" + "\u0300" * 200,
    "a " * 50, " " * 100, "の、。「」", "ー〜・", "㍿ ㎏", "…", "·", "¿Qué? ¡Sí!", "l·l", "œuvre Œ", "Đđ Łł Øø", "Þþ Ðð",
    "p\u0430yp\u0430l", "Ωmega東京한글ไทยабв", "🏽", "\ufe0f", "\u0488", "x" * 5000, "ab" * 3000, "12.345,67 12'345 १,२३,४५६ 1٬234",
]  # fmt: skip
