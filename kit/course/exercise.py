"""A lab and its exercises; student and marker check an answer by the same code.

An answer is one cell, which runs alone in the sandbox and may return any value. The cell is
untrusted. It gets the inputs of the call and not the expected results; its prints, changed
functions and files are gone when the run ends, and earn nothing.
"""

import ast
import importlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kit.core.errors import KitError
from kit.core.languages import parse_python
from kit.core.records import Status
from kit.explore.render import one_line
from kit.harness import box_files
from kit.sandbox import Limits, Sandbox, open_sandbox
from kit.scoring import stats

LIMITS = Limits(wall_s=30, cpu_s=4, memory_mb=256)
NOTEBOOK_ONLY = re.compile(r"^(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
DISPLAYED = re.compile(r"^([ \t]*)display\(", re.MULTILINE)
LABS = ("lab_01", "lab_02", "lab_03", "lab_04", "lab_05", "lab_06", "capstone")
DRAWN = {False: 2, True: 6}  # cases that are drawn for the student, and for the marker
VARIANTS = 24  # a multiple of every lab's number of variants; larger variants are sealed copies
ALONE = "An answer's cell is run alone: import and define in it whatever it uses."


def find_bound_names(node: ast.stmt) -> set[str]:
    """The names that a top-level statement binds; imports are left out."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    names = set()
    for target in targets:
        names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def strip_notebook_lines(cell: str) -> str:
    """A cell without the lines that only a notebook understands; it prints what it displays."""
    return DISPLAYED.sub(r"\1print(", NOTEBOOK_ONLY.sub("", cell))


def find_last_binding(cells: Sequence[str], name: str) -> str | None:
    """The last of these cells that defines `name` at its top level; None if there is none."""
    for cell in reversed(cells):
        try:
            nodes = parse_python(strip_notebook_lines(cell)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if any(name in find_bound_names(node) for node in nodes):
            return strip_notebook_lines(cell)
    return None


def _is_stub(node: ast.stmt) -> bool:
    """Whether the statement assigns an ellipsis, or is a function of constants alone."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for statement in node.body:
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
                return False
        return True
    value = getattr(node, "value", None)
    return isinstance(value, ast.Constant) and value.value is ...


@dataclass(frozen=True)
class Answer:
    """The cell that defines `name`, and the box in which it runs."""

    code: str
    name: str
    box: Sandbox

    def explain_refusal(self) -> str:
        """A sentence if the cell is as it was handed out, so nothing can be run; else ""."""
        nodes = [n for n in parse_python(self.code).body if self.name in find_bound_names(n)]
        return f"{self.name} is not written yet" if _is_stub(nodes[-1]) else ""

    def call_each(self, cases: Sequence[Mapping[str, Any]]) -> tuple[list[Any], str]:
        """The result of each call by keyword, {"raises": class} for an exception; or a sentence."""
        calls = [[None, {"args": [], "kwargs": dict(case)}] for case in cases]
        results, reason = self._run_cell({"calls": calls, "many": True})
        if reason:
            return [], reason
        if not isinstance(results, list) or len(results) != len(cases):
            return [], f"{self.name} gave no results"
        return results, ""

    def read_value(self) -> tuple[Any, str]:
        """The value of the name after the cell has run; or a sentence."""
        return self._run_cell({"calls": [[None, {"args": [], "kwargs": {}}]], "many": False})

    def _run_cell(self, job: Mapping[str, Any]) -> tuple[Any, str]:
        refusal = self.explain_refusal()
        if refusal:
            return None, refusal
        runner = "kit_call.py"
        files = box_files.job(self.box, runner, {"target": [self.name], "init": None, **job})
        files["main.py"] = self.code.encode(errors="replace")
        ran = self.box.run(
            box_files.runner_command(runner), files=files, limits=LIMITS, observe=False
        )
        if ran.status is Status.INFRA_ERROR:
            raise KitError(f"The sandbox did not run: {ran.note}. See what `kit doctor` says.")
        answer = box_files.read_answers(ran.channel).last("kind")
        if answer.get("kind") == "value":
            return answer.get("value"), ""
        if answer.get("kind") == "exception":
            name = answer.get("exception")
            failure = f"{name}: {answer.get('message')}"[:200]
            reason = f"the cell failed with {failure}."
            if name in ("NameError", "ImportError", "ModuleNotFoundError"):
                reason += f" {ALONE}"
            return None, reason
        ended = "ended early" if ran.status is Status.COMPLETED else f"ended: {ran.status}"
        return None, f"the cell {ended} before {self.name} was asked for"


def code_cells(book: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a notebook's code cells; malformed cells are skipped."""
    for cell in book.get("cells", []):
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code":
            yield text_of(cell)


def text_of(cell: Mapping[str, Any]) -> str:
    """A cell's text, which a notebook stores as one text or as lines."""
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


@dataclass(frozen=True)
class Seal:
    """How a sealed copy differs: a sentence whose {names} are drawn from `choices`.

    The answer that every installed kit holds is wrong for a sealed copy.
    """

    text: str
    choices: Mapping[str, Sequence[Any]]

    def draw_choices(self, variant: int) -> dict[str, Any]:
        """The choices of this variant; empty if it is not sealed."""
        if variant < VARIANTS:
            return {}
        rng = stats.seed(f"{self.text} {variant}")
        return {name: terms[int(rng.integers(len(terms)))] for name, terms in self.choices.items()}


OWN_NAMES = Seal("The names of the files are those of this copy alone.", {})


def draw_suffix(variant: int) -> str:
    """The suffix of names and texts of a sealed copy's files; "" for a copy that is not sealed."""
    if variant < VARIANTS:
        return ""
    return f"-{stats.seed(f'names {variant}').integers(10**6):06}"


@dataclass(frozen=True)
class Remark:
    """The result of one check. needed: if it fails, the exercise earns nothing."""

    ok: bool
    text: str
    needed: bool = False


@dataclass(frozen=True)
class Setting:
    """Who checks, and which variant. seed: the lecturer's secret; "" if the student checks.

    The cases for a mark are drawn from the seed, so students cannot know them.
    """

    box: Sandbox
    variant: int = 0
    seed: str = ""

    @property
    def is_marking(self) -> bool:
        return bool(self.seed)

    def make_rng(self, name: str) -> np.random.Generator:
        return stats.seed(f"{name} {self.variant} {self.seed}")


Look = Callable[[Answer, Setting], Sequence[Remark]]


@dataclass(frozen=True)
class Exercise:
    """id: "1.2", or "1.2p" for practice, which earns nothing. name: defined by the answer."""

    id: str
    name: str
    title: str
    points: int
    look: Look
    seal: Seal | None = None

    def describe_change(self, variant: int) -> str:
        """How a sealed copy's exercise differs; "" if it does not."""
        if self.seal is None or variant < VARIANTS:
            return ""
        return f"In this copy: {self.seal.text.format(**self.seal.draw_choices(variant))}"

    def check_answer(self, code: str | None, setting: Setting) -> list[Remark]:
        """The results of checking the cell; code: None if no cell defines the name."""
        if code is None:
            return [Remark(False, f"no cell that can be read defines {self.name}", needed=True)]
        return list(self.look(Answer(code, self.name, setting.box), setting))


def count_points(checks: Sequence[Remark], points: int) -> float:
    """points x the share of passed checks; 0 if a needed one failed."""
    passed = 0
    for check in checks:
        if check.needed and not check.ok:
            return 0.0
        passed += check.ok
    return round(points * passed / len(checks), 2) if checks else 0.0


def ask_function(
    id: str,
    title: str,
    solution: Callable[..., Any],
    points: int = 0,
    *,
    fixed: Sequence[Mapping[str, Any]],
    drawn: Callable[[np.random.Generator], Mapping[str, Any]],
    seal: Seal | None = None,
) -> Exercise:
    """A function of the solution's name that must agree with it on all cases, fixed and drawn ones.

    The solution runs here and the answer in the sandbox, which never gets the expected results. The
    solution gets the choices of the seal as further arguments.
    """

    name = solution.__name__

    def check_cases(answer: Answer, setting: Setting) -> list[Remark]:
        rng = setting.make_rng(id)
        cases = list(map(dict, fixed))
        for _ in range(DRAWN[setting.is_marking]):
            cases.append(dict(drawn(rng)))
        terms = seal.draw_choices(setting.variant) if seal else {}
        wanted = [solution(**deepcopy(case), **terms) for case in cases]
        results, reason = answer.call_each(cases)
        if reason:
            return [Remark(False, reason, needed=True)]
        return list(map(partial(_compare_results, name), cases, wanted, results))

    return Exercise(id, name, title, points, check_cases, seal)


def _compare_results(name: str, case: Mapping[str, Any], wanted: Any, got: Any) -> Remark:
    """The check of one call: what was asked, given and expected."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in case.items())
    call = f"{name}({arguments})"
    if are_alike(wanted, got):
        return Remark(True, cut_text(f"{call} is {wanted!r}", 110), needed=True)
    result = f"gave {got!r}"
    if isinstance(got, dict) and "raises" in got:
        result = f"raised {got['raises']}"
    difference = f"{cut_text(result, 90)}; expected {cut_text(repr(wanted), 90)}"
    return Remark(False, f"{difference}; for {cut_text(call, 600)}", needed=True)


def ask_value(
    id: str,
    name: str,
    title: str,
    points: int,
    judge: Callable[[Any, Setting], Sequence[Remark]],
    seal: Seal | None = None,
) -> Exercise:
    """A value, such as an attack or a set of labels, that `judge` checks."""

    def check_value(answer: Answer, setting: Setting) -> Sequence[Remark]:
        got, reason = answer.read_value()
        if reason:
            return [Remark(False, reason, needed=True)]
        return judge(got, setting)

    return Exercise(id, name, title, points, check_value, seal)


def are_alike(wanted: Any, got: Any) -> bool:
    """Whether two values are equal, numbers to six digits; a bool is no number, a list no text."""
    if isinstance(wanted, bool) or isinstance(got, bool) or wanted is None or got is None:
        return type(wanted) is type(got) and bool(wanted == got)
    if isinstance(wanted, (int, float)) and isinstance(got, (int, float)):
        return math.isclose(wanted, got, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        return wanted.keys() == got.keys() and all(are_alike(v, got[k]) for k, v in wanted.items())
    if isinstance(wanted, (list, tuple)) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(are_alike, wanted, got))
    return isinstance(wanted, str) and wanted == got


def cut_text(text: str, most: int = 160) -> str:
    """A text in one line without control characters, cut to `most` characters."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 3]}..."


@dataclass(frozen=True)
class Lab:
    """A lab's exercises, and the variant that this student works on."""

    name: str
    exercises: tuple[Exercise, ...]
    variant: int = 0

    def check(self, id: str) -> None:
        """Run the cell with the answer to exercise `id` alone in the sandbox; print each check.

        The cell is the last executed one that defines the answer's name. A mark uses further cases,
        which are not drawn yet.
        """
        exercise = self.find_exercise(id)
        try:
            shell: Any = get_ipython()  # type: ignore[name-defined]
        except NameError:
            raise KitError("check() reads a notebook's cells. Call it in Jupyter.") from None
        cells = list(shell.user_ns["In"])  # as this kernel ran them
        code = find_last_binding(cells, exercise.name)
        with open_sandbox("bwrap") as box:
            checks = exercise.check_answer(code, Setting(box, self.variant))
        print(f"{id} {exercise.title}. {exercise.describe_change(self.variant)}")
        for check in checks:
            word = "ok " if check.ok else "OFF"
            print(f"  {word} {check.text}")

    def find_exercise(self, id: str) -> Exercise:
        by_id = {exercise.id: exercise for exercise in self.exercises}
        if id not in by_id:
            raise KitError(f"{self.name} has no exercise {id!r}. Use one of: {', '.join(by_id)}.")
        return by_id[id]


def open_lab(name: str, variant: int = 0) -> Lab:
    """A lab by the name of its notebook."""
    if name not in LABS:
        raise KitError(f"Unknown lab {name!r}. Use one of: {', '.join(LABS)}.")
    exercises = importlib.import_module(f"kit.course.labs.{name}").EXERCISES
    return Lab(name, exercises, variant)
