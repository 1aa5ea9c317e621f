"""What was recorded of the project without edits, and which tests an iteration needs by it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kit.systems.ossbench.project import CProject
from kit.systems.ossbench.reach import ReachByTest


@dataclass(frozen=True)
class Original:
    """What was recorded of the project without edits.

    passing: the tests that it passes. reached: test run -> numbers of the functions that it runs;
    all where this could not be built. by_test: the same for each test of a run, where it is known.
    seconds: test run -> how long it takes. ended: test run -> why it ended badly.
    """

    passing: Sequence[str]
    seconds: Mapping[str, float]
    ended: Mapping[str, str]
    reached: Mapping[str, Collection[int]]
    by_test: Mapping[str, ReachByTest] = field(default_factory=dict)

    @classmethod
    def of(cls, baseline: Mapping[str, Any], coverage: Mapping[str, Any]) -> "Original":
        """What the trials of these two kinds observed."""
        seconds = baseline.get("seconds", {})  # not in runs of earlier versions
        by_test = {}
        for name, value in coverage.get("tests", {}).items():
            by_test[name] = ReachByTest.unpack(value)
        reached = coverage["reached"]
        return cls(baseline["passing"], seconds, baseline["ended"], reached, by_test)

    @cached_property
    def tests_by_run(self) -> dict[str, list[str]]:
        """The passing tests of each test run."""
        tests: dict[str, list[str]] = {}
        for test in self.passing:
            tests.setdefault(self.find_run(test), []).append(test)
        return tests

    def find_run(self, test: str) -> str:
        """The test run that a test belongs to; a run's name may have slashes, and a test's too."""
        name = whole = test.rpartition("/")[0]
        while name and name not in self.seconds:
            name = name.rpartition("/")[0]
        return name or whole

    @cached_property
    def runs(self) -> list[str]:
        """The test runs in which it passes a test, the longest first; the others decide nothing."""
        return sorted(self.tests_by_run, key=lambda name: -self.seconds.get(name, 0.0))

    def plan_runs(self, chosen: Iterable[int]) -> tuple[list[str], list[str]]:
        """The test runs that reach one of these functions, and the others."""
        wanted = set(chosen)
        reaching: list[str] = []
        others: list[str] = []
        for name in self.runs:
            is_reaching = name not in self.reached or not wanted.isdisjoint(self.reached[name])
            (reaching if is_reaching else others).append(name)
        return reaching, others

    def plan_tests(self, chosen: Iterable[int]) -> dict[str, list[str]]:
        """Test run -> the tests of it that reach one of these functions, or may do so."""
        wanted = list(chosen)
        plan = {}
        for name in self.plan_runs(wanted)[0]:
            tests = self.tests_by_run[name]
            if name in self.by_test:
                unconcerned = self.by_test[name].find_unconcerned(wanted)
                tests = [test for test in tests if test not in unconcerned]
            if tests:
                plan[name] = tests
        return plan

    def select_narrowed(self, plan: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
        """The runs of a plan that need not run all of their tests."""
        whole = self.tests_by_run
        return {name: tests for name, tests in plan.items() if len(tests) < len(whole[name])}

    def describe_selection(self, mode: str, chosen: Iterable[int]) -> str:
        """The mode of an iteration that runs only the tests that reach its edits."""
        plan = self.plan_tests(chosen)
        if self.by_test:
            count = sum(map(len, plan.values()))
            return f"{mode}, {count:,} of {len(self.passing):,} tests"
        return f"{mode}, {len(plan)} of {len(self.runs)} test runs"

    def describe(self, project: CProject, functions: int) -> str:
        """How much of the test suite is run, and how much of the code it reaches, in sentences."""
        count, total = len(project.runs), project.suite_runs or len(project.runs)
        text = (
            f"{count} of {total} test runs of the suite ({count / total:.1%}), with "
            f"{len(self.passing)} tests that the original passes."
        )
        if self.reached:
            reached = len(set().union(*self.reached.values()))
            text += f" They reach {reached} of {functions} functions ({reached / functions:.1%})."
        idle = []
        for run in project.runs:
            if run.name not in self.runs:
                idle.append(f"{run.name} ({self.ended.get(run.name, 'it passes no test')})")
        if idle:
            text += f" {len(idle)} cannot run: {'; '.join(idle)}."
        return text
