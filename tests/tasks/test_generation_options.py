"""Options of fairseq-generate and the hub that mislead are reported in one line."""

import pytest
from fairseq.models.transformer import TransformerModel

pytest_plugins = ["task_helpers"]


@pytest.fixture
def codes_of_characters(tmp_path):
    path = tmp_path / "codes"
    path.write_text("#version: 0.2\na b\nab c</w>\n", encoding="utf-8")
    return path


def test_bleu_on_subwords_gives_a_warning(train, translate):
    train("--max-update", 1)
    warning = "--scoring bleu, Fairseq's default, computes BLEU on subwords"
    assert warning in translate()
    assert warning not in translate("--scoring", "sacrebleu")


def test_constraints_are_for_interactive(train, translate):
    train("--max-update", 1)
    with pytest.raises(ValueError, match="--constraints is for fairseq-interactive"):
        translate("--constraints")


def test_codes_of_another_unit_give_a_warning_wherever_an_encoder_is_used(
    train, translate, corpus, checkpoint, codes_of_characters
):
    train("--max-update", 1)
    flags = ["--bpe", "generalized_bpe", "--bpe-codes", codes_of_characters]
    warning = "of the pieces that --bpe makes are not in the dictionary"
    assert translate(*flags).count(warning) == 1
    assert warning not in translate()
    with pytest.raises(ValueError, match=f"--bpe-codes {corpus.folder}: this is a folder"):
        translate("--bpe", "generalized_bpe", "--bpe-codes", corpus.folder)


def test_the_hub_compares_codes_and_names_its_own_option(
    train, corpus, checkpoint, codes_of_characters, caplog, make_corpus, sentences, tmp_path
):
    marked = make_corpus(tmp_path / "marked", extra_symbols=("<lang:de>",))
    for split in ("train", "valid"):
        marked.add("de", split, sentences(6, 1))
    train("--source-lang-token", "--max-update", 1, data=marked.folder)

    def hub(**options):
        return TransformerModel.from_pretrained(
            str(checkpoint.parent),
            checkpoint.name,
            data_name_or_path=str(marked.folder),
            **options,
        )

    with pytest.raises(ValueError, match=r"source_lang='si' to from_pretrained"):
        hub(bpe="byte_level").translate("a", beam=1, max_len_b=3)
    caplog.clear()
    hub(bpe="byte_level", source_lang="de").translate("a", beam=1, max_len_b=3)
    warning = "of the pieces that --bpe makes are not in the dictionary"
    assert warning not in caplog.text
    model = hub(bpe="generalized_bpe", bpe_codes=str(codes_of_characters), source_lang="de")
    model.translate(["a", "b"], beam=1, max_len_b=3)
    assert caplog.text.count(warning) == 1
