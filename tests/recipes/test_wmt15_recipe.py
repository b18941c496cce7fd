"""The complete recipe of Sennrich, Haddow & Birch 2016: from synthetic archives to the paper's tables."""

import re
import sys
from collections import Counter

import pytest
import wmt15_raw as raw
from conftest import ROOT, run_command
from recipe_helpers import TINY_LSTM, TOOL_ENVIRONMENT, lines_of
from sacrebleu.metrics import BLEU, CHRF

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
from systems import read_systems

FOLDER = ROOT / "scripts" / "wmt15"
SYSTEMS = {system.name: system for system in read_systems(FOLDER / "systems.tsv")}
# An untrained model would run to Fairseq's limit of 200 symbols.
SHORT = "--beam 2 --max-len-a 0 --max-len-b 10"


def table_row(printed, table, row):
    """The figures of a row of a table, {metric: {column: cell}}, including the paper's."""
    block = printed[printed.index(table) :].split("\n\n")[0].split("\n")[1:]
    header = re.split(r"\s{2,}", block[0].strip())
    start = next(n for n, line in enumerate(block) if line.startswith(row))
    found = {}
    for number, line in enumerate(block[start:]):
        cells = re.split(r"\s{2,}", line.strip())[0 if number else 1 :]
        if len(cells) != len(header) + 1 or (number and not line.startswith(" ")):
            break
        found[cells[0]] = dict(zip(header, cells[1:]))
    return found


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_from_the_archives_to_the_tables(tmp_path):
    for module in ("fairseq", "sacremoses", "thot"):
        pytest.importorskip(module)
    release, work = tmp_path / "raw", tmp_path / "work"
    raw.write_release(release)
    arguments = ["--raw", release, "--work", work, "--updates", 3, "--generate", SHORT, *TINY_LSTM]
    cutoff = ["--set", 'model.adaptive_softmax_cutoff="10,15"']
    run = ["bash", FOLDER / "run.sh", *arguments, "--cpu", "--workers", 1]
    joint = run_command(
        *run, "--seeds", "1,2", "en_de_bpe_j90k", env=TOOL_ENVIRONMENT, timeout=1200
    )
    words = run_command(*run, *cutoff, "en_de_wdict", env=TOOL_ENVIRONMENT, timeout=1200)

    models = lines_of(work / "ensembles" / "en_de_bpe_j90k" / "ensemble" / "models.tsv")[1:]
    assert [model.split("\t")[0] for model in models] == ["1", "2"]
    # The first seed is the single model, which is not trained again.
    assert models[0].endswith("/systems/en_de_bpe_j90k/checkpoints/checkpoint_best.pt")
    assert joint.stderr.count("fairseq-hydra-train") == 2 and "update_freq 1" in joint.stderr
    assert (work / "systems" / "en_de_wunk" / "checkpoints" / "checkpoint_best.pt").is_file()
    assert "done before, kept" in words.stderr  # the corpus

    printed = words.stdout[words.stdout.index("Table 2") :]
    for system, label, columns in (
        ("en_de_bpe_j90k", "BPE-J90k", {"single": "single", "ensemble": "ens-8"}),
        ("en_de_wdict", "WDict", {"single": "single"}),
    ):
        folder = work / "systems" / system
        row = table_row(printed, "Table 2", label)
        assert row["paper"]["BLEU single"] == SYSTEMS[system].figures["BLEU single"]
        for decoding, column in columns.items():
            text, tokens = (lines_of(folder / f"{decoding}.{kind}") for kind in ("txt", "tok"))
            raw_reference = lines_of(work / "corpus" / "test.raw.en-de.de")
            assert len(text) == len(raw_reference) == 10 and "@@" not in " ".join(tokens)
            assert all(line[:1] == line[:1].upper() for line in text)
            score = BLEU(force=True).corpus_score(text, [raw_reference]).score
            assert row["here, detokenized"][f"BLEU {column}"] == f"{score:.2f}"
            score = CHRF(beta=3).corpus_score(text, [raw_reference]).score
            assert row["here, detokenized"][f"chrF3 {column}"] == f"{score:.2f}"
        best = "ensemble" if "ensemble" in columns else "single"
        metric = "tokenized" if best == "ensemble" else "F1 of the single model"
        reference = lines_of(work / "corpus" / "test.en-de.de")
        f1 = unigram_f1(lines_of(folder / f"{best}.tok"), reference)
        assert row[f"here, {metric}"]["F1 all"] == f"{f1:.2f}"
        # The test set has a name that training lacks.
        assert row[f"here, {metric}"]["F1 OOV"] != "-"
    assert "Table 3" in printed and "here: not run" in printed[printed.index("Table 3") :]
    again = run_command(*run, "--seeds", "1,2", "en_de_bpe_j90k", env=TOOL_ENVIRONMENT)
    assert again.stderr.count("done before, kept") == 5 and "Table 2" in again.stdout

    # The other pair, up to its binarized data.
    environment = {
        **TOOL_ENVIRONMENT,
        "WORK": str(work),
        "RAW": str(release),
        "SYSTEM": "en_ru_bpe_j90k",
    }
    run_command("bash", FOLDER / "1_corpus.sh", env=environment)
    run_command("bash", FOLDER / "2_segment.sh", env=environment)
    segmentation = work / "segmentations" / "en_ru_bpe_j90k"
    assert (segmentation / "bin" / "en-ru" / "test.en-ru.ru.bin").is_file()
    merges = lines_of(segmentation / "codes")[1:]
    place = merges.index("k a</w>")  # Moskva; the next merge is the same in Cyrillic
    assert merges[place + 1] == "к а</w>"
    cut = {
        language: {
            piece.replace("@@ ", "|")
            for line in lines_of(segmentation / "text" / f"test.{language}")
            for piece in re.findall(r"(?:\S+@@ )*\S+", line)
        }
        for language in ("en", "ru")
    }
    # A name that is not in training is split in the same way in both scripts.
    unseen = [
        next(p for p in cut[side] if p.replace("|", "") == name)
        for side, name in zip(cut, raw.UNSEEN[0])
    ]
    assert "|" in unseen[0] and [len(x) for x in unseen[0].split("|")] == [
        len(x) for x in unseen[1].split("|")
    ]


def unigram_f1(system, reference):
    """The harmonic mean of clipped unigram precision and recall, in percent."""
    matches = sum(
        sum((Counter(one.split()) & Counter(other.split())).values())
        for one, other in zip(system, reference)
    )
    words = [sum(len(line.split()) for line in lines) for lines in (system, reference)]
    return 200 * matches / sum(words)
