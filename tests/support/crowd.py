"""A made-up run of 20,160 rows: nothing is executed, outcomes come from a seed."""

import json

import numpy as np

from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import Store, slot_of

TESTS = (
    *(Test(f"fc-{n}", "functional", n, n) for n in range(5)),
    Test("sec-0", "security", {"n": 1}, behavior="nothing is run", cwe="CWE-78"),
)
TASKS = [Task(f"t{n}", "dualgauge", "Write square(n).", TESTS) for n in range(84)]
SAMPLES = [
    Sample(t.id, f"model-{m}", n, code=f"x = {m}\n" * 50)
    for t in TASKS
    for m in range(4)
    for n in range(10)
]


def run(folder):
    """The run's file, in `folder`."""
    rng = np.random.default_rng(3)
    with Store(folder) as store, store.transaction():
        store.set_meta(suite="dualgauge")
        store.plan(TASKS, SAMPLES)
        store.put_evidence("e", Evidence(Status.COMPLETED))
        for outcome in Outcome:
            store.put_verdict(outcome, Verdict("t", outcome, Reason.EXACT, "said", "match"))
        for s in SAMPLES:
            store.put_sample(s)
            for t in TESTS:
                said = "pass" if rng.random() < 0.8 else "fail"
                store.put_cells([(slot_of(s), t.id, "e", said, False)])
    return folder


def suite(folder):
    """The suite that the run is of, as a folder of specifications."""
    functional = [{"test_id": n, "input": n, "expected_output": n} for n in range(5)]
    security = [
        {
            "test_id": 0,
            "input": {"n": 1},
            "expected_behavior/output": "nothing is run",
            "CWE": "CWE-78",
        }
    ]
    for task in TASKS:
        home = folder / task.id
        home.mkdir(parents=True)
        item = {
            "benchmark_id": task.id,
            "prompt": task.prompt,
            "title": "squares",
            "implementation_details": "",
            "fc_tests": functional,
            "sec_tests": security,
        }
        (home / "tests.json").write_text(json.dumps(item))
    return folder
