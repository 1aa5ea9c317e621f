"""What comes from PyPI and npm: in folders beside the kit, each whole or not there at all."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import whole_folder

(PYTHON,) = LANGUAGES["python"].command  # the box's
COMPLETE = "complete"  # a file that only a whole folder has
PATIENCE_S = 900


@cache
def python_version() -> str:
    """Of the box's Python, as "3.11"."""
    command = [PYTHON, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def make_whole_folder(place: Path, fill: Callable[[Path], None]) -> Path:
    """The folder as `fill` makes it, whole or not at all; the sandbox's user may read it."""
    with whole_folder(place) as folder:
        folder.mkdir()
        fill(folder)
        (folder / COMPLETE).touch()
    return place


def install_with_pip(
    target: Path, *what: str, sources: bool = False, cwd: Path | None = None
) -> None:
    """Wheels for the box's Python, whatever Python runs the kit; sources: pip may build here."""
    line = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    line += ["--no-input", "--target", str(target)]
    if not sources:
        line += ["--only-binary=:all:", "--python-version", python_version()]
    run_command([*line, *what], cwd=cwd)


def install_with_npm(folder: Path, *what: str) -> None:
    """Packages into folder/node_modules, without their scripts; none that wants another Node."""
    line = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict"]
    run_command([*line, *what], cwd=folder)


def find_unbuilt_packages(folder: Path) -> list[str]:
    """Names of packages in node_modules that a compiler has to build, and nobody has built."""
    names = []
    for recipe in sorted((folder / "node_modules").rglob("binding.gyp")):
        if not any(recipe.parent.rglob("*.node")):
            names.append(recipe.parent.relative_to(folder / "node_modules").as_posix())
    return names


def run_command(
    line: list[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """The command; KitError with what it said where it fails."""
    name = "pip" if "pip" in line else line[0]
    try:
        done = subprocess.run(
            line,
            cwd=cwd,
            env=env and {**os.environ, **env},
            text=True,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitError(f"{name} did not run: {error}.") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        errors = [n for n in lines if re.search("error", n, re.IGNORECASE)] or lines[-1:]
        reason = " ".join(" ".join(errors).split())[:300] or f"it ended with {done.returncode}"
        raise KitError(f"{name} did not bring what was asked for: {reason}")
