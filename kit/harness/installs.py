"""Installs what a program imports and the box lacks, from PyPI and npm as they were before a day.

A box that installs (`kit.sandbox.base.Installing`) says the day. Which libraries a program gets
depends on its text and the day alone; the same set is installed once, and kept in a folder. Nothing
of a package runs outside a sandbox: only wheels come from PyPI, npm's packages come without their
scripts, and native modules are compiled in a box.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path
from threading import RLock
from typing import Any

import click

from kit import harness
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import cache_root
from kit.core.records import Cell, Sample, Task, content_key
from kit.harness import box_files, libraries, wheels
from kit.harness.languages.javascript.nodes import BUILTIN
from kit.sandbox.base import INSTALLED, PACKAGE_PATHS, Installing, Sandbox, WithPackages

BEFORE = "2026-06-01"  # by default: a day after which no registry changes what it had
RESULT = "packages.json"
_REGISTRIES = {"python": "PyPI", "javascript": "npm"}
_NAME = re.compile(r"(@[a-z0-9][\w.-]*/)?[A-Za-z0-9_][\w.-]*")
_one_at_a_time = RLock()


@dataclass(frozen=True)
class Installation:
    """What came of one set of names. folder: of the libraries, if there are any.

    versions: package -> version, of those that were asked for. refused: name -> why it is lacking.
    """

    folder: Path | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


def check_day(before: str) -> str:
    """The day as the registries take it. KitError for none, and for one that is not over."""
    try:
        day = date.fromisoformat(before)
    except ValueError:
        raise KitError(f"{before!r} is no day. Use --install-before YEAR-MONTH-DAY.") from None
    if day > datetime.now(UTC).date():
        raise KitError(f"Until {day} the registries still change. Use a day that has passed.")
    return day.isoformat()


def equip_box(box: Sandbox, cells: Iterable[Cell]) -> Sandbox:
    """The box for a trial of these cells: with the libraries of its program, if the box installs.

    A trial of several programs, as a scan is, gets none: it starts no program.
    """
    if not isinstance(box, Installing):
        return box
    programs = {(cell.sample.language, cell.sample.code): cell for cell in cells}
    if len(programs) != 1:
        return box.box
    (cell,) = programs.values()
    folder = install_for_program(box, cell.task, cell.sample).folder
    return WithPackages(box.box, folder) if folder else box.box


def install_for_program(box: Installing, task: Task, sample: Sample) -> Installation:
    """What a program imports and neither the box nor its task has, installed at the first time."""
    needed = libraries.find_needed_libraries(sample.code, sample.language)
    lacking = harness.not_found(box_files.Key(box.box), sample.language, needed)
    of_task = {path.partition("/")[0].partition(".")[0] for path in task.files}
    missing = (needed & lacking) - of_task
    return install_packages(sample.language, missing, box.before) if missing else Installation()


def install_for_run(
    box: Sandbox, tasks: Iterable[Task], samples: Iterable[Sample]
) -> dict[str, Any]:
    """Installs for all programs of a run, one set after another; what a run's meta says of it.

    Empty for a box that installs nothing.
    """
    if not isinstance(box, Installing):
        return {}
    by_id = {task.id: task for task in tasks}
    packages: dict[str, str] = {}
    refused: dict[str, str] = {}
    for sample in samples:
        if not sample.code or sample.task not in by_id:
            continue
        with suppress(box_files.BoxFailed):  # the runs themselves will say so
            done = install_for_program(box, by_id[sample.task], sample)
            packages |= done.versions
            refused |= done.refused
    return {"before": box.before, "packages": packages, "refused": refused}


def describe_installed(installed: Mapping[str, Any]) -> list[str]:
    """What a run's meta says of its installations, as sentences below a table of scores."""
    sentences = []
    if packages := installed.get("packages"):
        names = ", ".join(f"{name} {version}" for name, version in packages.items())
        day = installed["before"]
        sentences.append(f"installed where a program imports it, as before {day}: {names}")
    for name, reason in installed.get("refused", {}).items():
        sentences.append(f"not installed: {name}, because {reason}")
    return sentences


@lru_cache(maxsize=256)
def install_packages(language: str, names: frozenset[str], before: str) -> Installation:
    """The libraries of these names as they were before the day, without those that are not there.

    Raises KitError where a registry cannot be asked: no program is to blame for that.
    """
    refused = {}
    for name in sorted(names):
        if reason := _find_refusal(language, name):
            refused[name] = reason
    allowed = frozenset(names - refused.keys())
    if not allowed:
        return Installation(refused=refused)
    done = _install_together(language, allowed, before)
    if done.refused and len(allowed) > 1:
        alone = [install_packages(language, frozenset({name}), before) for name in sorted(allowed)]
        lacking: dict[str, str] = {}
        for one in alone:
            lacking |= one.refused
        if lacking:  # else they exclude each other, and none can be preferred
            rest = frozenset(allowed - lacking.keys())
            done = install_packages(language, rest, before) if rest else Installation()
            refused |= lacking
    return replace(done, refused={**refused, **done.refused})


def _find_refusal(language: str, name: str) -> str:
    """Why no registry is asked for this name: the runtime's own, and no package, whoever took it.

    A name that no registry had before the day is refused by pip and npm.
    """
    if language == "python":
        is_own = name in sys.stdlib_module_names
    else:
        is_own = name in BUILTIN or name.startswith("node:")
    if is_own:
        return f"it is a part of {LANGUAGES[language].label} itself, and of no registry"
    return "" if _NAME.fullmatch(name) else "that is no package's name"


def _install_together(language: str, names: frozenset[str], before: str) -> Installation:
    """All of these in one folder, made at the first time; or none, and the reason is kept too."""
    of_box = (wheels.python_version(), wheels.node_version())
    packages = {name: libraries.package_of(language, name) for name in sorted(names)}
    key = content_key(language, packages, before, of_box)
    place = cache_root() / "installed" / key[:16]

    def fill_folder(folder: Path) -> None:
        registry = _REGISTRIES[language]
        names = ", ".join(packages.values())
        click.echo(f"kit: installing {names} of {registry}, as before {before}", err=True)
        result: dict[str, Any] = {"versions": {}, "refused": {}}
        try:
            versions = _INSTALLERS[language](folder, packages, before)
        except wheels.Unavailable as error:
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            result["refused"] = dict.fromkeys(packages, str(error))
        else:
            for package, version in versions.items():
                result["versions"][package] = f"{version} ({registry})"
            (folder / INSTALLED).write_text(libraries.hash_packages(folder) + "\n")
        (folder / RESULT).write_text(json.dumps(result))

    with _one_at_a_time:  # the threads of a run ask for the same set
        if not (place / RESULT).exists():
            wheels.make_whole_folder(place, fill_folder)
    result = json.loads((place / RESULT).read_text())
    folder = place if result["versions"] else None
    return Installation(folder, result["versions"], result["refused"])


def _install_python(folder: Path, packages: Mapping[str, str], before: str) -> dict[str, str]:
    """Wheels into the folder; package -> version. Unavailable if a module is not in its package."""
    target = folder / PACKAGE_PATHS["PYTHONPATH"]
    wheels.install_with_pip(target, "--no-compile", *packages.values(), cwd=folder, before=before)
    for module, package in packages.items():
        if not any(target.glob(f"{module}.*")) and not (target / module).is_dir():
            raise wheels.Unavailable(f"PyPI's {package} has no module {module}")
    versions = {}
    for distribution in distributions(path=[str(target)]):
        versions[_plain_name(distribution.name)] = distribution.version
    return {package: versions[_plain_name(package)] for package in packages.values()}


def _install_javascript(folder: Path, packages: Mapping[str, str], before: str) -> dict[str, str]:
    """Packages of npm into the folder, compiled where they must be; package -> version."""
    (folder / "package.json").write_text(json.dumps({"private": True}))
    wheels.install_with_npm(folder, *packages.values(), before=before)
    wheels.build_native_modules(folder)
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    return {name: lock[f"node_modules/{name}"]["version"] for name in packages.values()}


def _plain_name(package: str) -> str:
    """One spelling of a package's name, as PyPI compares them."""
    return re.sub(r"[-_.]+", "-", package).lower()


_INSTALLERS = {"python": _install_python, "javascript": _install_javascript}
