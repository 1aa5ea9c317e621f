"""How many of the kit's own secure and insecure Python programs have a finding of `kit scan`."""

import json
import re
from collections import Counter
from datetime import UTC, datetime

from kit.bridges import scan
from kit.core.paths import REFERENCES
from kit.oracle import sast
from kit.sandbox import open_sandbox

KINDS = {"secure": "secure", "functional_but_insecure": "insecure"}  # label -> count


def labelled(*counts):
    """(kind, folder): the Python programs of data/labelled/dualgauge/own of these kinds."""
    kinds, programs = {}, {}
    for path in sorted(REFERENCES.glob("*/*.py")):
        labels = json.loads((path.parent / "labels.json").read_text())
        kind = KINDS.get(labels[path.name]["kind"])
        if kind in counts:
            name = f"{path.parent.name}/{path.name}"
            kinds[name], programs[name] = kind, path.read_bytes()
    return kinds, scan.Folder(str(REFERENCES), programs, {}, Counter())


def measure(*counts):
    """The table that scan.py prints and compares rules by: programs, and those with a finding."""
    kinds, folder = labelled(*counts)
    with open_sandbox("bwrap") as box:
        result = scan.run_engines(folder, sast.JOINED, box)
    assert result.unread == {}
    flagged = {(f.rule, f.file) for f in result.findings}
    of_rule = Counter((rule, kinds[file]) for rule, file in flagged)
    found = Counter(kinds[file] for file in {file for _, file in flagged})
    rules = {rule: {kind: of_rule[rule, kind] for kind in counts} for rule in sorted(dict(flagged))}
    return {
        "material": "Python programs of data/labelled/dualgauge/own, by their executed labels",
        "date": datetime.now(UTC).date().isoformat(),
        "engines": scan.describe_version(result.versions[sast.JOINED]).removesuffix(", combined"),
        "programs": dict(Counter(kinds.values())),
        "found": dict(found),
        "rules": rules,
    }


def as_text(table):
    """The table as JSON with a line for each rule."""
    return re.sub(
        r"\{\s+(\"\w+\": \d+),\s+(\"\w+\": \d+)\s+\}", r"{\1, \2}", json.dumps(table, indent=1)
    )
