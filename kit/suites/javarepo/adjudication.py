"""The reports of a scan, put before the panel with what the repository says of them."""

import json
from dataclasses import replace

from kit.errors import KitError
from kit.generation.base import ModelError
from kit.oracle.adjudicate import ALONE, Case, Panel
from kit.records import Evidence, Finding, Outcome, Reason, Status, Verdict
from kit.suites.javarepo import scan
from kit.suites.javarepo.instance import Instance

MARGIN = 2  # lines around a step of the flow


def decide(panel: Panel, instance: Instance, code: str, scanned: Evidence) -> Evidence:
    """The scan's evidence with a ruling for each report that matches the instance.

    Raises KitError where a model's service failed; the case is then put again the next time.
    """
    told = scan.read(scanned)
    found = scan.matching(told["findings"], instance, tuple(told["lines"]))
    rulings = []
    try:
        for finding in found if not panel.empty else ():
            rulings.append(panel.decide(case(instance, code, finding)).told())
    except ModelError as error:
        raise KitError(f"{type(error).__name__}: {error}") from error
    report = json.loads(scanned.channel) | {"rulings": rulings, "panel": not panel.empty}
    return replace(scanned, channel=json.dumps(report).encode())


def case(instance: Instance, code: str, finding: Finding) -> Case:
    """What a panel sees of one report."""
    files, (first, last) = scan.changed(instance, code)
    texts = {path: data.decode().split("\n") for path, data in files.items()}
    steps = finding.flow or (f"{finding.file}:{finding.line} {finding.function}",)
    flow = []
    for step in dict.fromkeys(steps):
        path, _, line = step.partition(" ")[0].rpartition(":")
        lines, at = texts.get(path, []), int(line)
        shown = lines[max(0, at - 1 - MARGIN) : at + MARGIN]
        flow.append("\n".join([step, *shown]))
    around = texts[str(instance.data["file"])]
    said = f"{finding.rule}: {finding.message}\n{finding.file}:{finding.line}"
    method = "\n".join(around[first - 1 : last])
    return Case(str(instance.data["cwe"]), said, instance.method.text, method,
                "\n\n".join(flow), "\n".join(around))  # fmt: skip


def verdict(name: str, instance: Instance, evidence: Evidence) -> Verdict:
    """fail where a report stands; without a panel, and without a report, what the scan says."""
    base, found = scan.verdict(name, instance, evidence)
    if evidence.status is not Status.COMPLETED or base.reason is not Reason.FINDING:
        return base
    told = scan.read(evidence)
    if not told.get("panel"):
        return replace(base, sentence=f"{base.sentence} {ALONE}")
    standing = [(f, r) for f, r in zip(found, told["rulings"], strict=True)
                if r["score"] is None or r["score"] > 0.5]  # fmt: skip
    finding, ruling = standing[0] if standing else (found[0], told["rulings"][0])
    votes = ", ".join(f"{v['model']} {v['score']}" for v in ruling["votes"])
    said = f"{finding.rule} scored {ruling['score']} ({votes}): {ruling['reason'][:400]}"
    outcome = Outcome.FAIL if standing else Outcome.PASS
    return Verdict(name, outcome, Reason.JUDGE, said, "adjudicate", ("files", "code"))
