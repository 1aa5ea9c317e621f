"""A student's answer: one cell, run alone in the sandbox; what comes back may be any value.

The cell is untrusted. It sees the inputs of the call and nothing of what is expected; prints,
changed functions and files of its own are gone when the run ends, and earn nothing.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kit.errors import KitError
from kit.harness import box_files
from kit.languages import syntax
from kit.records import Status
from kit.sandbox import Limits, Sandbox

LIMITS = Limits(wall_s=30, cpu_s=4, memory_mb=256)
ALONE = "An answer's cell is run alone: import and define in it whatever it uses."


def bound(node: ast.stmt) -> set[str]:
    """The names that a statement of the top level gives a meaning to, without imports."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def plain(cell: str) -> str:
    """A cell without the lines that only a notebook understands."""
    return "\n".join(line for line in cell.split("\n") if not line.startswith(("%", "!", "?")))


def last_binding(cells: Sequence[str], name: str) -> str | None:
    """The last of these cells that defines `name` at its top level; None where none does."""
    for cell in reversed(cells):
        try:
            nodes = syntax(plain(cell)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if any(name in bound(node) for node in nodes):
            return plain(cell)
    return None


@dataclass(frozen=True)
class Answer:
    """The cell that defines `name`, and the box that it runs in."""

    code: str
    name: str
    box: Sandbox

    def refusal(self) -> str:
        """Why there is nothing to run, as a sentence: the cell is as it was handed out; or ""."""
        node = next(n for n in reversed(syntax(self.code).body) if self.name in bound(n))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            left = all(isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
                       for n in node.body)  # fmt: skip
        else:
            assigned = getattr(node, "value", None)
            left = isinstance(assigned, ast.Constant) and assigned.value is ...
        return f"{self.name} is not written yet" if left else ""

    def calls(self, cases: Sequence[Mapping[str, Any]]) -> tuple[list[Any], str]:
        """The result of each call by keyword, {"raises": class} for an exception; or a sentence."""
        made = [[None, {"args": [], "kwargs": dict(case)}] for case in cases]
        results, why = self._ask({"calls": made, "many": True})
        if why or not isinstance(results, list) or len(results) != len(cases):
            return [], why or f"{self.name} gave no results"
        return results, ""

    def value(self) -> tuple[Any, str]:
        """What the name stands for when the cell has run; or a sentence."""
        return self._ask({"calls": [[None, {"args": [], "kwargs": {}}]], "many": False})

    def _ask(self, job: Mapping[str, Any]) -> tuple[Any, str]:
        runner = "kit_call.py"
        files = box_files.job(self.box, runner, {"target": [self.name], "init": None, **job})
        files["main.py"] = self.code.encode(errors="replace")
        seen = self.box.run(box_files.argv(runner), files=files, limits=LIMITS, observe=False)
        if seen.status is Status.INFRA_ERROR:
            raise KitError(f"The sandbox did not run: {seen.note}. See what `kit doctor` says.")
        answer = box_files.answers(seen.channel).last("kind")
        if answer.get("kind") == "value":
            return answer.get("value"), ""
        if answer.get("kind") == "exception":
            said = f"{answer.get('exception')}: {answer.get('message')}"
            unbound = ("NameError", "ImportError", "ModuleNotFoundError")
            alone = f" {ALONE}" if answer.get("exception") in unbound else ""
            return None, f"the cell failed with {said[:200]}.{alone}"
        ended = "ended early" if seen.status is Status.COMPLETED else f"ended: {seen.status}"
        return None, f"the cell {ended} before {self.name} was asked for"


def code_cells(book: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a notebook's code cells; what is no such text is passed over."""
    for cell in book.get("cells", []):
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code":
            yield text_of(cell)


def text_of(cell: Mapping[str, Any]) -> str:
    """A cell's text, which a notebook holds whole or by lines."""
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
