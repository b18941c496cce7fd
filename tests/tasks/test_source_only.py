"""Data without a target side (fairseq-preprocess --only-source): translated, never scored."""

import pytest

pytest_plugins = ["task_helpers"]


@pytest.fixture
def blind(corpus):
    """The corpus, with only the sources of its test set."""

    def remove(*languages):
        for language in languages:
            for suffix in "bin", "idx":
                (corpus.folder / f"test.{language}-en.en.{suffix}").unlink()

    return remove


def test_sources_alone_are_translated_as_with_their_references(
    train, translate, blind, fairseq_command, corpus, checkpoint
):
    train()
    whole = translate()
    blind("si", "de")
    alone = translate()
    assert alone.outputs("H") == whole.outputs("H") != {}
    assert alone.scored() == whole.scored()
    assert whole.references() and not alone.references()
    assert "Generate test" in whole and "Generate test" not in alone
    assert "ids by language: de 0-10, si 11-21" in alone
    # A loss needs references, ...
    with pytest.raises(FileNotFoundError, match=r"test\.de-en\.en\.bin"):
        fairseq_command(
            "validate", corpus.folder, "--task", "multilingual_x_en", "--path", checkpoint,
            "--valid-subset", "test", "--cpu", "--batch-size", 4,
        )  # fmt: skip
    # ... and so does training.
    for suffix in "bin", "idx":
        (corpus.folder / f"train.si-en.en.{suffix}").unlink()
    with pytest.raises(FileNotFoundError, match=r"train\.si-en\.en\.bin"):
        train("--restore-file", "none.pt")


def test_languages_with_and_without_references_are_translated_separately(train, translate, blind):
    train()
    blind("si")
    with pytest.raises(ValueError, match=r"of si has no target side, .* with --source-langs"):
        translate()
    assert len(translate("--source-langs", "si").outputs()) == 11


def test_raw_sources_alone(train, translate, corpus, tmp_path):
    train()
    raw = tmp_path / "raw"
    raw.mkdir()
    corpus.dictionary.save(str(raw / "dict.en.txt"))
    (raw / "test.de-en.de").write_text("▁ Î ±\n▁ Î ²\n\n", "utf-8")
    printed = translate("--dataset-impl", "raw", data=raw)
    assert sorted(printed.outputs()) == [0, 1, 2] and not printed.references()
    with pytest.raises(ValueError, match="--replace-unk also reads the text of the targets"):
        translate("--dataset-impl", "raw", "--replace-unk", "--print-alignment", data=raw)
