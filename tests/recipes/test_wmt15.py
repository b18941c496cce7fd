"""The recipe of Sennrich, Haddow & Birch 2016 on WMT 2015: corpus and scores, on synthetic text."""

import json
import re
import sys
from argparse import ArgumentParser
from collections import Counter

import pytest
import wmt15_raw as raw
import yaml
from conftest import ROOT, run_command
from recipe_helpers import TOOL_ENVIRONMENT, lines_of

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
from moses import detruecase_lines, learn_truecaser, truecase_lines
from source_table import TABLE, for_languages, read_sources
from systems import read_systems

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

FOLDER = ROOT / "scripts" / "wmt15"
SYSTEMS = {system.name: system for system in read_systems(FOLDER / "systems.tsv")}


def test_both_pairs_have_the_papers_systems():
    assert set(SYSTEMS) == {
        f"{pair}_{name}"
        for pair in ("en_de", "en_ru")
        for name in ("wunk", "wdict", "c2_3_500k", "c2_50k", "bpe_60k", "bpe_j90k")
    }
    for system in SYSTEMS.values():
        columns = system.columns
        assert bool(columns["encoder"]) != bool(columns["segment"]), system.name
        ways = [columns[key] for key in ("learn", "joint", "segment") if columns[key]]
        assert len(ways) == 1 and bool(columns["learn"]) == bool(columns["learn_target"])
        in_a_table = "c2_3" not in system.name
        assert all(bool(figure) == in_a_table for figure in system.figures.values())
        assert columns["generate"] == "--beam 12"
        trained = SYSTEMS[columns["model"] or system.name].columns
        shared = ("segmentation", "segment", "segment_target", "words", "words_target", "config")
        assert [trained[key] for key in shared] == [columns[key] for key in shared]
    transliterated = {
        n for n, s in SYSTEMS.items() if "--transliterate ru=iso9" in s.columns["joint"]
    }
    assert transliterated == {"en_ru_bpe_j90k"}


@pytest.mark.parametrize("name", ["lstm", "lstm_words"])
def test_the_configurations_are_the_papers(name):
    lstm = pytest.importorskip("fairseq.models.lstm")
    config = yaml.safe_load((ROOT / "configs" / "wmt15" / f"{name}.yaml").read_text())
    model = config["model"]
    assert {model[key] for key in model if key.endswith("_dim")} == {620}
    assert {model[key] for key in model if key.endswith("_size")} == {1000}
    parser = ArgumentParser()
    lstm.LSTMModel.add_args(parser)
    known = {action.dest for action in parser._actions}
    assert set(model) - known == {"_name", "criterion"}  # Fairseq silently ignores a mistyped key
    assert model["criterion"] == config["criterion"]["_name"]
    assert (model["criterion"] == "adaptive_loss") == ("adaptive_softmax_cutoff" in model)
    assert config["optimizer"]["_name"] == "adadelta" and config["dataset"]["batch_size"] == 80
    assert config["optimization"]["clip_norm"] == 1.0 and config["optimization"]["sentence_avg"]
    assert config["checkpoint"]["keep_last_epochs"] == 4
    users = {s.columns["config"] for s in SYSTEMS.values() if s.columns["words_target"] == "500000"}
    assert users == {"lstm_words"}


def test_options_of_ensembles_are_checked(tmp_path):
    script = ROOT / "scripts" / "baselines" / "ensemble.sh"
    config = ROOT / "configs" / "wmt15" / "lstm.yaml"
    call = ["bash", script, "--work", tmp_path, "--data", tmp_path, "--config", config]
    for flags, message in (
        (["--trained", "model"], "--trained: expected SEED=DIR, found model"),
        (["--translate", "maybe"], "--translate: expected yes or no, found maybe"),
    ):
        process = run_command(*call, *flags, env=TOOL_ENVIRONMENT, check=False)
        assert process.returncode == 1 and message in process.stderr


def test_a_languages_part_of_an_archive_is_asked_for():
    sources = {s.file: s for s in for_languages(read_sources(TABLE, "wmt15"), ["ru"])}
    crawl = sources["training-parallel-commoncrawl.tgz"]
    assert crawl.members == ["commoncrawl.ru-en.ru", "commoncrawl.ru-en.en"]
    assert sources["1mcorpus.zip"].address == "" and all(s.tried == "no" for s in sources.values())


def test_case_is_learned_inside_sentences(tmp_path):
    pytest.importorskip("sacremoses")
    lines = [
        "The dog sees the House .",
        "A House ? the dog sees NATO .",
        "Nato is a House : the NATO .",
    ]
    learn_truecaser(lines, tmp_path / "counts")
    given = [
        "The House sees a dog .",
        "&quot; The dog . A dog",
        "Unknown Words STAY",
        "NATO is Nato",
        "",
    ]
    expected = [
        "the House sees a dog .",
        "&quot; the dog . a dog",
        "Unknown Words STAY",
        "NATO is NATO",
        "",
    ]
    assert truecase_lines(given, tmp_path / "counts", 1) == expected
    assert detruecase_lines(expected[:2], 1) == ["The House sees a dog .", "&quot; The dog . A dog"]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wmt15") / "raw"
    raw.write_release(folder)
    return folder


def make_corpus(work, release, *arguments, check=True):
    environment = {**TOOL_ENVIRONMENT, "WORK": str(work), "RAW": str(release)}
    return run_command("bash", FOLDER / "1_corpus.sh", *arguments, env=environment, check=check)


def test_the_russian_corpus(release, tmp_path, monkeypatch):
    pytest.importorskip("sacremoses")
    monkeypatch.setenv("SYSTEM", "en_ru_bpe_j90k")
    process = make_corpus(tmp_path, release)
    corpus = tmp_path / "corpus"
    sides = {
        split: [lines_of(corpus / f"{split}.en-ru.{language}") for language in ("en", "ru")]
        for split in ("train", "valid", "test", "test.raw")
    }
    sizes = {split: [len(side) for side in pair] for split, pair in sides.items()}
    # 3 x 60 pairs and 4 headlines, minus one with 51 words and one with an empty side.
    assert sizes == {"train": [182] * 2, "valid": [10] * 2, "test": [10] * 2, "test.raw": [10] * 2}
    assert re.search(r"^train +lines +2\.6M +182 +differs$", process.stdout, re.MULTILINE)
    assert "train: 182 of 184 pairs have 1 to 50 tokens" in process.stdout
    assert ("Natalia", "Наталиа") in zip(*sides["train"])  # the headlines, in the right direction
    assert all(line.endswith(" .") for line in sides["train"][0][:50])
    # Sentences begin with a lower-case letter unless it is a name; test.raw is as released.
    first = Counter(line.split()[0] for line in sides["train"][0][:100])
    assert "dog" in first and "Dog" not in first and "The" not in first
    written = [pair[1] for pair in raw.pairs("ru", 10, "test", raw.NAMES + raw.UNSEEN)]
    assert sides["test.raw"][0] == written and "&" in " ".join(written)
    assert "&amp;" in " ".join(sides["test"][0])
    counts = (corpus / "truecase.en-ru.ru").read_text("utf-8")
    assert re.search(r"^Москва \(\d+/\d+\)$", counts, re.MULTILINE)


def test_missing_and_malformed_files_are_named(release, tmp_path, monkeypatch):
    pytest.importorskip("sacremoses")
    monkeypatch.setenv("SYSTEM", "en_ru_bpe_j90k")
    part = tmp_path / "part"
    part.mkdir()
    for path in release.iterdir():
        if path.name != "1mcorpus.zip":
            (part / path.name).symlink_to(path)
    process = make_corpus(tmp_path / "work", part, check=False)
    assert process.returncode != 0 and "Traceback" not in process.stderr
    assert "1mcorpus.zip" in process.stderr and "translate.yandex.ru" in process.stderr
    headlines = tmp_path / "wiki.ru-en"
    headlines.write_text("Москва ||| Moskva\nodd line\n", "utf-8")
    sys.path.insert(0, str(FOLDER))
    monkeypatch.delitem(sys.modules, "corpus", raising=False)
    import corpus

    with pytest.raises(ValueError, match=r"wiki.ru-en:2: expected two titles and \|\|\| between"):
        list(corpus.read_headlines(headlines))


def write_scores(folder, name, decodings, words):
    systems = [
        SystemRecord(
            f"x.{decoding}", "x", "text", 9, {"decoding": decoding},
            {"BLEU": value, "chrF3": value + 20, "chrF": 1.0}, {"BLEU": name, "chrF3": "c"},
            words={kind: {"f1": f1 and f1 + value} for kind, f1 in words.items()},
        )
        for decoding, value in decodings.items()
    ]  # fmt: skip
    ScoreRecord({}, systems).save(folder / f"{name}.json")


def test_the_columns_of_the_papers_tables(tmp_path):
    def collected(decodings):
        write_scores(tmp_path, "detokenized", decodings, {})
        write_scores(tmp_path, "tokenized", decodings, {"all": 50, "rare": 30, "oov": None})
        out = tmp_path / "scores.json"
        run_command(sys.executable, FOLDER / "scores.py", "-o", out, tmp_path, env=TOOL_ENVIRONMENT)
        return json.loads(out.read_text())["figures"]

    assert collected({"single": 1.0, "ensemble": 2.0}) == {
        "BLEU single": {"detokenized": 1.0, "tokenized": 1.0},
        "BLEU ens-8": {"detokenized": 2.0, "tokenized": 2.0},
        "chrF3 single": {"detokenized": 21.0},
        "chrF3 ens-8": {"detokenized": 22.0},
        "F1 all": {"tokenized": 52.0},  # the ensemble's, as in the paper
        "F1 rare": {"tokenized": 32.0},
    }
    alone = collected({"single": 1.0})
    assert alone["F1 all"] == {"F1 of the single model": 51.0} and "BLEU ens-8" not in alone
