"""The recipe of Sennrich, Haddow & Birch 2016 on WMT 2015, from made text to the paper's tables."""

import re
from argparse import ArgumentParser
from collections import Counter

import pytest
import wmt15_raw as raw
import yaml
from conftest import ROOT
from recipe_helpers import TINY_LSTM, bleu, lines_of, recipe, scores_of, table_rows, translations
from recipes.engine.run import ENSEMBLE, Run
from recipes.engine.sources import TABLE, for_languages, read_sources
from recipes.engine.systems import read_systems
from recipes.text.moses import detruecase_lines, learn_truecaser, truecase_lines
from recipes.wmt15 import recipe as wmt15
from recipes.wmt15.last_epochs import last_epochs
from recipes.wmt15.releases import read_headlines
from recipes.wmt15.tables import results
from sacrebleu.metrics import CHRF

from fairseq_subword_ext import MergeTable, Segmenter
from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

NAME = "wmt15"
SYSTEMS = {system.name: system for system in read_systems(wmt15.RECIPE.home / "systems.tsv")}
# An untrained model would run to Fairseq's limit of 200 symbols.
SHORT = "--beam 2 --max-len-a 0 --max-len-b 10"


def test_both_pairs_have_the_papers_systems():
    assert set(SYSTEMS) == {
        f"{pair}_{name}"
        for pair in ("en_de", "en_ru")
        for name in ("wunk", "wdict", "c2_3_500k", "c2_50k", "bpe_60k", "bpe_j90k")
    }
    for system in SYSTEMS.values():
        assert bool(system["encoder"]) != bool(system["segment"]), system.name
        assert bool(system["encoder"]) == bool(system["learn"])
        in_a_table = "c2_3" not in system.name
        assert all(bool(figure) == in_a_table for figure in system.figures.values())
        assert system["generate"].startswith("--beam 12")
        trained = SYSTEMS[system["model"] or system.name]
        for column in (
            "segmentation",
            "segment",
            "segment_target",
            "words",
            "words_target",
            "config",
        ):
            assert trained[column] == system[column]
    transliterated = {n for n, s in SYSTEMS.items() if "--transliterate ru=iso9" in s["learn"]}
    assert transliterated == {"en_ru_bpe_j90k"}


@pytest.mark.parametrize("name", ["lstm", "lstm_words"])
def test_the_configurations_are_the_papers(name):
    lstm = pytest.importorskip("fairseq.models.lstm")
    config = yaml.safe_load((ROOT / "configs" / NAME / f"{name}.yaml").read_text())
    model = config["model"]
    assert {model[key] for key in model if key.endswith("_dim")} == {620}
    assert {model[key] for key in model if key.endswith("_size")} == {1000}
    parser = ArgumentParser()
    lstm.LSTMModel.add_args(parser)
    known = {action.dest for action in parser._actions}
    assert set(model) - known == {"_name", "criterion"}  # Fairseq silently ignores a mistyped key
    assert model["criterion"] == config["criterion"]["_name"]
    assert (model["criterion"] == "adaptive_loss") == ("adaptive_softmax_cutoff" in model)
    assert config["optimizer"]["_name"] == "adadelta"
    assert config["dataset"]["batch_size"] == wmt15.RECIPE.sentences == 80
    assert config["optimization"]["clip_norm"] == 1.0 and config["optimization"]["sentence_avg"]
    assert config["checkpoint"]["keep_last_epochs"] == 4
    users = {s["config"] for s in SYSTEMS.values() if s["words_target"] == "500000"}
    assert users == {"lstm_words"}


def test_a_languages_part_of_an_archive_is_asked_for():
    sources = {s.file: s for s in for_languages(read_sources(TABLE, NAME), ["ru"])}
    crawl = sources["training-parallel-commoncrawl.tgz"]
    assert crawl.members == ["commoncrawl.ru-en.ru", "commoncrawl.ru-en.en"]
    assert sources["1mcorpus.zip"].address == "" and all(s.tried == "no" for s in sources.values())
    assert {file for files in wmt15.ARCHIVES.values() for file in files} == set(sources)
    shared = {s.file: s.sha256 for s in read_sources(TABLE, "wmt14_en_de")}
    for name in ("training-parallel-europarl-v7.tgz", "training-parallel-commoncrawl.tgz"):
        assert sources[name].sha256 == shared[name]


def test_case_is_learned_inside_sentences(tmp_path):
    pytest.importorskip("sacremoses")
    lines = ["The dog sees the House .", "A House ? the dog sees NATO .", "Nato is a House : the NATO ."]  # fmt: skip
    learn_truecaser(lines, tmp_path / "counts")
    given = ["The House sees a dog .", "&quot; The dog . A dog", "Unknown Words STAY", "NATO is Nato", ""]  # fmt: skip
    expected = ["the House sees a dog .", "&quot; the dog . a dog", "Unknown Words STAY", "NATO is NATO", ""]  # fmt: skip
    assert truecase_lines(given, tmp_path / "counts", 1) == expected
    assert detruecase_lines(["the dog .", "a &amp; b"], 1) == ["The dog .", "A &amp; b"]


def test_a_malformed_headline_is_named(tmp_path):
    headlines = tmp_path / "wiki.ru-en"
    headlines.write_text("Москва ||| Moskva\nodd line\n", "utf-8")
    with pytest.raises(ValueError, match=r"wiki.ru-en:2: expected two titles and \|\|\| between"):
        list(read_headlines(headlines))


def test_the_last_epochs(tmp_path):
    for name in (
        "checkpoint9.pt",
        "checkpoint10.pt",
        "checkpoint11.pt",
        "checkpoint_3_500.pt",
        "checkpoint_last.pt",
    ):
        (tmp_path / name).touch()
    assert [path.name for path in last_epochs(tmp_path, 2)] == [
        "checkpoint10.pt",
        "checkpoint11.pt",
    ]
    with pytest.raises(ValueError, match="has the checkpoints of 3 epochs, not of 4"):
        last_epochs(tmp_path, 4)


def test_the_models_of_an_ensemble():
    """The paper's: the last four epochs of two runs; WDict's are WUnk's."""
    shown = recipe(
        NAME, "--cpu", "--dry-run", "--seeds", "1,2", "--ensemble", "--checkpoints", 4, "en_de_wdict"
    ).stdout  # fmt: skip
    script = re.sub(r" \\\n +", " ", shown)
    paths = re.findall(r"--path (\S+)", script)
    places = [f"{seed}.{place}.pt" for seed in (1, 2) for place in (1, 2, 3, 4)]
    assert [path.rpartition("/")[2] for path in paths[-1].split(":")] == places
    assert re.search(
        r"last_epochs -n 4 .*systems/en_de_wunk/checkpoints \S+en_de_wunk.seed2/checkpoints", script
    )
    assert len(re.findall("^fairseq-hydra-train", script, re.MULTILINE)) == 2
    best = recipe(
        NAME, "--cpu", "--dry-run", "--seeds", "1,2", "--ensemble", "en_de_bpe_60k"
    ).stdout
    assert len(re.findall(r"--path (\S+):\S+checkpoint_best.pt", best)) == 1


def write_scores(run, system, seed, score):
    folder = run.folder(system, seed)
    folder.mkdir(parents=True)
    for name, settings in (("detokenized", {}), ("tokenized", {"text": "tokens"})):
        words = {
            kind: {"f1": f1}
            for kind, f1 in (("all", score + 30), ("rare", score + 10), ("oov", None))
        }
        record = SystemRecord(
            "x", "x", "text", 9, {"decoding": "test", **settings},
            {"BLEU": score, "chrF3": score + 20, "chrF": 1.0}, {"BLEU": name, "chrF3": "c"}, words=words,
        )  # fmt: skip
        ScoreRecord({}, [record]).save(folder / f"{name}.json")


def test_the_columns_of_the_papers_tables(tmp_path):
    run, system = Run(tmp_path), SYSTEMS["en_de_wunk"]
    write_scores(run, system, 1, 1.0)
    table = results(run, [system])[0]
    assert table.rows[1] == [
        "",
        "here; F1 of the single model",
        "1.00",
        "-",
        "21.00",
        "-",
        "31.00",
        "11.00",
        "-",
    ]
    assert table.rows[0][2:] == [system.figures[column] for column in system.figures]
    write_scores(run, system, 2, 3.0)
    write_scores(run, system, ENSEMBLE, 5.0)
    table = results(run, [system])[0]
    spread = "± 1.41"
    assert table.rows[1] == [
        "", "here, seeds 1,2", f"2.00 {spread}", "5.00", f"22.00 {spread}", "25.00", "35.00", "15.00", "-"
    ]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Complete runs: joint BPE with an ensemble, WDict with WUnk's model, character bigrams; Russian's segmentation."""
    for module in ("fairseq", "sacremoses", "thot"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("run")
    raw.write_release(folder / "raw")
    arguments = [
        NAME, "--raw", folder / "raw", "--work", folder / "work", "--updates", 3, "--generate", SHORT,
        *TINY_LSTM, "--cpu", "--workers", 1,
    ]  # fmt: skip
    cutoff = ["--set", "model.adaptive_softmax_cutoff='10,15'"]
    recipe(*arguments, "--seeds", "1,2", "--ensemble", "en_de_bpe_j90k")
    recipe(*arguments, *cutoff, "en_de_wdict")
    return folder / "work", recipe(*arguments, "en_de_c2_50k", "en_ru_bpe_j90k")


@pytest.mark.slow
@pytest.mark.timeout(1500)
class TestCompleteRun:
    def test_corpus(self, run):
        work, ran = run
        corpus = work / "corpus"
        sides = {
            split: [lines_of(corpus / f"{split}.en-ru.{language}") for language in ("en", "ru")]
            for split in ("train", "valid", "test", "test.raw")
        }
        sizes = {split: [len(side) for side in pair] for split, pair in sides.items()}
        # 3 x 60 pairs and 4 headlines, minus one with 51 words and one with an empty side.
        assert sizes == {
            "train": [182] * 2,
            "valid": [10] * 2,
            "test": [10] * 2,
            "test.raw": [10] * 2,
        }
        assert re.search(r"^en-ru, train +lines +2\.6M +182 +differs$", ran.stdout, re.MULTILINE)
        assert "train: 182 of 184 pairs have 1 to 50 tokens" in ran.stdout
        assert ("Natalia", "Наталиа") in zip(
            *sides["train"]
        )  # the headlines, in the right direction
        # Sentences begin with a lower-case letter unless it is a name; test.raw is as released.
        first = Counter(line.split()[0] for line in sides["train"][0][:100])
        assert "dog" in first and "Dog" not in first and "The" not in first
        written = [pair[1] for pair in raw.pairs("ru", 10, "test", raw.NAMES + raw.UNSEEN)]
        assert sides["test.raw"][0] == written and "&" in " ".join(written)
        assert "&amp;" in " ".join(sides["test"][0])
        counts = (corpus / "truecase.en-ru.ru").read_text("utf-8")
        assert re.search(r"^Москва \(\d+/\d+\)$", counts, re.MULTILINE)

    def test_russian_and_english_are_cut_alike(self, run):
        work, _ = run
        codes = work / "segmentations" / "en_ru_bpe_j90k" / "codes"
        merges = lines_of(codes)[1:]
        place = merges.index("k a</w>")  # Moskva; the next merge is the same in Cyrillic
        assert merges[place + 1] == "к а</w>"
        cut = Segmenter(MergeTable.load(codes)).segment_lines(list(raw.UNSEEN[0]))
        lengths = [[len(piece.removesuffix("@@")) for piece in line.split()] for line in cut]
        assert lengths[0] == lengths[1] and len(lengths[0]) > 1

    @pytest.mark.parametrize(
        "system", ["en_de_bpe_j90k", "en_de_wdict", "en_de_wunk", "en_de_c2_50k"]
    )
    def test_table(self, run, system):
        work, ran = run
        lines = ran.stdout[ran.stdout.index("Table 2:") :].split("\n\n")[1].split("\n")
        cells = [re.split(r"\s{2,}", line.strip()) for line in lines]
        row = next(n for n, line in enumerate(cells) if line[0] == SYSTEMS[system].label)
        assert cells[row][2:] == list(SYSTEMS[system].figures.values())
        if system == "en_de_wunk":  # its model was trained, but only WDict translated with it
            assert cells[row + 1][0] == "here: not run"
            assert (work / "systems" / system / "checkpoints" / "checkpoint_best.pt").is_file()
            return
        has_ensemble = system == "en_de_bpe_j90k"
        found = cells[row + 1][1:]
        reference = lines_of(work / "corpus" / "test.raw.en-de.de")
        for place, folder in ((0, system), (1, f"{system}.ensemble")):
            if place and not has_ensemble:
                assert found[1] == found[3] == "-"
                continue
            folder = work / "systems" / folder
            text = lines_of(folder / "test.txt")
            tokens = (
                lines_of(folder / "test.tok")
                if SYSTEMS[system]["segment"]
                else translations(folder / "test.out")
            )
            assert len(text) == 10 and "@@" not in " ".join(tokens)
            assert all(line[:1] == line[:1].upper() for line in text)
            record = scores_of(folder / "detokenized.json")[f"{system}.test"]
            assert record.scores["BLEU"] == pytest.approx(bleu(text, reference))
            if place or not has_ensemble:
                chrf = CHRF(beta=3).corpus_score(text, [reference]).score
                assert [found[place], found[place + 2]] == [
                    f"{bleu(text, reference):.2f}",
                    f"{chrf:.2f}",
                ]
        f1 = unigram_f1(tokens, lines_of(work / "corpus" / "test.en-de.de"))
        assert found[4] == f"{f1:.2f}"
        assert found[6] != "-"  # the test set has a name that training lacks

    def test_segmentations(self, run):
        """The bigrams have a dictionary for each side, and the paper's tokens per sentence stand beside ours."""
        rows = {row[0]: row for row in table_rows(run[1].stdout, "Segmentations\n")}
        assert re.fullmatch(r"\d+ \+ \d+", rows["en_de_c2_50k"][1])
        assert rows["en_de_c2_50k"][4] == "-/30.7" and rows["en_ru_bpe_j90k"][4] == "-"


def unigram_f1(system, reference):
    """The harmonic mean of clipped unigram precision and recall, in percent."""
    matches = sum(
        sum((Counter(one.split()) & Counter(other.split())).values())
        for one, other in zip(system, reference)
    )
    words = [sum(len(line.split()) for line in lines) for lines in (system, reference)]
    return 200 * matches / sum(words)
