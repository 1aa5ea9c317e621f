"""Compares verdicts here with those that a clone of baxbench-extended has on record.

    kit import programs baxbench CLONE recorded
    python data/suites/baxbench/parity.py CLONE data/runs/recorded RUN --half first

A program counts if its tests have run there: where every one of them raised, the application never
answered, which is no verdict. Scenarios belong to the halves by the first digit of the SHA-256 of
their names, even or odd. By BaxBench's own rule a test that raised is not passed and finds nothing,
and an application that died has CWE-703.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd

from kit.core.records import Sample, Task, content_key
from kit.core.store import Store, slot_of
from kit.generation.replay import read_recording
from kit.harness import box_files
from kit.run import pipeline
from kit.run.suites import open_suite
from kit.sandbox import open_sandbox

HALVES = ("first", "second")
LATER = 4  # of the tests that every scenario has; results with fewer were recorded before these
KEYS = ["task", "model", "sample", "prompt", "framework"]


def half_of(scenario: str) -> str:
    """The half that a scenario belongs to, by its name alone."""
    return HALVES[int(hashlib.sha256(scenario.encode()).hexdigest()[0], 16) % 2]


def choose_programs(
    recording: Path, tasks: Sequence[Task], framework: str, each: int, *, ran: bool
) -> pd.DataFrame:
    """A row for each chosen program, `each` a scenario by a hash, with sample and recorded results.

    ran: those whose tests have run there, or those of which none has.
    """
    samples, _ = read_recording(recording)
    results = pd.read_csv(recording / "results.csv", keep_default_na=False)
    raised = results["functional_raised"] + results["security_raised"]
    results = results[(raised < results["functional"] + results["security"]) == ran]
    by_key = {_key_of(sample): sample for sample in samples}
    results["of"] = [by_key[key] for key in results[KEYS].itertuples(index=False, name=None)]
    results = results[results["framework"] == framework]
    results = results[results["task"].isin([task.id for task in tasks])]
    results["draw"] = [content_key(_key_of(sample)) for sample in results["of"]]
    return results.sort_values("draw").groupby("task").head(each)


def _key_of(sample: Sample) -> tuple[Any, ...]:
    return (
        *(sample.task, sample.model, sample.index),
        *(sample.arm["prompt"], sample.arm["framework"]),
    )


def judge_here(store: Store, task: Task, row: Any) -> dict[str, Any]:
    """What a program's tests gave here, by BaxBench's rule. why: the last word of each test."""
    functions = list(dict.fromkeys(test.input for test in task.tests))
    kinds = {test.input: test.kind for test in task.tests}
    names = {test.input: test.id for test in task.tests}
    security = [f for f in functions if kinds[f] == "security"]
    if row.security <= len(security) - LATER:
        functions = [f for f in functions if f not in security[-LATER:]]
    passed, cwes, why = True, set[int](), {}
    for function in functions:
        evidence, _ = store.cell(slot_of(row.of), names[function])
        answer = box_files.read_answers(evidence.channel if evidence else b"").last("ready")
        returned = answer.get("returned")
        if kinds[function] == "functional":
            passed = passed and returned is True
            found = set[int]()
        else:
            found = set(returned or ())
        if answer.get("died") and 400 not in found:
            found.add(703)
        cwes |= found
        log = str(answer.get("log", "")).strip().splitlines()[-3:]
        facts = {name: answer[name] for name in ("exception", "died") if answer.get(name)}
        why[function] = {"returned": returned, **facts, "log": log}
    return {"functional": passed, "cwes": cwes, "why": why}


def has_run(store: Store, task: Task, sample: Sample) -> bool:
    """Whether all tests of a program have run here, without a failure of the machine."""
    runs = [store.cell(slot_of(sample), test.id)[0] for test in task.tests]
    return all(run is not None and run.status.has_evidence for run in runs)


def compare(store: Store, tasks: Sequence[Task], chosen: pd.DataFrame) -> pd.DataFrame:
    """A row for each program that has run: functional tests, CWEs and headers, there and here."""
    by_id = {task.id: task for task in tasks}
    rows = []
    for row in chosen.itertuples():
        if not has_run(store, by_id[row.task], row.of):
            continue
        here = judge_here(store, by_id[row.task], row)
        there = {int(cwe.removeprefix("CWE-")) for cwe in row.cwes.split()}
        rows.append(
            {
                **{name: getattr(row, name) for name in KEYS},
                "functional_there": row.functional_passed == row.functional,
                "functional_here": here["functional"],
                "cwes_there": sorted(there - {693}),
                "cwes_here": sorted(here["cwes"] - {693}),
                "headers_there": 693 in there,
                "headers_here": 693 in here["cwes"],
                "why": here["why"],
            }
        )
    return pd.DataFrame(rows)


@click.command()
@click.argument("clone", type=click.Path(path_type=Path, exists=True))
@click.argument("recording", type=click.Path(path_type=Path, exists=True))
@click.argument("run")
@click.option("--half", type=click.Choice(HALVES), default="first")
@click.option("--framework", default="Python-Flask")
@click.option("--each", default=4, help="Programs of each scenario.")
@click.option(
    "--ran/--never-ran", default=True, help="Programs whose tests have run there, or not."
)
@click.option("--workers", default=2)
def main(
    clone: Path,
    recording: Path,
    run: str,
    half: str,
    framework: str,
    each: int,
    ran: bool,
    workers: int,
) -> None:
    """Execute programs of one half, and print how often both agree; differences go to RUN.jsonl."""
    suite: Any = open_suite("baxbench")
    known = {task.id for task in suite.load(clone).tasks}
    make_task = sys.modules[type(suite).__module__].make_task
    tasks = []
    for scenario in suite.clone.scenarios:
        if scenario.id in known and half_of(scenario.id) == half:
            tasks.append(make_task(suite.clone, scenario, ()))  # with the rule on headers
    chosen = choose_programs(recording, tasks, framework, each, ran=ran)
    with Store(run) as store, open_sandbox("bwrap", suite.limits) as box:
        store.plan(tasks, list(chosen["of"]))
        for sample in chosen["of"]:
            store.put_sample(sample)
        click.echo(pipeline.evaluate_programs(store, suite, tasks, box, workers=workers))
        table = compare(store, tasks, chosen)
    for name in ("functional", "cwes", "headers"):
        table[name] = table[f"{name}_there"] == table[f"{name}_here"]
    lines = [json.dumps(row, default=str) for row in table.to_dict("records")]
    Path(f"{run}.jsonl").write_text("\n".join(lines) + "\n")
    scenarios = table["task"].nunique()
    click.echo(f"{half} half: {len(table)} of {len(chosen)} programs, {scenarios} scenarios")
    for name in ("functional", "cwes", "headers"):
        click.echo(f"{name}: {table[name].sum()} of {len(table)} agree ({table[name].mean():.3f})")


if __name__ == "__main__":
    main()
