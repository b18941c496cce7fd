"""The recipe of LibreOffice's help: reading pages, assigning them to splits, and a complete run."""

import argparse
import contextlib
import io
import re
import shutil

import pytest
from made_help import made_pages, write_help, write_page
from recipe_helpers import TINY_TRANSFORMER, lines_of, recipe, scores_of, table_rows, translations
from recipes.libreoffice_help_x_en import recipe as libreoffice
from recipes.libreoffice_help_x_en.help_pages import (
    HelpFolder,
    find_help,
    language_code,
    read_page,
    read_pages,
)
from recipes.text.corpus_files import read_pairs

pytest_plugins = ["recipe_helpers"]

NAME = "libreoffice_help_x_en"
SHARES = {"test": 0.2, "valid": 0.2}


def build(*folders, out, languages=(), lines=None, workers=1):
    args = argparse.Namespace(raw=folders, out=out, languages=languages, lines=lines, workers=workers)  # fmt: skip
    out.mkdir(exist_ok=True)
    libreoffice.build(args, SHARES)


def upper(text):
    return text.upper().replace("CLICK", "KLICK")


def test_texts_of_a_page_by_id(tmp_path):
    write_page(
        tmp_path / "page.html",
        "de",
        """<h1 id="hd_id315" dir="auto">
<a name="wie"></a>Größe &amp; Farbe </h1>
<p id="par_id1" class="paragraph"><span class="avis">Klicken auf <span class="emph">OK</span>
   schließt</span> den&nbsp;Dialog.<br>Ende</p>
<p id="par_id2"><img src="x.svg" alt="Symbol" itemprop="image"></p>
<p id="par_id3">zweimal dasselbe</p><p id="par_id3">zweimal dasselbe</p>
<p id="par_id4">einmal so</p><p id="par_id4">einmal anders</p>
<p id="other">keine Kennung</p><p>ohne Kennung</p><div id="par_id5">kein Absatz</div>
<p id="par_id6">Zeile\u2028trenner</p><p id="par_id7">a<script>x()</script><!-- y -->b</p>
<p id="par_id8">ක්\u200dර \u200bខ</p>""",
    )
    assert read_page(tmp_path / "page.html") == {
        "hd_id315": "Größe & Farbe",
        "par_id1": "Klicken auf OK schließt den\xa0Dialog. Ende",
        "par_id3": "zweimal dasselbe",
        "par_id7": "ab",
        "par_id8": "ක්\u200dර \u200bខ",
    }


def test_languages_are_found_at_any_depth(tmp_path):
    write_help(tmp_path / "one", "en-US", {"shared/a.html": {"par_id1": "x"}})
    write_help(tmp_path / "deep" / "er", "pt-BR", {"shared/a.html": {"par_id1": "x"}})
    found = find_help([tmp_path])
    assert [folder.language for folder in found] == ["en", "pt_br"]
    assert [page for page, _ in read_pages(found[1])] == ["shared/a.html"]
    assert language_code("zh-CN") == "zh_cn"
    write_help(tmp_path / "two", "en-US", {"shared/a.html": {"par_id1": "x"}})
    with pytest.raises(ValueError, match="en is there twice"):
        find_help([tmp_path])
    with pytest.raises(ValueError, match=r"it has no help .* libreoffice-help-LANG"):
        find_help([tmp_path / "one" / "usr" / "share" / "libreoffice" / "help" / "en-US" / "text"])


def test_a_file_that_is_not_a_page(tmp_path):
    write_help(tmp_path, "de", {"shared/a.html": {"par_id1": "x"}})
    folder = find_help([tmp_path])[0]
    assert isinstance(folder, HelpFolder)
    (folder.text / "shared" / "b.html").write_bytes(b"")
    with pytest.raises(ValueError, match=r"b\.html: cannot be read as HTML"):
        list(read_pages(folder))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("help")
    english = made_pages(str)
    german = made_pages(upper)
    first, last = sorted(english)[0], sorted(english)[-1]
    german[first]["par_id1"] = english[first]["par_id1"]  # not translated yet
    german[last]["par_idnew"] = "nicht im Englischen"
    del german[sorted(german)[5]]
    write_help(folder / "en", "en-US", english)
    write_help(folder / "de", "de", german)
    write_help(folder / "hi", "hi", dict(list(made_pages(upper).items())[:20]))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        build(folder, out=folder / "out", workers=2)
    return folder, printed.getvalue()


def splits(folder, language):
    return {split: read_pairs(folder, split, language) for split in ("train", "valid", "test")}


def test_no_english_sentence_is_in_two_splits(corpus):
    folder, _ = corpus
    german = splits(folder / "out", "de")
    english = {
        split: {
            pair[1]
            for language in ("de", "hi")
            for pair in read_pairs(folder / "out", split, language)
        }
        for split in german
    }
    assert all(len(texts) > 20 for texts in english.values())
    assert not english["train"] & english["test"]
    assert not english["train"] & english["valid"]
    assert not english["valid"] & english["test"]
    assert "Choose the menu File." in english["train"]


def test_sides_match_and_equal_ones_are_dropped(corpus):
    folder, printed = corpus
    for pairs in splits(folder / "out", "de").values():
        assert all(source == upper(english) and source != english for source, english in pairs)
        assert len(set(pairs)) == len(pairs)
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines()[2:]}
    # pages, not in English, equal
    assert rows["de"][:3] == ["59", "1", "1"]
    assert rows["hi"][:3] == ["20", "0", "0"]
    for language in ("de", "hi"):
        counts = [str(len(pairs)) for pairs in splits(folder / "out", language).values()]
        assert rows[language][-3:] == counts


def test_a_split_depends_on_the_page_alone(corpus, tmp_path):
    folder, _ = corpus
    build(folder, out=tmp_path / "hi", languages=["hi"])
    assert splits(tmp_path / "hi", "hi") == splits(folder / "out", "hi")
    assert not list((tmp_path / "hi").glob("*.de-en.*"))
    build(folder, out=tmp_path / "two", languages=["hi"], lines=2)
    fewer, all_pairs = splits(tmp_path / "two", "hi"), splits(folder / "out", "hi")
    assert fewer == {**all_pairs, "train": all_pairs["train"][:2]}


def test_a_missing_language_is_named_with_its_package(corpus, tmp_path):
    folder, _ = corpus
    with pytest.raises(
        ValueError, match="no help in zh_cn: get libreoffice-help-zh-cn; found: de, en, hi"
    ):
        build(folder, out=tmp_path, languages=["de", "zh-cn"])
    with pytest.raises(ValueError, match="no help in en: get libreoffice-help-en-us"):
        build(folder / "de", out=tmp_path)


def test_languages_have_to_be_given(tmp_path):
    ran = recipe(NAME, "--work", tmp_path / "run", "--cpu", check=False)
    assert ran.status == 1 and "error: give --languages, such as" in ran.stderr


def test_help_pages_of_the_user_are_not_fetched(corpus):
    folder, _ = corpus
    shown = recipe(NAME, "--work", "/nowhere", "--cpu", "--raw", folder, "--dry-run").stdout
    shown = " ".join(shown.replace("\\\n", "").split())  # wherever the lines are broken
    assert f"--raw {folder} --out" in shown and "engine.fetch" not in shown


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_from_debian_packages_to_scores(tmp_path, debian):
    pytest.importorskip("fairseq")
    for language, folder in (("en-us", "en-US"), ("de", "de"), ("pt-br", "pt-BR")):
        pages = made_pages(str if language == "en-us" else str.swapcase, pages=90)
        debian.offer(f"libreoffice-help-{language}", write_help(tmp_path / language, folder, pages))
    work = tmp_path / "run"
    ran = recipe(
        NAME, "--work", work, "--languages", "de,pt_br", "--lines", 100, "--cpu", "--workers", 1,
        "--updates", 3, *TINY_TRANSFORMER, "--generate", "--max-len-a 0 --max-len-b 12", "bbpe_2k_gru",
    )  # fmt: skip
    fetched = (work / "logs" / "corpus.log").read_text(encoding="utf-8")
    assert "apt-get download libreoffice-help-pt-br" in fetched
    assert re.search(r"^all .* 200 +\d+ +\d+$", ran.stdout, re.MULTILINE)
    folder = work / "systems" / "bbpe_2k_gru"
    scores = scores_of(folder / "test.json")
    assert set(scores) == {"de", "pt_br", "all"}
    references = [lines_of(path) for path in (work / "corpus").glob("test.*-en.en")]
    lines = sum(map(len, references))
    assert len(translations(folder / "test.out")) == lines == scores["all"].lines
    assert "tok:13a" in scores["all"].signatures["BLEU"]
    table = table_rows(ran.stdout, "LibreOffice's help")
    cells = [f"{scores['all'].scores[metric]:.2f}" for metric in ("BLEU", "chrF")]
    assert ["BBPE 2K+", "1", *cells] in table
