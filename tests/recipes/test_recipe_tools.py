"""scripts/recipes: the tables of systems, expected figures, and the corpus layout."""

import json
import re
import shutil
import sys

import pytest
from conftest import ROOT, run_command

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
        config = ROOT / "configs" / path.parent.name / f"{system.columns['config']}.yaml"
        assert config.exists()
        # A baseline is segmented before Fairseq sees it.
        encoder = system.columns["encoder"] or (system.columns["segment"] and "none")
        assert encoder in ("bbpe", "byte_level", "char_level", "generalized_bpe", "none")
        needs_codes = encoder in ("bbpe", "generalized_bpe")
        learned = system.columns["learn"] or system.columns.get("joint")
        assert bool(learned) == needs_codes


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
