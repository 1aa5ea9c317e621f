"""The flows that the engine reports in the original repositories, kept beside the suite.

A scan takes a minute and needs the sandbox; a prompt is made without either.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kit.oracle import sast
from kit.sandbox import Sandbox
from kit.suites.javarepo import scan
from kit.suites.javarepo.instance import Instance
from kit.suites.javarepo.replace import Method

FILE = "flows.json"


def record(box: Sandbox, instances: Sequence[Instance], root: Path) -> dict[str, Any]:
    """Scan every original in one start and keep what matches; {instance: {engine, steps}}."""
    engine = sast.best("java")
    batch = {i.id: (i, i.method.text) for i in instances}
    seen = scan.scan(box, engine, batch)
    out: dict[str, Any] = {}
    for instance in instances:
        told = scan.read(seen[instance.id])
        found = scan.matching(told["findings"], instance, tuple(told["lines"]))
        steps = [s for f in found for s in (*f.flow, f"{f.file}:{f.line} {f.function}")]
        out[instance.id] = {"engine": told["engine"], "rules": sorted({f.rule for f in found}),
                            "steps": list(dict.fromkeys(steps))}  # fmt: skip
    (root / FILE).write_text(json.dumps(out, indent=1, sort_keys=True) + "\n")
    return out


def steps(instance: Instance) -> list[tuple[str, int]]:
    """(path, line) of the engine's flow; the instance's own where the engine reports nothing."""
    path = instance.root / FILE
    known = json.loads(path.read_text()).get(instance.id, {}) if path.exists() else {}
    if known.get("steps"):
        places = [s.partition(" ")[0].rpartition(":") for s in known["steps"]]
        return [(file, int(line)) for file, _, line in places]
    return [(str(s["file"]), int(s["line"])) for s in instance.data["flow"]]


def methods_on(
    instance: Instance, known: Mapping[tuple[str, int], Method]
) -> list[tuple[str, int]]:
    """The methods that the flow passes, in its order."""
    out: dict[tuple[str, int], None] = {}
    for file, line in steps(instance):
        for (path, first), method in known.items():
            if path == file and first <= line <= method.last_line:
                out[path, first] = None
    return list(out)
