"""The studies on small models: contexts on names, and transfer to Sinhala on made text."""

import json
import re

import pytest
from recipe_helpers import TINY_TRANSFORMER, lines_of, recipe, table_rows
from recipes.engine import curves, validation
from recipes.engine.run import Run
from recipes.engine.systems import System
from recipes.names_contexts.recipe import exchanged

from fairseq_subword_ext.evaluation.score_record import ScoreRecord

TINY = [
    "--cpu", "--workers", 1, "--updates", 4, *TINY_TRANSFORMER, "--set", "dataset.max_tokens=600",
    "--generate", "--max-len-a 0 --max-len-b 6 --beam 1",
]  # fmt: skip
VALIDATED = (
    "2026-01-01 00:00:00 | INFO | valid | valid on 'valid' subset | loss 3.1 | nll_loss 2.5 | ppl 5.66 | wps 0\n"
    "2026-01-01 00:00:00 | INFO | exchanged | valid on 'exchanged' subset | loss 4 | nll_loss 3.75 | loss_ru 9\n"
)


def cells_of(printed, title, label):
    """The cells of a table's row by column."""
    header, *rows = table_rows(printed, title)
    return next(dict(zip(header, row)) for row in rows if row[0] == label)


def test_every_source_is_that_of_another_sentence():
    pairs = [(f"source {number}", f"target {number}") for number in range(20)]
    changed = exchanged(pairs, "ru")
    assert [pair[1] for pair in changed] == [pair[1] for pair in pairs]
    assert sorted(pair[0] for pair in changed) == sorted(pair[0] for pair in pairs)
    assert not any(one[0] == other[0] for one, other in zip(pairs, changed))
    assert changed == exchanged(pairs, "ru") != exchanged(pairs, "uk")
    with pytest.raises(ValueError, match="valid of ru has too few pairs"):
        exchanged(pairs[:1], "ru")


def test_the_gain_is_what_exchanged_sources_cost(tmp_path, monkeypatch):
    log, scores = tmp_path / "validation.out", tmp_path / "validation.json"
    log.write_text(VALIDATED, encoding="utf-8")

    def measure(*arguments):
        argv = ["validation", "--log", log, "--json", scores, *arguments]
        monkeypatch.setattr("sys.argv", list(map(str, argv)))
        return validation.main()

    assert measure("--exchanged", "exchanged", "--seed", 3) == 0
    (system,) = ScoreRecord.load(scores).systems
    assert system.scores == {"bits per symbol": 2.5, "gain": 1.25}
    assert system.settings == {"decoding": "valid", "seed": 3}
    assert measure() == 0
    assert ScoreRecord.load(scores).systems[0].scores == {"bits per symbol": 2.5}


def test_a_set_that_was_not_validated_is_named(tmp_path, monkeypatch, capsys):
    log = tmp_path / "validation.out"
    log.write_text(VALIDATED.split("\n")[0], encoding="utf-8")
    argv = ["validation", "--log", log, "--exchanged", "exchanged", "--json", tmp_path / "x.json"]
    monkeypatch.setattr("sys.argv", list(map(str, argv)))
    assert validation.main() == 1
    assert "found no loss of exchanged" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


def write_log(work, system, losses):
    """A log of fairseq-hydra-train with validations every 100 updates."""
    log = work / "systems" / system / "hydra" / "hydra_train.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        "".join(
            f"[2026-01-01 00:00:00,000][valid][INFO] - epoch 001 | valid on 'valid' subset | loss 9 | "
            f"nll_loss {loss} | ppl 3 | wps 0 | num_updates {100 * number} | best_loss 9\n"
            for number, loss in enumerate(losses, start=1)
        ),
        encoding="utf-8",
    )


def test_learning_curves_of_all_seeds(tmp_path):
    write_log(tmp_path, "byte_gru", [4.5, 3.25])
    write_log(tmp_path, "byte_gru.seed2", [4.25, 3, 2.5])
    write_log(tmp_path, "byte_none", [4])
    systems = [System(name, {"row": f"Bytes, {name}"}, {}) for name in ("byte_gru", "byte_none")]
    run = Run(tmp_path)
    assert curves.curves_of(run, systems[0]) == [
        {100: 4.5, 200: 3.25},
        {100: 4.25, 200: 3, 300: 2.5},
    ]
    pytest.importorskip("matplotlib")
    paths = curves.draw_curves(
        run, systems, lambda system: ("Bytes", system.name), tmp_path / "figure"
    )
    assert [path.name for path in paths] == ["figure.png", "figure.svg"]
    drawn = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "byte_gru" in drawn and "byte_none" in drawn
    other = System("byte_conv", {}, {})
    assert curves.draw_curves(run, [other], lambda system: ("", ""), tmp_path / "none") == []


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_contexts(tmp_path):
    """Every unit is trained from raw text, translated, and validated with exchanged sources."""
    pytest.importorskip("fairseq")
    pytest.importorskip("pycountry")
    pytest.importorskip("babel")
    rows = ["byte_none", "byte_gru", "bbpe_1k_conv", "bpe_8k_none"]
    call = [
        "names_contexts", *rows, "--work", tmp_path, "--languages", "be,uk", "--lines", 120, *TINY,
        "--set", "dataset.validate_interval_updates=2",
    ]  # fmt: skip
    ran = recipe(*call)
    for row, label in zip(rows, ("Bytes, none", "Bytes, gru", "BBPE 1K, conv", "BPE 8K, none")):
        cells = cells_of(ran.stdout, "Contexts on names from four languages", label)
        record = ScoreRecord.load(tmp_path / "systems" / row / "validation.json").systems[0]
        assert cells["valid, bits per symbol"] == f"{record.scores['bits per symbol']:.2f}"
        assert cells["gain"] == f"{record.scores['gain']:.2f}"
        # What fairseq-train found for the same checkpoint.
        curve = curves.read_curve(tmp_path / "systems" / row)
        assert list(curve) == [2, 4]
        assert record.scores["bits per symbol"] == pytest.approx(min(curve.values()), abs=2e-3)
    # The folder also holds Sinhala.
    assert (tmp_path / "corpus" / "transfer" / "train.si-en.si").exists()
    ids = (tmp_path / "systems" / "byte_gru" / "test.languages.tsv").read_text(encoding="utf-8")
    assert [line.split("\t")[0] for line in ids.splitlines()] == ["be", "uk"]
    # Rows that differ in the context share the segmented text.
    contents = list((tmp_path / "segmentations" / "bytes").rglob("train-*/all/contents.json"))
    assert len(contents) == 1
    texts = json.loads(contents[0].read_text(encoding="utf-8"))
    assert sorted(texts) == [f"train.{a}-en.{b}" for a in ("be", "uk") for b in sorted((a, "en"))]
    segmentations = ran.stdout[ran.stdout.index("Segmentations") :]
    row = re.search(r"^bytes +256 +(\S+)", segmentations, re.MULTILINE)
    sources = [
        line for a in ("be", "uk") for line in lines_of(tmp_path / "corpus" / f"train.{a}-en.{a}")
    ]
    # Every word begins with a space, the first one too.
    length = sum(len(line.encode()) + 1 for line in sources) / len(sources)
    assert float(row[1]) == pytest.approx(length, abs=0.06)
    again = recipe(*call)
    assert again.stderr.count("(done before)") == again.stderr.count("step ")


@pytest.fixture
def messages(tmp_path):
    """Two languages and Sinhala; every ninth line of one of them quotes Sinhala."""
    folder = tmp_path / "messages"
    folder.mkdir()
    for split, count in (("train", 90), ("valid", 12), ("test", 9)):
        lines = [f"name {number % 7} of {number % 11}" for number in range(count)]
        for language, letter in (("de", "x"), ("fr", "y"), ("si", "ම")):
            sources = [
                f"{'ක' if language == 'fr' and not number % 9 else letter} {line[::-1]}"
                for number, line in enumerate(lines)
            ]
            for side, text in ((language, sources), ("en", lines)):
                path = folder / f"{split}.{language}-en.{side}"
                path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_transfer_on_other_text(messages, tmp_path):
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    work = tmp_path / "work"
    rows = {"zero_shot": "the parent, unchanged", "enc": "enc", "scratch": "from scratch"}
    call = ["transfer_si_en", *rows, "--corpus", messages, "--work", work, "--transfer-updates", 2]
    ran = recipe(*call, *TINY)
    assert "left out for a Sinhala character: 10" in ran.stdout
    assert not any("ක" in line for line in lines_of(work / "corpus" / "xen" / "train.fr-en.fr"))
    cells = {row: cells_of(ran.stdout, "Transfer to Sinhala", label) for row, label in rows.items()}
    assert cells["zero_shot"]["trained parameters"] == "0"
    assert cells["zero_shot"]["valid, bits per symbol"] == "-"
    for row in "enc", "scratch":
        record = ScoreRecord.load(work / "systems" / row / "validation.json").systems[0]
        assert cells[row]["valid, bits per symbol"] == f"{record.scores['bits per symbol']:.2f}"
    assert ScoreRecord.load(work / "systems" / "zero_shot" / "test.json").reference["lines"] == 9
