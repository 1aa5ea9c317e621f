"""A run whose every name, program, sentence, caption and file is an attack on who looks at it."""

import json

from kit.core import records
from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import Store, slot_of

IMG = '<img src=x onerror="window.owned=1">'
EVIL = f"</script></textarea></title>{IMG}<script>window.owned=1</script>"
NAME = f"t{IMG}"  # of a folder: no slash
TESTS = (
    Test("fc-0", "functional", input={EVIL: EVIL}, expected=EVIL),
    Test("sec-0", "security", input=EVIL, behavior=EVIL, cwe="CWE-79"),
    Test("sec-1", "security", input=EVIL, behavior=EVIL, cwe="CWE-22"),
)
TASK = Task(NAME, "dualgauge", EVIL, TESTS, title=EVIL, domain="web")
SAMPLES = [
    Sample(
        NAME,
        f"model {EVIL}",
        n,
        "python",
        {"prompt": EVIL, "temperature": n / 4},
        code=f"# {EVIL}\nx = '{EVIL}'\n" * 3,
    )
    for n in range(4)
] + [
    Sample(
        NAME,
        f"other {IMG}",
        0,
        "python",
        {"prompt": IMG},
        Status.EXTRACTION_ERROR,
        response=EVIL,
        note=EVIL,
    ),
]
SEEN = Evidence(
    Status.COMPLETED,
    stdout=EVIL.encode(),
    stderr=EVIL.encode(),
    files={EVIL: b"x"},
    events=(records.Event("open", EVIL, "r"),),
    note=EVIL,
    isolation=EVIL,
    lost=(EVIL,),
    observed=records.Observed("exception", exception=EVIL, message=EVIL, lines=(1,)),
)
ALERT = records.Finding(*[EVIL] * 4, 2, function="", message=EVIL, flow=(EVIL,), kind=EVIL)


def run(folder):
    """The run's file, in `folder`."""
    with Store(folder) as store:
        store.set_meta(suite="dualgauge", model=EVIL, date=EVIL, base_url=EVIL)
        store.plan([TASK], SAMPLES)
        store.put_evidence("e", SEEN)
        for sample in SAMPLES:
            store.put_sample(sample)
            store.put_findings(slot_of(sample), [ALERT], [[slot_of(sample)]])
            for n, test in enumerate(TESTS):
                said = Outcome.FAIL if (sample.index + n) % 2 else Outcome.PASS
                key = f"{slot_of(sample)}{n}"
                store.put_verdict(key, Verdict(test.id, said, Reason.EXACT, EVIL, EVIL, (EVIL,)))
                store.put_cells([(slot_of(sample), test.id, "e", key, False)])
    return folder


def suite(folder):
    """The suite that the run is of, as a folder of specifications."""
    home = folder / NAME
    home.mkdir(parents=True)
    functional = [{"test_id": 0, "input": EVIL, "expected_output": EVIL}]
    security = [
        {"test_id": n, "input": EVIL, "expected_behavior/output": EVIL, "CWE": t.cwe}
        for n, t in enumerate(TESTS[1:])
    ]
    item = {
        "benchmark_id": NAME,
        "prompt": EVIL,
        "implementation_details": EVIL,
        "title": EVIL,
        "fc_tests": functional,
        "sec_tests": security,
    }
    (home / "tests.json").write_text(json.dumps(item))
    return folder
