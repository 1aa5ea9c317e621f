"""The input of a test becomes a call that is ready to start; the same for every language."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from kit.harness import arguments, http_input, services
from kit.harness.arguments import FILE_KEYS, Shape, Unmappable, form, is_command_line, plain
from kit.harness.plan import Plan
from kit.harness.read.facts import Function
from kit.records import Task, Test

START_S = 6.0  # from the start of a server to an open port


@dataclass(frozen=True)
class Call:
    """A run ready to start: how it is entered, its job, files in the box, standard input.

    entry_kind: "call" (a function or class), "script" (a program), "serve" (requests to a server).
    value: the input as the test gives it.
    """

    entry_kind: str
    job: Mapping[str, Any]
    files: Mapping[str, bytes]
    stdin: bytes = b""
    note: str = ""
    value: Any = None
    environment: services.Environment = services.Environment()


def prepare(chosen: Plan, task: Task, test: Test) -> Call:
    """The call of one test; raises Unmappable where its input fits no call of this program."""
    value, files = input_and_files(task, test)
    ways = {"program": _program, "class": _class, "function": _function}
    facts, shape = chosen.facts, chosen.shape
    free = chosen.function if chosen.kind == "function" and not chosen.owner else None
    if free and facts and shape and http_input.takes_request(free, shape, facts):
        call = _view(chosen, task.prompt, value, files)
    elif chosen.kind in ways:
        call = ways[chosen.kind](chosen, value, files)
    else:
        call = _served(chosen, task.prompt, value, files)
    return replace(call, value=value, environment=services.environment(task))


def input_and_files(task: Task, test: Test) -> tuple[Any, dict[str, bytes]]:
    """The input of a test, and the files that lie in the box when it starts."""
    files = services.files(task)
    value = _input(test, files)
    if isinstance(value, Mapping) and set(FILE_KEYS) <= set(value):
        files |= _placed({value["file_path"]: value["file_content"]})
    return value, files


def _input(test: Test, files: Mapping[str, bytes]) -> Any:
    """The input, read from its fixture where it lies in one: JSON if it is JSON, else text."""
    if not test.input_file:
        return test.input
    if test.input_file not in files:
        raise Unmappable(f"The input file {test.input_file!r} is not among the fixtures.")
    text = files[test.input_file].decode(errors="replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _placed(texts: Mapping[Any, Any]) -> dict[str, bytes]:
    """Files that a test brings along; null means that the file does not exist."""
    files = {}
    for name, content in texts.items():
        path = PurePosixPath(str(name))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise Unmappable(f"The test's file {name!r} does not lie in the working folder.")
        if isinstance(content, Mapping) and set(content) == {"__bytes__"}:
            files[path.as_posix()] = bytes.fromhex(content["__bytes__"])
        elif content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            files[path.as_posix()] = text.encode()
    return files


def _program(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    if isinstance(value, Mapping) and is_command_line(value):
        argv = [str(a) for a in value.get("args", [])]
        files |= _placed(value.get("files", {}))
        return Call("script", {"argv": argv}, files, value.get("stdin", "").encode())
    assert chosen.facts is not None
    if isinstance(value, Mapping):
        argv, stdin = arguments.command_line(value, chosen.facts.options, by_argument=chosen.argv)
    else:
        words = [] if value is None else value if isinstance(value, list) else [value]
        texts = [w if isinstance(w, str) else json.dumps(w) for w in words]
        argv, stdin = (texts, "") if chosen.argv else ([], "\n".join(texts))
    if any("\0" in word for word in argv):
        raise Unmappable("The test gives a NUL character, which no command line can carry.")
    return Call("script", {"argv": argv}, files, stdin.encode())


def _served(chosen: Plan, prompt: str, value: Any, files: dict[str, bytes]) -> Call:
    """app: what is to be served if the program, run as it is, opens no port by itself."""
    facts = chosen.facts
    assert facts is not None
    job: dict[str, Any] = {"raw": chosen.kind == "socket", "start_s": START_S, "app": None}
    if job["raw"]:
        several = isinstance(value, Mapping) and "requests" in value
        requests, note = value["requests"] if several else [value], ""
        if not isinstance(requests, list) or not all(isinstance(r, str) for r in requests):
            raise Unmappable("A socket server needs texts to be sent, but the test gives none.")
    else:
        requests, note = http_input.requests(value, facts, prompt)
    if facts.apps:
        kind, name = facts.apps[0]
        function = facts.functions.get(name)
        needs = function.params[: function.required] if function else ()
        job["app"] = {"kind": kind, "name": name, "needs": needs}
    job |= {"requests": requests, "werkzeug": bool({"flask", "werkzeug"} & facts.imports)}
    return Call("serve", job, files, note=note)


def _view(chosen: Plan, prompt: str, value: Any, files: dict[str, bytes]) -> Call:
    assert chosen.function is not None
    assert chosen.facts is not None
    name = chosen.function.name
    view, note = http_input.view_job(chosen.function, chosen.facts, value, prompt)
    job = {"target": [name], "init": None, "many": False, "calls": [], "view": view}
    return Call("call", job | _skipped(chosen, name), files, note=note)


def _skipped(chosen: Plan, name: str) -> dict[str, Any]:
    """Lines of the examples of use that the program holds of what is called."""
    lines = chosen.facts.examples.get(name, ()) if chosen.facts else ()
    return {"skip": lines} if lines else {}


def _function(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    assert chosen.function is not None
    assert chosen.shape is not None
    function, owner = chosen.function, chosen.owner
    job: dict[str, Any] = {"target": [function.name], "init": None, "many": False}
    job |= _skipped(chosen, function.name)
    method, shape = None, chosen.shape
    if owner:
        of_init = set(owner.init.params[: owner.init.required])
        own = {k: v for k, v in value.items() if k in of_init} if isinstance(value, Mapping) else {}
        job |= {"target": [owner.name], "init": {"args": [], "kwargs": own}}
        method = function.name
        if own:
            value = {k: v for k, v in value.items() if k not in of_init}
            shape = replace(shape, keys=tuple(k for k in shape.keys if k not in of_init))
    if function.reads_stdin and not function.params and isinstance(value, str):
        job["calls"] = [[method, {"args": [], "kwargs": {}}]]
        return Call("call", job, files, value.encode())
    many = form(value) == "calls" and "calls" not in function.params
    pairs = [arguments.call(function, shape, v) for v in (value["calls"] if many else [value])]
    job |= {"calls": [[method, call] for call, _ in pairs], "many": many}
    return Call("call", job, files, note=" ".join(dict.fromkeys(n for _, n in pairs if n)))


def _class(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    owner = chosen.owner
    assert owner is not None
    if form(value) != "class":
        raise Unmappable(f"{owner.name} needs 'init' and 'calls', but the test gives neither.")
    init, note = _own_call(owner.init, value["init"])
    notes = [note]
    calls = []
    for step in value["calls"]:
        name, values = (step[0], step[1]) if len(step) > 1 else (step[0], [])
        alike = (m for n, m in owner.methods.items() if plain(n) == plain(name))
        method = owner.methods.get(name) or next(alike, None)
        call, note = _own_call(method, values) if method else _own_call(Function(name), values)
        calls.append([method.name if method else name, call])
        notes.append(note)
    job = {"target": [owner.name], "init": init, "calls": calls, "many": True}
    return Call("call", job, files, note=" ".join(dict.fromkeys(filter(None, notes))))


def _own_call(function: Function, value: Any) -> tuple[dict[str, Any], str]:
    """A call whose parameters are matched against this one input; null and [] are no arguments."""
    if value is None or value == [] or not (function.params or function.many):
        return {"args": value if isinstance(value, list) else [], "kwargs": {}}, ""
    keys = tuple(value) if isinstance(value, Mapping) else ()
    return arguments.call(function, Shape(keys, (), None, frozenset()), value)


UNDEFINED = {"__undefined__": True}


def positional(chosen: Plan, job: Mapping[str, Any], *, gap: Any = UNDEFINED) -> dict[str, Any]:
    """The calls of a job as lists of arguments, for languages that have no named ones.

    `gap` stands for an argument that is not given although a later one is.
    """
    owner = chosen.owner
    methods = owner.methods if owner else {}
    function = chosen.function or Function("")
    listed = [
        [name, _listed(methods.get(name, Function("")) if name else function, call, gap)]
        for name, call in job["calls"]
    ]
    init = job["init"]
    return {"calls": listed, "init": _listed(owner.init, init, gap) if owner and init else init}


def _listed(function: Function, call: Mapping[str, Any], gap: Any) -> list[Any]:
    """Arguments in order; properties of a destructured parameter go into one object again."""
    named = dict(call["kwargs"])
    packed = {k: named.pop(k) for k in function.packed if k in named}
    values, missing = list(call["args"]), 0
    params = [p for p in function.params if p not in function.packed[1:]]
    for name in params[len(values) :]:
        there = bool(packed) if name in function.packed else name in named
        value = packed if name in function.packed else named.pop(name, gap)
        values.append(value if there else gap)
        missing = 0 if there else missing + 1
    return [*values[: len(values) - missing], *named.values()]
