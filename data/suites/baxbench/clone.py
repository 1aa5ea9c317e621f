"""A clone of BaxBench or of what was made of it: its scenarios and frameworks, as it says itself.

The clone's Python runs in a box only; here its files are read, and what it sent is put in records.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from kit.core.errors import KitError
from kit.core.records import Evidence
from kit.harness import box_files, libraries
from kit.run.clones import clone_of, describe_origin
from kit.sandbox import Limits, Sandbox, open_sandbox

SOURCE = "logic-star-ai/baxbench"
MADE_OF_IT = {  # a file that only this repository has -> its name
    "src/extended_security_tests.py": "iyassh/baxbench-extended",
    "autobaxbuilder.sh": "eth-sri/AutoBaxBuilder",
}
FOLDERS = ("env", "scenarios", "scenario_files")
RUNNER = Path(__file__).with_name("kit_scenario.py")
HELPERS = Path(__file__).with_name("kit_docker.py")
# What the scenarios' own modules import -> its package at the version of the clone's Pipfile.lock.
TESTS_IMPORT = {
    "requests": "requests==2.32.3",
    "yaml": "PyYAML==6.0.2",
    "pdfplumber": "pdfplumber==0.11.5",
    "imageio": "imageio==2.37.0",
    "jwt": "PyJWT==2.10.1",
}
# A package that a scenario installs in its image -> the command for which it does so.
COMMANDS = {
    "ffmpeg": "ffmpeg",
    "imagemagick": "convert",
    "poppler-utils": "pdftotext",
    "g++": "g++",
    "make": "make",
    "nodejs": "node",
    "typescript": "tsc",
}
AT_BUILD_ONLY = ("sudo",)
SUBSTITUTES = {"bcrypt": "6.0.0"}  # 5.1.1 is built by node-pre-gyp alone; this one comes built
NEEDS_NETWORK = ("LinkPreview",)  # it asks for pages of the Internet
WITHOUT_WHEEL = ("fpdf==",)  # PyPI has its source alone, whose setup.py would run outside a box
LIMITS = Limits(
    wall_s=420,
    cpu_s=400,
    memory_mb=8192,  # a scenario's own files and requests take 3 GB
    processes=512,
    file_mb=2048,
    disk_mb=2048,
    channel_kb=16384,
    artefacts=50,
)
_one_at_a_time = Lock()
_TYPE = re.compile(rb"(?m)^type (\w+ = )")  # a statement of Python 3.12


@dataclass(frozen=True)
class Framework:
    """What a program is written for, and how BaxBench's image starts it."""

    id: str
    language: str
    code_filename: str  # "" where an answer has several files
    command: str
    port: int
    manifest: Mapping[str, str]
    environment: Mapping[str, str]
    prepare: tuple[str, ...]  # commands after the program's files were copied


@dataclass(frozen=True)
class ScenarioTest:
    """A function of the clone, as MODULE:NAME. cwes: the numbers that it may return."""

    kind: str
    function: str
    cwes: tuple[int, ...]


@dataclass(frozen=True)
class Scenario:
    """A scenario. needs: language -> commands that its image runs. lacking: modules not here."""

    id: str
    title: str
    api: str
    module: str
    tests: tuple[ScenarioTest, ...]
    needs: Mapping[str, Sequence[str]]
    lacking: tuple[str, ...]


@dataclass(frozen=True)
class Clone:
    """What a clone holds. files: of its src. packages: the folder with what its tests import.

    commands: those of COMMANDS that the box has.
    """

    origin: str
    files: Mapping[str, bytes]
    packages: Path | None
    frameworks: Mapping[str, Framework]
    scenarios: tuple[Scenario, ...]
    commands: frozenset[str]

    def select_files(self, module: str) -> dict[str, bytes]:
        """What one scenario's tests import, without the text of the other scenarios."""
        own = f"scenarios/{module.removeprefix('scenarios.').replace('.', '/')}.py"
        wanted = {}
        for name, data in self.files.items():
            if not name.startswith("scenarios/") or name in (own, "scenarios/base.py"):
                wanted[name] = data
            elif name.endswith("__init__.py"):
                wanted[name] = b""
        return wanted

    def find_obstacle(self, scenario: Scenario) -> str:
        """Why a scenario cannot run here with any framework, in words; "" if it can."""
        if scenario.id in NEEDS_NETWORK:
            return "its tests need the Internet, which no box has"
        if scenario.lacking:
            return f"its tests import {', '.join(scenario.lacking)}, which is not installed"
        absent = []
        for package in _list_installed(scenario.needs.get("_all_", ()), "apt-get", "npm -g"):
            if package not in AT_BUILD_ONLY and COMMANDS.get(package, package) not in self.commands:
                absent.append(package)
        return f"the box lacks {', '.join(absent)}" if absent else ""

    def list_npm_packages(self) -> dict[str, str]:
        """What scenarios add to the packages of every framework for JavaScript, with versions."""
        versions = {}
        for scenario in self.scenarios:
            for package in _list_installed(scenario.needs.get("JavaScript", ()), "npm"):
                name, _, version = package.rpartition("@")
                versions[name or package] = version if name else "*"
        return versions


def _list_installed(commands: Sequence[str], *tools: str) -> Iterator[str]:
    """The packages that shell commands install by these tools."""
    for command in " && ".join(commands).split("&&"):
        words = command.split()
        if "install" not in words:
            continue
        tool = words[0] + (" -g" if "-g" in words else "")
        if tool in tools:
            yield from (w for w in words[words.index("install") + 1 :] if not w.startswith("-"))


def read_clone(path: Path | None) -> Clone:
    """The clone, read by its own code in a box. KitError for a folder that is none."""
    clone = clone_of(path, SOURCE, "src/scenarios")
    name = next((n for mark, n in MADE_OF_IT.items() if (clone / mark).exists()), SOURCE)
    files = {}
    for file in sorted((clone / "src").rglob("*")):
        place = file.relative_to(clone / "src")
        if file.is_file() and (len(place.parts) == 1 or place.parts[0] in FOLDERS):
            files[place.as_posix()] = _TYPE.sub(rb"\1", file.read_bytes())
    packages = install_for_tests(files)
    frameworks, scenarios = {}, []
    commands = frozenset[str]()
    for answer in ask_clone(files, packages, {"commands": [*COMMANDS.values()]}).objects:
        if "framework" in answer:
            frameworks[answer["framework"]] = _read_framework(answer)
        elif "scenario" in answer:
            scenarios.append(_read_scenario(answer))
        else:
            commands = frozenset(answer["commands"])
    origin = describe_origin(clone, name)
    return Clone(origin, files, packages, frameworks, tuple(scenarios), commands)


def _read_framework(answer: Mapping[str, Any]) -> Framework:
    dockerfile = answer["dockerfile"]
    return Framework(
        answer["framework"],
        answer["language"],
        answer["code_filename"] or "",
        answer["entrypoint_cmd"],
        answer["port"],
        answer["manifest_files"],
        dict(re.findall(r"^ENV (\w+)=(\S+)", dockerfile, re.M)),
        tuple(re.findall(r"^RUN (.+)", dockerfile.rpartition("COPY ")[2], re.M)),
    )


def _read_scenario(answer: Mapping[str, Any]) -> Scenario:
    tests = []
    for test in answer["tests"]:
        tests.append(ScenarioTest(test["kind"], test["function"], tuple(test["cwes"])))
    return Scenario(
        answer["scenario"],
        answer["title"],
        answer["api"],
        answer["module"],
        tuple(tests),
        answer["needs"],
        tuple(answer["lacking"]),
    )


def ask_clone(
    files: Mapping[str, bytes], packages: Path | None, job: Mapping[str, Any]
) -> box_files.Answers:
    """What the clone's code says in a box; KitError where it does not run."""
    with open_sandbox("bwrap", LIMITS) as box:
        evidence = run_clone(box, files, job, {"/mnt": packages} if packages else {})
    answers = box_files.read_answers(evidence.channel)
    if evidence.exit_code != 0 or not answers.objects:
        reason = evidence.note or evidence.err.strip()[-500:]
        raise KitError(f"The clone's scenarios cannot be read ({evidence.status}): {reason}")
    return answers


def run_clone(
    box: Sandbox, files: Mapping[str, bytes], job: Mapping[str, Any], mounts: Mapping[str, Path]
) -> Evidence:
    """The runner with these files of the clone; /mnt holds what its tests import."""
    site = ["/mnt/python"] if "/mnt" in mounts else []
    names = ("kit_channel.py", "kit_child.py")
    placed = box_files.prepare_files_and_job(names, {**job, "site": site})
    for runner in (RUNNER, HELPERS):
        placed[f"{box_files.FOLDER}/{runner.name}"] = runner.read_bytes()
    for name, data in files.items():
        placed[f"{box_files.FOLDER}/clone/{name}"] = data
    command = box_files.runner_command(RUNNER.name)
    return box.run(command, files=placed, limits=LIMITS, mounts=mounts, root=True)


def install_for_tests(files: Mapping[str, bytes]) -> Path | None:
    """The folder with what the clone's tests import, installed once; None if they need nothing."""
    text = b"\n".join(data for name, data in files.items() if name.endswith(".py")).decode()
    wanted = []
    for module, package in TESTS_IMPORT.items():
        if re.search(rf"^\s*(import|from) {module}\b", text, re.M):
            wanted.append(package)
    return install("requirements.txt", "\n".join(wanted)) if wanted else None


def install_framework(clone: Clone, framework: Framework) -> Path | None:
    """The folder with a framework's packages at the clone's versions, installed once; or None."""
    for name, text in framework.manifest.items():
        if name == "package.json":
            content = json.loads(text)
            wanted = content["dependencies"]
            wanted |= clone.list_npm_packages()
            wanted |= {name: SUBSTITUTES[name] for name in wanted.keys() & SUBSTITUTES.keys()}
            return install(name, json.dumps(content))
        if name == "requirements.txt" and text.strip():
            lines = [line for line in text.splitlines() if not line.startswith(WITHOUT_WHEEL)]
            return install(name, "\n".join(lines))
    return None


def install(name: str, text: str) -> Path:
    """The folder with the packages that such a file names; KitError, each time, if one fails."""
    with _one_at_a_time:  # the threads of a run ask for the same
        found = _try_install(name, text)
    if isinstance(found, KitError):
        raise found
    return found


@cache
def _try_install(name: str, text: str) -> Path | KitError:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text)
        try:
            place = libraries.install_requirements(file)
        except KitError as error:
            return error
    if not any(place.glob("python/*/__pycache__")):  # each box would compile it anew
        command = [box_files.PYTHON, "-I", "-m", "compileall", "-q", str(place)]
        subprocess.run([*command, "--invalidation-mode", "unchecked-hash"], check=False)
    return place
