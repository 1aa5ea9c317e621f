"""The bench of the pipeline counts what it ran, and starts from nothing."""

import os

import pytest

from kit.errors import KitError
from kit.paths import SUITES
from kit.records import Sample
from kit.suites import spec
from kit.suites.spec.suite import SpecSuite
from tests.benchmarks import stages as spent
from tests.benchmarks import throughput

SUITE = SpecSuite()

TASKS = spec.load(SUITES / "dualgauge").tasks


def of(language, n):
    return [Sample(f"t{i}", "m", language=language) for i in range(n)]


def test_a_limit_takes_the_ends_and_what_lies_evenly_between():
    samples = of("python", 9) + of("cpp", 2)
    chosen = throughput.even(samples, 3)
    assert [s.task for s in chosen] == ["t0", "t4", "t8", "t0", "t1"]
    assert throughput.even(samples, None) == samples
    assert throughput.even(samples, 1) == [samples[0], samples[9]]


def test_nothing_to_run_is_said():
    with pytest.raises(KitError, match="No labelled programs"):
        throughput.measure(SUITE, TASKS, [])


@pytest.mark.slow
def test_every_test_of_every_chosen_program_is_run_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(throughput.CACHE, str(tmp_path))
    tasks = [t for t in TASKS if t.id == "k01"]
    samples, _ = SUITE.references(tasks)
    found = throughput.measure(SUITE, tasks, samples, limit=1)
    tests = len(tasks[0].tests)
    assert {n: r["tests"] for n, r in found["languages"].items()} == dict.fromkeys(
        ("python", "javascript", "cpp"), tests
    )
    cpp, every = found["languages"]["cpp"], found["all"]
    assert cpp["compile"] > cpp["again"]
    assert cpp["per second with compile"] < cpp["per second"] == tests / cpp["seconds"]
    assert every["tests"] == 3 * tests
    assert every["seconds"] == pytest.approx(sum(r["seconds"] for r in found["languages"].values()))
    assert list(tmp_path.iterdir()) == []  # the user's own cache was not touched
    assert os.environ[throughput.CACHE] == str(tmp_path)
    told = throughput.text(found)
    assert "javascript" in told
    assert f"2 workers on {os.cpu_count()} processors" in told


@pytest.mark.slow
def test_the_time_of_a_test_is_shared_out_among_its_stages():
    tasks = [t for t in TASKS if t.id == "k05"]
    samples = [s for s in SUITE.references(tasks, SUITE.labels)[0] if s.language == "python"]
    row = spent.measure(SUITE, tasks, samples, limit=1)["python"]
    parts = {name: row[name] for name in ("imports", *spent.STAGES)}
    assert sum(parts.values()) == pytest.approx(row["ms"])
    assert min(parts[name] for name in ("imports", "start", "collection", "harness")) > 0
    assert parts["compile"] == parts["check"] == 0
