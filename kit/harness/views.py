"""Views that are bare functions: which framework's request they take, and the request itself."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kit.harness import http_input
from kit.harness.arguments import Unmappable
from kit.harness.forms import Shape
from kit.harness.read.facts import Facts, Function, Route

_NAMES = ("request", "req")
_BODY = {"json", "get_json", "form", "POST", "body", "data", "get_data", "files"}
_OF = {"django": "django", "starlette": "starlette", "fastapi": "starlette", "flask": "flask",
       "werkzeug": "flask", "functions_framework": "flask"}  # fmt: skip


def takes_request(function: Function, shape: Shape, facts: Facts) -> bool:
    """Whether the function is a view: its one argument is a request, or it reads Flask's own."""
    needed = function.params[: function.required]
    if not facts.request_reads and not set(_OF) & facts.imports:
        return False
    by_argument = len(needed) == 1 and needed[0] in _NAMES and needed[0] not in shape.keys
    context = not function.params and not function.many and "flask" in facts.imports
    return by_argument or (context and bool(facts.request_reads))


def job(function: Function, facts: Facts, value: Any, prompt: str) -> tuple[dict[str, Any], str]:
    """What the box makes the request of, and a note. Raises Unmappable where none can be made."""
    framework = next((_OF[name] for name in _OF if name in facts.imports), "flask")
    reads = facts.request_reads
    reads |= {"form"} if "POST" in reads else set()
    reads |= {"args"} if reads & {"GET", "query_params"} else set()
    methods = ("POST",) if reads & _BODY else ("GET",)
    routes = facts.routes or (Route("/", methods, function.name),)
    if not isinstance(value, (str, Mapping)):
        raise Unmappable(f"{function.name} takes a request, but the test gives {value!r:.60}.")
    known = replace(facts, routes=routes, request_reads=frozenset(reads))
    asked, note = http_input.requests(value, known, prompt)
    if len(asked) != 1:
        raise Unmappable(f"{function.name} answers one request, but the test sends {len(asked)}.")
    given = bool(function.params)
    return {"framework": framework, "request": asked[0], "given": given}, note
