"""scripts/fuzz.sh: its options, and what it says where clang is missing."""

import re
import shutil

from conftest import ROOT, run_command

SCRIPT = ROOT / "scripts" / "fuzz.sh"
FOLDER = ROOT / "tests" / "fuzz"


def refusal(*arguments, **env):
    process = run_command("bash", SCRIPT, *arguments, check=False, env=env)
    assert process.returncode == 1 and process.stderr.count("\n") == 1
    return process.stderr


def test_every_target_has_seeds():
    listed = run_command("bash", SCRIPT, "--list").stdout.split()
    sources = "".join(path.read_text("utf-8") for path in FOLDER.glob("*_targets.cpp"))
    registered = re.findall(r"kAll\[\] = \{(.*)\};", sources)
    assert sorted(listed) == sorted(re.findall(r'"(\w+)"', " ".join(registered)))
    assert all(any((FOLDER / "seeds" / target).iterdir()) for target in listed)


def test_wrong_options(tmp_path):
    assert refusal("--nonsense") == "error: unknown option: --nonsense (see --help)\n"
    assert refusal("codecs").startswith("error: unknown target: codecs (known: byte_text ")
    assert refusal("--minutes", "x") == "error: --minutes must be a number above 0, not 'x'\n"


def test_without_clang(tmp_path):
    for tool in "bash", "dirname", "awk", "sed", "cat":
        (tmp_path / tool).symlink_to(shutil.which(tool))
    assert refusal("--out", tmp_path / "out", PATH=str(tmp_path)) == (
        "error: clang++ with libFuzzer is needed (Debian: apt-get install clang libclang-rt-14-dev)\n"
    )
