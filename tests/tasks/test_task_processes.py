"""The task under fairseq-hydra-train, in several processes, and from another folder."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

pytest_plugins = ["task_helpers", "text_helpers"]

ROOT = Path(__file__).resolve().parents[2]
USER_DIR = ROOT / "fairseq_subword_ext"

SMALL_MODEL = [
    f"model.{side}_{size}"
    for side in ("encoder", "decoder")
    for size in ("layers=1", "embed_dim=16", "ffn_embed_dim=16", "attention_heads=2")
]


def scores(printed, name, tag="valid"):
    pattern = re.compile(rf"[ |\"]{re.escape(name)}\"?[ =:]+\"?([-\d.e]+)")
    tags = (f"[{tag}]", f"| {tag} |")
    lines = [line for line in printed.split("\n") if any(each in f"| {line}" for each in tags)]
    return [float(match[1]) for match in map(pattern.search, lines) if match]


def test_the_shipped_configuration_trains_under_hydra(corpus, fairseq, fairseq_command, tmp_path):
    config = ROOT / "configs" / "names_x_en" / "tiny.yaml"
    text = tmp_path / "text"
    text.write_text("a bad cafe\n" * 5, encoding="utf-8")
    train_sentencepiece_bytes([text], tmp_path / "bbpe", 260)
    codes = tmp_path / "bbpe.model"
    process = fairseq(
        "hydra_train",
        "--config-dir", config.parent, "--config-name", config.stem,
        f"common.user_dir={USER_DIR}", f"task.data={corpus.folder}", "task.from_text=false",
        "common.cpu=true", "dataset.num_workers=0", "optimization.max_update=2",
        f"checkpoint.save_dir={tmp_path}/out", "task.eval_bleu=true",
        f"+bpe.bpe_codes={codes}", "task.sampling_temperature=5",
        "task.source_langs='si,de'", "checkpoint.best_checkpoint_metric=bleu_si",
        "checkpoint.maximize_best_checkpoint_metric=true",
        """task.eval_bleu_args='{"beam": 1, "max_len_b": 5}'""",
        *SMALL_MODEL, cwd=tmp_path,
    )  # fmt: skip
    printed = process.stdout + process.stderr
    log = "".join(path.read_text() for path in tmp_path.rglob("hydra_train.log")) + printed
    assert len(scores(log, "loss_de")) >= 1 and len(scores(log, "bleu_si")) >= 1
    assert "de 40 (drawn 29 times per epoch), si 12 (drawn 23 times" in log
    assert "without --bpe" not in log
    assert (tmp_path / "out" / "checkpoint_best.pt").is_file()
    generated = fairseq_command(
        "generate", corpus.folder, "--task", "multilingual_x_en", "--cpu", "--bpe", "byte_level",
        "--path", tmp_path / "out" / "checkpoint_best.pt", "--max-len-b", 5,
    )  # fmt: skip
    assert len(generated.outputs()) == 22


@pytest.mark.slow
def test_two_processes_get_the_results_of_one(corpus, fairseq_command, sentences):
    """Losses, per-language scores and BLEU of 2 workers equal those of 1 with --update-freq 2."""
    corpus.add("ru", "valid", sentences(3, 40))  # so that the last batch is alone
    common = [
        corpus.folder, "--task", "multilingual_x_en", "--arch", "transformer", "--encoder-layers", 1,
        "--decoder-layers", 1, "--encoder-embed-dim", 16, "--decoder-embed-dim", 16,
        "--encoder-ffn-embed-dim", 16, "--decoder-ffn-embed-dim", 16,
        "--encoder-attention-heads", 2, "--decoder-attention-heads", 2,
        "--share-all-embeddings", "--dropout", 0, "--criterion", "label_smoothed_cross_entropy",
        "--label-smoothing", 0.1, "--optimizer", "adam", "--lr", 0.03, "--num-workers", 0, "--cpu",
        "--log-format", "json", "--max-epoch", 3, "--max-tokens", 150, "--no-save",
        "--sampling-temperature", 3, "--eval-bleu", "--bpe", "byte_level", "--batch-size-valid", 4,
        "--eval-bleu-args", '{"beam": 2, "max_len_b": 10}',
    ]  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]

    def start(*options):
        command = [sys.executable, "-m", "fairseq_cli.train", *common, "--user-dir", USER_DIR]
        return subprocess.Popen(
            [*map(str, command), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    alone = fairseq_command("train", *common, "--update-freq", 2)
    workers = [
        start(
"--distributed-world-size", "2", "--distributed-rank", str(rank),
             "--distributed-no-spawn", "--distributed-init-method", f"tcp://localhost:{port}",
             "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp",
        )
        for rank in range(2)
    ]  # fmt: skip
    printed = [worker.communicate(timeout=300)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], printed
    for name in ("valid_loss", "valid_loss_de", "valid_loss_ru", "valid_nll_loss_si"):
        found, expected = scores(printed[0], name), scores(alone, name)
        assert len(found) == 3 and found == pytest.approx(expected, abs=0.02)
    for name in ("valid_bleu", "valid_bleu_si"):
        assert len(scores(printed[0], name)) == 3
    assert scores(printed[0], "train_bsz", "train") == scores(alone, "train_bsz", "train")


@pytest.mark.slow
def test_from_text_to_translations_in_another_folder(
    fairseq, fairseq_command, subword, sentences, tmp_path
):
    """fairseq-preprocess, -train, -validate, -generate and -interactive as a user calls them, the
    sources marked with their language."""
    subword(
        "build-dict", "-i", "-", "--lang-tokens", "si,de", "-o", "dict.txt",
        input="a b c d e f g h ▁\n", cwd=tmp_path,
    )  # fmt: skip
    for language in ("de", "si"):
        for seed, (split, lines) in enumerate((("train", 30), ("valid", 5), ("test", 9))):
            for side, offset in ((language, 0), ("en", 50)):
                text = "".join(
                    " ".join(line.replace(" ", "▁")) + "\n"
                    for line in sentences(lines, seed + offset)
                )
                (tmp_path / f"{split}.{language}-en.{side}").write_text(text, encoding="utf-8")
        preprocess = fairseq if language == "de" else fairseq_command
        preprocess(
            "preprocess", "-s", language, "-t", "en", "--trainpref", f"train.{language}-en",
            "--validpref", f"valid.{language}-en", "--testpref", f"test.{language}-en",
            "--srcdict", "dict.txt", "--tgtdict", "dict.txt", "--destdir", "bin", cwd=tmp_path,
        )  # fmt: skip
    plugin = ["--user-dir", USER_DIR, "--task", "multilingual_x_en"]
    fairseq(
        "train", "bin", *plugin, "--arch", "contextualized_transformer_tiny",
        "--share-all-embeddings", "--optimizer", "adam", "--lr", 0.01, "--max-tokens", 500,
        "--max-update", 3, "--cpu", "--save-dir", "out", "--source-lang-token", cwd=tmp_path,
    )  # fmt: skip
    model = [*plugin, "--path", "out/checkpoint_last.pt", "--cpu"]
    assert "loss_si" in fairseq("validate", "bin", *model, "--max-tokens", 500, cwd=tmp_path).stdout
    generated = fairseq("generate", "bin", *model, "--max-len-b", 5, cwd=tmp_path).stdout
    assert len(re.findall(r"^D-\d+", generated, flags=re.MULTILINE)) == 18
    assert not re.search(r"^[STHD]-.*<lang:", generated, flags=re.MULTILINE)
    read = fairseq(
        "interactive", "bin", *model, "--max-len-b", 5, "-s", "si", cwd=tmp_path,
        input="a b\n\nc\rd\n",
    ).stdout  # fmt: skip
    assert re.findall(r"^D-(\d+)", read, flags=re.MULTILINE) == ["0", "1", "2"]


def test_raw_text_under_hydra(raw_corpus, fairseq, tmp_path):
    config = ROOT / "configs" / "names_x_en"
    process = fairseq(
        "hydra_train",
        "--config-dir", config, "--config-name", "tiny",
        f"common.user_dir={USER_DIR}", f"task.data={raw_corpus.folder}",
        "+task.bpe_dropout=0.2", f"+bpe.bpe_codes={raw_corpus.codes}", "common.cpu=true",
        "dataset.num_workers=1", "dataset.max_tokens=400", "optimization.max_epoch=2",
        f"checkpoint.save_dir={tmp_path}/out", *SMALL_MODEL, cwd=tmp_path,
    )  # fmt: skip
    printed = process.stdout + process.stderr
    log = "".join(path.read_text() for path in tmp_path.rglob("hydra_train.log")) + printed
    assert "epoch-2: " in log and "epoch-3" not in log
    assert (tmp_path / "out" / "checkpoint_best.pt").is_file()
    assert (tmp_path / "out" / "dict.en.txt").is_file()
    left = [path.parent.name for path in (tmp_path / "out").rglob("contents.json")]
    assert left == ["all"], "the text of epochs is removed when the process ends"
