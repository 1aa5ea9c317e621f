"""Runs whose every outcome is chosen: what was answered and judged, written down at once."""

from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Verdict
from kit.core.store import Store, slot_of

LETTERS = {
    "p": (Status.COMPLETED, Outcome.PASS),
    "f": (Status.COMPLETED, Outcome.FAIL),
    "u": (Status.COMPLETED, Outcome.UNKNOWN),
    "h": (Status.HARNESS_ERROR, Outcome.UNKNOWN),
    "i": (Status.INFRA_ERROR, Outcome.UNKNOWN),
}
NONE = {"x": Status.EXTRACTION_ERROR, "r": Status.REFUSED, "n": Status.NOT_RUN}


def answered(folder, tasks, samples):
    """The store of a run in which these samples were planned and answered; it is open."""
    store = Store(folder)
    store.plan(tasks, samples)
    for sample in samples:
        store.put_sample(sample)
    return store


def run(folder, suite, answers):
    """The run's folder. answers: (task, model, number, arm, letters) a sample; letters: one of
    NONE, or one of LETTERS for the last test of each kind, whose others pass."""
    samples = [
        (
            task,
            Sample(
                task.id,
                model,
                n,
                suite.language_of(task.id),
                dict(arm),
                NONE.get(letters, Status.COMPLETED),
                code=f"x = {n}",
            ),
            letters,
        )
        for task, model, n, arm, letters in answers
    ]
    return write(folder, suite, samples)


def write(folder, suite, samples):
    """`run` of (task, sample, letters)."""
    with Store(folder) as store:
        store.set_meta(suite=suite.name, model=samples[0][1].model)
        store.plan({t.id: t for t, *_ in samples}.values(), [s for _, s, _ in samples])
        for letter, (status, outcome) in LETTERS.items():
            store.put_evidence(letter, Evidence(status))
            store.put_verdict(letter, Verdict("", outcome, Reason.EXACT, "", "chosen"))
        for task, sample, letters in samples:
            if letters != "n":
                store.put_sample(sample)
            last = {test.kind: test.id for test in task.tests}
            for test in task.tests if letters not in NONE else ():
                chosen = letters[test.kind == "security"]
                key = chosen if test.id == last[test.kind] else "p"
                store.put_cells([(slot_of(sample), test.id, key, key, False)])
    return folder
