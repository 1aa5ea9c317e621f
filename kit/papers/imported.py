"""Results that others computed become a run: DualGauge's official artefact layout.

evaluation_results/<language>/<model>/<id>/sample_<n>/summary.json (counts by category) and
debug.json (a verdict for every test). What is missing or broken gets a status and a sentence.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict, content_key
from kit.store import Store, slot_of
from kit.suites.spec.item import cwe

ORACLE = "imported"
KINDS = {"Functional Correctness": "functional", "Security": "security"}
SHORT = {"functional": "fc", "security": "sec"}
OUTCOMES = {"PASS": Outcome.PASS, "FAIL": Outcome.FAIL}


@dataclass(frozen=True)
class Results:
    """What a tree holds: the tasks with their tests, every sample, the verdicts of those read."""

    tasks: tuple[Task, ...]
    samples: tuple[Sample, ...]
    verdicts: dict[str, tuple[Verdict, ...]]  # by slot
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Cell:
    """One sample folder: its verdicts by test id with their CWEs, or why there are none."""

    sample: Sample
    verdicts: dict[str, Verdict]
    cwes: dict[str, str]
    problem: str = ""


def read(folder: Path) -> Results:
    """The results below `folder`, which is evaluation_results or holds it.

    Every model is asked for every task and sample that any model of its language has: what a model
    lacks is not_run, what cannot be read is infra_error, and both stay in the plan.
    """
    root = folder / "evaluation_results" if (folder / "evaluation_results").is_dir() else folder
    places = sorted(p for p in root.glob("*/*/*/sample_*") if p.is_dir())
    if not places:
        raise KitError(
            f"No <language>/<model>/<id>/sample_<n> below {root}. Name the folder "
            "evaluation_results of the artefact, or the one that holds it."
        )
    cells = [_cell(place) for place in places]
    tests = _tests(cells)
    left = "The files hold no verdict for this test."
    absence = partial(Verdict, outcome=Outcome.UNKNOWN, reason=Reason.NO_EVIDENCE, sentence=left,
                      oracle=ORACLE)  # fmt: skip
    tasks = tuple(Task(t, "dualgauge", "", tuple(own)) for t, own in tests.items())
    absent = list(_absent(cells))
    problems = [c.problem for c in cells if c.problem] + [s.note for s in absent]
    verdicts = {
        slot_of(c.sample): tuple(
            c.verdicts.get(t.id) or absence(t.id) for t in tests[c.sample.task]
        )
        for c in cells
        if c.sample.status is Status.COMPLETED
    }
    return Results(tasks, (*(c.sample for c in cells), *absent), verdicts, problems)


def _cell(place: Path) -> _Cell:
    language, model, task, name = place.parts[-4:]
    index = name.removeprefix("sample_")
    if not index.isdigit():
        raise KitError(f"{place} is no sample_<number>. Rename the folder, or move it away.")
    blank = Sample(task, model, int(index), language)
    try:
        verdicts, cwes, problem = _verdicts(place)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        note = f"{place}: {type(error).__name__}: {error}"
        return _Cell(replace(blank, status=Status.INFRA_ERROR, note=note), {}, {}, note)
    return _Cell(blank, verdicts, cwes, problem and f"{place}: {problem}")


def _verdicts(place: Path) -> tuple[dict[str, Verdict], dict[str, str], str]:
    """From debug.json where it can be read, else from the counts of summary.json."""
    summary = _load(place / "summary.json")
    if not (place / "debug.json").exists():
        by_id = _counted(summary)
        return by_id, {}, "debug.json is missing: counts only, which test failed is not known."
    debug = _load(place / "debug.json")
    by_id, cwes = {}, {}
    numbers: dict[str, int] = defaultdict(int)
    for result in debug["test_results"]:
        kind = KINDS.get(result["test_case"].get("category"), "functional")
        name = f"{SHORT[kind]}-{numbers[kind]}"
        numbers[kind] += 1
        word = str(result["evaluation"].get("verdict", "")).upper()
        sentence = str(
            result["evaluation"].get("reasoning") or f"The verdict is {word or 'absent'}."
        )
        outcome = OUTCOMES.get(word, Outcome.UNKNOWN)
        by_id[name] = Verdict(name, outcome, Reason.JUDGE, sentence, oracle=ORACLE)
        cwes[name] = cwe(str(result["test_case"].get("cwe") or ""))
    if not by_id:
        raise ValueError("debug.json holds no test results.")
    counted = {k: sum(v.outcome is Outcome.PASS for n, v in by_id.items() if n.startswith(SHORT[k]))
               for k in KINDS.values()}  # fmt: skip
    summed = {KINDS[c]: n["passed_test_cases"] for c, n in summary["categories"].items()}
    problem = f"summary.json counts {summed}, debug.json {counted} passed." * (summed != counted)
    return by_id, cwes, problem


def _load(path: Path) -> dict[str, Any]:
    """A file's object; ValueError where it reports an error of the pipeline."""
    data: dict[str, Any] = json.loads(path.read_text())
    if data["status"] != "success":
        raise ValueError(f"{path.name} reports {data['status']}: {data.get('error', 'no reason')}.")
    return data


def _counted(summary: dict[str, Any]) -> dict[str, Verdict]:
    """As many passes and fails as counted; which test has which is not known."""
    verdicts = {}
    for category, kind in KINDS.items():
        counts = summary["categories"][category]
        for i in range(counts["total_test_cases"]):
            name, good = f"{SHORT[kind]}-{i}", i < counts["passed_test_cases"]
            sentence = f"{counts['passed_test_cases']} of {counts['total_test_cases']} passed."
            outcome = Outcome.PASS if good else Outcome.FAIL
            verdicts[name] = Verdict(name, outcome, Reason.JUDGE, sentence, oracle=ORACLE)
    return verdicts


def _tests(cells: list[_Cell]) -> dict[str, list[Test]]:
    """Per task every test that a sample of it has, functional ones first.

    A task of which no sample could be read gets one test of each kind, so that it stays in n.
    """
    cwes: dict[str, dict[str, str]] = {c.sample.task: {} for c in cells}
    for cell in cells:
        for name in cell.verdicts:
            known = cwes[cell.sample.task]
            known[name] = known.get(name) or cell.cwes.get(name, "")
    kinds = {short: kind for kind, short in SHORT.items()}
    places = {
        task: sorted((n.split("-")[0], int(n.split("-")[1])) for n in names or ("fc-0", "sec-0"))
        for task, names in cwes.items()
    }
    return {
        task: [Test(name, kinds[short], cwe=cwes[task].get(name, ""))
               for short, n in order for name in [f"{short}-{n}"]]
        for task, order in places.items()
    }  # fmt: skip


def _absent(cells: list[_Cell]) -> Iterator[Sample]:
    """The samples that other models of the language have and a model lacks."""
    wanted: dict[str, set[tuple[str, int]]] = defaultdict(set)
    present: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for s in (c.sample for c in cells):
        wanted[s.language].add((s.task, s.index))
        present[s.language, s.model].add((s.task, s.index))
    for (language, model), own in present.items():
        for task, index in sorted(wanted[language] - own):
            note = f"{language}/{model}/{task}/sample_{index} is missing."
            yield Sample(task, model, index, language, status=Status.NOT_RUN, note=note)


def keep(results: Results, run: str | Path) -> dict[str, int]:
    """Write the results as a run; how many samples were read, could not be read, are missing.

    There is no evidence behind the verdicts: their runs count as completed, by "imported".
    """
    blank = Evidence(Status.COMPLETED, isolation=ORACLE, note="Executed and judged elsewhere.")
    evidence = content_key(blank)
    with Store(run) as store:
        store.plan(results.tasks, results.samples)
        store.set_meta(source="DualGauge evaluation_results", problems=len(results.problems))
        with store.transaction():
            store.put_evidence(evidence, blank)
            for sample in results.samples:
                store.put_sample(sample)
            for slot, verdicts in results.verdicts.items():
                for v in verdicts:
                    key = content_key(v)
                    store.put_verdict(key, v)
                    store.put_cell(slot, v.test, evidence=evidence, verdict=key, cached=False)
    states = [s.status for s in results.samples]
    names = {"read": Status.COMPLETED, "broken": Status.INFRA_ERROR, "missing": Status.NOT_RUN}
    return {name: states.count(status) for name, status in names.items()}
