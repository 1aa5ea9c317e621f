"""Lab 1: passing tests is not security. Attacks on a shipped task, evidence, and a mend."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kit.core.records import Outcome, Task, Test
from kit.course import run_tests, small_task
from kit.course.exercise import (
    OWN_NAMES,
    Answer,
    Exercise,
    Remark,
    Seal,
    Setting,
    ask_function,
    ask_value,
    cut_text,
    draw_suffix,
)

TARGETS = {  # program -> the file that only its own weakness lets out
    "insecure": "test_dir/docs-internal{}/salaries.csv",
    "insecure_2": "test_dir/private{}.txt",
}
PAIRS = (("insecure", "insecure_2"), ("insecure_2", "insecure"))  # practice, marked


def target(variant: int, *, practice: bool = False) -> tuple[str, str]:
    """(program, file to read out of it) of a variant."""
    program = PAIRS[variant % 2][0 if practice else 1]
    return program, TARGETS[program].format(draw_suffix(variant))


def with_secret(task: Task, path: str, text: str) -> Task:
    """The task with a private file of this text."""
    return replace(task, files={**task.files, path: f"{text}\n".encode()})


def judge_attack(practice: bool) -> Any:
    def judge(name: Any, setting: Setting) -> list[Remark]:
        if not isinstance(name, str) or len(name) > 200:
            return [Remark(False, "the attack is a text of at most 200 characters", needed=True)]
        program, path = target(setting.variant, practice=practice)
        secret = f"secret {setting.make_rng('1.1').integers(10**9):09d}"
        task = with_secret(run_tests.load_shipped_task("k01"), path, secret)
        codes = run_tests.read_labelled_programs("k01")
        probes = (
            {"probe": "no_open", "glob": f"/box/{path}"},
            {"probe": "output_excludes", "text": secret},
        )
        test = Test("attack", "security", {"name": name}, probes=probes)
        weak, evidence = run_tests.judge_single_test(setting.box, task, test, codes[program])
        secure, _ = run_tests.judge_single_test(setting.box, task, test, codes["secure"])
        opened = any(
            e.kind == "open" and e.target == f"/box/{path}" and e.result >= 0
            for e in evidence.events
        )
        return [
            Remark(
                opened, f"{program}.py opens {path} when asked for {cut_text(name, 60)!r}", True
            ),
            Remark(
                weak.outcome is Outcome.FAIL and secret in str(evidence.observed.value),
                "what the file holds comes back",
                True,
            ),
            Remark(secure.outcome is Outcome.PASS, "secure.py refuses the same name", True),
        ]

    return judge


def succeeded(events: Sequence[Mapping[str, Any]]) -> int:
    """The number of opens that gave a file."""
    return sum(e["kind"] == "open" and e["result"] >= 0 for e in events)


def touched_outside(
    events: Sequence[Mapping[str, Any]], folder: str, kind: str = "open"
) -> list[str]:
    """The targets of successful events, each once, in order, and that are not below `folder`."""
    inside = folder.rstrip("/") + "/"
    opened = [e["target"] for e in events if e["kind"] == kind and e["result"] >= 0]
    return list(dict.fromkeys(path for path in opened if not path.startswith(inside)))


def _events(rng: np.random.Generator, folder: str) -> list[dict[str, Any]]:
    places = [
        f"{folder}/a.txt",
        f"{folder}/b/c.txt",
        f"{folder}-old/a.txt",
        "/box/private.txt",
        f"{folder}.bak",
        "/usr/lib/python3/os.py",
    ]
    return [
        {
            "kind": str(rng.choice(["open", "open", "open", "write", "delete"])),
            "target": str(rng.choice(places)),
            "result": int(rng.choice([0, 3, 5, -2, -13])),
        }
        for _ in range(8)
    ]


def _draw_case(rng: np.random.Generator) -> dict[str, Any]:
    folder = f"/box/{rng.choice(['docs', 'notes', 'share'])}"
    return {"events": _events(rng, folder), "folder": folder}


def is_inside(folder: str, path: str) -> bool:
    """Both absolute, without links: is the path below the folder once .. and . are gone?"""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(["", *parts]).startswith(folder.rstrip("/") + "/")


def _path(rng: np.random.Generator) -> dict[str, Any]:
    words = rng.choice(["..", ".", "docs", "docs-old", "a.txt", "..a"], size=4)
    return {"folder": "/srv/docs", "path": "/srv/docs/" + "/".join(map(str, words))}


def judge_mended_program(answer: Answer, setting: Setting) -> list[Remark]:
    """The student's read_note against notes and attacks that are drawn now."""
    refusal = answer.explain_refusal()
    if refusal:
        return [Remark(False, refusal, needed=True)]
    task = small_task.draw_examination(setting.variant, setting.make_rng("1.3"))
    remarks = []
    for test in task.tests:
        verdict, evidence = run_tests.judge_single_test(setting.box, task, test, answer.code)
        asked = f"{test.kind}: read_note({test.input['name']!r})"
        text = f"{asked}. {verdict.sentence} {evidence.note}".strip()
        remarks.append(Remark(verdict.outcome is Outcome.PASS, cut_text(text, 240), needed=True))
    return remarks


SHAPE = [
    {"kind": kind, "target": path, "result": result}
    for kind, path, result in (
        ("open", "/box/docs/a.txt", 3),
        ("open", "/box/docs-old/a.txt", 4),
        ("open", "/box/private.txt", -2),
        ("delete", "/box/x", 0),
        ("write", "/box/y", 1),
        ("open", "/box/docs-old/a.txt", 4),
    )
]
EXERCISES = (
    ask_value(
        "1.1p", "first_attack", "Read a private file out of one program", 0, judge_attack(True)
    ),
    ask_value(
        "1.1", "attack", "Read a private file out of the other", 2, judge_attack(False), OWN_NAMES
    ),
    ask_function(
        "1.2p",
        "Count the opens that succeeded",
        succeeded,
        fixed=[{"events": []}, {"events": SHAPE}],
        drawn=lambda rng: {"events": _events(rng, "/box/docs")},
    ),
    ask_function(
        "1.2",
        "What outside of a folder was touched?",
        touched_outside,
        3,
        drawn=_draw_case,
        fixed=[{"events": SHAPE, "folder": "/box/docs"}, {"events": SHAPE, "folder": "/box/docs/"}],
        seal=Seal("take the events of the kind {kind}, not open.", {"kind": ("write", "delete")}),
    ),
    ask_function(
        "1.3p",
        "Does a path stay in a folder?",
        is_inside,
        fixed=[
            {"folder": "/srv/docs", "path": "/srv/docs/../docs-old/a.txt"},
            {"folder": "/srv/docs", "path": "/srv/docs/./a.txt"},
            {"folder": "/srv/docs", "path": "/srv/docs"},
        ],
        drawn=_path,
    ),
    Exercise(
        "1.3",
        "read_note",
        "Write a reader that stays in its folder",
        5,
        judge_mended_program,
        OWN_NAMES,
    ),
)
