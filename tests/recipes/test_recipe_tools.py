"""What holds for all scripts and recipes: shell settings, rows with configurations, the corpus layout."""

import re

import pytest
from conftest import ROOT
from recipes.engine.catalogue import load, names
from recipes.engine.systems import read_systems
from recipes.text.corpus_files import find_languages, read_lines, read_pairs, write_pairs

ENCODERS = ("bbpe", "byte_level", "char_level", "generalized_bpe", "sentencepiece")
TABLES = [name for name in names() if (load(name).home / "systems.tsv").exists()]


@pytest.mark.parametrize("name", TABLES)
def test_rows_have_their_configurations(name):
    recipe = load(name)
    for system in read_systems(recipe.home / "systems.tsv"):
        assert not system["config"] or recipe.config(system["config"]).exists()
        # A baseline is segmented before Fairseq sees it.
        assert (system["encoder"] in ENCODERS) != bool(system["segment"]), system.name
        if not system["parent"]:
            needs_codes = system["encoder"] not in ("", "byte_level", "char_level")
            assert bool(system["learn"]) == needs_codes, system.name


def test_the_corpus_layout(tmp_path):
    pairs = [("ein\u2028e", "one"), ("", "two")]
    write_pairs(tmp_path, "train", "de", pairs)
    assert read_pairs(tmp_path, "train", "de") == pairs
    assert find_languages(tmp_path, "train") == ["de"]
    with pytest.raises(ValueError, match=r"no test\.xx-en\.en file"):
        find_languages(tmp_path, "test")
    (tmp_path / "train.de-en.en").write_bytes(b"one\r\n")
    assert read_lines(tmp_path / "train.de-en.en") == ["one"]
    with pytest.raises(ValueError, match=r"has 2 lines, .* has 1"):
        read_pairs(tmp_path, "train", "de")
    (tmp_path / "train.de-en.en").write_bytes(b"one\nt\rwo\n")
    with pytest.raises(ValueError, match=r"en:2: a carriage return"):
        read_pairs(tmp_path, "train", "de")


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("**/*.sh")), ids=str)
def test_no_setting_is_a_variable_that_bash_sets(path):
    """Bash sets LINES and COLUMNS to the terminal's size in every script."""
    code = [line for line in path.read_text().split("\n") if not line.lstrip().startswith("#")]
    assert not re.search(r"\b(LINES|COLUMNS|SECONDS|RANDOM|GROUPS)\b", "\n".join(code))
