"""What holds for all scripts and recipes: shell settings, rows with configurations, the corpus layout."""

import re

import pytest
from conftest import ROOT, run_command
from recipes.engine.catalogue import load, names
from recipes.engine.systems import read_systems
from recipes.text.corpus_files import find_languages, read_lines, read_pairs, write_pairs

ENCODERS = ("bbpe", "byte_level", "char_level", "generalized_bpe", "sentencepiece")
TABLES = [name for name in names() if (load(name).home / "systems.tsv").exists()]


@pytest.mark.parametrize("name", TABLES)
def test_rows_have_their_configurations(name):
    recipe = load(name)
    for system in read_systems(recipe.home / "systems.tsv"):
        assert not system["config"] or recipe.config(system["config"]).exists()
        # A baseline is segmented before Fairseq sees it.
        assert (system["encoder"] in ENCODERS) != bool(system["segment"]), system.name
        if not system["parent"]:
            needs_codes = system["encoder"] not in ("", "byte_level", "char_level")
            assert bool(system["learn"]) == needs_codes, system.name


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
<<<<<<< HEAD
    "recipe", [path.parent.name for path in sorted((ROOT / "scripts").glob("*/systems.tsv"))]
)
def test_help_needs_no_environment(recipe, tmp_path):
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    run = tmp_path / "scripts" / recipe / "run.sh"
    process = run_command("bash", run, "--help", env={"PYTHON_BIN": "", "PYTHON": "/nowhere"})
    assert f"bash scripts/{recipe}/run.sh" in process.stdout and not process.stderr
    assert not (tmp_path / ".venv").exists() and not (tmp_path / "runs").exists()
=======
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
>>>>>>> main
