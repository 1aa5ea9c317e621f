"""Table 1 again: the scanner's alarms over labelled bodies, and what each later witness leaves.

The cases are recorded from a validation, so that any panel can be put before them at once.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.oracle.adjudicate import Case, Panel
from kit.pool import pool
from kit.records import Status
from kit.store import Store, slot_of
from kit.suites.javarepo import adjudication, measured, scan
from kit.suites.javarepo.instance import EXPLOIT, SAST, Instance

CASES = "cases.jsonl"
DEFENCES = re.compile(
    r"normalize|startsWith|prepareStatement|setString|replace|quote|Exact\(|setFeature|disallow|"
    r"synchronized|compareAndSet|createTemp|matches\(|length|getMethod|isAbsolute|toAbsolutePath"
)


def record(store: Store, instance: Callable[[str], Instance], folder: Path) -> int:
    """Write every labelled body that compiled, with its alarm's texts where there is one."""
    rows = store.frame()
    rows = rows[rows["test"].isin((SAST, EXPLOIT))]
    wide = rows.pivot_table(index="slot", columns="test", values="outcome", aggfunc="first")
    lines = []
    for sample in store.samples():
        slot, home = slot_of(sample), instance(sample.task)
        seen, _ = store.cell(slot, SAST)
        if slot not in wide.index or seen is None or seen.status is not Status.COMPLETED:
            continue
        told = scan.read(seen)
        found = scan.matching(told["findings"], home, tuple(told["lines"]))
        cases = [asdict(adjudication.case(home, sample.code, f)) for f in found]
        entry = {"task": sample.task, "program": sample.arm["program"], "kind": sample.label,
                 "cwe": home.data["cwe"], "exploit": wide.loc[slot, EXPLOIT],
                 "sast": wide.loc[slot, SAST], "cases": cases}  # fmt: skip
        lines.append(json.dumps(entry, sort_keys=True))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CASES).write_text("\n".join(lines) + "\n")
    return len(lines)


def load(folder: Path, labels: pd.DataFrame) -> list[dict[str, Any]]:
    """The recorded bodies with today's labels."""
    path = folder / CASES
    if not path.exists():
        raise KitError(f"No cases at {path}. Record them from a validation.")
    today = labels[labels["test"] == EXPLOIT].set_index(["task", "program"])["label"]
    entries = [json.loads(line) for line in path.read_text().split("\n") if line]
    return [e | {"label": today[e["task"], e["program"]]} for e in entries
            if (e["task"], e["program"]) in today.index]  # fmt: skip


def witnesses(entries: Iterable[dict[str, Any]], panel: Panel, *, workers: int = 4) -> pd.DataFrame:
    """One row a body: label, and what each witness concludes of it (pass or fail).

    sast: the alarm. voters: the mean of the scores over each alarm. judge: the final score.
    exploit: the test that attacks. A body without an alarm passes all but the last.
    """

    def decided(entry: dict[str, Any]) -> dict[str, Any]:
        rulings = [panel.decide(Case(**case)) for case in entry["cases"]]
        said = {
            "sast": bool(rulings),
            "voters": any(r.majority for r in rulings),
            "judge": any(r.stands for r in rulings),
            "exploit": entry["exploit"] != "pass",
        }
        names = ("task", "program", "kind", "cwe", "label")
        return {n: entry[n] for n in names} | {
            w: "fail" if alarm else "pass" for w, alarm in said.items()
        }  # fmt: skip

    done = pool(decided, list(entries), workers=workers, title="adjudicate")
    return pd.DataFrame([row for _, row in done]).sort_values(["task", "program"])


def table(rows: pd.DataFrame, *, alarms: bool = True, n_boot: int = 2000) -> pd.DataFrame:
    """Precision, recall and F1 of each witness, in percent with intervals.

    alarms: over the bodies with an alarm, as the paper does, so that the scanner's recall is 100%
    by construction; False takes all bodies.
    """
    rows = (rows[rows["sast"] == "fail"] if alarms else rows).assign(reason="")
    out = []
    for witness in ("sast", "voters", "judge", "exploit"):
        r = measured.rates(measured.counted(rows, witness), name=witness, n_boot=n_boot)
        for metric in ("precision", "recall", "f1"):
            low, high = r[f"{metric}_interval"] or (None, None)
            values = [None if v is None else 100 * v for v in (r[metric], low, high)]
            out.append((witness, metric, *values, r["n"]))
    return pd.DataFrame(out, columns=["witness", "metric", "value", "ci_low", "ci_high", "n"])


def scripts() -> dict[str, Callable[[str], str]]:
    """Judges that follow a fixed rule; no model. Three that vote, and one that has the last word.

    credulous believes every report; wordy acquits what holds a word of defence; careful acquits
    what holds two; chief takes the mean of the opinions that it was shown.
    """

    def vote(least: int) -> Callable[[str], str]:
        def answer(question: str) -> str:
            code = question.partition("## The method now")[2].partition("Answer with one")[0]
            words = set(DEFENCES.findall(code))
            score = 0.9 if len(words) < least else 0.2
            return _said(question, analysis="a fixed rule", score=score,
                         reason=f"{len(words)} words of defence")  # fmt: skip

        return answer

    def chief(question: str) -> str:
        scores = [float(s) for s in re.findall(r"score ([\d.]+)\.", question)]
        score = sum(scores) / len(scores) if scores else 1.0
        return _said(question, meta_analysis="the mean of the opinions", score=score)

    return {"credulous": vote(99), "wordy": vote(1), "careful": vote(2), "chief": chief}


def _said(question: str, **values: Any) -> str:
    found = re.findall(r'"ticket": "(\w+)"', question)
    return json.dumps({"ticket": found[-1], **values})
