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
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from kit.harness import box_files
from kit.languages import syntax
from kit.records import Evidence

DECOYS = 2
_random = secrets.SystemRandom()


class Entry(NamedTuple):
    """A test of a run, or a decoy that was made of it."""

    test: str
    decoy: bool = False


def draw_entries(tests: Sequence[str], sharp: Iterable[str] = ()) -> list[Entry]:
    """The tests, decoys at random places among them. sharp: what decoys are made of before others."""
    ranked = sorted(_random.sample(tests, len(tests)), key=lambda test: test not in {*sharp})
    entries = [*map(Entry, tests)]
    for test in (ranked * DECOYS)[:DECOYS]:
        entries.insert(_random.randrange(len(entries) + 1), Entry(test, decoy=True))
    return entries


def list_equations(tests: str) -> set[str]:
    """The tests of a Python text whose decoys even what equals everything would pass."""
    functions = (n for n in syntax(tests).body if isinstance(n, ast.FunctionDef))
    return {f.name for f in functions if any(_is_equation(c.test) for c in _checks(f))}


def keep_one(tests: str, entry: Entry) -> tuple[str, str]:
    """(a random name, the text of Python tests with this one alone and under that name)."""
    name, kept = f"test_{secrets.token_hex(8)}", list[ast.stmt]()
    for node in syntax(tests).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            if node.name != entry.test:
                continue
            node.name = name
            if entry.decoy:
                _turn(node)
        kept.append(node)
    return name, ast.unparse(ast.Module(kept, []))


def turn_all(tests: str) -> str:
    """Python tests of which none can pass."""
    tree = syntax(tests)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            _turn(node)
    return ast.unparse(tree)


def name_results(evidence: Evidence, entries: Sequence[Entry]) -> Evidence:
    """The evidence of a run with "test" or "decoy" and a name, where the box tells a number.

    A decoy without a result is told too: it did not fail as it must.
    """
    objects = box_files.answers(evidence.channel).objects
    numbered = {o["test"]: o for o in objects if isinstance(o.get("test"), int)}
    named = [o for o in objects if not isinstance(o.get("test"), int)]
    for number, entry in sorted(enumerate(entries), key=lambda pair: pair[1].decoy):
        result = numbered.get(number, {"passed": None} if entry.decoy else {})
        key = "decoy" if entry.decoy else "test"
        named += [{**result, "test": "", key: entry.test}] if result else []
    return replace(evidence, channel="\n".join(map(json.dumps, named)).encode())


def find_forgery(evidence: Evidence) -> str:
    """The sentence for results among which a decoy has passed; "" for others."""
    objects = box_files.answers(evidence.channel).objects
    passed = [o["decoy"] for o in objects if o.get("decoy") and o.get("passed") is True]
    return word_forgery(passed[0]) if passed else ""


def word_forgery(test: str) -> str:
    return f"A copy of {test} that no honest program passes has passed: the results are forged."


def _checks(function: ast.FunctionDef) -> list[ast.Assert]:
    """The assertions that every run of a test function reaches which does not fail before."""
    if any(isinstance(node, ast.Return) for node in ast.walk(function)):
        return []
    return [node for node in function.body if isinstance(node, ast.Assert)]


def _is_equation(check: ast.expr) -> bool:
    return isinstance(check, ast.Compare) and [type(o) for o in check.ops] == [ast.Eq]


def _turn(function: ast.FunctionDef) -> None:
    """Make one assertion false, by a value that nobody can know; where there is none, the end."""
    checks = _checks(function)
    if not checks:
        never = ast.Compare(_unknown(), [ast.Eq()], [_unknown()])
        function.body = [ast.Try(function.body, [], [], [ast.Assert(never)])]
        return
    check = _random.choice([c for c in checks if _is_equation(c.test)] or checks)
    if not (isinstance(check.test, ast.Compare) and _is_equation(check.test)):
        check.test = ast.Compare(check.test, [ast.Eq()], [_unknown()])
    elif isinstance(check.test.left, ast.Constant):
        check.test.left = _unknown(check.test.left)
    else:
        check.test.comparators = [_unknown(check.test.comparators[0])]


def _unknown(like: ast.expr | None = None) -> ast.Constant:
    """A value that no program knows, of the kind of a constant."""
    is_number = isinstance(like, ast.Constant) and type(like.value) is int
    return ast.Constant(_random.getrandbits(30) if is_number else secrets.token_hex(8))
