"""Models that need no network and whose edits are known: identity, saboteur, recorded hands.

They read the function out of the question, as any model does. The saboteur's fault is a function of
the function's text, so that whoever scores its edits can be checked against what was seeded.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from kit.errors import KitError
from kit.generation import base
from kit.generation.base import Messages, Response

BLOCK = re.compile(r"```c\n(.*?)\n```", re.DOTALL)
VOID = re.compile(r"\bvoid\s*\)?\s+\w+\s*\(")  # `void f(` and `PUBLIC(void) f(`
RATES = {"leak": 5, "none": 20, "compile": 15, "logic": 15, "quit": 10, "spatial": 10,
         "temporal": 10, "undefined": 8, "segv": 7}  # in 100  # fmt: skip
FUNCTIONAL = ("logic", "quit")
MEMORY = ("spatial", "temporal", "undefined", "segv", "leak")
HEAP = "void *volatile kit_p = __builtin_malloc(8); "
FAULTS = {
    "compile": "kit_no_such_name = 1;",
    "quit": "__builtin_exit(0);",
    "logic": "{return};",
    "spatial": HEAP + "((volatile char *)kit_p)[8] = 1; __builtin_free(kit_p);",
    "temporal": HEAP + "__builtin_free(kit_p); ((volatile char *)kit_p)[0] = 1;",
    "leak": "int kit_i; for (kit_i = 0; kit_i < 3; kit_i++) { "
    + HEAP
    + "((volatile char *)kit_p)[0] = 1; kit_p = 0; }",
    "undefined": "volatile int kit_i = 2147483647; kit_i = kit_i + 1;",
    "segv": "volatile int *volatile kit_p = (volatile int *)64; *kit_p = 1;",
}


def function_asked(messages: Messages) -> str:
    """The C text in the last code block of the question."""
    found = BLOCK.findall(messages[-1]["content"])
    if not found:
        raise KitError("The question shows no C function; this model can only edit one.")
    return str(found[-1])


def seeded(function: str) -> str:
    """The fault that the saboteur puts into this function: a key of RATES, at those rates."""
    drawn = int.from_bytes(hashlib.sha256(function.encode()).digest()[:4], "big") % 100
    for kind, share in RATES.items():
        if drawn < share:
            return kind
        drawn -= share
    raise AssertionError("the rates add up to 100")


def fault_in(code: str) -> str:
    """The kind of fault whose statements stand in this edited function, or none."""
    kinds = [k for k, t in FAULTS.items() if k != "logic" and f"{{ {t} }}" in code]
    wrong = "logic" if re.search(r"\{ return(?: 0)?; \}\n    \{", code) else "none"
    return kinds[0] if kinds else wrong


def sabotage(function: str, kind: str) -> str:
    """The function with a fault of this kind before everything else that it does."""
    if kind == "none":
        return function
    nothing = VOID.search(function[: _body(function)[0]])
    return insert(function, FAULTS[kind].replace("{return}", "return" if nothing else "return 0"))


def insert(function: str, statements: str) -> str:
    """The function with these statements, in a block of their own, before its body."""
    start, close = _body(function)
    body = function[start + 1 : close]
    return f"{function[:start]}{{\n    {{ {statements} }}\n    {{{body}}}\n}}"


def _body(function: str) -> tuple[int, int]:
    """The offsets of the body's brackets, past the comment that may stand before the function."""
    from kit.suites.cproject.source import definitions

    found, _ = definitions(function)
    return found[0].open, found[0].end - 1


@dataclass(frozen=True)
class Editor:
    """A model that edits by rule. name: identity or saboteur; or hands:DIR, a folder of files."""

    name: str
    price_key: str = ""
    default_max_tokens: int | None = None

    @property
    def identity(self) -> str:
        return f"editor:{self.name}:{sorted(FAULTS.items())}"

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,  # noqa: ARG002 - a rule has no temperature
        max_tokens: int | None = None,  # noqa: ARG002
        seed: int | None = None,  # noqa: ARG002
        index: int = 0,  # noqa: ARG002
    ) -> Response:
        text = self.edit(function_asked(messages))
        return Response(f"```c\n{text}\n```\n", "stop", self.name, created=base.now())

    def edit(self, function: str) -> str:
        if self.name == "identity":
            return function
        if self.name == "saboteur":
            return sabotage(function, seeded(function))
        return self._by_hand(function)

    def _by_hand(self, function: str) -> str:
        """The file of the folder that is named for the function, else the function as it is."""
        from kit.suites.cproject.source import definitions

        folder = Path(self.name.removeprefix("hands:"))
        names = [n for n, _ in definitions(function)[0][0].names]
        files = [folder / f"{n}.c" for n in names if (folder / f"{n}.c").is_file()]
        return files[-1].read_text() if files else function


def is_editor(spec: str) -> bool:
    return spec in ("identity", "saboteur") or spec.startswith("hands:")
