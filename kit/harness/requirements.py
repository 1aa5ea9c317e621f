"""A user's own libraries for programs in the box: installed once, outside it, running nothing.

Only wheels and npm's packages without their scripts: nothing of a library runs before a program in
the box imports it. What names anything but a library and its version is refused, for pip would
build it here.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kit.errors import KitError
from kit.harness import box_files
from kit.paths import cache
from kit.records import content_key
from kit.sandbox.equipped import PATHS, VERSION

PATIENCE_S = 900
_VERSION = r"[<>=!~]{1,3}\s*[\w.*+!-]+"
_REQUIREMENT = re.compile(
    rf"[A-Za-z0-9][\w.-]*\s*(\[[\w\s,.-]*\])?\s*({_VERSION}(\s*,\s*{_VERSION})*)?\s*"
    r"(;((?!--)[^@/\\:])*)?(\s*--hash=\w+:[0-9a-f]+)*"
)
_SOURCE = re.compile(r"--(no-index|(find-links|index-url|extra-index-url)[ =]\s*\S+)\s*")
_RANGE = re.compile(r"[\w\s.^~<>=*|-]*")


def installed(file: Path) -> Path:
    """The folder with what a requirements.txt or package.json names, made at the first time.

    A file of the same text and the same Python in the box share it; remove it to install anew.
    KitError, in a sentence, for a line that is none of the allowed, or where pip or npm fails.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(
            f"{file} cannot be read as text: {error}. Give --requirements FILE."
        ) from None
    bring = _npm if file.suffix == ".json" else _pip
    number = _python()
    home = cache() / "libraries"
    place = home / content_key(text, number, bring.__name__)[:16]
    if (place / VERSION).exists():
        return place
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as part:
        made = Path(part) / "made"
        made.mkdir()
        bring(file, text, made, number)
        (made / VERSION).write_text(_version(made) + "\n")
        for path in (p for p in (made, *made.rglob("*")) if not p.is_symlink()):
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        if not place.exists():
            shutil.move(made, place)
    return place


def _python() -> str:
    """The version of the box's Python, as "3.11"."""
    asked = [box_files.PYTHON, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def _pip(file: Path, text: str, made: Path, number: str) -> None:
    for told in _lines(text):
        if not (_REQUIREMENT.fullmatch(told) or _SOURCE.fullmatch(told)):
            raise KitError(
                f"{file} has the line {told!r}. Use only NAME==VERSION, and --index-url, "
                "--extra-index-url, --find-links or --no-index: of other sources code would run "
                "outside the sandbox."
            )
    how = ["--only-binary", ":all:", "--python-version", number, "--no-compile", "--no-input"]
    line = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *how]
    _did(
        [*line, "--target", str(made / PATHS["PYTHONPATH"]), "-r", str(file.resolve())], file, made
    )


def _lines(text: str) -> Iterator[str]:
    """The lines that say something, with their continuations, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if bare := re.sub(r"(^|\s)#.*$", "", line).strip():
            yield bare


def _npm(file: Path, text: str, made: Path, number: str) -> None:  # noqa: ARG001
    try:
        wanted = dict(json.loads(text)["dependencies"])
    except (ValueError, KeyError, TypeError):
        raise KitError(
            f'{file} has no object "dependencies". Use {{"dependencies": {{...}}}}.'
        ) from None
    if odd := [n for n, range_ in wanted.items() if not _RANGE.fullmatch(str(range_))]:
        raise KitError(
            f"{file} asks for {odd[0]} by something else than its version. Use a version."
        )
    (made / "package.json").write_text(json.dumps({"private": True, "dependencies": wanted}))
    _did(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], file, made)


def _did(line: list[str], file: Path, folder: Path) -> None:
    """The command in an empty folder, where no requirement is the name of a file."""
    try:
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False,
                              timeout=PATIENCE_S)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitError(f"What {file} names was not installed: {error}.") from None
    if done.returncode:
        said = (n for n in done.stderr.splitlines() if "error" in n.lower())
        why = " ".join(" ".join(said).split())[:300] or f"{line[0]} ended with {done.returncode}"
        raise KitError(f"What {file} names was not installed: {why}")


def _version(made: Path) -> str:
    """A digest over what is there: the hashes that wheels bring, the lock file of npm."""
    parts = [*made.glob("python/*.dist-info/RECORD"), *made.glob("package-lock.json")]
    digest = hashlib.sha256()
    for path in sorted(parts):
        digest.update(path.relative_to(made).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
