"""The time of a test is shared out among its stages."""

import pytest

from kit.paths import SUITES
from kit.records import Sample
from kit.suites import spec
from kit.suites.spec.suite import SpecSuite
from tests.benchmarks import stages

SUITE = SpecSuite()

TASKS = spec.load(SUITES / "dualgauge").tasks


def of(language, n):
    return [Sample(f"t{i}", "m", language=language) for i in range(n)]


def test_a_limit_takes_the_ends_and_what_lies_evenly_between():
    samples = of("python", 9) + of("cpp", 2)
    chosen = stages.even(samples, 3)
    assert [s.task for s in chosen] == ["t0", "t4", "t8", "t0", "t1"]
    assert stages.even(samples, None) == samples
    assert stages.even(samples, 1) == [samples[0], samples[9]]


@pytest.mark.slow
def test_the_time_of_a_test_is_shared_out_among_its_stages():
    tasks = [t for t in TASKS if t.id == "k05"]
    samples = [s for s in SUITE.references(tasks, SUITE.labels)[0] if s.language == "python"]
    row = stages.measure(SUITE, tasks, samples, limit=1)["python"]
    parts = {name: row[name] for name in ("imports", *stages.STAGES)}
    assert sum(parts.values()) == pytest.approx(row["ms"])
    assert min(parts[name] for name in ("imports", "start", "collection", "harness")) > 0
    assert parts["compile"] == parts["check"] == 0
