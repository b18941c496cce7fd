"""Words, tokenizers, other tools' scores and significance in ``fairseq-subword score``."""

import json
import sys

import pytest
import sentencepiece

pytest_plugins = ["score_fixtures"]


def test_rare_and_unseen_words_copies_and_lengths(files, scores):
    files(
        ref=["the cat sat on the mat", "a zyx"],
        sys=["the the the cat", "zyx zyx b"],
        src=["le chat the", "zyx zyx b"],
        train=["the the the the the cat cat cat sat sat on on", "mat a"],
    )
    arguments = ["-r", "ref", "sys", "--source", "src", "--rare-rank", 2, "--train", "train"]
    (system,) = scores(*arguments)["systems"]
    # By hand: see tests/evaluation/test_word_f1.py.
    assert system["words"]["all"]["f1"] == pytest.approx(100 * 8 / 15)
    assert (system["words"]["rare"]["reference"], system["words"]["rare"]["f1"]) == (4, 0)
    (overlapping,) = scores(*arguments, "--rare-includes-oov")["systems"]
    assert overlapping["words"]["rare_or_oov"]["reference"] == 5
    assert overlapping["words"]["rare_or_oov"]["f1"] == 25
    assert overlapping["words"]["oov"] == system["words"]["oov"]
    assert [(g["first"], g["last"], g["matched"]) for g in system["ranks"]] == [
        (1, 1, 2), (2, 3, 1), (4, 7, 0), (None, None, 1),
    ]  # fmt: skip
    assert system["words"]["oov"] == {
        "f1": 50, "precision": pytest.approx(100 / 3), "recall": 100,
        "matched": 1, "system": 3, "reference": 1,
    }  # fmt: skip
    # Line 1: one "the" of three; line 2, a copy of its source: all three, one "zyx" of them right.
    assert system["copies"]["lines"] == 1
    assert system["copies"]["words"]["all"] == {"copied": 4, "correct": 2, "system": 7}
    assert system["copies"]["words"]["oov"] == {"copied": 3, "correct": 1, "system": 3}
    assert system["lengths"] == {
        "words": 7, "reference_words": 8, "ratio": 7 / 8,
        "characters": 24, "reference_characters": 27, "empty_lines": 0,
    }  # fmt: skip


def test_without_training_text_and_source_there_are_no_such_rows(files, score):
    _, output, _ = score("-r", "ref", "sys")
    assert "F1, all words" in output
    assert "OOV" not in output
    assert "copied" not in output


def test_tokenized_bleu_is_labelled_and_signed(files, scores):
    files(ref=["a b c d e."], sys=["a b c d e ."])
    record = scores("-r", "ref", "sys", "--tokenized", "--tokenized-by", "none")
    (system,) = record["systems"]
    # "e." is one word and no match: 4 of 6 unigrams, 3 of 5, 2 of 4 and 1 of 3 longer ones.
    assert system["scores"]["tokenized BLEU"] == pytest.approx(100 * (1 / 15) ** 0.25)
    assert system["scores"]["BLEU"] == pytest.approx(100)
    assert system["signatures"]["tokenized BLEU"].endswith("|tokenized-by:none")
    assert "tok:none" in system["signatures"]["tokenized BLEU"]


def test_moses_tokens(files, scores):
    sacremoses = pytest.importorskip("sacremoses")
    # In French, Moses splits after the elided article; sacreBLEU's 13a does not.
    files(ref=["l'ami de l'homme vient demain"], sys=["l'ami de l'homme vient hier"])
    record = scores("-r", "ref", "sys", "--tokenized", "--tokenized-lang", "fr")
    (system,) = record["systems"]
    # 6 of 7 unigrams, 5 of 6 bigrams, 4 of 5 trigrams, 3 of 4 four-grams; against 4 of 5 and so on.
    assert system["scores"]["tokenized BLEU"] == pytest.approx(100 * (3 / 7) ** 0.25)
    assert system["scores"]["BLEU"] == pytest.approx(100 * (1 / 5) ** 0.25)
    assert system["signatures"]["tokenized BLEU"].endswith(
        f"|tokenized-by:moses-fr-sacremoses-{sacremoses.__version__}"
    )


def test_moses_without_sacremoses(files, score, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    status, output, remarks = score("-r", "ref", "sys", "--tokenized")
    assert (status, output) == (1, "")
    assert "pip install 'fairseq_subword_ext[recipes]'" in remarks


def test_significance_of_several_systems(files, score):
    reference = [f"sentence number {n} has a reference" for n in range(13)]
    old = [f"sentence no {n} has a reference" for n in range(10)] + reference[10:]
    new = [*reference[:9], "nothing right", *reference[10:]]
    files(ref=reference, old=old, new=new, same=old)
    status, output, _ = score(
        "-r", "ref", "--significance", "sign", "new", "old", "same", "--baseline", "old",
        "--format", "tsv",
    )  # fmt: skip
    assert status == 0
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in output.splitlines()}
    # 9 better and 1 worse: 2 (1 + 10) / 1024 = 0.0215; nothing differs from itself.
    assert rows["p, sign, BLEU"][:3] == ["0.0215 +", "baseline", "1.0000"]
    assert "new over old: sentence BLEU" in rows["p, sign, BLEU"][3]


def test_the_corpus_sign_test_has_its_own_row(files, score):
    reference = [f"sentence number {n} has a reference" for n in range(13)]
    old = [f"sentence no {n} has a reference" for n in range(10)] + reference[10:]
    new = [*reference[:9], "nothing right", *reference[10:]]
    files(ref=reference, old=old, new=new)
    _, output, _ = score(
        "-r", "ref", "old", "new", "--significance", "sign-corpus", "sign", "--format", "tsv"
    )
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in output.splitlines()}
    assert rows["p, sign-corpus, BLEU"][:2] == ["baseline", "0.0215 +"]
    assert "corpus BLEU with one sentence replaced" in rows["p, sign-corpus, BLEU"][2]
    assert "sentence BLEU" in rows["p, sign, BLEU"][2]


def test_scores_of_other_tools(files, score, scores):
    """Nine lines: better on seven, worse on one."""
    files(
        other="ref",
        a=[f"0.{n}" for n in range(1, 10)],
        b=["0.95"] * 7 + ["0.8", "0.85"],
        errors=["1"] * 9,
    )
    arguments = [
        "-r", "ref", "one=sys", "two=sys", "--segment-scores", "one:COMET=a",
        "--segment-scores", "two:COMET=b", "--segment-scores", "two:errors=errors",
        "--lower-is-better", "errors", "--significance", "sign",
    ]  # fmt: skip
    record = scores(*arguments)
    one, two = record["systems"]
    assert one["scores"]["COMET"] == pytest.approx(0.5)
    assert two["scores"]["COMET"] == pytest.approx((7 * 0.95 + 0.8 + 0.85) / 9)
    assert two["scores"]["errors"] == 1
    assert "errors" not in one["scores"]
    assert two["signatures"]["errors"] == "mean of 9 line scores, lower is better"
    (test,) = [test for test in record["significance"] if test["metric"] == "COMET"]
    assert (test["p"], test["better"]) == (2 * (1 + 8) / 2**8, True)
    _, output, _ = score(*arguments)
    rows = {line[:15].rstrip(): line[15:].split() for line in output.splitlines()}
    assert rows["COMET"] == ["0.5000", "0.9222"]
    assert rows["errors"] == ["-", "1.0000"]
    assert rows["p, sign, COMET"] == ["baseline", "0.0703"]
    # With one system, its name can be left out.
    (system,) = scores("-r", "ref", "sys", "--segment-scores", "COMET=a")["systems"]
    assert system["scores"]["COMET"] == pytest.approx(0.5)


def test_flores200_from_the_folder_of_sacrebleu(files, subword):
    """With a small model instead of the one that sacreBLEU downloads."""
    folder = files()
    models = folder / "cache" / "models"
    models.mkdir(parents=True)
    with (models / "flores200sacrebleuspm").open("wb") as model:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["the lower the newer", "the newest and the lowest"] * 9),
            model_writer=model, vocab_size=19, minloglevel=2,
        )  # fmt: skip
    process = subword(
        "score", "-r", "ref", "sys", "--tokenize", "flores200", cwd=folder,
        env={"SACREBLEU": str(folder / "cache")},
    )  # fmt: skip
    assert "|tok:flores200|" in process.stdout


def test_a_tokenizer_that_is_not_installed(files, score, monkeypatch):
    from sacrebleu.tokenizers import tokenizer_ja_mecab

    monkeypatch.setattr(tokenizer_ja_mecab, "MeCab", None)
    status, output, remarks = score("-r", "ref", "sys", "--tokenize", "ja-mecab")
    assert (status, output) == (1, "")
    assert "pip install 'sacrebleu[ja]'" in remarks
    assert remarks.count("\n") == 1


def test_records_of_format_1_are_read(files, scores):
    """Their rare words included the OOV ones."""
    folder = files(train=["a"])
    scores("-r", "ref", "sys", "--train", "train", "--source", "ref", "--json", "new.json")
    old = json.loads((folder / "new.json").read_text(encoding="utf-8"))
    old["format"] = "fairseq-subword scores 1"
    (system,) = old["systems"]
    del system["ranks"]
    (folder / "old.json").write_text(json.dumps(old), encoding="utf-8")
    (loaded,) = scores("--load", "old.json")["systems"]
    assert loaded["words"]["rare_or_oov"] == system["words"]["rare"]
    assert loaded["copies"]["words"]["rare_or_oov"] == system["copies"]["words"]["rare"]
    assert "rare" not in loaded["words"]
    assert loaded["ranks"] is None
