"""The complete recipes for many languages into English: from raw text to a table."""

import json
import random
import re
import shutil
import sys
import tarfile

import pytest
from conftest import ROOT, run_command
from made_help import made_pages, write_help
from made_talks import write_talks

pytest_plugins = ["recipe_helpers"]
pytest.importorskip("fairseq")
pytestmark = pytest.mark.slow

# The real configurations with smaller sizes.
TINY = [
    argument
    for setting in (
        "model.encoder_layers=1", "model.decoder_layers=1", "model.encoder_embed_dim=16",
        "model.decoder_embed_dim=16", "model.encoder_ffn_embed_dim=16", "model.decoder_ffn_embed_dim=16",
        "model.encoder_attention_heads=2", "model.decoder_attention_heads=2", "dataset.max_tokens=800",
    )
    for argument in ("--set", setting)
]  # fmt: skip


def recipe(name, *arguments, **options):
    return run_command(
        "bash", ROOT / "scripts" / name / "run.sh", *arguments, "--cpu", "--workers", 1, *TINY,
        env={"PYTHON_BIN": sys.executable}, timeout=500, **options,
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_help_from_debian_packages_to_bleu(tmp_path, debian):
    for language, folder in (("en-us", "en-US"), ("de", "de"), ("pt-br", "pt-BR")):
        pages = made_pages(str if language == "en-us" else lambda text: text.swapcase(), pages=90)
        tree = write_help(tmp_path / language, folder, pages)
        debian.offer(f"libreoffice-help-{language}", tree)
    arguments = ["--work", "run", "--languages", "de,pt_br", "--lines", 100, "bbpe_2k_gru"]
    first = recipe("libreoffice_help_x_en", *arguments, "--updates", 3, cwd=tmp_path)
    work = tmp_path / "run"
    assert "apt-get download libreoffice-help-pt-br" in first.stderr
    assert re.search(r"^all +200 +\d+ +\d+$", first.stdout, re.MULTILINE)
    folder = work / "systems" / "bbpe_2k_gru"
    record = json.loads((folder / "scores.json").read_text("utf-8"))
    assert set(record["figures"]) == {"de", "pt_br", "all"}
    assert record["seed"] == 1 and "tok:13a" in record["signatures"]["BLEU"]
    references = sum(
        len((work / "corpus" / f"test.{language}-en.en").read_text("utf-8").splitlines())
        for language in ("de", "pt_br")
    )
    printed = (folder / "test.out").read_text("utf-8")
    assert (
        len(re.findall(r"^D-\d+\t", printed, re.MULTILINE)) == references == record["lines"]["all"]
    )

    # Finished steps are kept, and training resumes.
    second = recipe("libreoffice_help_x_en", *arguments, "--updates", 5, cwd=tmp_path)
    assert second.stderr.count("done before, kept") == 2
    assert "@ 3 updates" in second.stdout + second.stderr
    # Another seed is another model: it starts over.
    third = recipe("libreoffice_help_x_en", *arguments, "--updates", 3, "--seed", 2, cwd=tmp_path)
    assert "training starts over" in third.stderr
    assert "@ 5 updates" not in third.stdout + third.stderr
    assert json.loads((folder / "scores.json").read_text("utf-8"))["seed"] == 2


def test_ted_talks_from_the_archive_to_the_table(tmp_path):
    pytest.importorskip("sacremoses")
    generator = random.Random(1)
    words = "the talk is about a world &apos;s oceans , people and maps .".split()

    def row(number):
        english = " ".join(generator.choices(words, k=8))
        cells = [english.swapcase(), english.upper(), "x"]
        if number % 5 == 0:
            cells[0] = "__NULL__"
        return [f"talk{number}", english, *cells]

    header = ["talk_name", "en", "ar", "zh-cn", "calv"]
    write_talks(
        tmp_path / "t",
        header,
        {
            split: [row(n) for n in range(rows)]
            for split, rows in (("train", 60), ("dev", 9), ("test", 11))
        },
    )
    (tmp_path / "raw").mkdir()
    with tarfile.open(tmp_path / "raw" / "ted_talks.tar.gz", "w:gz") as archive:
        for path in sorted((tmp_path / "t").iterdir()):
            archive.add(path, path.name)
    arguments = ["--raw", "raw", "--work", "run", "--updates", 2, "byte_gru", "bpe_16k"]
    process = recipe("ted58_x_en", *arguments, "--figure4", "figure", cwd=tmp_path)
    printed, figure = process.stdout.split("BLEU, validation")
    assert re.search(r"^all, train +lines +5\.1M +108 +differs$", printed, re.MULTILINE)
    assert "source and target; paper: 126/103" in printed
    # A single GPU or CPU accumulates as many batches as the configuration's eight devices.
    assert "update_freq 8" in process.stderr
    lines = printed[printed.rindex("  ar ") :].splitlines()
    table = [re.split(r" {2,}", line.strip()) for line in lines]
    assert table[0] == ["ar", "de", "he", "it", "az", "be", "gl", "sk", "all"]
    assert table[1][:3] == ["Byte+", "paper", "31.13"] and table[1][-1] == "30.38"
    for system, place in (("byte_gru", 1), ("bpe_16k", None)):
        place = place or next(n for n, row in enumerate(table) if row[0] == "BPE 16K")
        scores = tmp_path / "run" / "systems" / system / "scores.json"
        figures = json.loads(scores.read_text("utf-8"))["figures"]
        assert set(figures) == {"ar", "zh_cn", "all"}
        for offset, metric in enumerate(("tokenized BLEU", "BLEU", "chrF"), start=1):
            found = table[place + offset]
            assert found[0] == f"here, {metric}"
            assert found[1] == f"{figures['ar'][metric]:.2f}" and found[2] == "-"
            assert found[-1] == f"{figures['all'][metric]:.2f}"
    assert ["here: not run", *"-" * 9] in table
    signatures = "\n".join(lines)
    assert "tokenized BLEU: nrefs:1|case:mixed|eff:no|tok:none" in signatures
    assert "\nBLEU: nrefs:1|case:mixed|eff:no|tok:13a" in signatures

    # Figure 4, on the validation set, of what was trained.
    for system, vocabulary, scored in (("byte_gru", "Byte", 2), ("bpe_16k", "BPE 16K", 0)):
        record = json.loads((tmp_path / "run/systems" / system / "valid.json").read_text("utf-8"))
        assert record["reference"]["lines"] == 16  # 9 lines of zh_cn, 7 of ar
        row = re.search(rf"^{vocabulary} +(\S+) +(\S+) +(\S+)$", figure, re.MULTILINE).groups()
        bleu = f"{record['systems'][0]['scores']['BLEU']:.2f}"
        assert row == tuple(bleu if place == scored else "-" for place in range(3))
    assert (tmp_path / "figure.svg").is_file()
