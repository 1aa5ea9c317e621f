"""Where the project's folders are; none of them is created here."""

import os
from pathlib import Path

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


def cache() -> Path:
    """$KIT_CACHE, else a folder that the sandbox's user can pass through too."""
    if given := os.environ.get("KIT_CACHE"):
        return Path(given)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return SYSTEM_CACHE if os.geteuid() == 0 else home / "securecode-kit"
