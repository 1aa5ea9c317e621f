"""What is there to read: the runs, what each was, and one sample of one in words."""

from typing import Any

import pandas as pd

from kit import records
from kit.errors import KitError
from kit.paths import run_folder, runs_with
from kit.run.export import plain
from kit.store import Store

SHOWN = ("suite", "model", "base_url", "date", "kit", "commit", "machine", "sandbox", "benchmark")


def runs() -> pd.DataFrame:
    """One row per run below data/runs: suite, model, date, samples planned and answered."""
    rows = []
    for name in runs_with("run.sqlite"):
        with Store(run_folder(name) / "run.sqlite", write=False) as store:
            meta, (planned, answered) = store.meta(), store.counts()
        rows.append({"run": name, **{n: meta.get(n, "") for n in SHOWN[:4]},
                     "planned": planned, "answered": answered})  # fmt: skip
    return pd.DataFrame(rows, columns=["run", *SHOWN[:4], "planned", "answered"])


def provenance(store: Store) -> dict[str, Any]:
    """What the run was: its meta, and the tokens that its answers took."""
    meta = store.meta()
    tokens = {"input_tokens": 0, "output_tokens": 0}
    for sample in store.samples():
        tokens["input_tokens"] += sample.input_tokens or 0
        tokens["output_tokens"] += sample.output_tokens or 0
    known = {n: meta[n] for n in (*SHOWN, "settings", "spent_usd") if meta.get(n)}
    return known | tokens


def line(said: dict[str, Any]) -> str:
    """`provenance` in a line, for below a table of scores."""
    parts = [
        f"{n} {said[n]}" for n in ("suite", "benchmark", "date", "kit", "base_url") if said.get(n)
    ]
    parts += [f"commit {said['commit'][:10]}"] if said.get("commit") else []
    parts += [f"{said['output_tokens']:,} tokens written"] if said["output_tokens"] else []
    parts += [f"${said['spent_usd']:.4f} spent"] if said.get("spent_usd") else []
    return ", ".join(parts)


def show(store: Store, task: str, test: str = "", sample: int | None = None) -> dict[str, Any]:
    """The samples of a task in a run with their tests; with `test`, the evidence of that one too.

    Raises KitError for a task or a test that the run does not have.
    """
    frame = store.frame()
    rows = frame[frame["task"] == task]
    if rows.empty:
        known = ", ".join(dict.fromkeys(frame["task"]))
        raise KitError(f"The run has no task {task!r}. Use one of: {known}.")
    if sample is not None:
        rows = rows[rows["sample"] == sample]
    if test and not (rows["test"] == test).any():
        raise KitError(
            f"{task} has no test {test!r}. Use one of: {', '.join(rows['test'].unique())}."
        )
    told = []
    for slot, mine in rows.groupby("slot", sort=False):
        held = store.sample(str(slot))
        tests = [_test(store, str(slot), name, test == name)
                 for name in mine["test"] if test in ("", name)]  # fmt: skip
        first = mine.iloc[0]
        told.append({
            "model": first["model"], "sample": int(first["sample"]),
            "program": first.get("program", ""), "status": str(held.status) if held else "not_run",
            "note": held.note if held else "", "code": held.code if held else "", "tests": tests,
        })  # fmt: skip
    return {"task": task, "samples": told}


def _test(store: Store, slot: str, name: str, whole: bool) -> dict[str, Any]:
    evidence, verdict = store.cell(slot, name)
    out: dict[str, Any] = {"test": name}
    if verdict:
        out |= {n: str(getattr(verdict, n)) for n in ("outcome", "oracle", "reason", "sentence")}
    if evidence:
        out["status"] = str(evidence.status)
    if whole and evidence:
        out["evidence"] = records.to_json(evidence)
    return out


def text(told: dict[str, Any]) -> str:
    """The result of `show` for a terminal; nothing in it can command one."""
    lines = []
    for s in told["samples"]:
        named = s["program"] or f"{s['model']} #{s['sample']}"
        lines.append(f"{told['task']}  {named}  {s['status']}  {s['note']}")
        lines += [f"{n:4} {row}" for n, row in enumerate(s["code"].split("\n"), 1)]
        for t in s["tests"]:
            lines.append(f"{t['test']:8}{t.get('outcome', 'not judged'):8}{t.get('status', '')}  "
                         f"{t.get('oracle', '')}: {t.get('sentence', '')}")  # fmt: skip
            if "evidence" in t:
                seen = t["evidence"]
                lines += [f"  {e['kind']} {e['target']} {e['mode']} {e['error']}"
                          for e in seen["events"]]  # fmt: skip
                lines.append(f"  observed: {str(seen['observed']['value'])[:500]}")
                lines.append(f"  exception: {seen['observed']['exception']} "
                             f"{seen['observed']['message'][:300]}")  # fmt: skip
    return "\n".join(plain(line) for line in lines)
