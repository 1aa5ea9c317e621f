"""Where the project's folders are; nothing is created or read here."""

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
