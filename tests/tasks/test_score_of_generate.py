"""The score of fairseq-generate's output equals the BLEU of training with --eval-bleu."""

import json

import pytest

from fairseq_subword_ext.cli.main import main

pytest_plugins = ["task_helpers"]

# Short words from a small set, so that a tiny model soon gets some right.
WORDS = ["a bad cafe here a", "dada dada dada ab", "hgf e h g f e", "a dead bee had a bee"]


@pytest.mark.slow
def test_the_score_equals_the_bleu_in_training(train, translate, make_corpus, tmp_path):
    corpus = make_corpus(tmp_path / "easy")
    for language, lines in (("de", 4), ("si", 3)):
        corpus.add(language, "train", WORDS * 10)
        corpus.add(language, "valid", WORDS[:lines])
    log = train(
        "--eval-bleu", "--eval-bleu-args", '{"beam": 2, "max_len_b": 20}', "--bpe", "byte_level",
        "--max-epoch", 60, "--max-tokens", 3000, "--validate-interval", 60, data=corpus.folder,
    )  # fmt: skip
    (tmp_path / "gen.out").write_text(translate("--gen-subset", "valid", data=corpus.folder))
    (tmp_path / "ref").write_text("".join(f"{line}\n" for line in [*WORDS, *WORDS[:3]]))
    (tmp_path / "ref.si").write_text("".join(f"{line}\n" for line in WORDS[:3]))
    for name, reference, ids in (("bleu", "ref", "0-6"), ("bleu_si", "ref.si", "4-6")):
        record = tmp_path / "scores.json"
        arguments = ["-r", tmp_path / reference, tmp_path / "gen.out", "--ids", ids]
        assert main(["score", *map(str, arguments), "--json", str(record)]) == 0
        (system,) = json.loads(record.read_text())["systems"]
        assert round(system["scores"]["BLEU"], 2) == log.scores(name)[-1] > 0
        assert system["read_as"] == "D-"
