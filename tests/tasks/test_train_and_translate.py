"""The task inside fairseq-train, -validate and -generate."""

import multiprocessing

import pytest
import torch

pytest_plugins = ["task_helpers"]


def test_all_languages_in_one_run(train, translate, tmp_path):
    log = train("--max-epoch", 2)
    assert "train: 55 pairs of 3 languages; de 40, ru 3, si 12" in log
    for name in ("loss", "loss_de", "loss_ru", "loss_si", "nll_loss_si"):
        before, after = log.scores(name)
        assert after < before
    assert log.scores("bsz", "train") == [13.8, 13.8]  # 55 pairs, all of them, in 4 batches

    together = translate("--language-ids", tmp_path / "ids.tsv")
    assert sorted(together.outputs()) == list(range(22))
    assert "test: 22 pairs of 2 languages; ids by language: de 0-10, si 11-21" in together
    assert (tmp_path / "ids.tsv").read_text() == "de\t0\t11\nsi\t11\t11\n"

    assert sorted(translate("--gen-subset", "train").outputs()) == list(range(55))
    alone = translate("-s", "si", "-t", "en").outputs("H")
    assert sorted(alone) == list(range(11))
    assert [together.outputs("H")[11 + i] for i in range(11)] == [alone[i] for i in range(11)]


def test_no_worker_outlives_its_epoch(train, translate):
    train("--max-epoch", 2, "--num-workers", 2)
    translate()
    assert multiprocessing.active_children() == []


def test_one_folder_per_pair_joined_by_a_colon_or_in_one_folder(
    make_corpus, sentences, train, translate, tmp_path
):
    for language in ("si", "de"):
        pair = make_corpus(tmp_path / "bin" / f"{language}-en")
        for split in ("train", "valid", "test"):
            pair.add(language, split, sentences(5, 1))
    for data in (tmp_path / "bin", f"{tmp_path}/bin/si-en:{tmp_path}/bin/de-en"):
        assert "train: 10 pairs of 2 languages; de 5, si 5" in train(data=data)
        assert len(translate(data=data).outputs()) == 10


def test_the_same_pair_in_several_folders_is_read_in_turn(make_corpus, sentences, train, tmp_path):
    for name, size in (("one", 4), ("two", 6)):
        part = make_corpus(tmp_path / name)
        part.add("de", "train", sentences(size, 1))
        part.add("de", "valid", sentences(2, 2))
    log = train("--max-epoch", 3, data=f"{tmp_path}/one:{tmp_path}/two")
    assert log.scores("bsz", "train") == [4, 6, 4]
    assert log.count("valid: 2 pairs of 1 languages") == 1


def test_numbered_parts_are_trained_on(corpus, sentences, train):
    corpus.add("si", "train1", sentences(7, 30))
    assert "train: 62 pairs of 3 languages; de 40, ru 3, si 19" in train()


def test_a_pair_of_three_lines_trains_and_an_empty_split_is_refused(
    make_corpus, sentences, train, translate, tmp_path
):
    pair = make_corpus(tmp_path / "small")
    pair.add("zh-tw", "train", sentences(3, 1))
    pair.add("zh-tw", "valid", sentences(1, 2))
    pair.add("zh-tw", "test", [])
    assert "train: 3 pairs of 1 languages; zh-tw 3" in train(data=pair.folder)
    with pytest.raises(ValueError, match=r"the test data has 0 lines \(.*test\.zh-tw-en\.zh-tw\)"):
        translate(data=pair.folder)


def test_languages_may_be_chosen_in_any_order_and_are_remembered(corpus, train, translate):
    one = train("--source-langs", "si,de")
    assert "train: 52 pairs of 2 languages; de 40, si 12" in one
    two = train("--source-langs", "de,si", "--restore-file", "none.pt")
    assert one.scores("loss", "train") == two.scores("loss", "train")
    corpus.add("ru", "test", ["a b", "c"])
    assert "test: 22 pairs of 2 languages" in translate()
    # But a model may be used on a language that it never saw.
    assert len(translate("--source-langs", "ru").outputs()) == 2


def test_without_validation_data_training_asks_for_a_flag(make_corpus, sentences, train, tmp_path):
    pair = make_corpus(tmp_path / "small")
    pair.add("de", "train", sentences(3, 1))
    with pytest.raises(FileNotFoundError, match="no valid data for de in "):
        train(data=pair.folder)
    train("--disable-validation", data=pair.folder)


def test_misaligned_pairs_are_refused(corpus, sentences, train):
    corpus._write(str(corpus.folder / "train.si-en.en"), sentences(11, 1))
    with pytest.raises(ValueError, match=r"si has 12 lines but .*en has 11;"):
        train()


def test_a_text_file_with_the_name_of_the_binary_one_is_not_read(corpus, train):
    for side in ("si", "en"):
        (corpus.folder / f"train.si-en.{side}").write_text("x\n")
    assert "si 12" in train()


def test_raw_text_can_be_read_when_asked(corpus, train, tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    for name in ("dict.de.txt", "dict.en.txt"):
        (folder / name).write_text((corpus.folder / name).read_text())
    for split in ("train", "valid"):
        for side in ("de", "en"):
            (folder / f"{split}.de-en.{side}").write_text("▁ a b\n▁ c\n")
    assert "train: 2 pairs of 1 languages" in train("--dataset-impl", "raw", data=folder)


def test_validation_is_the_same_afterwards(train, fairseq_command, corpus, checkpoint):
    log = train()
    again = fairseq_command(
        "validate",
        corpus.folder,
        "--path",
        checkpoint,
        "--cpu",
        "--task",
        "multilingual_x_en",
        "--max-tokens",
        600,
    )
    for name in ("loss", "loss_de", "loss_ru", "loss_si", "nll_loss_ru"):
        assert again.scores(name) == log.scores(name)


def test_a_sample_of_the_validation_data(train, corpus, fairseq_command, checkpoint):
    log = train("--valid-sample", 10)
    assert "valid: 27 pairs of 3 languages, of which 10 are used" in log
    again = train("--valid-sample", 10, "--restore-file", "none.pt", "--no-save")
    assert again.scores("loss") == log.scores("loss")
    assert train("--valid-sample", 100, "--restore-file", "none.pt", "--no-save").scores(
        "loss"
    ) == train("--restore-file", "none.pt", "--no-save").scores("loss")
    # The test set is never sampled.
    printed = fairseq_command(
        "validate",
        corpus.folder,
        "--path",
        checkpoint,
        "--cpu",
        "--task",
        "multilingual_x_en",
        "--valid-subset",
        "test",
        "--max-tokens",
        600,
    )
    assert "test: 22 pairs of 2 languages; ids" in printed


def test_long_lines_are_cut_in_evaluation_and_none_is_lost(corpus, train, translate, sentences):
    train()
    lines = [*sentences(9, 3), "ab" * 3000, "", "cd" * 40]
    corpus.add("de", "test", ["x"] * 12, lines)
    printed = translate("-s", "de", "--max-source-positions", 60, "--max-tokens", 50)
    assert sorted(printed.outputs()) == list(range(12))
    assert (
        "test: 2 of 12 sources are longer than 60 tokens and were cut there (id 9, 11)" in printed
    )
    corpus.add("de", "test", ["x"], lines[9:10])
    default = translate("-s", "de")
    assert "1 of 1 sources are longer than 2,048 tokens and were cut there (id 0)" in default


def test_long_targets_do_not_stop_validation(corpus, train):
    corpus.add("ru", "valid", ["a", "b" * 100], ["а", "б"])
    log = train("--max-target-positions", 40, "--decoder-learned-pos")
    assert "1 of 20 targets are longer than 40 tokens" in log
    assert log.scores("loss_ru") != []


def test_long_pairs_are_left_out_of_training_and_counted(corpus, train):
    corpus.add("ru", "train", ["a", "b" * 100, "c"], ["а", "б", "в"])
    assert "1 samples have invalid sizes and will be skipped" in train("--max-target-positions", 40)


def test_the_position_limits_of_training_apply_at_inference(corpus, train, translate):
    train("--max-source-positions", 3000)
    corpus.add("de", "test", ["x"], ["ab" * 3000])
    assert "longer than 3,000 tokens and were cut" in translate("-s", "de")


def test_outputs_at_the_length_limit_are_reported(train, translate):
    train("--lr", 1e-9)
    printed = translate("-s", "de", "--max-len-b", 3)
    assert "outputs reached the length limit of 0 * source length + 3 symbols" in printed
    assert max(len(text.split()) for text in printed.outputs("H").values()) == 3


def test_a_dictionary_in_another_order_is_refused_when_the_model_is_used(corpus, train, translate):
    train()
    corpus.dictionary.symbols[10], corpus.dictionary.symbols[11] = (
        corpus.dictionary.symbols[11],
        corpus.dictionary.symbols[10],
    )
    corpus.save_dictionary("de", "ru", "si")
    message = r"/checkpoint_last\.pt and .*data-bin differ \(line 7: .*; 260 and 260 entries\)"
    with pytest.raises(ValueError, match=message):
        translate()
    with pytest.raises(ValueError, match=message):
        train("--max-epoch", 2)  # which would resume
    with pytest.raises(ValueError, match=message):
        train(
            "--finetune-from-model",
            corpus.folder.parent / "checkpoints" / "checkpoint_last.pt",
            "--save-dir",
            corpus.folder.parent / "other",
        )


def test_a_longer_dictionary_is_refused_before_torch_compares_shapes(corpus, train, translate):
    train()
    corpus.dictionary.add_symbol("new", 1)
    corpus.save_dictionary("de", "ru", "si")
    with pytest.raises(ValueError, match=r"line 257: nothing and 'new'; 260 and 261 entries"):
        translate()


def test_checkpoints_hold_plain_data(train, checkpoint):
    train("--eval-bleu", "--bpe", "byte_level", "--eval-bleu-args", '{"beam": 1, "max_len_b": 5}')
    state = torch.load(checkpoint, weights_only=True)
    assert state["task_state"]["multilingual_x_en"]["symbols"].split("\n")[:5] == [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        "Ā",
    ]
