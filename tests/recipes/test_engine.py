"""The engine of the recipes: rows, commands, steps and what is kept, sizes, corpus figures."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from recipe_helpers import recipe
from recipes.engine import sizes
from recipes.engine.catalogue import load, names
from recipes.engine.commands import ROOT, Extent, as_script, command, neutral
from recipes.engine.corpus import Expected, agrees, figures, measure
from recipes.engine.run import Run
from recipes.engine.runner import Runner, StepError
from recipes.engine.steps import Step, Training, merged
from recipes.engine.systems import choose, read_systems, write_systems
from recipes.engine.training import length_limit

from fairseq_subword_ext.checkpoints.recipe_run import parts_of_runs
from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

SYSTEMS = (
    "system\trow\tlearn\tfigure:de\tfigure:all\none\tBPE+\t-s 5 -t\t31.5\t-\ntwo\t-\t-\t-\t2.0\n"
)


@pytest.fixture
def systems(tmp_path):
    path = tmp_path / "systems.tsv"
    path.write_text("# a comment\n\n" + SYSTEMS, encoding="utf-8")
    return path


def test_rows(systems):
    one, two = read_systems(systems)
    assert (one.label, one.flags("learn"), one["no such column"]) == ("BPE+", ["-s", "5", "-t"], "")
    assert (two.label, two.figures) == ("two", {"de": "", "all": "2.0"})
    assert choose([one, two], ["two", "two"], "r") == [two]
    with pytest.raises(ValueError, match="r has no row 'tow'; did you mean two"):
        choose([one, two], ["tow"], "r")
    write_systems(systems, [one, two])
    assert read_systems(systems) == [one, two]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\na\n", "expected a tab-separated header with the column 'system'"),
        ("system\ta\nx\n", r":2: 1 columns, but the header has 2"),
        ("system\nx\nx\n", r":3: the system x is listed twice"),
        ("system\n../x\n", r":2: '../x' cannot be the name"),
    ],
)
def test_a_broken_table_of_systems(tmp_path, text, message):
    path = tmp_path / "systems.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_systems(path)


ENCODERS = ("bbpe", "byte_level", "char_level", "generalized_bpe", "sentencepiece")


def row_ids(value):
    return getattr(value, "name", value)


ROWS = [
    (name, row)
    for name in names()
    if name != "own"
    for row in load(name).systems(Run(ROOT / "none"))
]


@pytest.mark.parametrize(("name", "row"), ROWS, ids=row_ids)
def test_every_row_has_its_configuration_and_codes(name, row):
    made = load(name)
    assert row["config"] or row["parent"] or row["model"]
    assert not row["config"] or made.config(row["config"]).is_file()
    # A baseline is segmented before Fairseq sees it.
    assert (row["encoder"] in ENCODERS) != bool(row["segment"])
    if not row["parent"]:
        assert bool(row["learn"]) == (row["encoder"] not in ("", "byte_level", "char_level"))


def test_every_recipe_is_listed():
    printed = recipe().stdout
    for name in names():
        assert re.search(rf"^{name} ", printed, re.MULTILINE)
    assert "215K pairs" in printed and "bbpe_1k_gru" in printed


@pytest.mark.parametrize("name", names())
def test_a_recipe_has_four_files_and_a_title(name):
    made = load(name)
    assert made.name == name and made.title and made.paper and made.size
    assert (made.home / "README.md").is_file()


# Commands.


def test_a_script_takes_another_folder_and_quotes(tmp_path):
    work = tmp_path / "a folder"
    steps = [
        (
            "write",
            [work / "out"],
            [
                command("python", "-c", "import sys; print(sys.argv[1:])", work / "x y", "$HOME", f"{work}2",
                        f"{work}/a,{work}/b", "", stdout=work / "out" / "printed"),
                command("cp", work / "out" / "printed", work / "copy"),
            ],
        )
    ]  # fmt: skip
    script = as_script("a test", steps, work)
    assert str(work / "out") not in script
    other = tmp_path / "elsewhere"
    subprocess.run(["bash", "-c", script], check=True, env={**os.environ, "WORK": str(other)})
    printed = str([f"{other}/x y", "$HOME", f"{work}2", f"{other}/a,{other}/b", ""])
    assert (other / "copy").read_text().strip() == printed


def test_long_commands_keep_a_flag_and_its_value_together():
    arguments = [item for number in range(30) for item in (f"--flag-{number}", f"value-{number}")]
    script = as_script("t", [("s", [], [command("python", *arguments)])], ROOT / "runs")
    lines = [line for line in script.splitlines() if "--flag" in line]
    assert len(lines) > 5 and all(len(line) < 130 for line in lines)
    assert all(re.fullmatch(r"(python)?(\s+--flag-(\d+) value-\3)+( \\)?", line) for line in lines)


def test_settings_are_independent_of_the_folder_and_of_neutral_arguments(tmp_path):
    def settings(folder, workers, updates, **options):
        one = command(
            "python", folder / "x", *neutral("--workers", workers), Extent(f"u={updates}")
        )
        return one.settings(folder, **options)

    here, there = settings(tmp_path / "a", 1, 5), settings(tmp_path / "b", 2, 5)
    assert here == there == ["python", "$WORK/x", "u=5", ""]
    assert settings(tmp_path, 1, 5) != settings(tmp_path, 1, 6)
    assert settings(tmp_path, 1, 5, extent=False) == settings(tmp_path, 1, 6, extent=False)


# Steps.


def count(path):
    """A command that appends to a file, so that a test sees how often it ran."""
    return command("python", "-c", f"open({str(path)!r}, 'a').write('x')")


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.mark.parametrize("change", ["input", "setting", "output", "none", "touched"])
def test_a_step_is_kept_until_what_it_depends_on_changes(work, change):
    (work / "in").mkdir()
    (work / "in" / "a").write_text("1")

    def step(setting="1"):
        copy = command("cp", work / "in" / "a", work / "out")
        return Step("copy", [count(work / "runs"), copy, command("python", "-c", setting)],
                    [work / "in"], [work / "out"])  # fmt: skip

    Runner(work).run([step()])
    if change == "input":
        (work / "in" / "b").write_text("2")
    elif change == "output":
        (work / "out").write_text("changed")
    elif change == "touched":
        os.utime(work / "in" / "a", (1, 1))
    Runner(work).run([step("2" if change == "setting" else "1")])
    expected = "x" if change in ("none", "touched") else "xx"
    assert (work / "runs").read_text() == expected
    assert (work / "out").read_text() == "1"


def test_a_failed_step_names_its_log_and_runs_again(work, capsys):
    step = Step("break it", [command("python", "-c", "raise ValueError('no luck')")])
    with pytest.raises(
        StepError, match=r"^step 2 of 2: break it failed \(ValueError: no luck\); see"
    ) as error:
        Runner(work).run([Step("fine", [count(work / "runs")]), step])
    log = str(error.value).rpartition("see ")[2]
    assert "Traceback" in Path(log).read_text(encoding="utf-8")
    with pytest.raises(StepError):
        Runner(work).run([Step("fine", [count(work / "runs")]), step])
    assert (work / "runs").read_text() == "x"
    assert "step 1 of 2: fine (done before)" in capsys.readouterr().err


def test_a_step_that_writes_nothing_is_an_error(work):
    with pytest.raises(ValueError, match="lazy has not written"):
        Runner(work).run([Step("lazy", [command("python", "-c", "")], outputs=[work / "x"])])


def test_half_an_output_is_no_output(work):
    half = command(
        "python", "-c", "print('half', flush=True); raise SystemExit(3)", stdout=work / "out"
    )
    with pytest.raises(StepError):
        Runner(work).run([Step("half", [half], outputs=[work / "out"])])
    assert not (work / "out").exists()


def test_a_training_continues_or_starts_over(work):
    folder = work / "systems" / "x"

    def train(updates, seed):
        write = f"import pathlib; p = pathlib.Path({str(folder / 'checkpoint')!r}); p.write_text((p.read_text() if p.exists() else '') + 'x')"
        one = command("python", "-c", write, f"seed={seed}", Extent(f"updates={updates}"))
        step = Step("train x", [one], outputs=[folder / "checkpoint"], training=Training(folder))
        Runner(work).run([step])
        return (folder / "checkpoint").read_text()

    assert [train(4, 1), train(4, 1), train(6, 1), train(6, 2)] == ["x", "x", "xx", "x"]


def test_a_training_that_the_time_limit_ends_is_not_finished(work):
    folder = work / "systems" / "x"
    printed = (
        "Saved checkpoint x.pt (epoch 1 @ 7 updates, score 5) (writing took 1 seconds)\\n"
        "Stopping training due to cumulative_training_time: 0.1 > stop_time_hours: 0.1 hour(s)"
    )
    one = command("python", "-c", f"print('{printed}'); open('{folder}/checkpoint', 'w').close()")
    step = Step(
        "train x", [one], outputs=[folder / "checkpoint"], training=Training(folder, 50, minutes=1)
    )
    follow = Step("translate x", [count(work / "runs")], [folder / "checkpoint"])
    for _ in range(2):
        runner = Runner(work)
        runner.run([step, follow])
        assert runner.cut_short == {"train x": "7 of 50 updates"}
        assert not runner.records.finished(step)
    assert (work / "runs").read_text() == "x"  # what follows is done, and kept


def test_steps_of_one_name_must_be_equal():
    one = Step("learn a", [command("python", "1")])
    assert merged([one, one]) == [one]
    with pytest.raises(ValueError, match="two different steps are called 'learn a'"):
        merged([one, Step("learn a", [command("python", "2")])])


# Sizes.


def learn(text, *flags):
    return Step(
        "learn x",
        [command("fairseq-subword", "learn-bpe", *flags, "-i", text, "-o", text.parent / "codes")],
    )


def test_sizes_before_learning(tmp_path):
    text = tmp_path / "text"
    text.write_text("ab ba\nabc\n", encoding="utf-8")
    # a and b inside words; a, b and c at their ends.
    (size,) = sizes.sizes([learn(text, "--total-symbols", "-s", 20)])
    assert (size.asked, size.base, size.merges) == (20, 5, 15)
    (size,) = sizes.sizes([learn(text, "-s", 20)])
    assert (size.base, size.merges) == (5, 20)
    (size,) = sizes.sizes([learn(text, "--unit", "byte", "--total-symbols", "-s", 512)])
    assert (size.base, size.merges) == (256, 256)
    (size,) = sizes.sizes([learn(tmp_path / "none", "--total-symbols", "-s", 20)])
    assert (size.base, size.merges) == (None, None)


def test_a_vocabulary_of_almost_no_merges_is_refused(tmp_path):
    text = tmp_path / "text"
    text.write_text(" ".join(chr(0x4E00 + number) for number in range(95)) + "\n", encoding="utf-8")
    with pytest.raises(
        ValueError,
        match=r"of the 100 symbols asked for, 95 are base symbols, which leaves 5 merges",
    ):
        sizes.check(learn(text, "--total-symbols", "-s", 100))
    sizes.check(learn(text, "--total-symbols", "-s", 106))
    sizes.check(learn(text, "-s", 100))


# What the paper says of the corpus.


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
    rows = [
        Expected("x", "train.*.en", name, "1K") for name in ("lines", "tokens", "types", "length")
    ]
    assert [measure(tmp_path, row) for row in rows] == [3, 6, 4, 2.0]
    assert measure(tmp_path, rows[0]._replace(files="train.a-en.en none")) is None
    assert figures(rows, tmp_path)[1].split() == ["x", "lines", "1K", "3", "differs"]


@pytest.mark.parametrize(
    ("flags", "limit"),
    [("", 200), ("--max-len-b 50", 50), ("--max-len-b 50 --max-len-a 1", None), ("--max-len-a 1 --max-len-a 0", 200)],
)  # fmt: skip
def test_the_limit_of_a_translations_length(flags, limit):
    assert length_limit(flags.split()) == limit


def test_seeds_and_ensembles_are_packed_by_their_row(tmp_path):
    systems = tmp_path / "systems"
    for name in ("one.seed2", "one.ensemble"):
        (systems / name).mkdir(parents=True)
    (tmp_path / "systems.tsv").write_text("system\tsegmentation\tencoder\none\tbytes\tbyte_level\n")
    best = "checkpoints/checkpoint_best.pt"
    parts = parts_of_runs([systems / "one.seed2"], None)
    assert parts.checkpoints == [systems / "one.seed2" / best] and parts.about["system"] == "one"
    with pytest.raises(ValueError, match="neither models nor scores"):
        parts_of_runs([systems / "one.ensemble"], None)
    record = SystemRecord("one.test", "x", "text", 1, {"seeds": "1+2"}, {})
    ScoreRecord({}, [record]).save(systems / "one.ensemble" / "detokenized.json")
    parts = parts_of_runs([systems / "one.ensemble"], None)
    assert parts.checkpoints == [systems / "one" / best, systems / "one.seed2" / best]
    (systems / "one.ensemble" / "models").mkdir()
    (systems / "one.ensemble" / "models" / "1.1.pt").touch()
    parts = parts_of_runs([systems / "one.ensemble"], None)
    assert [path.name for path in parts.checkpoints] == ["1.1.pt"]
