"""Where the project's folders, runs and caches are; and a file written whole or not at all."""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from kit.errors import KitError

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
SUITES = DATA / "suites"
REFERENCES = DATA / "references"
RUNS = DATA / "runs"
PUBLISHED = DATA / "published"
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
PAPERMILL_RUNS = ROOT / "papermill_runs"
SYSTEM_CACHE = Path("/var/cache/securecode-kit")


def run_path(run: str | Path) -> Path:
    """The SQLite file of a run, given its name below data/runs, its folder or the file itself."""
    path = Path(run)
    if path.suffix == ".sqlite":
        return path
    folder = path if path.is_dir() or len(path.parts) > 1 else RUNS / path
    return folder / "run.sqlite"


def existing(run: str | Path) -> Path:
    """The run's file; KitError with the command that makes it, where it is not there."""
    path = run_path(run)
    if not path.is_file():
        known = sorted(p.parent.name for p in RUNS.glob("*/run.sqlite"))
        raise KitError(
            f"No run at {path}. {_made_by(path.parent)} "
            f"Known runs: {', '.join(known) or 'none yet'}."
        )
    return path


def _made_by(folder: Path) -> str:
    """The command that makes a run of this folder's name, as a sentence."""
    kind, _, suite = folder.name.partition("-")
    if kind == "validate" and suite:
        return f"Make it with `kit validate {suite}`."
    if (folder / "samples.jsonl").is_file():
        return (
            f"This is a recording: make a run of it with `kit run SUITE --model replay:{folder}`."
        )
    return "Make it with `kit run SUITE --model MODEL` or `kit evaluate SUITE --programs FOLDER`."


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; KitError that names the file where it is none."""
    try:
        known: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return known
    except ValueError as error:
        raise KitError(f"{path} is not JSON: {error}. Mend the file.") from None


def replace_whole(path: Path, data: str | bytes) -> None:
    """Write a file, text in UTF-8, so that no reader ever sees half of it; OSError where it cannot.

    It is written beside and renamed; where that fails, what was there before stays.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    raw = data.encode() if isinstance(data, str) else data
    try:
        with part.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def cache() -> Path:
    """$KIT_CACHE, else a folder that the sandbox's user can pass through too."""
    if given := os.environ.get("KIT_CACHE"):
        return Path(given)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return SYSTEM_CACHE if os.geteuid() == 0 else home / "securecode-kit"
