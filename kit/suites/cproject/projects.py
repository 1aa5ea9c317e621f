"""A project by name, ready to build: unpacked, its generated files made, its functions found."""

import json
import os
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd

from kit.errors import KitError
from kit.paths import cache
from kit.records import Status, content_key
from kit.sandbox import Limits, open_sandbox
from kit.suites.cproject import extract, fetch
from kit.suites.cproject.project import MOUNT, CProject

NAMES = ("cjson", "sqlite", "php")
LIMITS = Limits(wall_s=600, cpu_s=580, memory_mb=2000, processes=256, file_mb=128, disk_mb=512,
                artefacts=5000, artefact_mb=256)  # fmt: skip
GENERATED = "kit-generated"  # the folder of the tree that holds what a build generates


def open_project(name: str, *, checkout: Path | None = None) -> CProject:
    """The project from its pinned Debian package, or from a checkout of yours."""
    if name not in NAMES:
        raise KitError(f"Unknown project {name!r}. Use one of: {', '.join(NAMES)}.")
    adapter = import_module(f"kit.suites.cproject.{name}")
    tree = fetch.checkout(checkout) if checkout else fetch.unpack(adapter.PACKAGE)
    if adapter.PREPARE:
        tree = _generate(adapter, tree)
    version = tree.name if checkout else adapter.PACKAGE.version
    project: CProject = replace(adapter.describe(tree), version=version)
    return project


def _generate(adapter: ModuleType, tree: Path) -> Path:
    """A second tree beside the first: the same, and what the project's own scripts generate."""
    full = tree.with_name(f"{tree.name}-{content_key(adapter.PREPARE)[:8]}")
    if full.exists():
        return full
    with open_sandbox("bwrap", LIMITS) as box:
        seen = box.run(["sh", "-ec", adapter.PREPARE], observe=False, mounts={MOUNT: tree})
    if seen.status != Status.COMPLETED or seen.exit_code:
        raise KitError(f"Configuring {tree.name} failed: {seen.note} {seen.err[-300:]}")
    part = full.with_name(f"{full.name}.part-{os.getpid()}")
    shutil.copytree(tree, part, symlinks=True)
    for name, data in seen.files.items():
        target = part / GENERATED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    part.replace(full)
    return full


def functions(project: CProject, *, tokens: tuple[int, int] = extract.TOKENS) -> pd.DataFrame:
    """The table of functions, found once per tree, adapter and range of tokens, then read."""
    parts = [str(project.tree), tokens, [(u.source, u.flags) for u in project.units]]
    code = Path(extract.__file__).read_text()
    kept = cache() / "functions" / f"{project.name}-{content_key(parts, code)[:16]}.jsonl"
    if not kept.exists():
        table = extract.functions(project, tokens=tokens)
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".part-{os.getpid()}")
        lines = [json.dumps(row) for row in table.to_dict("records")]
        part.write_text("\n".join(lines))
        part.replace(kept)
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    return pd.DataFrame(rows, columns=extract.COLUMNS)
