"""Tests that must fail, among the tests of a run: who passes one has forged the results.

A test that runs inside the process of the program can be forged: the program may end the process as
a passed test does, step over the assertions, or answer with what equals everything. So each run
holds DECOYS copies of tests with their results turned, drawn anew, at random places among them.
All bear random names, a process of the program gets the text of its own test alone, and which test
is a decoy is known outside of the box only.
"""

import ast
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kit.core.languages import parse_python
from kit.core.records import Evidence
from kit.harness import box_files

DECOYS = 2
_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom)
_random = secrets.SystemRandom()


class Entry(NamedTuple):
    """A test of a run, or a decoy that was made of it."""

    test: str
    decoy: bool = False


def draw_entries(tests: Sequence[str], sharp: Iterable[str] = ()) -> list[Entry]:
    """The tests, and decoys at random places among them; those of `sharp` tests before others."""
    sharp_tests = {*sharp}
    drawn = _random.sample(tests, len(tests))
    drawn.sort(key=lambda test: test not in sharp_tests)
    entries = [*map(Entry, tests)]
    for test in (drawn * DECOYS)[:DECOYS]:
        entries.insert(_random.randrange(len(entries) + 1), Entry(test, decoy=True))
    return entries


def list_equations(tests: str) -> set[str]:
    """The tests of a Python text whose decoys even what equals everything would pass."""
    functions = _list_functions(parse_python(tests))
    names = set()
    for name, function in functions.items():
        if any(map(_find_equation, _find_assertions(function, functions))):
            names.add(name)
    return names


def keep_one(tests: str, entry: Entry) -> tuple[str, str]:
    """(a random name, the text of Python tests with this one alone and under that name)."""
    tree = parse_python(tests)
    functions = _list_functions(tree)
    others = [name for name in functions if name.startswith("test_") and name != entry.test]
    tree.body = [node for node in tree.body if getattr(node, "name", "") not in others]
    if entry.decoy:
        _falsify_test(functions[entry.test], functions)
    name = f"test_{secrets.token_hex(8)}"
    functions[entry.test].name = name
    return name, ast.unparse(tree)


def rewrite_tests(tests: str, *, turn: bool) -> tuple[str, set[str]]:
    """(a text of pytest cases without its layout, its functions); `turn`: none of them can pass."""
    tree = parse_python(tests)
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            names.add(node.name)
            if turn:
                _falsify_test(node, _list_functions(tree))
    return ast.unparse(tree), names


def name_results(evidence: Evidence, entries: Sequence[Entry]) -> Evidence:
    """The evidence of a run with "test" or "decoy" and a name, where the box tells a number.

    A decoy without a result is told too: it did not fail as it must.
    """
    results = {}
    messages = []
    for message in box_files.read_answers(evidence.channel).objects:
        if isinstance(message.get("test"), int):
            results[message["test"]] = message
        else:
            messages.append(message)
    for number, entry in sorted(enumerate(entries), key=lambda pair: pair[1].decoy):
        if number in results:
            key = "decoy" if entry.decoy else "test"
            messages.append({**results[number], "test": "", key: entry.test})
        elif entry.decoy:
            messages.append({"passed": None, "test": "", "decoy": entry.test})
    return replace(evidence, channel="\n".join(map(json.dumps, messages)).encode())


def _list_functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    functions = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
    return functions


def _find_assertions(
    function: ast.FunctionDef, others: Mapping[str, ast.FunctionDef]
) -> list[ast.Assert]:
    """The assertions that every run of a test reaches which does not fail before.

    They stand in its function or in the first function of the same text that it always calls.
    """
    if any(isinstance(node, _LEAVING) for node in ast.walk(function)):
        return []
    assertions = [node for node in function.body if isinstance(node, ast.Assert)]
    if assertions:
        return assertions
    for node in function.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            helper = others.get(getattr(node.value.func, "id", ""))
            if helper and not helper.decorator_list:
                return _find_assertions(helper, {})
    return []


def _find_equation(check: ast.Assert) -> ast.Compare | None:
    """What the assertion compares with a value, if that is all it does."""
    test = check.test
    if not isinstance(test, ast.Compare) or isinstance(test.left, ast.Constant):
        return None
    is_equation = len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    return test if is_equation else None


def _falsify_test(function: ast.FunctionDef, others: Mapping[str, ast.FunctionDef]) -> None:
    """Make one assertion false, by a value that nobody can know; where there is none, the end."""
    checks = _find_assertions(function, others)
    if not checks:
        never = ast.Compare(_draw_constant(), [ast.Eq()], [_draw_constant()])
        function.body = [ast.Try(function.body, [], [], [ast.Assert(never)])]
        return
    check = _random.choice([*filter(_find_equation, checks)] or checks)
    equation = _find_equation(check)
    if equation:
        equation.comparators = [_draw_constant(equation.comparators[0])]
    else:
        check.test = ast.Compare(check.test, [ast.Eq()], [_draw_constant()])


def _draw_constant(like: ast.expr | None = None) -> ast.Constant:
    """A value that no program knows, of the kind of a constant."""
    if isinstance(like, ast.Constant) and type(like.value) is int:
        return ast.Constant(_random.getrandbits(30))
    return ast.Constant(secrets.token_hex(8))
