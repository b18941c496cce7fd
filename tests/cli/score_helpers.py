"""Helpers of the tests of ``fairseq-subword score``."""

REFERENCE = [
    "The quick brown fox jumps over the lazy dog.",
    "Ein Satz mit Größe, Maß und ü.",
    "ශ්‍රී ලංකා is an island, said (perhaps) nobody.",
    "",
    "Short one.",
    "A line with a\u2028separator and\u00a0a hard space.",
    "It's a 10.5 % rise, isn't it?",
    "Sieben sind es nun.",
    "The last of nine.",
]
SYSTEM = [
    "The quick brown fox jumped over a lazy dog.",
    "Ein Satz mit Grösse, Maß und ü.",
    "ශ්‍රී ලංකා is an isle, said perhaps nobody.",
    "",
    "Short one.",
    "A line with a\u2028separator and\u00a0a space.",
    "It's a 10.5% rise, is it?",
    "Sieben ist es nun.",
    "The last of ten.",
]


def as_generated(lines, references=REFERENCE):
    """The lines as fairseq-generate prints them, with sentences of similar length together."""
    order = sorted(range(len(lines)), key=lambda n: (len(references[n]), n))
    return "".join(
        f"S-{n}\tx\nT-{n}\t{references[n].replace('ü', '<<unk>>')}\n"
        f"H-{n}\t-0.3\t{lines[n]}\nD-{n}\t-0.3\t{lines[n]}\nP-{n}\t-0.3\n"
        for n in order
    )


def by_name(record):
    return {system["name"]: system for system in record["systems"]}
