"""scripts/recipes: the tables of systems, expected figures, scores, and the corpus layout."""

import json
import re
import shutil
import sys

import pytest
from conftest import ROOT, run_command
from sacrebleu.metrics import BLEU

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
from corpus_files import find_languages, read_lines, read_pairs, write_pairs
from expect import agrees, measure, read_expected
from systems import read_systems
from table import table

TOOLS = ROOT / "scripts" / "recipes"

SYSTEMS = (
    "system\trow\tlearn\tfigure:de\tfigure:all\none\tBPE+\t-s 5 -t\t31.5\t-\ntwo\t-\t-\t-\t2.0\n"
)


@pytest.fixture
def systems(tmp_path):
    path = tmp_path / "systems.tsv"
    path.write_text("# a comment\n\n" + SYSTEMS, encoding="utf-8")
    return path


def tool(name, *arguments, **options):
    return run_command(sys.executable, TOOLS / name, *arguments, **options)


def test_a_row_becomes_shell_variables(systems):
    printed = tool("systems.py", systems, "one").stdout
    assert printed == "SYSTEM_row=BPE+\nSYSTEM_learn='-s 5 -t'\n"
    process = tool("systems.py", systems, "three", check=False)
    assert process.returncode == 1 and "no system 'three'" in process.stderr
    assert "one, two" in process.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\na\n", "expected a header with the column 'system'"),
        ("system\ta\nx\n", r":2: 1 columns, the header has 2"),
        ("system\nx\nx\n", r":3: the system x is listed twice"),
        ("system\n../x\n", r":2: '../x' cannot be the name"),
    ],
)
def test_a_broken_table_of_systems(tmp_path, text, message):
    path = tmp_path / "systems.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_systems(path)


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("*/systems.tsv")), ids=str)
def test_the_recipes_systems_have_their_configurations(path):
    for system in read_systems(path):
        # A row with a parent may be that model unchanged, and uses the parent's codes.
        from_parent = "start" in system.columns
        config = ROOT / "configs" / path.parent.name / f"{system.columns['config']}.yaml"
        assert config.exists() or (from_parent and not system.columns["config"])
        # A baseline is segmented before Fairseq sees it.
        encoder = system.columns["encoder"] or (system.columns["segment"] and "none")
        assert encoder in ("bbpe", "byte_level", "char_level", "generalized_bpe", "none")
        needs_codes = encoder in ("bbpe", "generalized_bpe")
        learned = system.columns["learn"] or system.columns.get("joint")
        assert bool(learned) == needs_codes or (from_parent and needs_codes)


def test_the_table_shows_results_beside_the_papers(systems, tmp_path):
    folder = tmp_path / "systems" / "one"
    folder.mkdir(parents=True)
    record = {
        "figures": {"de": {"BLEU": 12.345}, "all": {"BLEU": 1}},
        "signatures": {"BLEU": "sig"},
    }
    (folder / "scores.json").write_text(json.dumps(record), encoding="utf-8")
    lines = table(read_systems(systems), tmp_path, [])
    assert [line.split() for line in lines] == [
        ["de", "all"],
        ["BPE+", "paper", "31.5", "-"],
        ["here,", "BLEU", "12.35", "1.00"],
        ["two", "paper", "-", "2.0"],
        ["here:", "not", "run", "-", "-"],
        ["BLEU:", "sig"],
    ]
    where = [systems, "--work", tmp_path, "--where"]
    printed = tool("table.py", *where, "row=BPE+").stdout
    assert "12.35" in printed and "two" not in printed
    process = tool("table.py", *where, "row=BPE", check=False)
    assert process.returncode == 1 and "--where row=BPE: no row of" in process.stderr
    (folder / "scores.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="not the scores of a recipe"):
        table(read_systems(systems), tmp_path, [])


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("213K", 213_499, True), ("213K", 213_501, False), ("5.1M", 5_149_000, True),
        ("5.1M", 5_151_000, False), ("6,969", 6969, True), ("6,969", 6970, False),
        ("126", 126.4, True), ("126", 126.6, False),
    ],
)  # fmt: skip
def test_a_figure_agrees_within_its_rounding(expected, found, same):
    assert agrees(expected, found) is same


def test_expected_figures_are_measured(tmp_path):
    (tmp_path / "train.a-en.en").write_bytes("a b a\nc\u2028 d".encode())
    (tmp_path / "train.b-en.en").write_bytes(b"a\n")
    path = tmp_path / "expected.tsv"
    rows = [("lines", 3), ("tokens", 6), ("types", 4), ("length", 2.0)]
    path.write_text(
        "# comment\n" + "".join(f"x\ttrain.*.en\t{name}\t1K\n" for name, _ in rows), "utf-8"
    )
    found = [measure(tmp_path, row) for row in read_expected(path)]
    assert found == [value for _, value in rows]
    assert measure(tmp_path, read_expected(path)[0]._replace(files="train.a-en.en none")) is None
    printed = tool("expect.py", path, "--in", tmp_path).stdout
    assert printed.split("\n")[1].split() == ["x", "lines", "1K", "3", "differs"]
    path.write_text("x\ty\tlines\tmany\n", "utf-8")
    with pytest.raises(ValueError, match=r":1: expected a measure .* found 'lines' and 'many'"):
        read_expected(path)


def test_the_corpus_layout(tmp_path):
    pairs = [("ein\u2028e", "one"), ("", "two")]
    write_pairs(tmp_path, "train", "de", pairs)
    assert read_pairs(tmp_path, "train", "de") == pairs
    assert find_languages(tmp_path, "train") == ["de"]
    with pytest.raises(ValueError, match=r"no test\.xx-en\.en file"):
        find_languages(tmp_path, "test")
    (tmp_path / "train.de-en.en").write_bytes(b"one\r\n")
    assert read_lines(tmp_path / "train.de-en.en") == ["one"]
    with pytest.raises(ValueError, match=r"has 2 lines, .* has 1"):
        read_pairs(tmp_path, "train", "de")
    (tmp_path / "train.de-en.en").write_bytes(b"one\nt\rwo\n")
    with pytest.raises(ValueError, match=r"en:2: a carriage return"):
        read_pairs(tmp_path, "train", "de")


def test_a_part_of_a_corpus_is_copied(tmp_path):
    (tmp_path / "all").mkdir()
    for split, language in (("train", "de"), ("valid", "de"), ("test", "de"), ("train", "si")):
        write_pairs(tmp_path / "all", split, language, [("x", "y")] * 5)
    part = ["--corpus", tmp_path / "all", "--out", tmp_path / "part", "--train-lines", 2]
    printed = tool("copy_corpus.py", *part).stdout
    rows = [line.split() for line in printed.splitlines()[1:]]
    assert rows == [["de", "2", "5", "5"], ["si", "2", "0", "0"], ["all", "4", "5", "5"]]
    assert not (tmp_path / "part" / "test.si-en.si").exists()
    tool("copy_corpus.py", *part, "--languages", "si")
    assert find_languages(tmp_path / "part", "train") == ["si"]
    process = tool("copy_corpus.py", *part, "--languages", "si,xx", check=False)
    assert "no xx in" in process.stderr and process.returncode == 1


@pytest.fixture
def generated(tmp_path):
    """Two languages; Fairseq numbers them consecutively, and its lines come in any order."""
    write_pairs(tmp_path, "test", "de", [("x", "a b c d e"), ("x", "f g h i j")])
    write_pairs(tmp_path, "test", "si", [("x", "it &apos;s a test , isn &apos;t it ?")])
    (tmp_path / "out").write_text(
        "D-2\t-0.1\tit &apos;s a test , wasn &apos;t it ?\nD-0\t-0.1\ta b c d e\nD-1\t-0.1\tf g h i k\n",
        encoding="utf-8",
    )
    (tmp_path / "ids").write_text("de\t0\t2\nsi\t2\t1\n", encoding="utf-8")
    return tmp_path


def score(folder, *arguments, **options):
    return tool(
        "score_x_en.py", "--system", folder / "out", "--language-ids", folder / "ids",
        "--corpus", folder, "--json", folder / "scores.json", *arguments, **options,
    )  # fmt: skip


def test_scores_of_each_language_and_over_all(generated):
    printed = score(generated, "--seed", 7).stdout
    record = json.loads((generated / "scores.json").read_text("utf-8"))
    bleu = BLEU()
    german = bleu.corpus_score(["a b c d e", "f g h i k"], [["a b c d e", "f g h i j"]]).score
    assert record["figures"]["de"]["BLEU"] == german
    assert set(record["figures"]) == {"de", "si", "all"}
    assert record["lines"] == {"de": 2, "si": 1, "all": 3}
    assert record["seed"] == 7
    assert f"BLEU: {record['signatures']['BLEU']}" in printed
    assert f"{german:.2f}" in printed


def test_moses_tokens_are_scored_as_they_are_and_detokenized(generated):
    pytest.importorskip("sacremoses")
    score(generated, "--moses")
    record = json.loads((generated / "scores.json").read_text("utf-8"))
    hypothesis, reference = (
        "it &apos;s a test , wasn &apos;t it ?",
        "it &apos;s a test , isn &apos;t it ?",
    )
    as_is = BLEU(tokenize="none", force=True).corpus_score([hypothesis], [[reference]]).score
    plain = BLEU().corpus_score(["it's a test, wasn't it?"], [["it's a test, isn't it?"]]).score
    assert record["figures"]["si"]["tokenized BLEU"] == as_is
    assert record["figures"]["si"]["BLEU"] == pytest.approx(plain)
    assert "tok:none" in record["signatures"]["tokenized BLEU"]
    assert "tok:13a" in record["signatures"]["BLEU"]


def test_other_files_than_were_translated_are_refused(generated):
    write_pairs(generated, "test", "si", [("x", "y")] * 2)
    process = score(generated, check=False)
    assert process.returncode == 1
    assert "has 2 lines, but 1 were translated" in process.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("**/*.sh")), ids=str)
def test_no_setting_is_a_variable_that_bash_sets(path):
    """Bash sets LINES and COLUMNS to the terminal's size in every script."""
    code = [line for line in path.read_text().split("\n") if not line.lstrip().startswith("#")]
    assert not re.search(r"\b(LINES|COLUMNS|SECONDS|RANDOM|GROUPS)\b", "\n".join(code))


@pytest.mark.parametrize(
    "recipe", [path.parent.name for path in sorted((ROOT / "scripts").glob("*/systems.tsv"))]
)
def test_help_needs_no_environment(recipe, tmp_path):
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    run = tmp_path / "scripts" / recipe / "run.sh"
    process = run_command("bash", run, "--help", env={"PYTHON_BIN": "", "PYTHON": "/nowhere"})
    assert f"bash scripts/{recipe}/run.sh" in process.stdout and not process.stderr
    assert not (tmp_path / ".venv").exists() and not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["context_study", "--nonsense"], "unknown option: --nonsense"),
        (["context_study", "bytes"], "unknown option: bytes"),
        (["context_study", "--updates"], "--updates needs a value"),
        (["context_study", "--corpus", "/nowhere"], "/nowhere: no such folder"),
        (["transfer_study", "--seeds", "1"], "--corpus DIR is needed"),
        (["transfer_study", "--corpus", ".", "--extra", "x"], "expected NAME=PREFIX, found x"),
        (["transfer_study", "--corpus", ".", "--only", "x"], "prepare, parent or child, found x"),
    ],
)
def test_wrong_options_of_a_study(arguments, message, tmp_path):
    run = ROOT / "scripts" / arguments[0] / "run.sh"
    process = run_command("bash", run, *arguments[1:], cwd=tmp_path, check=False)
    assert process.returncode == 1 and not process.stdout
    assert message in process.stderr and process.stderr.count("\n") == 1


def test_options_become_variables(tmp_path):
    """Values with spaces and quotes are unchanged; a repeatable option becomes an array."""
    script = tmp_path / "script.sh"
    script.write_text(
        f"""source {ROOT}/scripts/env.sh; source {ROOT}/scripts/recipes/steps.sh
a_b=default other=default extra=()
read_options "a-b other extra+" "$@"
printf '%s|' "$a_b" "$other" "$CPU" "${{extra[@]}}"
""",
        encoding="utf-8",
    )
    arguments = ["--extra", "x y", "--a-b", "$(echo 1) 'q'", "--cpu", "--extra", 'z"']
    process = run_command("bash", "-eu", script, *arguments)
    assert process.stdout == """$(echo 1) 'q'|default|1|x y|z"|"""
