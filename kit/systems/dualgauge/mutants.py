"""Measures tests on programs: what they execute, what passes without work, what they miss.

A stub is a program whose functions are empty. A mutant is one with one change at a place that was
executed: an operator, a truth value, a number, or a guard that never holds. It is found if a test
fails that passed before. Some mutants cannot be found, for they do the same; people decide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tree_sitter import Node

from kit.core.languages import EXTENSIONS
from kit.core.paths import read_json
from kit.core.records import Outcome, Sample, Task
from kit.harness.languages.tree import node_text, parse, walk
from kit.sandbox import Sandbox
from kit.scoring import stats
from kit.systems.dualgauge.checks import judge_programs

FUNCTIONS = (
    "function_definition",
    "function_declaration",
    "function_expression",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
)
OPERATIONS = ("binary_expression", "binary_operator", "boolean_operator", "comparison_operator")
SWAPS = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">="}
SWAPS |= {">=": ">", "+": "-", "-": "+", "*": "+", "and": "or", "or": "and", "&&": "||"}
SWAPS |= {"||": "&&", "in": "not in", "not in": "in"}
CONSTANTS = {"true": "false", "false": "true", "True": "False", "False": "True"}
NUMBERS = ("integer", "number", "number_literal")
ENDS = ("return_statement", "raise_statement", "throw_statement")
NEVER = {"python": "False"}  # a condition that does not hold; elsewhere "(0)"
UNCOUNTED = (
    "compound_statement",
    "empty_statement",
    "import_statement",
    "import_from_statement",
    "global_statement",
    "nonlocal_statement",
)


@dataclass(frozen=True)
class Change:
    """One change of a program: bytes [start, end) become `text`. line: from 1."""

    start: int
    end: int
    text: str
    line: int

    def apply_to(self, code: str) -> str:
        data = code.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()

    def describe(self, code: str) -> str:
        old = code.encode()[self.start : self.end].decode()
        return f"line {self.line}: {old!r:.60} became {self.text!r}"


def _change_node(node: Node, text: str) -> Change:
    return Change(node.start_byte, node.end_byte, text, node.start_point[0] + 1)


def make_stub(code: str, language: str) -> str:
    """The program with every function empty; functions within functions go with them."""
    changes = []
    root = parse(code, language)
    for node in walk(root, lambda child: (child.parent or child).type in FUNCTIONS):
        body = node.child_by_field_name("body") if node.type in FUNCTIONS else None
        if body is not None:
            changes.append(_change_node(body, _write_nothing(node, language)))
    for change in reversed(changes):
        code = change.apply_to(code)
    return code


def _write_nothing(function: Node, language: str) -> str:
    """An empty body for a function."""
    if language == "python":
        return "pass"
    result = node_text(function.child_by_field_name("type"))
    is_constructor = function.type == "function_definition" and not result
    if language == "javascript" or is_constructor or result == "void":
        return "{ }"
    return "{ return 0; }" if language == "c" else "{ return {}; }"


def list_changes(code: str, language: str) -> Iterator[Change]:
    """Every change that makes a mutant, in the order of the text."""
    for node in walk(parse(code, language)):
        parent = node.parent.type if node.parent else ""
        text = node_text(node)
        if parent in OPERATIONS and not node.is_named and text in SWAPS:
            yield _change_node(node, SWAPS[text])
        elif node.type in ("true", "false") and text in CONSTANTS:
            yield _change_node(node, CONSTANTS[text])
        elif node.type in NUMBERS and text.isdecimal():
            yield _change_node(node, str(int(text) + 1))
        elif condition := _find_condition_of_guard(node):
            yield _change_node(condition, NEVER.get(language, "(0)"))


def _find_condition_of_guard(node: Node) -> Node | None:
    """The condition of an if that ends the function where it holds; else None."""
    consequence = node.child_by_field_name("consequence")
    if node.type != "if_statement" or consequence is None:
        return None
    ends = [consequence, *consequence.named_children[-1:]]
    is_guard = any(end.type in ENDS for end in ends)
    return node.child_by_field_name("condition") if is_guard else None


def list_statements(code: str, language: str) -> set[int]:
    """The lines on which a statement begins, within functions."""
    lines = set()
    for node in walk(parse(code, language)):
        if node.type in FUNCTIONS and (body := node.child_by_field_name("body")) is not None:
            for child in walk(body):
                is_statement = child.type.endswith("_statement") and child.type not in UNCOUNTED
                parts = [child.type, *(part.type for part in child.named_children)]
                if is_statement and parts != ["expression_statement", "string"]:
                    lines.add(child.start_point[0] + 1)
    return lines


@dataclass(frozen=True)
class SuiteStrength:
    """What the tests of a task show on one program that passes them.

    passed: of the program. vacuous: those of them that a stub passes too; None if it cannot be
    built. unexecuted: lines of statements that no test executes. undecided: mutants that cannot be
    built, or on which no test fails and some are undecided. survivors: the mutants that every test
    passes, described.
    """

    program: str
    passed: Sequence[str]
    vacuous: Sequence[str] | None
    statements: int
    unexecuted: Sequence[int]
    mutants: int
    undecided: int
    survivors: Sequence[str]


def read_secure_programs(tasks: Sequence[Task], folder: Path, language: str) -> list[Sample]:
    """The programs of these tasks that labels.json of FOLDER/TASK calls secure."""
    samples = []
    for task in tasks:
        path = folder / task.id / "labels.json"
        labels = read_json(path) if path.exists() else {}
        for name, program in sorted(labels.items()):
            file = path.with_name(name)
            if program["kind"] == "secure" and EXTENSIONS.get(file.suffix) == language:
                arm = {"program": name}
                code = file.read_text()
                samples.append(Sample(task.id, "reference", 0, language, arm, code=code))
    return samples


def measure_strength(task: Task, program: Sample, box: Sandbox, *, most: int) -> SuiteStrength:
    """Run the tests on the program, on its stub, and on at most `most` mutants, drawn by a seed."""
    code, language = program.code, program.language
    own = judge_programs(task, {"own": program}, box)
    passed = [test.id for test in task.tests if own["own", test.id].outcome == Outcome.PASS]
    executed: set[int] = set()
    for test in task.tests:
        executed.update(own["own", test.id].lines)
    statements = list_statements(code, language)
    changes = [change for change in list_changes(code, language) if change.line in executed]
    order = stats.seed(f"mutants {task.id} {program.arm}").permutation(len(changes))[:most]
    mutants = {f"mutant {n}": changes[n].apply_to(code) for n in sorted(order)}
    changed = {"stub": make_stub(code, language), **mutants}
    samples = {name: replace(program, code=text) for name, text in changed.items()}
    strict = replace(task, tests=tuple(test for test in task.tests if test.id in passed))
    results = judge_programs(strict, samples, box)
    outcomes: dict[str, list[str]] = {name: [] for name in samples}
    unbuilt = set()
    for (name, _), result in results.items():
        outcomes[name].append(result.outcome)
        if not result.is_built:
            unbuilt.add(name)
    stubborn = [name for name in mutants if Outcome.FAIL not in outcomes[name]]
    survivors = [name for name in stubborn if Outcome.UNKNOWN not in outcomes[name]]
    undecided = {*stubborn} - {*survivors} | unbuilt & mutants.keys()
    vacuous = [test for test in passed if results["stub", test].outcome == Outcome.PASS]
    return SuiteStrength(
        str(program.arm["program"]),
        passed,
        None if "stub" in unbuilt else vacuous,
        len(statements),
        sorted(statements - executed),
        len(mutants),
        len(undecided),
        [changes[int(name.split()[1])].describe(code) for name in survivors],
    )
