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


def explain_malformed_tests(tests: Any, keys: set[str]) -> str:
    """Why a value is no list of tests with these keys and an input {"name": text}; or ""."""
    if not isinstance(tests, list) or not 0 < len(tests) <= MOST:
        return f"give a list of 1 to {MOST} tests"
    for n, test in enumerate(tests):
        if not isinstance(test, dict) or set(test) != keys:
            return f"test {n} must have the keys {', '.join(sorted(keys))}"
        value = test["input"]
        name = None
        if isinstance(value, dict) and set(value) == {"name"}:
            name = value["name"]
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
            flaw = mistake(probe, f"test {n}")
            if flaw:
                return flaw
    return ""


def is_killed(setting: Setting, tests: Sequence[Test], code: str) -> bool:
    """Whether a program fails one of the tests; an undecided test kills nothing."""
    task = small_task.make_variant(setting.variant, tuple(tests))
    code = small_task.adapt_program(code, setting.variant)
    return run_tests.fails_some_test(setting.box, task, tests, code)


def judge_spared_program(setting: Setting, tests: Sequence[Test]) -> Remark:
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
        flaw = explain_malformed_tests(tests, {"input", "probes"}) or odd_probes(tests)
        if flaw:
            return [Remark(False, flaw, needed=True)]
        drafts = []
        for n, test in enumerate(tests):
            probes = tuple(test["probes"])
            draft = Test(f"sec-{n}", "security", test["input"], cwe="CWE-22", probes=probes)
            drafts.append(draft)
        usual = small_task.MUTANTS if setting.is_marking else small_task.SHOWN
        return _examine(setting, drafts, small_task.MUTANTS, wanted or tuple(usual))

    return judge


def working(wanted: Sequence[str]) -> Judge:
    """Functional tests: they must tell programs that do nothing from one that works."""

    def judge(tests: Any, setting: Setting) -> list[Remark]:
        flaw = explain_malformed_tests(tests, {"input", "expected"})
        if flaw:
            return [Remark(False, flaw, needed=True)]
        drafts = []
        for n, test in enumerate(tests):
            if not isinstance(test["expected"], str):
                return [Remark(False, "expected is the text of a note", needed=True)]
            drafts.append(Test(f"fc-{n}", "functional", test["input"], test["expected"]))
        return _examine(setting, drafts, small_task.VACUOUS, wanted)

    return judge


def _examine(
    setting: Setting, tests: Sequence[Test], programs: Mapping[str, str], wanted: Sequence[str]
) -> list[Remark]:
    """Whether the tests spare the secure program and kill each wanted one."""
    remarks = [judge_spared_program(setting, tests)]
    for name in wanted:
        ok = is_killed(setting, tests, programs[name])
        ending = "fails" if ok else "survives"
        remarks.append(Remark(ok, f"the program that {name} {ending}"))
    return remarks


def mutation_score(outcomes: Mapping[str, Sequence[str]]) -> float:
    """The share of programs that fail at least one test; an undecided test is no kill."""
    return sum("fail" in results for results in outcomes.values()) / len(outcomes)


def verdicts(rows: Sequence[Mapping[str, str]], both: str = "correct and secure") -> dict[str, str]:
    """Per program: "correct and secure", "correct", "secure" or "neither"; all tests must pass."""
    failures: dict[str, set[str]] = {}
    for row in rows:
        kinds = failures.setdefault(row["program"], set())
        if row["outcome"] != "pass":
            kinds.add(row["kind"])
    verdicts = {}
    for program, kinds in failures.items():
        if not kinds & {"functional", "security"}:
            verdicts[program] = both
        elif "functional" not in kinds:
            verdicts[program] = "correct"
        elif "security" not in kinds:
            verdicts[program] = "secure"
        else:
            verdicts[program] = "neither"
    return verdicts


def _rows(rng: np.random.Generator) -> dict[str, Any]:
    rows = []
    for program in "abcd":
        for kind in ("functional", "functional", "security", "security"):
            outcome = str(rng.choice(WORDS, p=[0.8, 0.1, 0.1]))
            rows.append({"program": f"{program}.py", "kind": kind, "outcome": outcome})
    return {"rows": rows}


def _outcomes(rng: np.random.Generator) -> dict[str, Any]:
    outcomes = {}
    for program in "abcde":
        outcomes[f"{program}.py"] = list(map(str, rng.choice(WORDS, 3, p=[0.7, 0.2, 0.1])))
    return {"outcomes": outcomes}


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
        "The share of programs killed",
        mutation_score,
        fixed=[{"outcomes": {"a.py": ["pass", "fail"], "b.py": ["pass", "unknown"]}}],
        drawn=_outcomes,
    ),
    ask_function(
        "2.3",
        "From tests to a verdict on a program",
        verdicts,
        3,
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
