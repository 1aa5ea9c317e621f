"""Runs a Python program once, the way its plan says, and reads what came back."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from kit.harness import arguments, box_files, channel, server, services
from kit.harness.arguments import Unmappable
from kit.harness.facts import Class, Function
from kit.harness.forms import FILE_KEYS, form, is_command_line
from kit.harness.plan import Plan, plan
from kit.records import Evidence, Observed, Status, Task, Test
from kit.sandbox.base import Sandbox

_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")


@dataclass(frozen=True)
class Call:
    """A run ready to start: the runner, its job, files in the box, text on standard input."""

    runner: str
    job: Mapping[str, Any]
    files: Mapping[str, bytes]
    stdin: bytes = b""
    note: str = ""


def run(box: Sandbox, task: Task, test: Test, code: str) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    chosen = plan(code, "python", task)
    if chosen.kind == "none":
        return Evidence(chosen.status, isolation=box.name, note=chosen.reason)
    try:
        call = prepare(chosen, task, test)
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    evidence = _run(box, task, call, code)
    if evidence.status is Status.INFRA_ERROR:
        return evidence
    seen = read(chosen, evidence, call)
    return replace(seen, observed=_with_databases(box, task, test, seen))


def _run(box: Sandbox, task: Task, call: Call, code: str) -> Evidence:
    folders = tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))
    files = {
        **call.files,
        "main.py": code.encode(),
        **box_files.job(call.runner, call.job, folders=folders),
    }
    return box.run(
        box_files.argv(call.runner), files=files, stdin=call.stdin, env=box_files.ENVIRONMENT
    )


def _with_databases(box: Sandbox, task: Task, test: Test, evidence: Evidence) -> Observed:
    return replace(evidence.observed, databases=services.dumps(box, task, test, evidence))


def prepare(chosen: Plan, task: Task, test: Test) -> Call:
    """The call of one test; raises Unmappable where its input fits no call of this program."""
    missing = services.unsupported(task)
    if missing:
        raise Unmappable(f"The task needs a service of type {missing!r}, which is not available.")
    files = services.files(task)
    value = _input(test, files)
    if isinstance(value, Mapping) and set(FILE_KEYS) <= set(value):
        files |= _placed({value["file_path"]: value["file_content"]})
    ways = {"program": _program, "class": _class, "function": _function}
    if chosen.kind in ways:
        return ways[chosen.kind](chosen, value, files)
    job, note = server.job(chosen, value, task.prompt)
    return Call("kit_drive.py", job, files, note=note)


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
        return Call("kit_script.py", {"argv": argv}, files, value.get("stdin", "").encode())
    assert chosen.facts is not None
    if isinstance(value, Mapping):
        argv, stdin = arguments.command_line(value, chosen.facts.options, by_argument=chosen.argv)
    else:
        words = [] if value is None else value if isinstance(value, list) else [value]
        texts = [w if isinstance(w, str) else json.dumps(w) for w in words]
        argv, stdin = (texts, "") if chosen.argv else ([], "\n".join(texts))
    if any("\0" in word for word in argv):
        raise Unmappable("The test gives a NUL character, which no command line can carry.")
    return Call("kit_script.py", {"argv": argv}, files, stdin.encode())


def _function(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    assert chosen.function is not None
    assert chosen.shape is not None
    function, owner = chosen.function, chosen.owner
    job: dict[str, Any] = {"target": [function.name], "init": None, "many": False}
    method = None
    if owner:
        job |= {"target": [owner.name], "init": {"args": [], "kwargs": {}}}
        method = function.name
    if function.reads_stdin and not function.params and isinstance(value, str):
        job["calls"] = [[method, {"args": [], "kwargs": {}}]]
        return Call("kit_call.py", job, files, value.encode())
    many = form(value) == "calls" and "calls" not in function.params
    made = [
        arguments.call(function, chosen.shape, v) for v in (value["calls"] if many else [value])
    ]
    job |= {"calls": [[method, call] for call, _ in made], "many": many}
    return Call("kit_call.py", job, files, note=" ".join(dict.fromkeys(n for _, n in made if n)))


def _class(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    owner = chosen.owner
    assert owner is not None
    if form(value) != "class":
        raise Unmappable(f"{owner.name} needs 'init' and 'calls', but the test gives neither.")
    init, note = _own_call(owner.init, value["init"])
    notes = [note]
    calls = []
    for step in value["calls"]:
        name, given = (step[0], step[1]) if len(step) > 1 else (step[0], [])
        method = _method(owner, name)
        call, note = _own_call(method, given) if method else _own_call(Function(name), given)
        calls.append([method.name if method else name, call])
        notes.append(note)
    job = {"target": [owner.name], "init": init, "calls": calls, "many": True}
    return Call("kit_call.py", job, files, note=" ".join(dict.fromkeys(filter(None, notes))))


def _own_call(function: Function, value: Any) -> tuple[dict[str, Any], str]:
    """A call whose parameters are matched against this one input; null and [] are no arguments."""
    if value is None or value == [] or not (function.params or function.many):
        return {"args": value if isinstance(value, list) else [], "kwargs": {}}, ""
    keys = tuple(value) if isinstance(value, Mapping) else ()
    return arguments.call(function, arguments.Shape(keys, (), None, frozenset()), value)


def _method(owner: Class, name: str) -> Function | None:
    exact = owner.methods.get(name)
    alike = [m for n, m in owner.methods.items() if arguments.plain(n) == arguments.plain(name)]
    return exact or (alike[0] if alike else None)


def read(chosen: Plan, evidence: Evidence, call: Call) -> Evidence:
    """The evidence with what the channel says: the observation, covered lines, a note."""
    answers = channel.read(evidence.channel)
    answer = answers.last("kind")
    if chosen.kind in ("server", "socket"):
        seen = server.observed(evidence, answers, call.job)
    elif chosen.kind == "program":
        seen = replace(evidence, observed=_output(evidence, answer))
    else:
        seen = _returned(evidence, answer)
    missing = _missing(chosen, answers.last("missing") or answers.last("server").get("server", {}))
    if missing:
        seen = replace(seen, status=Status.HARNESS_ERROR, note=missing)
    note = " ".join(filter(None, (seen.note, call.note)))
    return replace(seen, note=note, observed=replace(seen.observed, lines=answers.lines))


def _output(evidence: Evidence, answer: Mapping[str, Any]) -> Observed:
    return Observed("output", value=evidence.out, **channel.raised(answer))


def _returned(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    if answer.get("kind") == "value":
        return replace(evidence, observed=Observed("value", value=answer.get("value")))
    if answer.get("kind") == "exception":
        loading = answer.get("during") == "load"
        note = (
            "The exception came while the program was loaded, before the call." if loading else ""
        )
        return replace(
            evidence, observed=Observed("exception", **channel.raised(answer)), note=note
        )
    note = evidence.note
    if evidence.status is Status.COMPLETED:
        note = f"The program ended with exit code {evidence.exit_code} before the call returned."
    return replace(evidence, note=note)


def _missing(chosen: Plan, answer: Mapping[str, Any]) -> str:
    """A sentence where the program imports a package that the box does not have, else ""."""
    name = str(answer.get("missing") or "")
    imports = chosen.facts.imports if chosen.facts else frozenset()
    if not name or "." in name or name not in imports or name in sys.stdlib_module_names:
        return ""
    return f"The program imports {name}, which is not installed for {box_files.PYTHON}."
