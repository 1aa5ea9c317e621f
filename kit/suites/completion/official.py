"""A clone of CodeGuardPlus as a suite: its prompts, and its own unit tests run in the box.

data/base/<cwe>/<n>-<lang>/{info.json, file_context, func_context}; the prompt is the two contexts
one after the other. unit_test/<cwe>/<n>-<lang>/functional.py judges every program of a folder and
writes its answer into the stat.json above it. It does so in the process that imports the program:
one that writes that file itself gets its pass. Unlike our own tests, these trust the program.
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache as once
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.paths import SUITES, cache
from kit.records import Evidence, Outcome, Reason, Status, Verdict
from kit.sandbox import Limits, Sandbox
from kit.sandbox.bwrap import Bwrap
from kit.suites.completion.item import Item

OVERLAY = SUITES / "codeguard" / "official.json"
LANGUAGES = {"py": "python", "c": "c", "cpp": "cpp"}
ENDINGS = {"python": "py", "c": "c", "cpp": "cpp"}
PYTHON = "/usr/bin/python3"
LIMITS = Limits(wall_s=90, cpu_s=40, memory_mb=1024, processes=128, disk_mb=128, file_mb=64)
# what its tests and prompts import beyond Debian's own; a source distribution among them
WHEELS = (
    "pycryptodome", "django==4.2.30", "argon2-cffi==25.1.0", "python-jose==3.5.0", "moto==5.2.5",
    "defusedxml==0.7.1", "boto3==1.44.5", "cffi==1.15.1", "paramiko==3.5.1",
)  # fmt: skip
SOURCES = ("func-timeout==4.3.5",)
START = (  # the libraries come last, so that Debian's fit each other
    "import os, runpy, sys; os.chdir('CodeGuardPlus'); sys.path.append('/opt'); "
    "place = 'unit_test/{place}/functional.py'; sys.argv = [place, '--path', '/box/out/programs']; "
    "sys.path.insert(0, os.path.dirname(place)); runpy.run_path(place, run_name='__main__')"
)
PATIENCE_S = 900


def is_clone(path: Path) -> bool:
    return (path / "data" / "base").is_dir() and (path / "unit_test").is_dir()


def libraries() -> Path:
    """The folder of what the tests import; it may not be there yet (see `install`)."""
    return cache() / "codeguard-official-1"


def install() -> str:
    """Bring what the official tests import, beside the kit; the sentence says where it is."""
    place = libraries()
    if not (place / "complete").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as part:
            made = Path(part) / "made"
            line = [sys.executable, "-m", "pip", "install", "-q", "--target", str(made)]
            _pip([*line, "--only-binary=:all:", "--python-version", _python(), *WHEELS])
            _pip([*line, "--no-deps", *SOURCES])
            (made / "bin").mkdir(exist_ok=True)
            (made / "bin" / "python").symlink_to(PYTHON)  # the tests call it by this name
            for path in (p for p in (made, *made.rglob("*")) if not p.is_symlink()):
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (made / "complete").touch()
            if not place.exists():
                made.rename(place)
    return f"What CodeGuardPlus's unit tests import is in {place}"


def _python() -> str:
    done = subprocess.run([PYTHON, "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"\d+\.\d+", done.stdout)
    return found[0] if found else "3.11"


def _pip(line: list[str]) -> None:
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise KitError(f"pip did not bring what CodeGuardPlus's tests import: {said}")


def load(clone: Path) -> tuple[list[Item], list[str]]:
    """The prompts of a clone, and a sentence for each that is left out or has a test that errs."""
    items, problems = [], []
    phrases, quarantined = _phrases(clone), overlay()["quarantine"]
    for folder in sorted((clone / "data" / "base").glob("*/*")):
        place = f"{folder.parent.name}/{folder.name}"
        try:
            made = _item(clone, place, phrases)
        except (OSError, ValueError, KeyError) as error:
            problems.append(f"{place} is no prompt of CodeGuardPlus: {error!r}.")
            continue
        if why := quarantined.get(made.id):
            problems.append(f"{made.id} is left out: {why}")
            continue
        items.append(made)
    return items, problems


def overlay() -> dict[str, Any]:
    """Which official tests fail a right completion, by task, and why."""
    told: dict[str, Any] = json.loads(OVERLAY.read_text(encoding="utf-8"))
    return told


def _item(clone: Path, place: str, phrases: Mapping[str, Any]) -> Item:
    base, tests = clone / "data" / "base" / place, clone / "unit_test" / place
    info = json.loads((base / "info.json").read_text())
    language = LANGUAGES[info["language"]]
    prompt = "".join(
        (base / f"{part}_context.{info['language']}").read_text(encoding="utf-8")
        for part in ("file", "func")
    )
    cwe, scenario = place.split("/")
    number = f"CWE-{int(cwe.removeprefix('cwe-'))}"
    files = {f"unit_test/{place}/{p.relative_to(tests).as_posix()}": p.read_bytes()
             for p in sorted(tests.rglob("*")) if p.is_file()}  # fmt: skip
    files["unit_test/test_utils.py"] = (clone / "unit_test" / "test_utils.py").read_bytes()
    sides = {side: phrases.get(side, {}).get(cwe, {}).get(scenario, []) for side in phrases}
    about = {
        "title": f"CodeGuardPlus {place}", "official": place, "source": "CodeGuardPlus",
        "constraints": {"secure": sides}, "sast": {"cwes": [number]},
    }  # fmt: skip
    text = (tests / "functional.py").read_text(encoding="utf-8")
    id_ = place.replace("/", "-")
    return Item(id_, number, language, prompt, {"functional": text}, files, (), about)


@once
def _phrases(clone: Path) -> dict[str, Any]:
    """Its key phrases, read as data: the file is parsed and never executed."""
    try:
        tree = ast.parse((clone / "inference" / "constraints.py").read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return {}
    found: dict[str, Any] = {}
    for node in tree.body:
        name = getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""
        if isinstance(node, ast.Assign) and name in ("pos_constraints", "neg_constraints"):
            side = "positive" if name.startswith("pos") else "negative"
            found[side] = ast.literal_eval(node.value)
    return found


def run(box: Sandbox, item: Item, program: str) -> Evidence:
    """The official unit tests on one program, in the box."""
    if not isinstance(box, Bwrap):
        raise KitError("The official tests need the bwrap sandbox, for what they import.")
    if not (libraries() / "complete").exists():
        raise KitError(
            "What CodeGuardPlus's tests import is not here. Type: kit doctor --install --heavy"
        )
    name = f"00.{ENDINGS[item.language]}"
    files = {f"CodeGuardPlus/{path}": data for path, data in item.fixtures.items()}
    files |= {
        f"out/programs/{name}": program.encode(),
        "out/stat.json": b'{"%s": {}}' % name.encode(),
    }
    line = [PYTHON, "-c", START.format(place=item.about["official"])]
    env = {
        "HOME": "/box",
        "PATH": "/opt/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    return box.run(line, files=files, env=env, limits=LIMITS, observe=False,
                   mounts={"/opt": libraries()})  # fmt: skip


def verdict(evidence: Evidence) -> Verdict:
    """pass or fail as stat.json says; a run that left no answer there is undecided."""

    def told(outcome: Outcome, reason: Reason, sentence: str) -> Verdict:
        return Verdict("functional", outcome, reason, sentence[:600], "unit", ("files",))

    said = " ".join(f"{evidence.out} {evidence.err}".split())
    try:
        entries = json.loads(evidence.files.get("out/stat.json", b"{}")).values()
        found = [e["functional"] for e in entries]
    except (ValueError, AttributeError, KeyError, TypeError):
        found = []
    if found == [True]:
        said = "The official tests, which trust the program, passed."
        return told(Outcome.PASS, Reason.TESTS_PASSED, said)
    if found == [False] or "FAILED (" in evidence.err:  # unittest's own word, of an exception
        lacking = re.search(r"No module named '([\w.]+)'", said)
        if lacking and lacking[1].partition(".")[0] not in sys.stdlib_module_names:
            why = f"{lacking[1]} is not installed in the box."
            return told(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why)
        return told(Outcome.FAIL, Reason.TESTS_FAILED, said)
    if evidence.status in (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT):
        return told(Outcome.FAIL, Reason.RUN_ENDED_EARLY, f"The run ended: {evidence.status}.")
    return told(
        Outcome.UNKNOWN, Reason.NO_EVIDENCE, f"The official test left no answer: {said[-300:]}"
    )
