"""Writes a small made corpus, German and English, for the tutorial: {train,valid,test}.{de,en}.

    python made_corpus.py [FOLDER]

Sentences such as "der alte Waldhund sieht heute die Brücke" / "the old forest dog sees the bridge today". Some
compounds occur in valid and test only, so that a model has to translate words that it has never seen. The files
are the same every time.
"""

import random
import sys
from pathlib import Path

# noun: gender and translation
NOUNS = {
    "hund": ("m", "dog"), "katze": ("f", "cat"), "pferd": ("n", "horse"), "vogel": ("m", "bird"),
    "maus": ("f", "mouse"), "boot": ("n", "boat"), "haus": ("n", "house"), "zug": ("m", "train"),
    "brücke": ("f", "bridge"), "buch": ("n", "book"), "lampe": ("f", "lamp"), "stuhl": ("m", "chair"),
}  # fmt: skip
MODIFIERS = {
    "Garten": "garden", "Stadt": "city", "Wald": "forest", "Berg": "mountain", "Winter": "winter",
    "Sommer": "summer", "Wasser": "water", "Holz": "wooden", "Nacht": "night", "Eisen": "iron",
}  # fmt: skip
VERBS = {"sieht": "sees", "sucht": "looks for", "findet": "finds", "malt": "paints", "mag": "likes"}
ADVERBS = {"heute": "today", "oft": "often", "wieder": "again", "hier": "here"}
ADJECTIVES = {"alt": "old", "klein": "small", "rot": "red", "schnell": "fast", "grün": "green"}
ARTICLES = {
    "nominative": {"m": "der", "f": "die", "n": "das"},
    "accusative": {"m": "den", "f": "die", "n": "das"},
}
SPLITS = {"train": 6000, "valid": 200, "test": 200}


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    generator = random.Random(1)
    compounds = [(modifier, noun) for modifier in MODIFIERS for noun in NOUNS]
    unseen = set(generator.sample(compounds, 15))
    for split, count in SPLITS.items():
        usable = [pair for pair in compounds if split != "train" or pair not in unseen]
        pairs = [sentence(generator, usable) for _ in range(count)]
        for side, language in enumerate(("de", "en")):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")


def sentence(generator, compounds):
    """A sentence in German and in English."""
    subject, subject_en = noun_phrase(generator, compounds, "nominative")
    thing, thing_en = noun_phrase(generator, compounds, "accusative")
    verb = generator.choice(list(VERBS))
    adverb = generator.choice(list(ADVERBS))
    german = f"{subject} {verb} {adverb} {thing}"
    return german, f"{subject_en} {VERBS[verb]} {thing_en} {ADVERBS[adverb]}"


def noun_phrase(generator, compounds, case):
    """Article, perhaps an adjective, and a noun, half of them compounds."""
    modifier, noun = generator.choice(compounds)
    gender, english = NOUNS[noun]
    german = noun.capitalize()
    if generator.random() < 0.5:
        german, english = modifier + noun, f"{MODIFIERS[modifier]} {english}"
    if generator.random() < 0.5:
        adjective = generator.choice(list(ADJECTIVES))
        ending = "en" if (case, gender) == ("accusative", "m") else "e"
        german, english = f"{adjective}{ending} {german}", f"{ADJECTIVES[adjective]} {english}"
    return f"{ARTICLES[case][gender]} {german}", f"the {english}"


if __name__ == "__main__":
    main()
