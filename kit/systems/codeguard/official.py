"""Reads a clone of CodeGuardPlus as a suite, and runs its unit tests in the sandbox.

A task is data/base/<cwe>/<n>-<lang>/{info.json, file_context, func_context}; its prompt is
file_context + func_context. unit_test/<cwe>/<n>-<lang>/functional.py judges every program in a
folder and writes the results to stat.json in the parent folder. It imports the program into its own
process, so a program may write stat.json itself: one that passes runs once more with a copy of the
test that cannot pass. Our own tests do not trust the program.
"""

import ast
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache as once
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.languages import parse_python
from kit.core.paths import SUITES, cache_root, read_json
from kit.core.records import Evidence, Status, Verdict
from kit.harness import cases, wheels
from kit.sandbox import Limits, Sandbox
from kit.sandbox.bwrap import Bwrap
from kit.systems.codeguard.item import CompletionItem, Labelled

OVERLAY = SUITES / "codeguard" / "official.json"
LANGUAGES = {"py": "python", "c": "c", "cpp": "cpp"}
ENDINGS = {"python": "py", "c": "c", "cpp": "cpp"}
LIMITS = Limits(wall_s=90, cpu_s=40, memory_mb=1024, processes=128, disk_mb=128, file_mb=64)
# imports of its tests and prompts that Debian lacks; SOURCES are source distributions
WHEELS = (
    "pycryptodome",
    "django==4.2.30",
    "argon2-cffi==25.1.0",
    "python-jose==3.5.0",
    "moto==5.2.5",
    "defusedxml==0.7.1",
    "boto3==1.44.5",
    "cffi==1.15.1",
    "paramiko==3.5.1",
)
SOURCES = ("func-timeout==4.3.5",)
START = (  # /opt comes last on the path, because Debian's packages match each other
    "import os, runpy, sys; os.chdir('CodeGuardPlus'); sys.path.append('/opt'); "
    "place = 'unit_test/{place}/functional.py'; sys.argv = [place, '--path', '/box/out/programs']; "
    "sys.path.insert(0, os.path.dirname(place)); runpy.run_path(place, run_name='__main__')"
)
# how each test says that a program passed, and what none of its readers takes for that
PASSING, FAILING = re.compile(rb"""(['"])Pass\1, *1"""), rb"'Fail', 0, 'turned'"
SIDES = {"pos_constraints": "positive", "neg_constraints": "negative"}
EMPTY, RIGHT = "an empty body", "a right completion"


def is_clone(path: Path) -> bool:
    return (path / "data" / "base").is_dir() and (path / "unit_test").is_dir()


def libraries() -> Path:
    """The folder of the packages that the tests import; `install` creates it."""
    return cache_root() / "codeguard-official-1"


def install() -> str:
    """Install the packages that the official tests import; returns a sentence with their folder."""

    def fill_folder(folder: Path) -> None:
        wheels.install_with_pip(folder, *WHEELS)
        wheels.install_with_pip(folder, "--no-deps", *SOURCES, sources=True)
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / "python").symlink_to(wheels.PYTHON)  # the tests call it by this name

    if not (libraries() / wheels.COMPLETE).exists():
        wheels.make_whole_folder(libraries(), fill_folder)
    return f"Packages for CodeGuardPlus's unit tests: {libraries()}"


def read_clone(clone: Path) -> tuple[list[CompletionItem], list[str]]:
    """The prompts of a clone, and a sentence for each that cannot be read."""
    items = []
    problems = []
    phrases = _read_phrases(clone)
    for folder in sorted((clone / "data" / "base").glob("*/*")):
        place = f"{folder.parent.name}/{folder.name}"
        try:
            items.append(_read_item(clone, place, phrases))
        except (OSError, ValueError, KeyError) as error:
            problems.append(f"{place} is no prompt of CodeGuardPlus: {error!r}.")
    return items, problems


def read_quarantine() -> dict[str, str]:
    """The tasks whose official test cannot be trusted, each with the reason."""
    reasons: dict[str, str] = read_json(OVERLAY)["quarantine"]
    return reasons


def make_labelled_completions(item: CompletionItem) -> tuple[Labelled, ...]:
    """An empty body, which must fail the tests, and a correct completion, which must pass them."""
    empty = Labelled(EMPTY, "\n" + _empty_body(item), "empty", "fail", "", "It does nothing.")
    right = read_json(OVERLAY)["right"].get(item.id)
    if right is None:
        return (empty,)
    return empty, Labelled(RIGHT, right, "secure_correct", "pass", "", "Written for this kit.")


def _empty_body(item: CompletionItem) -> str:
    """A completion that ends the prompt's function and does nothing."""
    if item.language != "python":
        return "}\n" * max(1, item.prompt.count("{") - item.prompt.count("}"))
    for depth in range(8):
        body = " " * 4 * depth + "pass\n"
        try:
            parse_python(f"{item.prompt}\n{body}")
        except SyntaxError:
            continue
        return body
    return "    pass\n"


def report_misjudgements(rows: pd.DataFrame) -> tuple[dict[str, Any], str]:
    """The official tests that pass an empty body or fail a correct program, or are quarantined."""
    differing = rows[rows["label"] != rows["outcome"]]
    misjudged = {row.task: f"{row.program}: {row.outcome}" for row in differing.itertuples()}
    quarantine = read_quarantine()
    present = set(rows["task"])
    quarantined = {task: quarantine[task] for task in quarantine if task in present}
    lines = []
    for task, outcome in misjudged.items():
        if task not in quarantined:
            lines.append(
                f"{task} misjudges what is right or empty ({outcome}), and is not quarantined."
            )
    for task, reason in quarantined.items():
        addition = "" if task in misjudged else ", and was right this time"
        lines.append(f"{task} is quarantined{addition}: {reason}")
    return {"misjudged": misjudged, "quarantined": quarantined}, "\n".join(lines)


def _read_item(clone: Path, place: str, phrases: Mapping[str, Any]) -> CompletionItem:
    base = clone / "data" / "base" / place
    tests = clone / "unit_test" / place
    info = json.loads((base / "info.json").read_text())
    language = LANGUAGES[info["language"]]
    prompt = ""
    for part in ("file", "func"):
        prompt += (base / f"{part}_context.{info['language']}").read_text(encoding="utf-8")
    cwe, scenario = place.split("/")
    number = f"CWE-{int(cwe.removeprefix('cwe-'))}"
    files = {}
    for path in sorted(tests.rglob("*")):
        if path.is_file():
            name = path.relative_to(tests).as_posix()
            files[f"unit_test/{place}/{name}"] = path.read_bytes()
    files["unit_test/test_utils.py"] = (clone / "unit_test" / "test_utils.py").read_bytes()
    sides = {side: phrases.get(side, {}).get(cwe, {}).get(scenario, []) for side in phrases}
    meant = read_query_weaknesses(info.get("check_ql")) or [number]
    about = {
        "title": f"CodeGuardPlus {place}",
        "official": place,
        "source": "CodeGuardPlus",
        "constraints": {"secure": sides},
        "sast": {"cwes": sorted({number, *meant}), "meant": meant},
    }
    text = (tests / "functional.py").read_text(encoding="utf-8")
    id_ = place.replace("/", "-")
    return CompletionItem(id_, number, language, prompt, {"functional": text}, files, (), about)


def read_query_weaknesses(query: str | None) -> list[str]:
    """The CWEs that the authors' CodeQL query for a prompt reports; [] if there is no query.

    The query's path names one CWE. If it reports more or other CWEs, official.json lists them.
    """
    path = Path(query or "")
    named = re.findall(r"(?i)cwe[-_]0*(\d+)", path.name) or re.findall(r"CWE-0*(\d+)", str(path))
    listed: list[str] | None = read_json(OVERLAY)["queries"].get(path.stem)
    return listed or [f"CWE-{number}" for number in named[-1:]]


@once
def _read_phrases(clone: Path) -> dict[str, Any]:
    """The clone's key phrases; their file is parsed as data and never executed."""
    try:
        tree = parse_python((clone / "inference" / "constraints.py").read_text(encoding="utf-8"))
    except (OSError, SyntaxError):
        return {}
    phrases: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            side = SIDES.get(getattr(node.targets[0], "id", ""))
            if side:
                phrases[side] = ast.literal_eval(node.value)
    return phrases


def run_tests(box: Sandbox, item: CompletionItem, program: str) -> Evidence:
    """Run the official unit tests on one program in the sandbox; if it passes, also their decoy."""
    place = f"unit_test/{item.about['official']}/functional.py"
    test = PASSING.sub(FAILING, item.fixtures[place])
    evidence = _run_once(box, item, program, item.fixtures)
    if _read_answers(evidence) != [True]:
        return evidence
    decoy = _run_once(box, item, program, {**item.fixtures, place: test})
    if decoy.status is Status.INFRA_ERROR:
        return decoy
    result = {"decoy": "the official tests", "passed": _read_answers(decoy) == [True]}
    return replace(evidence, channel=json.dumps(result).encode())


def _run_once(
    box: Sandbox, item: CompletionItem, program: str, files: Mapping[str, bytes]
) -> Evidence:
    if not isinstance(box, Bwrap):
        raise KitError("The official tests need the bwrap sandbox, for what they import.")
    if not (libraries() / "complete").exists():
        raise KitError(
            "Packages for CodeGuardPlus's tests are missing. Type: kit doctor --install --heavy"
        )
    name = f"00.{ENDINGS[item.language]}"
    placed = {f"CodeGuardPlus/{path}": data for path, data in files.items()}
    placed[f"out/programs/{name}"] = program.encode()
    placed["out/stat.json"] = b'{"%s": {}}' % name.encode()
    line = [wheels.PYTHON, "-c", START.format(place=item.about["official"])]
    env = {
        "HOME": "/box",
        "PATH": "/opt/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    return box.run(
        line, files=placed, env=env, limits=LIMITS, observe=False, mounts={"/opt": libraries()}
    )


def _read_answers(evidence: Evidence) -> list[Any]:
    try:
        entries = json.loads(evidence.files.get("out/stat.json", b"{}")).values()
        return [entry["functional"] for entry in entries]
    except (ValueError, AttributeError, KeyError, TypeError):
        return []


def judge_evidence(evidence: Evidence) -> Verdict:
    """pass or fail as stat.json (or unittest) says; undecided if the run left no answer."""
    output = " ".join(f"{evidence.out} {evidence.err}".split())
    answers = _read_answers(evidence)
    passed: bool | None = None
    missing = ""
    if answers == [True]:
        passed = True
    elif answers == [False] or "FAILED (" in evidence.err:  # printed by unittest after an exception
        module = re.search(r"No module named '([\w.]+)'", output)
        if module and module[1].partition(".")[0] not in sys.stdlib_module_names:
            missing = module[1]
        passed = False
    elif evidence.status not in (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT):
        note = f"The official test left no answer: {output[-300:]}"
        evidence = replace(evidence, status=Status.HARNESS_ERROR, note=note)
    result = cases.Result("The official tests, which trust the program", passed, output[:600])
    ended = evidence if passed is None else replace(evidence, status=Status.COMPLETED)
    return cases.judge_results(
        "functional", "unit", ended, [result], missing=missing, rests_on=("files",)
    )
