"""Lab 2: write the attack as a test. Insecure programs must fail it, the secure one must not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kit.core.records import Outcome, Test
from kit.course import run_tests, small_task
from kit.course.exercise import (
    OWN_NAMES,
    Remark,
    Seal,
    Setting,
    ask_function,
    ask_value,
    cut_text,
)
from kit.oracle.probes import mistake

MOST = 8  # tests of an answer
ALLOWED = ("no_open", "output_excludes")
WORDS = ["pass", "fail", "unknown"]
Judge = Callable[[Any, Setting], Sequence[Remark]]


def malformed(tests: Any, keys: set[str]) -> str:
    """Why a value is no list of tests with these keys and an input {"name": text}; or ""."""
    if not isinstance(tests, list) or not 0 < len(tests) <= MOST:
        return f"give a list of 1 to {MOST} tests"
    for n, test in enumerate(tests):
        if not isinstance(test, dict) or set(test) != keys:
            return f"test {n} must have the keys {', '.join(sorted(keys))}"
        value = test["input"]
        name = value.get("name") if isinstance(value, dict) and set(value) == {"name"} else None
        if not isinstance(name, str) or len(name) > 200 or "\0" in name:
            return f'test {n}: the input is {{"name": a text of at most 200 characters}}'
    return ""


def odd_probes(tests: Sequence[Mapping[str, Any]]) -> str:
    """Why a probe cannot be used here; or "". Patterns are left out: they run on our machine."""
    for n, test in enumerate(tests):
        probes = test["probes"]
        if not isinstance(probes, list) or not 0 < len(probes) <= MOST:
            return f"test {n}: give a list of 1 to {MOST} probes"
        for probe in probes:
            if not isinstance(probe, dict) or probe.get("probe") not in ALLOWED or "regex" in probe:
                return f"test {n}: use the probes {' and '.join(ALLOWED)} (with text)"
            if flaw := mistake(probe, f"test {n}"):
                return flaw
    return ""


def killed(setting: Setting, tests: Sequence[Test], code: str) -> bool:
    """Whether a program fails one of the tests; an undecided test kills nothing."""
    task = small_task.make_variant(setting.variant, tuple(tests))
    code = small_task.adapt_program(code, setting.variant)
    return any(
        run_tests.judge_single_test(setting.box, task, t, code)[0].outcome is Outcome.FAIL
        for t in tests
    )


def spared(setting: Setting, tests: Sequence[Test]) -> Remark:
    """The secure program passes every test: failing and undecided are both off."""
    task = small_task.make_variant(setting.variant, tuple(tests))
    code = small_task.adapt_program(small_task.SECURE, setting.variant)
    for test in tests:
        verdict, _ = run_tests.judge_single_test(setting.box, task, test, code)
        if verdict.outcome is not Outcome.PASS:
            asked = cut_text(f"{test.id} ({test.input['name']!r})", 80)
            return Remark(
                False, f"the secure program does not pass {asked}: {verdict.sentence}", True
            )
    return Remark(True, "the secure program passes every test", needed=True)


def attacks(wanted: Sequence[str] = ()) -> Judge:
    """Security tests; without `wanted` the student is shown three programs and marked on all."""

    def judge(tests: Any, setting: Setting) -> list[Remark]:
        if flaw := malformed(tests, {"input", "probes"}) or odd_probes(tests):
            return [Remark(False, flaw, needed=True)]
        drafts = [
            Test(f"sec-{n}", "security", t["input"], cwe="CWE-22", probes=tuple(t["probes"]))
            for n, t in enumerate(tests)
        ]
        chosen = wanted or (tuple(small_task.MUTANTS) if setting.is_marking else small_task.SHOWN)
        return [
            spared(setting, drafts),
            *(_kill(setting, drafts, n, small_task.MUTANTS[n]) for n in chosen),
        ]

    return judge


def working(wanted: Sequence[str]) -> Judge:
    """Functional tests: they must tell programs that do nothing from one that works."""

    def judge(tests: Any, setting: Setting) -> list[Remark]:
        if flaw := malformed(tests, {"input", "expected"}):
            return [Remark(False, flaw, needed=True)]
        if not all(isinstance(t["expected"], str) for t in tests):
            return [Remark(False, "expected is the text of a note", needed=True)]
        drafts = [
            Test(f"fc-{n}", "functional", t["input"], t["expected"]) for n, t in enumerate(tests)
        ]
        return [
            spared(setting, drafts),
            *(_kill(setting, drafts, n, small_task.VACUOUS[n]) for n in wanted),
        ]

    return judge


def _kill(setting: Setting, tests: Sequence[Test], name: str, code: str) -> Remark:
    ok = killed(setting, tests, code)
    return Remark(ok, f"the program that {name} {'fails' if ok else 'survives'}")


def mutation_score(outcomes: Mapping[str, Sequence[str]]) -> float:
    """The share of programs that fail at least one test; an undecided test is no kill."""
    return sum("fail" in results for results in outcomes.values()) / len(outcomes)


def verdicts(rows: Sequence[Mapping[str, str]], both: str = "correct and secure") -> dict[str, str]:
    """Per program: "correct and secure", "correct", "secure" or "neither"; all tests must pass."""
    words = {(True, True): both, (True, False): "correct", (False, True): "secure"}
    failed = {(r["program"], r["kind"]) for r in rows if r["outcome"] != "pass"}
    return {
        name: words.get(
            ((name, "functional") not in failed, (name, "security") not in failed), "neither"
        )
        for name in dict.fromkeys(r["program"] for r in rows)
    }


def _rows(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "rows": [
            {
                "program": f"{p}.py",
                "kind": kind,
                "outcome": str(rng.choice(WORDS, p=[0.8, 0.1, 0.1])),
            }
            for p in "abcd"
            for kind in ("functional", "functional", "security", "security")
        ]
    }


def _three(*rows: str) -> list[dict[str, str]]:
    return [dict(zip(("program", "kind", "outcome"), row.split(), strict=True)) for row in rows]


EXERCISES = (
    ask_value(
        "2.1p",
        "one_attack",
        "One security test that kills one program",
        0,
        attacks(small_task.SHOWN[:1]),
    ),
    ask_value(
        "2.1", "attacks", "Security tests that kill every insecure program", 4, attacks(), OWN_NAMES
    ),
    ask_value(
        "2.2p",
        "one_note",
        "One functional test that beats a program that refuses",
        0,
        working(["refuses everything"]),
    ),
    ask_value(
        "2.2",
        "working",
        "Functional tests that beat vacuous programs",
        3,
        working(list(small_task.VACUOUS)),
        OWN_NAMES,
    ),
    ask_function(
        "2.3p",
        "mutation_score",
        "The share of programs killed",
        0,
        solution=mutation_score,
        fixed=[{"outcomes": {"a.py": ["pass", "fail"], "b.py": ["pass", "unknown"]}}],
        drawn=lambda rng: {
            "outcomes": {
                f"{p}.py": [str(w) for w in rng.choice(WORDS, 3, p=[0.7, 0.2, 0.1])]
                for p in "abcde"
            }
        },
    ),
    ask_function(
        "2.3",
        "verdicts",
        "From tests to a verdict on a program",
        3,
        solution=verdicts,
        fixed=[
            {"rows": _three("a.py functional pass", "a.py security unknown")},
            {
                "rows": _three(
                    "a.py functional fail",
                    "b.py functional pass",
                    "a.py security pass",
                    "b.py security pass",
                )
            },
        ],
        drawn=_rows,
        seal=Seal(
            "write {both} in place of correct and secure.", {"both": ("joint", "whole", "solved")}
        ),
    ),
)
