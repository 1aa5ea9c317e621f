"""The kit as a wheel: in a fresh environment and an empty folder it does what a checkout does."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from kit.core.paths import ROOT
from kit.sandbox import bwrap, watcher
from tests.support.commands import as_user
from tests.support.wire import Reply, Server

SPENT = "echo 1 > /proc/sys/user/max_user_namespaces && exec unshare -U --map-user=1000 "
BARRED = {  # a machine without what the sandbox needs, made of a namespace -> what is said
    "no user namespaces": (SPENT + '--map-group=1000 "$@"', "user namespaces"),
    "a single user": ('exec "$@"', "not root"),
}

CASE = "data/suites/codeguard/cwe-022-1-py"
ASKED = {  # suite -> a task of it, and what the model answers
    "dualgauge": ("k01", "data/labelled/dualgauge/own/k01/secure.py"),
    "codeguard": ("cwe-022-1-py", f"{CASE}/completions/realpath_check.py"),
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of an environment with the kit's wheel; what it depends on is the outer one's."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    assert wheel.stat().st_size < 28e6  # recorded runs are most of it
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin/python", "install", "-q"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return site


def kit(installed, folder, *words, before=(), program="kit"):
    command = [*before, *([str(installed.parents[2] / "bin" / program)] if program else []), *words]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def files(folder):
    return {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_a_wheel_demonstrates_itself_in_an_empty_folder(installed, tmp_path):
    before = files(installed / "kit/shipped")
    assert len(before) > 1000
    done = kit(installed, tmp_path, "demo", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    joint = {s["label"]: s["estimate"] for s in told["scores"] if s["metric"] == "secure-pass@1"}
    assert joint.pop("secure") == 1
    assert set(joint.values()) == {0}
    assert told["disagreements"] == []
    rows = (ROOT / "README.md").read_text().split("\n")
    (shown,) = (row for row in rows if row.startswith("    both "))
    assert shown.split()[1:7] == [str(told["both"][n]) for n in "n tp fp tn fn unknown".split()]
    assert "<script" in (tmp_path / "demo.html").read_text()
    assert {p.name for p in tmp_path.iterdir()} == {"demo.html", "runs"}
    listed = json.loads(kit(installed, tmp_path, "runs", "--json").stdout)
    assert {"demo", "labelled-dualgauge"} <= {row["run"] for row in listed}
    assert files(installed / "kit/shipped") == before


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide the compiler")
def test_a_wheel_watches_without_a_compiler(installed, tmp_path):
    hidden = f'mount --bind /dev/null "$(readlink -f {watcher.COMPILER})" && exec "$@"'
    code = (
        "from kit.sandbox.watcher import check_programs, load_programs; "
        "print(check_programs() or load_programs().identity)"
    )
    before = ["unshare", "-m", "sh", "-c", hidden, "sh"]
    done = kit(installed, tmp_path, "-c", code, program="python", before=before)
    assert done.stdout.strip() == watcher.load_programs().identity, done.stderr


@pytest.mark.slow
def test_notebooks_of_a_wheel_run_and_write_in_the_current_folder(installed, tmp_path):
    done = kit(installed, tmp_path, "reproduce", "dualgauge/table_3", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["mismatched"] == 0
    assert list((tmp_path / "papermill_runs").glob("table_3-*.ipynb"))
    assert list((tmp_path / "figures").glob("*.png"))
    done = kit(installed, tmp_path, "notebooks", "--json")
    assert json.loads(done.stdout)["notebooks"] > 30
    inner = tmp_path / "notebooks" / "explore"
    assert "labelled-dualgauge" in kit(installed, inner, "runs").stdout
    code = "from kit.core.paths import HOME, NOTEBOOKS; print(HOME, NOTEBOOKS)"
    said = kit(installed, inner, "-c", code, program="python").stdout
    assert said.split() == [str(tmp_path), str(tmp_path / "notebooks")]
    assert kit(installed, tmp_path, "notebooks").returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("unshare"), reason="type: apt-get install util-linux")
@pytest.mark.parametrize("case", BARRED)
def test_where_the_sandbox_cannot_be_nothing_is_run_or_scored(installed, tmp_path, case):
    script, sentence = BARRED[case]
    barred = ["unshare", "-Ur", "sh", "-c", script, "sh"]
    done = kit(installed, tmp_path, "demo", before=barred)
    if "unshare:" in done.stderr:
        pytest.skip(f"no namespace can be made here: {done.stderr}")
    assert done.returncode == 2, done.stdout + done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def ordinary(installed):
    """A folder that everybody can pass through, and what starts a program there as no root."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    if os.geteuid() != 0:
        yield folder, []
    else:
        shown = {"venv": installed.parents[2], "outer": sysconfig.get_path("purelib")}
        start = [f"PYTHONPATH={folder}/outer", str(folder / "venv/bin/python"), "-m", "kit.cli"]
        yield folder / "home", [*as_user(folder, **shown), *start]
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("setpriv"), reason="type: apt-get install util-linux")
@pytest.mark.parametrize("suite", ASKED)
def test_an_ordinary_user_runs_a_suite_of_a_wheel_in_an_empty_folder(installed, ordinary, suite):
    (folder, before), (task, answer) = ordinary, ASKED[suite]
    with Server([Reply(f"```python\n{(ROOT / answer).read_text()}```")]) as server:
        words = ["run", suite, "--only", task, "--model", "openai:any", "--base-url", server.openai]
        words = [*words, "--run", "mine", "--json"]
        words += ["--security", "exploit"] * (suite == "codeguard")  # an engine is not installed
        done = kit(installed, folder, *words, before=before, program="" if before else "kit")
    assert done.returncode == 0, done.stderr
    tests = json.loads(done.stdout)["tests"]
    assert {t["status"] for t in tests} == {"completed"}
    assert (folder / "runs" / "mine" / "run.sqlite").is_file()


@pytest.mark.parametrize(
    "facts", [("Darwin", "arm64"), ("Darwin", "x86_64"), ("Linux", "aarch64"), ("Windows", "AMD64")]
)
def test_another_system_or_processor_is_refused_with_a_sentence(facts):
    assert f"not {facts[0]} on {facts[1]}" in bwrap.missing(*facts)
    assert "Nothing was run or scored" in bwrap.missing(*facts)


def test_a_checkout_writes_where_it_always_did():
    from kit.core import paths

    assert not paths.INSTALLED
    assert paths.RUNS == ROOT / "data" / "runs"
    assert (
        paths.path_to_write(paths.REFERENCES)
        == paths.path_to_read(paths.REFERENCES)
        == paths.REFERENCES
    )
    assert Path(paths.NOTEBOOKS) == ROOT / "notebooks"
