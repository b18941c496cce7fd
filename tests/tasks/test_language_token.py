"""--source-lang-token: an entry of the dictionary file before each source, and nowhere else."""

import io
import sys

import pytest

pytest_plugins = ["task_helpers"]

TOKENS = ("<lang:si>", "<lang:de>")  # not in alphabetical order: the file decides


@pytest.fixture
def marked(make_corpus, sentences, tmp_path):
    made = make_corpus(tmp_path / "marked", extra_symbols=TOKENS)
    for seed, language in enumerate(("si", "de")):
        for split in ("train", "valid", "test"):
            # The same sources in both languages, so that only the token distinguishes them.
            lines = sentences(12, 5)
            made.add(language, split, sentences(12, seed), lines)
    return made


def interactive(translate, monkeypatch, lines, *options, data):
    stdin = io.TextIOWrapper(io.BytesIO("\n".join(lines).encode()), "utf-8", newline="\n")
    monkeypatch.setattr(sys, "stdin", stdin)
    return translate(*options, command="interactive", data=data)


def test_the_token_is_read_by_the_model_and_never_generated(
    train, translate, marked, sentences, monkeypatch
):
    train("--source-lang-token", "--lr", 0.05, "--max-epoch", 6, data=marked.folder)
    # The checkpoint records that its sources are marked, so no flag is needed from here on.
    printed = translate(data=marked.folder)
    assert "<lang:" not in printed.replace("--source-lang-token", "")
    scores = printed.scored()
    assert scores[0] != scores[12], "the same source scores alike in both languages"
    for language, first in (("de", 0), ("si", 12)):
        alone = interactive(
            translate, monkeypatch, sentences(12, 5), "-s", language, data=marked.folder
        )
        assert alone.scored() == {i: pytest.approx(scores[first + i], abs=1e-4) for i in range(12)}
    with pytest.raises(ValueError, match="needs the language of the input: give -s si"):
        interactive(translate, monkeypatch, ["a"], data=marked.folder)
    with pytest.raises(ValueError, match="no <lang:ta>"):
        interactive(translate, monkeypatch, ["a"], "-s", "ta", data=marked.folder)


def test_ids_do_not_depend_on_the_order_of_the_flag(train, marked):
    losses = [
        train("--source-lang-token", "--no-save", "--source-langs", order, data=marked.folder)
        for order in ("si,de", "de,si")
    ]
    assert losses[0].scores("loss_si") == losses[1].scores("loss_si") != []


def test_a_model_cannot_resume_with_other_source_marking(train, marked):
    train("--source-lang-token", data=marked.folder)
    with pytest.raises(ValueError, match=r"was trained with --source-lang-token: give the option"):
        train("--max-epoch", 2, data=marked.folder)
    train("--restore-file", "none.pt", data=marked.folder)
    with pytest.raises(ValueError, match="without --source-lang-token: leave out the option"):
        train("--source-lang-token", "--max-epoch", 2, data=marked.folder)


def test_off_by_default(train, translate, marked):
    train(data=marked.folder)
    scores = translate(data=marked.folder).scored()
    assert [scores[i] for i in range(12)] == [scores[12 + i] for i in range(12)]
