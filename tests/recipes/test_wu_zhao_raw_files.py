"""The recipes of Wu & Zhao 2018: reading the raw formats, and drawing sets; see also
test_wu_zhao_recipes.py, which runs them completely."""

import importlib.util
import math
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
import wu_zhao_raw as raw
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS / "recipes"))  # where the recipes' scripts find their helpers

import moses  # noqa: E402
import mteval  # noqa: E402
from drawing import draw_sets  # noqa: E402
from systems import read_systems  # noqa: E402

from fairseq_subword_ext.subword.goodness import get_measure  # noqa: E402
from fairseq_subword_ext.subword.merge_table import MergeTable  # noqa: E402


def load(path):
    """Loads a recipe's module by path, since several recipes have modules of the same name."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


iwslt = load(SCRIPTS / "iwslt14_de_en" / "raw_files.py")
news = load(SCRIPTS / "news_commentary_zh_en" / "raw_files.py")
figure2 = load(SCRIPTS / "iwslt14_de_en" / "figure2.py")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("iwslt") / "de-en"
    folder.mkdir()
    for name, text in raw.iwslt_files(lines=60).items():
        (folder / name).write_bytes(text.encode("utf-8"))
    return folder.parent


def test_iwslt_training_text(release):
    pairs = iwslt.read_train([release])
    assert (
        len(pairs) == 60 + 2 * 2 + 4
    )  # sentences; titles and descriptions of two talks; odd lines
    assert pairs[0] == ("Ada Lovelace: Über Zahl 0", "Ada Lovelace: On number 0")
    assert pairs[1] == ("Worum es geht.", "What it is about.")
    assert ("Ja nein.", "Yes no.") in pairs  # U+2028 and U+00A0 are spaces
    assert ("Leer hier.", "") in pairs
    assert not any("<" in side or "ted.com" in side for pair in pairs for side in pair)


def test_iwslt_test_sets(release):
    pairs = iwslt.read_test([release], "TED.tst2012")
    assert len(pairs) == raw.TEST_SETS["TED.tst2012"]
    assert [pair[0] for pair in pairs[:2]] == [said for _, said in raw.RAW_TEST.values()]
    assert len(iwslt.read_test([release], "TEDX.dev2012")) == raw.TEST_SETS["TEDX.dev2012"]


def test_a_tedx_set_under_the_name_of_the_others(release, tmp_path):
    for language in ("de", "en"):
        text = (release / "de-en" / f"IWSLT14.TEDX.dev2012.de-en.{language}.xml").read_text()
        (tmp_path / f"IWSLT14.TED.dev2012.de-en.{language}.xml").write_text(text)
    assert len(iwslt.read_test([tmp_path], "TEDX.dev2012")) == 9


def test_errors_in_iwslt_files_are_reported(release, tmp_path):
    english = (release / "de-en" / "train.tags.de-en.en").read_text(encoding="utf-8")
    german = (release / "de-en" / "train.tags.de-en.de").read_bytes()
    (tmp_path / "train.tags.de-en.en").write_text(english.split("\n", 20)[20], encoding="utf-8")
    with pytest.raises(ValueError, match=r"no train\.tags\.de-en\.de in .*de-en\.tgz"):
        iwslt.read_train([tmp_path])
    (tmp_path / "train.tags.de-en.de").write_bytes(german)
    with pytest.raises(ValueError, match=r"has 68 sentences without its metadata.* has 53"):
        iwslt.read_train([tmp_path])
    (tmp_path / "train.tags.de-en.de").write_bytes(german[:40] + b"\xff" + german[40:])
    with pytest.raises(ValueError, match=r"train\.tags\.de-en\.de: byte 40 is not UTF-8"):
        iwslt.read_train([tmp_path])
    xml = tmp_path / "IWSLT14.TED.tst2010.de-en.de.xml"
    xml.write_text('<seg id="1"> a </seg>\n<seg id="2"> b')
    with pytest.raises(ValueError, match="2 that open and 1 that are whole"):
        mteval.read_segments(xml)
    xml.write_text('<seg id="1"> a </seg>\n<seg id="3"> b </seg>')
    xml.with_name(xml.name.replace("de.xml", "en.xml")).write_text(
        '<seg id="1"> a </seg>\n<seg id="2"> b </seg>\n'
    )
    with pytest.raises(ValueError, match="first at 3 and 2"):
        iwslt.read_test([tmp_path], "TED.tst2010")


@pytest.mark.parametrize(
    "name", ["v12.zh-en.tsv", "v14.en-zh.tsv", "v14.en-zh.tsv.gz", "v12.zh-en.zh"]
)
def test_news_commentary_in_all_its_forms(name, tmp_path):
    pairs = raw.news_pairs(90)
    path = tmp_path / "training" / f"news-commentary-{name}"
    path.parent.mkdir()
    if name.endswith(".zh"):
        for side, suffix in enumerate((".zh", ".en")):
            lines = ["" if pair is None else pair[side] for pair in pairs]
            path.with_suffix(suffix).write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        raw.write_news_table(path, pairs, swap="en-zh" in name)
    (path.parent / "news-commentary-v12.de-en.de").write_text("another pair of languages\n")
    found, paths = news.read_pairs([tmp_path], name[:3])
    assert found == [pair for pair in pairs if pair is not None]
    assert len(found) == 90 and paths[0] == path
    with pytest.raises(ValueError, match=r"expected news-commentary-v9.* found none"):
        news.read_pairs([tmp_path], "v9")


def test_errors_in_news_commentary_are_reported(tmp_path):
    table = tmp_path / "news-commentary-v14.en-zh.tsv"
    table.write_text("a\t甲\nb\t乙\tc\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"en-zh\.tsv:2: expected two columns .* found 3"):
        news.read_pairs([tmp_path], "v14")
    zipped = tmp_path / "news-commentary-v14.en-zh.tsv.gz"
    raw.write_news_table(zipped, raw.news_pairs(20))
    with pytest.raises(ValueError, match=r"found .*\.tsv, .*\.tsv\.gz"):
        news.read_pairs([tmp_path], "v14")
    table.unlink()
    zipped.write_bytes(zipped.read_bytes()[:-20])
    with pytest.raises(ValueError, match="not a complete gzip file"):
        news.read_pairs([tmp_path], "v14")
    side = tmp_path / "news-commentary-v12.zh-en.zh"
    side.write_text("甲\n乙\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not news-commentary-v12\.zh-en\.en beside it"):
        news.read_pairs([tmp_path], "v12")
    side.with_suffix(".en").write_text("a\n")
    with pytest.raises(ValueError, match=r"has 2 lines, .* has 1"):
        news.read_pairs([tmp_path], "v12")


def test_drawn_sets_are_disjoint_random_and_reproducible():
    items = [f"line {number}" for number in range(1000)]
    sets = draw_sets(items, [100, 50], seed=1)
    assert [len(part) for part in sets] == [100, 50, 850]
    assert sorted(item for part in sets for item in part) == sorted(items)
    assert all(part == sorted(part, key=items.index) for part in sets)
    assert draw_sets(items, [100, 50], seed=1) == sets != draw_sets(items, [100, 50], seed=2)
    # Random, not a block: about half of the set is in each half of the corpus.
    assert 25 < sum(items.index(line) < 500 for line in sets[0]) < 75 and sets[0][:2] != items[:2]
    with pytest.raises(ValueError, match="cannot draw 6969 of 300 pairs"):
        draw_sets(items[:300], [6969], seed=1)


def test_moses_tokens_and_back():
    pytest.importorskip("sacremoses")
    raw_lines = ["It's the dog's house, isn't it?", 'He said "no" & left.', ""]
    tokenized = moses.tokenize_lines(raw_lines, "en", workers=1)
    assert tokenized == [
        "It &apos;s the dog &apos;s house , isn &apos;t it ?",
        "He said &quot; no &quot; &amp; left .",
        "",
    ]
    assert moses.detokenize_lines(tokenized, "en", workers=1) == raw_lines
    many = [f"{line} {number}" for number in range(1001) for line in raw_lines[:2]]
    assert moses.tokenize_lines(many, "en", workers=2) == moses.tokenize_lines(
        many, "en", workers=1
    )


def test_splitting_of_figure_2(tmp_path):
    """low low lower, newest: with the merges lo, low and low</w>, "low" is whole; "lower" has three
    pieces (low e r) and "newest" six: two split words in two sentences; 1 + 1 + 3 + 6 symbols for four
    words, an increase of 175 %."""
    MergeTable([("l", "o"), ("lo", "w</w>"), ("lo", "w")], "char", "0.2").save(tmp_path / "codes")
    counts = {"low": 2, "lower": 1, "newest": 1}
    assert figure2.splitting(tmp_path / "codes", counts, sentences=2) == (1.0, 175.0)


@pytest.mark.parametrize("recipe, batch", [("iwslt14_de_en", 32), ("news_commentary_zh_en", 64)])
def test_the_configuration_is_the_papers(recipe, batch):
    """256 per direction, embedding and attention 256; 40 epochs, 0.001 halved every ten epochs."""
    lstm = pytest.importorskip("fairseq.models.lstm")
    config = yaml.safe_load((ROOT / "configs" / recipe / "lstm.yaml").read_text())
    model = config["model"]
    assert {model[key] for key in model if key.endswith(("_dim", "_size"))} == {256}
    assert model["encoder_bidirectional"] is True
    parser = ArgumentParser()
    lstm.LSTMModel.add_args(parser)
    known = {action.dest for action in parser._actions}
    assert set(model) - known == {"_name", "criterion"}  # Fairseq silently ignores a mistyped key
    rates = config["optimization"]["lr"]
    assert config["optimization"]["max_epoch"] == len(rates) == 40
    assert all(math.isclose(rate, 0.001 / 2 ** (n // 10)) for n, rate in enumerate(rates))
    assert config["dataset"]["batch_size"] == batch


def test_the_rows_are_the_papers():
    rows = read_systems(SCRIPTS / "iwslt14_de_en" / "systems.tsv")
    names = {row.name for row in rows}
    assert len(rows) == 7 * 5
    for row in rows:
        flags = row.columns["learn"].split()
        assert flags[0] == "-s" and flags[2] == "--measure"
        assert row.name == f"{get_measure(flags[3]).name}-{int(flags[1]) // 1000}k"
        assert not row.columns["baseline"] or row.columns["baseline"] in names
    given = [row.figures[name] for row in rows for name in ("greedy", "beam10")]
    assert sum(map(bool, given)) == 9 + 2 * 15
    rows = read_systems(SCRIPTS / "news_commentary_zh_en" / "systems.tsv")
    measures = {"frq-weighted", "av-weighted", "dlg-weighted"}
    pairs = {
        (row.columns["learn"].split()[3], row.columns["learn_target"].split()[3]) for row in rows
    }
    assert pairs == {(a, b) for a in measures for b in measures}
    assert all(row.figures["beam10"] for row in rows)
