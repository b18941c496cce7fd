"""The recipe for your own data: names of systems, the corpus, and a complete run on made text."""

import random
import re

import pytest
from recipe_helpers import TINY_TRANSFORMER, lines_of, make_corpus, recipe, table_rows
from recipes.engine.program import parser_of
from recipes.engine.run import Run
from recipes.own.files import language_of
from recipes.own.recipe import RECIPE, choose_model
from recipes.own.system_names import system_of
from recipes.own.transfer import OwnChild

from fairseq_subword_ext.evaluation.score_record import ScoreRecord

GERMAN = "der hund die katze das haus sieht kauft grüßt läuft schnell große kleine bücher".split()
ENGLISH = "the dog a cat its house sees buys greets runs fast big small books".split()


def write_pairs(prefix, count, seed):
    draw = random.Random(seed)
    chosen = [draw.choices(range(len(GERMAN)), k=draw.randint(3, 7)) for _ in range(count)]
    for language, words in (("de", GERMAN), ("en", ENGLISH)):
        text = "".join(" ".join(words[place] for place in line) + "\n" for line in chosen)
        prefix.with_name(f"{prefix.name}.{language}").write_text(text, encoding="utf-8")


@pytest.fixture
def files(tmp_path):
    for seed, (name, count) in enumerate((("train", 200), ("valid", 20), ("test", 30))):
        write_pairs(tmp_path / name, count, seed)
    return tmp_path


def given(folder, *names):
    """The options of these sets."""
    return [
        item
        for name in names
        for item in (f"--{name}", folder / f"{name}.de", folder / f"{name}.en")
    ]


# Names.


@pytest.mark.parametrize(
    ("name", "encoder", "learn", "context"),
    [
        ("frequency-8k", "generalized_bpe", "-s 8000 --measure frequency", "none"),
        ("bpe-500", "generalized_bpe", "-s 500 --measure frequency", "none"),
        ("dlg-weighted-8k-gru", "generalized_bpe", "-s 8000 --measure dlg-weighted", "gru"),
        ("bbpe-4k-gru", "bbpe", "--unit byte --total-symbols -s 4096 --measure frequency", "gru"),
        ("bbpe-av-weighted-1k", "bbpe", "--unit byte --total-symbols -s 1024 --measure av-weighted", "none"),
        ("bytes-conv", "byte_level", "", "conv"),
        ("chars", "char_level", "", "none"),
    ],
)  # fmt: skip
def test_a_name_says_everything(name, encoder, learn, context):
    system = system_of(name, "tiny", "de-en", False, "bytes")
    assert (system["encoder"], system["learn"], system["learn_target"]) == (encoder, learn, "")
    assert system["set"] == f"model.embedding_context={context}"
    assert system["segmentation"] == name.removesuffix(f"-{context}")


@pytest.mark.parametrize(
    ("name", "source", "target", "words"),
    [
        ("words", "word", "word", ""),
        ("words-50k", "word", "word", "50000"),
        ("char-bigrams", "char-ngrams --n 2", "char-ngrams --n 2", ""),
        ("char-trigrams-300-gru", "char-ngrams --n 3 --shortlist 300", "char-ngrams --n 3 --shortlist 300", ""),
        ("compounds", "compounds", "compounds", ""),
        ("hyphenation", "hyphenation --lang de", "hyphenation --lang en", ""),
    ],
)  # fmt: skip
def test_baselines(name, source, target, words):
    system = system_of(name, "tiny", "de-en", False, "bytes")
    assert (system["segment"], system["segment_target"]) == (source, target)
    assert system["words"] == system["words_target"] == words
    assert system["encoder"] == system["learn"] == ""
    assert "model.share_all_embeddings=false" in system.flags("set")
    assert set(system.columns) == set(system_of("bytes", "tiny", "de-en", False, "").columns)


def test_each_side_on_its_own():
    system = system_of("frq-2k", "tiny", "de-en", True, "frq-2k")
    assert system["learn_target"] == system["learn"] == "-s 2000 --measure frq"
    assert "model.share_all_embeddings=false" in system.flags("set")
    assert system["segmentation"] == "frq-2k.separate" and system["baseline"] == ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("8k", "a system is MEASURE-SIZE"),
        ("frequency", "a system is MEASURE-SIZE"),
        ("bbpe-8m", "a system is MEASURE-SIZE"),
        ("frequncy-8k", "no measure 'frequncy'; they are frequency, frq, av"),
        ("bbpe-4k-lstm", "a system is MEASURE-SIZE"),
    ],
)
def test_a_name_of_another_form(name, message):
    with pytest.raises(ValueError, match=rf"^{name}: {message}"):
        system_of(name, "tiny", "de-en", False, name)


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.si", "si"), ("corpus.train.pt_br", "pt_br"), ("a.en.gz", "en"), ("a.txt", ""), ("a", "")],
)
def test_languages_by_the_files_names(tmp_path, name, language):
    assert language_of(tmp_path / name) == language


def test_the_model_fits_the_text_and_the_device(files):
    parse = parser_of(RECIPE).parse_args
    options = parse([str(item) for item in (*given(files, "train"), "--systems", "bytes")])
    assert choose_model(Run(files, options=options)) == "tiny"
    (files / "train.de").write_text("x\n" * 300_000)
    assert choose_model(Run(files, options=options)) == "small"
    assert choose_model(Run(files, options=options, gpus=1)) == "medium"
    assert choose_model(Run(files, options=options, gpus=1, lines=9)) == "tiny"
    options.model = "base"
    assert choose_model(Run(files, options=options)) == "base"


# Calls that stop at once.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "own needs --train SOURCE TARGET and --systems NAMES"),
        (["--train", "no.de", "no.en", "--systems", "bytes"], "--train no.de: no such file"),
        (["--systems", "bytes", "--pair", "x"], "give --pair, such as --pair si-en"),
        (["--systems", "byte-8x"], "a system is MEASURE-SIZE"),
        (["--systems", "enc", "--parent", "{files}/train.de"], "not a packed model"),
    ],
)
def test_a_wrong_call_stops_with_one_line(files, tmp_path, arguments, message):
    if arguments and arguments[0] != "--train":
        arguments = [*given(files, "train"), *arguments]
    arguments = [str(item).format(files=files) for item in arguments]
    ran = recipe("own", "--work", tmp_path / "work", "--cpu", *arguments, check=False)
    assert ran.status == 1 and message in ran.stderr
    assert ran.stderr.count("\n") == 1 and not (tmp_path / "work").exists()


# The corpus.


def test_the_corpus_is_the_files(files, tmp_path):
    with (files / "train.de").open("a") as german, (files / "train.en").open("a") as english:
        german.write("nur deutsch\n")
        english.write("\n")
    out = tmp_path / "corpus"
    ran = make_corpus(
        "own",
        "--out",
        out,
        *given(files, "train", "valid", "test"),
    )
    for name in ("valid", "test"):
        for language in ("de", "en"):
            assert lines_of(out / f"{name}.de-en.{language}") == lines_of(
                files / f"{name}.{language}"
            )
    assert lines_of(out / "train.de-en.de") == lines_of(files / "train.de")[:-1]
    assert "dropped from train, a side is empty: 1" in ran.stdout


def test_sets_are_drawn_if_they_are_not_given(files, tmp_path):
    out = tmp_path / "corpus"
    ran = make_corpus("own", "--out", out, *given(files, "train"), "--lines", 100)
    sets = {
        name: list(zip(lines_of(out / f"{name}.de-en.de"), lines_of(out / f"{name}.de-en.en")))
        for name in ("train", "valid", "test")
    }
    assert {name: len(pairs) for name, pairs in sets.items()} == {
        "train": 90,
        "valid": 5,
        "test": 5,
    }
    known = list(zip(lines_of(files / "train.de"), lines_of(files / "train.en")))[:100]
    assert sorted(known) == sorted(pair for pairs in sets.values() for pair in pairs)
    assert "drawn from train for valid and test: 5 pairs each" in ran.stdout


# Complete runs.

SMALL = [
    "--cpu", "--workers", 1, "--updates", 3, "--generate", "--max-len-a 0 --max-len-b 9 --beam 1", *TINY_TRANSFORMER,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_systems_over_seeds_to_the_page(files, tmp_path):
    pytest.importorskip("fairseq")
    pytest.importorskip("matplotlib")
    work = tmp_path / "work"
    call = ["own", *given(files, "train", "valid", "test"), "--work", work, *SMALL]
    ran = recipe(*call, "--systems", "frequency-20", "--seeds", "1,2", "--ensemble")
    chrf = [
        ScoreRecord.load(work / "systems" / folder / "detokenized.json").systems[0].scores["chrF"]
        for folder in ("frequency-20", "frequency-20.seed2")
    ]
    shown = re.search(
        r"^frequency-20 +[\d,]+ +1,2 +.* ([\d.]+) ± [\d.]+$", ran.stdout, re.MULTILINE
    )
    assert float(shown[1]) == pytest.approx(sum(chrf) / 2, abs=0.005)
    together = ScoreRecord.load(work / "systems" / "frequency-20.ensemble" / "detokenized.json")
    (record,) = together.systems
    assert record.settings["seeds"] == "1+2"
    assert re.search(
        rf"^frequency-20, ensemble +- +1\+2 +[\d.]+ +{record.scores['chrF']:.2f}$", ran.stdout, re.MULTILINE
    )  # fmt: skip
    log = (work / "logs" / "translate.frequency-20.ensemble.log").read_text()
    assert "frequency-20/checkpoints" in log and "frequency-20.seed2/checkpoints" in log
    # Another system joins the table; what is done is kept.
    more = "bbpe-300-gru,char-bigrams-5,frequency-20"
    ran = recipe(*call, "--systems", more, "--baseline", "frequency-20")
    assert "@@" in (work / "systems" / "char-bigrams-5" / "test.out").read_text()
    text = lines_of(work / "systems" / "char-bigrams-5" / "test.txt")
    assert len(text) == 30 and any(text) and "@@" not in " ".join(text)
    assert "train frequency-20 (done before)" in ran.stderr
    rows = [line.split()[:2] for line in ran.stdout.splitlines()]
    assert ["bbpe-300", "300"] in rows  # 256 bytes and 44 merges
    assert re.search(r"^bbpe-300-gru +[\d,]+ +1 ", ran.stdout, re.MULTILINE)
    test = ScoreRecord.load(work / "significance" / "bbpe-300-gru.test.json")
    assert test.baseline == "frequency-20" and test.significance[0].test == "bootstrap"
    page = (work / "report.html").read_text(encoding="utf-8")
    assert "frequency-20" in page and "bbpe-300" in page and "char-bigrams-5" in page
    script = (work / "commands.sh").read_text()
    assert "fairseq-subword stats" not in script  # the page also reads the other seed's scores
    assert "--significance bootstrap" in script


@pytest.mark.slow
def test_segmentations_alone(files, tmp_path):
    """Sennrich et al.'s Table 1: what BPE is compared with, without any training."""
    wanted = "frequency-20,words-4,char-bigrams,char-trigrams-5,compounds,hyphenation,chars"
    work = tmp_path / "work"
    call = ["own", *given(files, "train", "test"), "--work", work, "--cpu", "--workers", 1]
    ran = recipe(*call, "--segment-only", "--systems", wanted)
    rows = {row[0]: row for row in table_rows(ran.stdout, "Segmentations\n")}
    assert list(rows)[1:8] == wanted.split(",")
    words = [line.split() for line in lines_of(work / "corpus" / "train.de-en.de")]
    lengths = {
        "words-4": sum(map(len, words)),
        "chars": sum(len(" ".join(line)) for line in words),
        "char-bigrams": sum(-(-len(word) // 2) for line in words for word in line),
    }
    for name, length in lengths.items():
        assert float(rows[name][rows["segmentation"].index("source")]) == round(
            length / len(words), 1
        )
    assert rows["words-4"][1] == "4 + 4" and float(rows["words-4"][4]) > 0
    assert not (work / "systems").exists() and "seeds" not in ran.stdout


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_fine_tuning_a_packed_model(files, tmp_path, subword):
    pytest.importorskip("fairseq")
    names = [
        "names_x_en",
        "--languages",
        "be,el",
        "--lines",
        60,
        "--work",
        tmp_path / "names",
        *SMALL,
    ]
    recipe(*names, "bbpe_1k_gru")
    archive = tmp_path / "xen.tar.gz"
    subword("package-model", tmp_path / "names" / "systems" / "bbpe_1k_gru", "-o", archive)
    work = tmp_path / "work"
    call = ["own", *given(files, "train", "valid", "test"), "--work", work]
    small = SMALL[:7]
    ran = recipe(*call, "--parent", archive, "--systems", "zero_shot,enc,all,scratch", *small)
    cells = {
        line.split()[0]: line.split()[1]
        for line in ran.stdout[ran.stdout.index("After xen.tar.gz") :].splitlines()
        if line.startswith(("zero_shot ", "enc ", "all ", "scratch "))
    }
    trained = {name: int(count.replace(",", "")) for name, count in cells.items()}
    assert trained["zero_shot"] == 0 < trained["enc"] < trained["all"] == trained["scratch"]
    assert (work / "significance" / "enc.all.json").exists()


def test_the_parts_of_a_parent_are_named(files, tmp_path):
    pytest.importorskip("fairseq")
    child = OwnChild()
    with pytest.raises(ValueError, match="they are zero_shot, enc, enc_dec"):
        child._system("frequency-8k", "bbpe", {}, "enc")
    system = child._system("enc_dec", "bbpe", {"encoder_layers": 3, "activation_fn": "relu"}, "enc")
    assert "task.finetune=enc+dec" in system.flags("set")
    assert "model.encoder_layers=3" in system.flags("set")
    assert '+model.activation_fn="relu"' in system.flags("set")
