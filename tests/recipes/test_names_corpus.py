"""scripts/recipes/names_x_en: the corpus of names, built from small synthetic catalogues and from the real ones."""

import gettext
import hashlib
import json
import struct
import sys
from collections import Counter

import pytest
from conftest import ROOT, run_command
from recipe_helpers import lines_of, make_corpus
from recipes.names_x_en import build_corpus, checks, sources, splits
from recipes.text.corpus_files import read_pairs

Pair = sources.Pair
PARENT = ("uk", "el", "hi", "th")


def write_catalogue(path, messages):
    """Writes a gettext .mo file (GNU gettext manual, "The Format of GNU MO Files")."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = {"": "Content-Type: text/plain; charset=UTF-8\n", **messages}
    ids = [text.encode() for text in sorted(entries, key=str.encode)]
    texts = [entries[text.decode()].encode() for text in ids]
    tables, data, start = b"", b"", 28 + 16 * len(ids)
    for strings in (ids, texts):
        for string in strings:
            tables += struct.pack("<2I", len(string), start + len(data))
            data += string + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(ids), 28, 28 + 8 * len(ids), 0, 0)
    path.write_bytes(header + tables + data)


# Letters that spell the same names in several scripts.
SCRIPT_STARTS = {"uk": 0x430, "el": 0x3B1, "hi": 0x915, "th": 0xE01, "si": 0xD9A}
LETTERS = "abdegiklmnorstuz"


def made_names(count):
    """Distinct English names of one to three words, in a fixed order."""
    names = []
    for number in range(count):
        digest = hashlib.sha256(str(number).encode()).digest()
        letters = [LETTERS[byte % len(LETTERS)] for byte in digest[:12]]
        words = ["".join(letters[:6]), "".join(letters[6:9]), "".join(letters[9:])]
        names.append(" ".join(words[: 1 + number % 3]).title())
    assert len(set(names)) == count
    return names


def in_script(name, language):
    start = SCRIPT_STARTS[language]
    return "".join(chr(start + LETTERS.index(c)) if c in LETTERS else c for c in name.lower())


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    names = made_names(400)
    shares = {
        "uk": names,
        "el": names[:300],
        "hi": names[100:],
        "th": names[:200],
        "si": names[:150],
    }
    for language, known in shares.items():
        messages = {name: in_script(name, language) for name in known}
        half = len(known) // 2
        for domain, part in (("iso1", known[:half]), ("iso2", known[half:])):
            write_catalogue(
                folder / language / "LC_MESSAGES" / f"{domain}.mo",
                {name: messages[name] for name in part},
            )
    write_catalogue(
        folder / "uk" / "LC_MESSAGES" / "iso3.mo",
        {
            # The same names in another form, which must be in the same split.
            **{
                f"{n.split()[1]}, {n.split()[0]}": f"{i} друге"
                for i, n in enumerate(names)
                if " " in n
            },
            "Taken As Is": "Taken As Is",
            "Two\nLines": "два\nрядки",
            "Return": "повер\rнення",
            "Paragraph": "абз\u2029ац",
            "Blank": " ",
            "Sinhala Inside": "літера \u0d9a",
            "noun\x04Context": "  контекст ",
            "One ship\0Many ships": "корабель\0кораблі",
            "Joined": "क्\u200dष\xa0я",
        },
    )
    return folder


OPTIONS = [
    "--languages", ",".join(PARENT), "--test-share", 0.1, "--valid-share", 0.05, "--test-lines", 20,
    "--valid-lines", 10, "--seen-lines", 8,
]  # fmt: skip


def build(out, *arguments, check=True):
    """Builds the corpus."""
    ran = make_corpus("names_x_en", "--out", out, *arguments)
    assert not check or ran.status == 0, ran.stderr
    return ran


@pytest.fixture(scope="module")
def built(catalogues, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return folder, build(folder, "--catalogues", catalogues, *OPTIONS).stdout


def test_catalogue_of_the_test_is_a_gettext_catalogue(catalogues):
    with (catalogues / "uk" / "LC_MESSAGES" / "iso3.mo").open("rb") as stream:
        assert gettext.GNUTranslations(stream).pgettext("noun", "Context") == "  контекст "


def test_no_held_out_name_is_in_the_training_of_any_language(built):
    folder, _ = built
    training = {e.casefold() for code in PARENT for _, e in read_pairs(folder, "train", code)}
    bags = {frozenset(name.replace(",", "").split()) for name in training}
    held_out = Counter()
    for split in ("valid", "test"):
        for code in PARENT:
            for _, english in read_pairs(folder, split, code):
                held_out[split] += 1
                assert english.casefold() not in training
                assert frozenset(english.casefold().replace(",", "").split()) not in bags
    assert held_out["test"] > 30
    assert held_out["valid"] > 10


def test_names_of_the_second_test_set_are_taught_by_other_languages_only(built):
    folder, _ = built
    taught = {code: {e for _, e in read_pairs(folder, "train", code)} for code in PARENT}
    for code in taught:
        seen = read_pairs(folder, "test_seen", code)
        assert len(seen) == 8
        for _, english in seen:
            assert english not in taught[code]
            assert any(english in names for names in taught.values())


def test_unusable_entries_are_dropped_and_counted(catalogues, built):
    dropped = Counter()
    read = sources.read_names(catalogues, "uk", dropped)
    known = {pair.english: pair.source for pair in read}
    names = "Taken As Is", "Two\nLines", "Return", "Paragraph", "Blank", "Many ships", ""
    assert not set(names) & set(known)
    assert not any("\r" in text or text != text.strip() for pair in read for text in pair)
    # Other names are unchanged: joiners and no-break spaces are part of them.
    expected = {"Context": "контекст", "One ship": "корабель", "Joined": "क्\u200dष\xa0я"}
    assert {name: known.get(name) for name in expected} == expected
    counts = {"same in English": 1, "empty side": 1, "control character or line break": 3}
    assert dropped == counts
    for reason, count in {**counts, "letters of the transfer language": 1}.items():
        assert f"dropped, {reason}: {count}\n" in built[1]


def test_every_usable_pair_is_in_one_set_or_held_out(built, catalogues):
    folder, printed = built
    for code in PARENT:
        usable = set(sources.read_names(catalogues, code))
        placed = Counter(
            p for split in build_corpus.SPLITS for p in read_pairs(folder, split, code)
        )
        assert max(placed.values()) == 1
        assert set(placed) <= usable
        held_out = {e for split in ("valid", "test") for _, e in read_pairs(folder, split, code)}
        assert len(set(placed)) >= 0.8 * len(usable)
        assert held_out
    record = json.loads((folder / "corpus.json").read_text())
    total = sum(sum(part.values()) for part in record["pairs"].values())
    usable = sum(len(sources.read_names(catalogues, code)) for code in (*PARENT, "si"))
    left = int(printed.partition("but over the line limits of test and valid: ")[2].split("\n")[0])
    assert total + left + 1 == usable  # one pair has a letter of the transfer language


def test_the_record_has_the_counts_of_the_files(built):
    folder, printed = built
    record = json.loads((folder / "corpus.json").read_text())
    assert record["languages"] == sorted(PARENT)
    for split in build_corpus.SPLITS:
        count = sum(len(read_pairs(folder, split, code)) for code in PARENT)
        assert record["pairs"]["parent"][split] == count
        assert str(count) in printed
    assert len(list(folder.rglob("*-en.*"))) == 4 * 4 * 2 + 3 * 2


def test_transfer_language_is_apart_and_free_of_overlap(built):
    folder, _ = built
    parts = {s: read_pairs(folder / "transfer", s, "si") for s in ("train", "valid", "test")}
    names = {split: {english.casefold() for _, english in part} for split, part in parts.items()}
    assert all(names.values())
    assert not names["test"] & names["train"]
    assert not names["valid"] & names["train"]
    assert not names["test"] & names["valid"]
    assert all("\u0d80" <= c <= "\u0dff" for s, _ in parts["train"] for c in s if c.isalpha())
    for path in folder.glob("*-en.*"):
        assert not any("\u0d80" <= c <= "\u0dff" for c in path.read_text(encoding="utf-8"))


def test_same_bytes_on_every_run(built, catalogues, tmp_path):
    folder, _ = built
    script = [sys.executable, "-m", "recipes.engine.corpus", "names_x_en", "--out", tmp_path]
    environment = {"PYTHONPATH": str(ROOT / "scripts"), "PYTHONHASHSEED": "7"}
    run_command(*script, "--catalogues", catalogues, *OPTIONS, env=environment)
    for path in (p for p in folder.rglob("*") if p.is_file()):
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_test_names_do_not_depend_on_the_other_languages(built, catalogues, tmp_path):
    folder, _ = built
    build(tmp_path, "--catalogues", catalogues, *OPTIONS, "--languages", "uk,th")
    for split in ("test", "valid"):
        alone = {english for _, english in read_pairs(tmp_path, split, "th")}
        # Lines may differ if training has the same source; names never change their split.
        assert alone == {english for _, english in read_pairs(folder, split, "th")}


@pytest.mark.parametrize(("languages", "said"), [("uk,xx", "'xx'"), ("uk,si", "si is reserved")])
def test_unknown_language_is_refused(catalogues, tmp_path, languages, said):
    ran = build(tmp_path, "--catalogues", catalogues, "--languages", languages, check=False)
    assert ran.status == 1 and said in ran.stderr and ran.stderr.count("\n") == 1


@pytest.mark.parametrize("package", ["pycountry", "babel"])
def test_missing_package_gets_one_line_that_names_the_extra(tmp_path, package, monkeypatch):
    if package == "babel":
        pytest.importorskip("pycountry")
    monkeypatch.setitem(sys.modules, package, None)
    ran = build(tmp_path / "out", "--languages", "uk", check=False)
    assert ran.status == 1 and "[quickstart]" in ran.stderr and ran.stderr.count("\n") == 1
    assert package in ran.stderr.lower()


@pytest.mark.parametrize("content", [b"", b"not a catalogue at all, by far", None])
def test_broken_catalogue_is_named(catalogues, tmp_path, content):
    path = tmp_path / "locales" / "uk" / "LC_MESSAGES" / "iso.mo"
    path.parent.mkdir(parents=True)
    whole = (catalogues / "uk" / "LC_MESSAGES" / "iso1.mo").read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(ValueError, match=r"iso\.mo"):
        sources.read_names(tmp_path / "locales", "uk")


def test_own_catalogue_before_the_largest_regional_one(tmp_path):
    for folder, count in (("sr", 1), ("sr@latin", 3), ("zh_CN", 3), ("zh_TW", 1), ("zho", 9)):
        messages = {f"name {i}": f"{folder} {i}" for i in range(count)}
        write_catalogue(tmp_path / folder / "LC_MESSAGES" / "iso.mo", messages)
    assert sources.catalogue_of(tmp_path, "sr").name == "sr"
    assert sources.catalogue_of(tmp_path, "zh").name == "zh_CN"
    assert sources.catalogue_of(tmp_path, "xx") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Egyptian Arabic", "Arabic, Egyptian"),
        ("Côte d’Ivoire", "cote D'Ivoire"),
        ("STRASSE", "Straße"),
        ("Old Norse", "norse (old)"),
    ],
)
def test_two_spellings_of_a_name_have_the_same_key(one, other):
    assert splits.name_key(one) == splits.name_key(other)


def test_different_names_have_different_keys():
    names = ["Niger", "Nigeria", "Guinea", "Guinea-Bissau", "Ge", "E G", "+", "-", "中国"]
    assert len({splits.name_key(name) for name in names}) == len(names)


def made_split(pairs, **sizes):
    """Splits two languages: aa has the given pairs, bb the same names with other sources."""
    other = [Pair(f"other {number}", pair.english) for number, pair in enumerate(pairs)]
    options = {"test_share": 0.2, "valid_share": 0.1, "seen_lines": 5, **sizes}
    return splits.split_parent({"aa": pairs, "bb": other}, splits.Sizes(**options), seed=1)


def test_held_out_line_whose_source_training_answers_otherwise_is_left_out():
    names = made_names(300)
    distinct = [Pair(f"source {number}", name) for number, name in enumerate(names)]
    corpus = made_split(distinct)
    held_out = {s: {p.english for p in corpus[s]["aa"]} for s in ("valid", "test", "test_seen")}
    assert all(held_out.values())
    # One more source for each name, the same for all names.
    corpus = made_split(distinct + [Pair("source", name) for name in names])
    assert "source" in {pair.source for pair in corpus["train"]["aa"]}
    for split, expected in held_out.items():
        assert "source" not in {pair.source for pair in corpus[split]["aa"]}
        assert {pair.english for pair in corpus[split]["aa"]} == expected


def test_held_out_name_is_one_line_however_many_sources_spell_it():
    names = made_names(200)
    corpus = made_split([Pair(f"{name} {i}", name) for name in names for i in range(3)])
    for split in ("valid", "test", "test_seen"):
        english = [pair.english for pair in corpus[split]["aa"]]
        assert english
        assert len(set(english)) == len(english)
    assert Counter(pair.english for pair in corpus["train"]["aa"]).most_common()[-1][1] == 3


def test_limits_hold_for_each_language():
    pairs = [Pair(f"source {number}", name) for number, name in enumerate(made_names(300))]
    corpus = made_split(pairs, test_lines=7, valid_lines=3, seen_lines=2)
    sizes = {split: [len(corpus[split][code]) for code in ("aa", "bb")] for split in corpus}
    assert sizes["test"] == [7, 7]
    assert sizes["valid"] == [3, 3]
    assert sizes["test_seen"] == [2, 2]
    # A smaller limit gives a subset of the same lines.
    assert set(corpus["test"]["aa"]) < set(made_split(pairs)["test"]["aa"])


def test_names_are_read_once_and_sorted(catalogues):
    read = sources.read_names(catalogues, "el")
    assert read == sorted(set(read))
    assert len(read) == 300


def whole_corpus():
    return {
        "train": {"aa": [Pair("а", "Alpha"), Pair("б", "Beta")], "bb": [Pair("c", "Gamma")]},
        "valid": {"aa": [Pair("д", "Delta")], "bb": []},
        "test": {"aa": [Pair("е", "Epsilon")], "bb": []},
        "test_seen": {"aa": [Pair("г", "Gamma")], "bb": []},
    }


@pytest.mark.parametrize(
    ("split", "language", "pair", "said"),
    [
        ("train", "bb", Pair("x", "epsilon"), "test are also in train"),
        ("train", "bb", Pair("x", "Épsilon"), "test are also in train"),
        ("train", "bb", Pair("x", "DELTA"), "valid are also in train"),
        ("test", "bb", Pair("x", "Delta"), "test are also in valid"),
        ("test_seen", "aa", Pair("x", "Omega"), "test_seen"),
        ("train", "aa", Pair("x", "Gamma"), "test_seen"),
        ("train", "bb", Pair("\u0d9a", "Kappa"), "Sinhala"),
    ],
)
def test_leak_is_refused(split, language, pair, said):
    corpus = whole_corpus()
    assert checks.check_parent(corpus)
    corpus[split][language].append(pair)
    with pytest.raises(ValueError, match=said):
        checks.check_parent(corpus)


def test_cldr_pairs_join_the_names_of_one_code():
    pytest.importorskip("babel")
    german = {pair.english: pair.source for pair in sources.cldr_pairs("de")}
    expected = {
        "Germany": "Deutschland",
        "Swedish": "Schwedisch",
        "Cyrillic": "Kyrillisch",
        "Swiss Franc": "Schweizer Franken",
        "Traditional German orthography": "Alte deutsche Rechtschreibung",
    }
    assert {name: german.get(name) for name in expected} == expected
    cities = {pair.english: pair.source for pair in sources.cldr_pairs("ru")}
    # English spells these as the zone's name does, so CLDR has no English city for them.
    assert cities["Moscow"] == "Москва"
    assert cities["Port of Spain"] == "Порт-оф-Спейн"
    assert list(sources.cldr_pairs("qqq")) == []


def test_real_packages_in_small(tmp_path):
    pytest.importorskip("pycountry")
    pytest.importorskip("babel")
    build(tmp_path, "--languages", "el,he,th", "--lines", 50)
    record = json.loads((tmp_path / "corpus.json").read_text())
    assert set(record["versions"]) == {"pycountry", "Babel"}
    assert record["pairs"]["parent"]["train"] > 6000
    assert record["pairs"]["transfer"]["train"] > 1000
    assert len(lines_of(tmp_path / "train.el-en.el")) == 50


@pytest.mark.slow
def test_whole_corpus_has_the_size_that_the_recipe_states(tmp_path):
    pytest.importorskip("pycountry")
    pytest.importorskip("babel")
    build(tmp_path)
    record = json.loads((tmp_path / "corpus.json").read_text())
    assert tuple(record["languages"]) == build_corpus.LANGUAGES and len(record["languages"]) == 34
    assert 190_000 < record["pairs"]["parent"]["train"] < 240_000
    assert 1_900 < record["pairs"]["parent"]["test"] <= 34 * 60
    texts = {code: lines_of(tmp_path / f"train.{code}-en.en") for code in record["languages"]}
    assert all(len(texts[code]) > 15_000 for code in ("uk", "lo", "ba", "ta", "hi"))
    assert len({name for text in texts.values() for name in text}) > 14_000
