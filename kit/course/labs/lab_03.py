"""Lab 3: oracles and their errors. Twenty cases to label, confusion, agreement, correction."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from kit import oracle
from kit.core.paths import REFERENCES
from kit.core.records import Task, Test
from kit.course import run_tests
from kit.course.exercise import (
    VARIANTS,
    Remark,
    Seal,
    Setting,
    ask_function,
    ask_value,
    cut_text,
)
from kit.oracle import sast
from kit.run.pool import run_in_pool
from kit.sandbox import Sandbox
from kit.scoring import agreement, stats

SETS = (  # task, program: five short ones a variant
    (
        ("k01", "insecure"),
        ("k01", "secure"),
        ("k18", "insecure"),
        ("k19", "insecure"),
        ("k14", "insecure"),
    ),
    (
        ("k01", "insecure_2"),
        ("k10", "insecure"),
        ("k16", "insecure"),
        ("k19", "secure"),
        ("k08", "insecure"),
    ),
)
EACH = 4  # security tests of a program
RIGHT = {"pass": "fail", "fail": "pass"}


def pairs(variant: int) -> list[tuple[str, str]]:
    """The five programs of a variant; a sealed one draws them of all, in an order of its own."""
    if variant < VARIANTS:
        return list(SETS[variant % len(SETS)])
    every = list(chain.from_iterable(SETS))
    order = stats.seed(f"lab 3 programs {variant}").permutation(len(every))
    return [every[place] for place in order[: len(SETS[0])]]


def programs(variant: int) -> dict[tuple[str, str], str]:
    """(task, program) -> text of this variant."""
    texts = {}
    for task, name in pairs(variant):
        texts[task, name] = run_tests.read_labelled_programs(task, name)[name]
    return texts


def chosen(variant: int) -> list[tuple[str, str, Test, Mapping[str, str]]]:
    """The cases: task, program, security test, and its label with the reason.

    Of a program two tests that it fails, where it fails two, and others that it passes.
    """
    rng = stats.seed(f"lab 3 {variant // len(SETS)}")
    cases = []
    for task, name in pairs(variant):
        labels = json.loads((REFERENCES / task / "labels.json").read_text())[f"{name}.py"]["tests"]
        tests = [t for t in run_tests.load_shipped_task(task).tests if t.kind == "security"]
        places: dict[str, list[int]] = {"fail": [], "pass": []}
        for place in rng.permutation(len(tests)):
            places[labels[tests[place].id]["label"]].append(int(place))
        failing = places["fail"][: EACH // 2]
        for place in sorted(failing + places["pass"][: EACH - len(failing)]):
            cases.append((task, name, tests[place], labels[tests[place].id]))
    return cases


def cases(variant: int) -> pd.DataFrame:
    """What is to be labelled, by number: task, program, cwe, input, behavior."""
    rows = []
    for number, (task, name, test, _) in enumerate(chosen(variant), 1):
        text = cut_text(json.dumps(test.input))
        rows.append((number, task, f"{name}.py", test.cwe, text, test.behavior))
    columns = ["case", "task", "program", "cwe", "input", "behavior"]
    return pd.DataFrame(rows, columns=columns).set_index("case")


def reasons(variant: int) -> pd.DataFrame:
    """The label of each case and why: to be read after one's own labels are written."""
    rows = [(n, label["label"], label["why"]) for n, (*_, label) in enumerate(chosen(variant), 1)]
    return pd.DataFrame(rows, columns=["case", "label", "why"]).set_index("case")


def verdicts(box: Sandbox, variant: int) -> pd.DataFrame:
    """What four oracles say of each case: the test's probes, a text match, rules, a static engine.

    text match: only the probes that look at what was printed or returned. sast: a program with any
    alert is called insecure in all of its cases; unknown where no engine is installed.
    """
    codes = programs(variant)
    every = chosen(variant)
    alerts = _find_alerts(box, codes)

    def judge_case(number: int) -> dict[str, str]:
        task, program, test, _ = every[number]
        return _judge_case(box, task, codes[task, program], test)

    words = dict(run_in_pool(judge_case, range(len(every)), workers=2, title="cases"))
    rows = []
    for number, (task, program, *_) in enumerate(every):
        rows.append(words[number] | {"sast": alerts[task, program]})
    return pd.DataFrame(rows, index=pd.RangeIndex(1, len(every) + 1, name="case"))


def _judge_case(box: Sandbox, task_id: str, code: str, test: Test) -> dict[str, str]:
    """What the oracles that execute the program say of it on one test."""
    task: Task = run_tests.load_shipped_task(task_id)
    verdict, evidence = run_tests.judge_single_test(box, task, test, code)
    texts = tuple(p for p in test.probes if p["probe"].startswith(("output", "returns", "raises")))
    words = {"probes": str(verdict.outcome), "text match": "unknown"}
    if texts:
        match = oracle.judge(task, replace(test, probes=texts), evidence)
        words["text match"] = str(match.outcome)
    defaults = oracle.judge(task, replace(test, probes=()), evidence)
    return words | {"defaults": str(defaults.outcome)}


def _find_alerts(box: Sandbox, codes: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    if not sast.version("bandit"):
        return dict.fromkeys(codes, "unknown")
    files = {f"{task}-{name}.py": code.encode() for (task, name), code in codes.items()}
    report = sast.scan(box, "bandit", files, language="python")
    words = dict.fromkeys(files, "pass")
    words |= dict.fromkeys((finding.file for finding in report.findings), "fail")
    words |= dict.fromkeys(report.unread, "unknown")
    return {key: words[file] for key, file in zip(codes, files, strict=True)}


def judge_labels(numbers: Sequence[int]) -> Any:
    """Labels by case number. Here only their form is looked at; which are right a mark tells."""

    def judge(labels: Any, setting: Setting) -> list[Remark]:
        truth = [label for *_, label in chosen(setting.variant)]
        wanted = [str(number) for number in numbers]
        size = len(wanted)
        if not isinstance(labels, dict) or set(labels) != set(wanted):
            text = f"give a dictionary with a label for each of {size} cases"
            return [Remark(False, text, needed=True)]
        unlabelled = [number for number, word in labels.items() if word not in RIGHT]
        if unlabelled:
            return [Remark(False, f"case {min(unlabelled)}: write pass or fail", needed=True)]
        if not setting.is_marking and size > EACH:
            text = f"{size} of {size} cases labelled; how many are right is told after marking"
            return [Remark(True, text)]
        remarks = []
        for number in numbers:
            label = truth[number - 1]["label"]
            text = f"case {number} is {label}: {truth[number - 1]['why']}"
            remarks.append(Remark(labels[str(number)] == label, text))
        if size > EACH:  # one word for all would be right often: an answer has to be better
            right = sum(remark.ok for remark in remarks)
            words = [label["label"] for label in truth]
            usual = max(words.count("pass"), words.count("fail"))
            text = f"{right} are right; one word for all would give {usual}"
            remarks.append(Remark(right > usual, text, needed=True))
        return remarks

    return judge


def precision(tp: int, fp: int) -> float | None:
    """tp / (tp + fp); None where nothing was called insecure."""
    return tp / (tp + fp) if tp + fp else None


def confusion(
    labels: Sequence[str], verdicts: Sequence[str], unknown: str = "unknown"
) -> dict[str, int]:
    """An alarm (verdict fail) on an insecure case (label fail) is a true positive.

    unknown: the word that a verdict of that name counts as.
    """
    names = {
        ("fail", "fail"): "tp",
        ("pass", "fail"): "fp",
        ("fail", "pass"): "fn",
        ("pass", "pass"): "tn",
    }
    counts = {"tp": 0, "fp": 0, "fn": 0, "tn": 0, "undecided": 0}
    for label, verdict in zip(labels, verdicts, strict=True):
        word = unknown if verdict == "unknown" else verdict
        counts[names.get((label, word), "undecided")] += 1
    return counts


def raw(first: Sequence[str], second: Sequence[str]) -> float:
    """The share of cases on which two raters agree."""
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def ac1(first: Sequence[str], second: Sequence[str], left: str = "") -> float:
    """Gwet's AC1 of two raters with the labels pass and fail. left: word of pairs left out."""
    both = [pair for pair in zip(first, second, strict=True) if pair != (left, left)]
    return float(agreement.gwet_ac1(np.array(both)))


def measured(share: float, sensitivity: float, specificity: float) -> float:
    """The share that a judge counts as passing, when `share` of them do."""
    return share * sensitivity + (1 - share) * (1 - specificity)


def corrected(
    rate: float, sensitivity: float, specificity: float, chance: float | None = None
) -> float | None:
    """The inverse of `measured`, within [0, 1]; `chance` for a judge no better than chance."""
    if sensitivity + specificity <= 1:
        return chance
    return float(np.clip((rate + specificity - 1) / (sensitivity + specificity - 1), 0, 1))


def _words(rng: np.random.Generator, n: int, *words: str) -> list[str]:
    return [str(w) for w in rng.choice(words, n)]


def _two(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "first": _words(rng, 20, "pass", "pass", "pass", "fail"),
        "second": _words(rng, 20, "pass", "pass", "pass", "fail"),
    }


def _rates(rng: np.random.Generator) -> dict[str, float]:
    draws = [float(round(draw, 2)) for draw in rng.uniform([0.2, 0.7, 0.6], [0.9, 1, 1])]
    return dict(zip(("rate", "sensitivity", "specificity"), draws, strict=True))


def _shares(rng: np.random.Generator) -> dict[str, float]:
    rates = _rates(rng)
    return {"share": rates.pop("rate"), **rates}


EXERCISES = (
    ask_value(
        "3.1p",
        "first_labels",
        "Label four cases, with the reasons told",
        0,
        judge_labels(range(1, EACH + 1)),
    ),
    ask_value(
        "3.1",
        "labels",
        "Label twenty cases",
        4,
        judge_labels(range(1, 21)),
        Seal("the programs and the cases are those of this copy alone.", {}),
    ),
    ask_function(
        "3.2p",
        "Precision, where it is defined",
        precision,
        fixed=[{"tp": 3, "fp": 1}, {"tp": 0, "fp": 0}],
        drawn=lambda rng: {"tp": int(rng.integers(20)), "fp": int(rng.integers(1, 9))},
    ),
    ask_function(
        "3.2",
        "The confusion matrix of an oracle that may abstain",
        confusion,
        3,
        fixed=[{"labels": ["fail", "pass"], "verdicts": ["unknown", "fail"]}],
        drawn=lambda rng: {
            "labels": _words(rng, 12, "pass", "fail"),
            "verdicts": _words(rng, 12, "pass", "fail", "unknown"),
        },
        seal=Seal("a verdict unknown counts as {unknown}.", {"unknown": ("fail", "pass")}),
    ),
    ask_function(
        "3.3p",
        "Raw agreement of two raters",
        raw,
        fixed=[{"first": ["pass", "fail"], "second": ["pass", "pass"]}],
        drawn=_two,
    ),
    ask_function(
        "3.3",
        "Gwet's AC1 of two raters",
        ac1,
        3,
        fixed=[
            {"first": ["pass"] * 9 + ["fail"], "second": ["pass"] * 10},
            {"first": ["pass", "fail"], "second": ["pass", "fail"]},
        ],
        drawn=_two,
        seal=Seal("leave out the cases that both raters call {left}.", {"left": ("pass",)}),
    ),
    ask_function(
        "3.4p",
        "The score that an imperfect judge reports",
        measured,
        fixed=[{"share": 0.5, "sensitivity": 1.0, "specificity": 0.6}],
        drawn=_shares,
    ),
    ask_function(
        "3.4",
        "The score behind an imperfect judge's",
        corrected,
        3,
        fixed=[
            {"rate": 0.7, "sensitivity": 1.0, "specificity": 0.6},
            {"rate": 0.1, "sensitivity": 1.0, "specificity": 0.6},
            {"rate": 0.4, "sensitivity": 0.5, "specificity": 0.5},
        ],
        drawn=_rates,
        seal=Seal(
            "for a judge no better than chance the result is {chance}, not None.",
            {"chance": (-1.0, -2.0, 9.0)},
        ),
    ),
)
