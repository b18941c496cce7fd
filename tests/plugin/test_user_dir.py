"""The plug-in registers under any path and whatever was imported first."""

import json
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import PACKAGE, ROOT, run_command

# Does what Fairseq's commands do with --user-dir, then looks into every registry.
LOAD = """
import sys
{before}
from argparse import Namespace
from fairseq.utils import import_user_module
for path in {paths!r}:
    import_user_module(Namespace(user_dir=path))
import fairseq_subword_ext
from fairseq.registry import REGISTRIES
from fairseq.models import ARCH_MODEL_REGISTRY
from fairseq.tasks import TASK_REGISTRY
from fairseq_subword_ext import encoders, models, tasks
for names, registry in (
    (encoders.NAMES, REGISTRIES["bpe"]["registry"]),
    (models.NAMES, ARCH_MODEL_REGISTRY),
    (tasks.NAMES, TASK_REGISTRY),
):
    for name in names:
        assert registry[name].__module__.startswith("fairseq_subword_ext."), (name, registry[name])
loaded = [m for m in sys.modules if m.startswith("fairseq_subword_ext.tasks.")]
print("registered", len(loaded), fairseq_subword_ext.__file__)
"""


def load(paths, before="", cwd=None, env=None, check=True):
    return run_command(sys.executable, "-c", script(paths, before), cwd=cwd, env=env, check=check)


def script(paths, before=""):
    return LOAD.format(paths=[str(path) for path in paths], before=before)


# Imports Fairseq once, which takes seconds, and runs each script in a copy of itself.
FORKING = """
import json, os, sys, tempfile, traceback
import fairseq.tasks
for line in sys.stdin:
    cwd, script = json.loads(line)
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            for number in 1, 2:
                os.dup2(output.fileno(), number)
            status = 1
            try:
                os.chdir(cwd)
                exec(script, {"__name__": "__main__"})
                status = 0
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(status)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        print(json.dumps([status, output.read()]), flush=True)
"""


@pytest.fixture(scope="module")
def load_after_fairseq():
    """As ``load``, in a process that has imported Fairseq and nothing of this package."""
    command = [sys.executable, "-c", FORKING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:

        def run(paths, before="", cwd=ROOT):
            """Returns whether it succeeded, and what it printed."""
            print(json.dumps([str(cwd), script(paths, before)]), file=process.stdin, flush=True)
            status, output = json.loads(process.stdout.readline())
            return status == 0, output

        yield run
        process.stdin.close()


@pytest.fixture(autouse=True)
def needs_fairseq():
    pytest.importorskip("fairseq")


@pytest.mark.parametrize(
    "form", ["absolute", "trailing slash", "relative", "symbolic link", "another name"]
)
def test_every_form_of_the_path(form, load_after_fairseq, tmp_path):
    path = {
        "absolute": PACKAGE,
        "trailing slash": f"{PACKAGE}/",
        "relative": "fairseq_subword_ext",
        "symbolic link": tmp_path / "fairseq_subword_ext",
        "another name": tmp_path / "subword_plugin",
    }[form]
    if form in ("symbolic link", "another name"):
        path.symlink_to(PACKAGE)
    cwd = ROOT if form == "relative" else tmp_path
    succeeded, output = load_after_fairseq([path], cwd=cwd)
    assert succeeded and "registered" in output, output


@pytest.mark.parametrize(
    "before", ["import fairseq_subword_ext", "import fairseq_subword_ext as p; p.register()"]
)
def test_a_link_with_another_name_is_the_same_package(before, tmp_path):
    link = tmp_path / "subword_plugin"
    link.symlink_to(PACKAGE)
    assert "registered" in load([link], before=before, cwd=tmp_path).stdout


def test_a_package_imported_before_fairseq_registers_when_user_dir_is_read(tmp_path):
    # Fairseq skips a module that is already imported; without our __path__ nothing would register.
    assert "registered" in load([PACKAGE], before="import fairseq_subword_ext", cwd=tmp_path).stdout


def test_several_paths_to_one_folder_register_once(load_after_fairseq, tmp_path):
    link = tmp_path / "fairseq_subword_ext"
    link.symlink_to(PACKAGE)
    other = tmp_path / "other_name"
    other.symlink_to(PACKAGE)
    succeeded, output = load_after_fairseq([PACKAGE, link, other], cwd=tmp_path)
    assert succeeded and "registered" in output, output


def test_register_is_idempotent():
    code = (
        "import fairseq_subword_ext as p; p.register(); p.register();"
        "import fairseq; p.register(); print('ok')"
    )
    assert run_command(sys.executable, "-c", code).stdout == "ok\n"


def test_a_renamed_copy_is_refused_with_advice(load_after_fairseq, tmp_path):
    renamed = tmp_path / "renamed"
    shutil.copytree(PACKAGE, renamed, ignore=shutil.ignore_patterns("__pycache__"))
    succeeded, output = load_after_fairseq([renamed], cwd=tmp_path)
    assert not succeeded and "must be called fairseq_subword_ext" in output


def test_another_checkout_is_refused_by_fairseq(tmp_path):
    copy = tmp_path / "elsewhere" / "fairseq_subword_ext"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    process = load([copy], before="import fairseq_subword_ext", cwd=tmp_path, check=False)
    assert process.returncode != 0
    assert "not globally unique" in process.stderr


def test_a_folder_called_fairseq_in_the_working_directory_is_harmless(tmp_path):
    (tmp_path / "fairseq").mkdir()
    assert "registered" in load([PACKAGE], cwd=tmp_path).stdout


def test_import_needs_neither_fairseq_nor_torch(tmp_path):
    code = (
        "import sys, fairseq_subword_ext, fairseq_subword_ext.cli.main\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'fairseq', 'torch'}))"
    )
    assert run_command(sys.executable, "-c", code, cwd=tmp_path).stdout == "[]\n"


def test_missing_fairseq_names_the_tested_versions():
    code = "import sys; sys.modules['fairseq'] = None\nimport fairseq_subword_ext.fairseq_compat as c\nc.register_all()"
    process = run_command(sys.executable, "-c", code, check=False)
    assert "Tested: ve-fairseq 0.12.3 or fairseq-fixed 0.12.3.1" in process.stderr


def test_a_name_taken_by_another_plugin_is_refused(load_after_fairseq, tmp_path):
    from fairseq_subword_ext import tasks

    if not tasks.NAMES:
        pytest.skip("no task registers")
    before = (
        "from fairseq.tasks import register_task, LegacyFairseqTask\n"
        f"@register_task({tasks.NAMES[0]!r})\nclass Foreign(LegacyFairseqTask):\n    pass\n"
    )
    succeeded, output = load_after_fairseq([PACKAGE], before=before, cwd=tmp_path)
    # fairseq-fixed silently keeps the first task, so we refuse; fairseq 0.12.2 refuses by itself.
    assert not succeeded and "multilingual_x_en" in output.splitlines()[-1]


def test_names_are_not_fairseqs_own():
    # A name that Fairseq already has would break every run with the plug-in.
    from fairseq_subword_ext import encoders

    own = {"bytes", "characters", "byte_bpe", "subword_nmt", "sentencepiece", "gpt2", "bert"}
    own |= {"fastbpe", "hf_byte_bpe"}
    assert not own & set(encoders.NAMES)


def test_user_dir_prints_the_package_folder(subword):
    assert subword("user-dir").stdout.strip() == str(PACKAGE)


# In place of a compiler, since the core was compiled when this environment was installed.
COMPILED_BEFORE = """#!/bin/sh
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then cp "$CORE" "$2"; fi
  shift
done
"""


@pytest.fixture
def compiler(tmp_path):
    """Environment variables with which a build takes the core that there is."""
    core = pytest.importorskip("fairseq_subword_ext._native").__file__
    path = tmp_path / "compiler"
    path.write_text(COMPILED_BEFORE, encoding="utf-8")
    path.chmod(0o755)
    return {"CC": str(path), "CXX": str(path), "CORE": core}


@pytest.mark.slow
def test_works_from_an_installed_wheel(compiler, tmp_path):
    # The folder of an installed wheel works as --user-dir. It is built from a copy, in which files that no
    # compiler wrote do not matter.
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(PACKAGE, source / PACKAGE.name, ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source)
    run_command(
        sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "-w", tmp_path, source, env=compiler,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        names = set(archive.namelist())
    assert {f"fairseq_subword_ext/reports/assets/page.{form}" for form in ("css", "js")} <= names
    assert not [name for name in names if name.endswith((".cpp", ".h"))]
    assert [name for name in names if name.startswith("fairseq_subword_ext/_native.")]
    path = site / "fairseq_subword_ext"
    process = load([path], cwd=tmp_path, env={"PYTHONPATH": str(site)})
    assert str(path) in process.stdout
