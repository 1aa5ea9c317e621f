"""Turns the input of a test into a call that is ready to start; the same for every language.

It is the arguments of a function, a command line, or requests.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from kit.core.records import Task, Test
from kit.harness import services
from kit.harness.facts import ANY, Function, path_in_module
from kit.harness.plan import Plan, Unfit, Unmappable, is_file_key
from kit.harness.requests import list_requests
from kit.harness.shape import (
    FILE_KEYS,
    Shape,
    classify_input,
    find_code_names,
    is_command_line,
    normalize_name,
)

_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")
_PORT = re.compile(r"\bport\s+(?:number\s+)?`?(\d{1,5})\b", re.IGNORECASE)
_STDIN = re.compile(
    r"\b(input|fileinput|stdin|cin|getline|f?scanf|getchar|f?gets|createInterface|read(File)?Sync)\b"
)
START_S = 6.0  # from the start of a server to an open port
UNDEFINED = {"__undefined__": True}  # an argument that is not given although a later one is


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
    given, more = value, dict[str, Any](folders=find_prompt_folders(task))
    if helper_of_key := _find_helpers(chosen, value, task.prompt):
        keys = tuple(key for key in chosen.shape.keys if key not in helper_of_key)
        chosen = replace(chosen, shape=replace(chosen.shape, keys=keys))
        given = {key: content for key, content in value.items() if key not in helper_of_key}
        more["helpers"] = {helper_of_key[k]: v for k, v in value.items() if k in helper_of_key}
    kinds = {"program": _run_program, "class": _call_class, "function": _call_function}
    if chosen.kind in kinds:
        call = kinds[chosen.kind](chosen, given, files)
    else:
        call = _call_server(chosen, task.prompt, given, files)
    environment = services.prepare_environment(task)
    return replace(call, job={**call.job, **more}, value=value, environment=environment)


def find_prompt_folders(task: Task) -> tuple[str, ...]:
    """The folders below test_dir of which the prompt speaks: they exist when the program starts."""
    return tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))


# ---- the input ----


def input_and_files(task: Task, test: Test) -> tuple[Any, dict[str, bytes]]:
    """The input of a test, and the files that lie in the box when it starts."""
    files = services.build_input_files(task)
    value = _read_fixture(test.input_file, files) if test.input_file else test.input
    if isinstance(value, Mapping) and set(FILE_KEYS) <= set(value):
        files |= _place_files({value["file_path"]: value["file_content"]})
    return value, files


def _read_fixture(name: str, files: Mapping[str, bytes]) -> Any:
    """An input that lies in a file: JSON if it is JSON, else text."""
    if name not in files:
        raise Unmappable(f"The input file {name!r} is not among the fixtures.")
    text = files[name].decode(errors="replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _place_files(texts: Mapping[Any, Any]) -> dict[str, bytes]:
    """Files that a test brings along; null means that the file does not exist."""
    files = {}
    for name, content in texts.items():
        path = PurePosixPath(str(name))
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise Unmappable(f"The test's file {name!r} does not lie in the working folder.")
        if isinstance(content, Mapping) and set(content) == {"__bytes__"}:
            files[path.as_posix()] = bytes.fromhex(content["__bytes__"])
        elif content is not None:
            files[path.as_posix()] = _as_text(content).encode()
    return files


def _as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _find_helpers(chosen: Plan, value: Any, prompt: str) -> dict[str, str]:
    """By key: a function that the prompt names, and that the program calls and does not have.

    Where that is isAuthorizedUser, a key `authorized` that is no parameter says what it returns.
    """
    if chosen.function is None or not isinstance(value, Mapping):
        return {}
    functions = chosen.facts.functions
    called = {name for f in (*functions.values(), *chosen.facts.methods) for name in f.calls}
    undefined = sorted(find_code_names(prompt) & called - functions.keys())
    parameters = {normalize_name(name) for name in chosen.function.all_parameters}
    helpers = {}
    for key in (*chosen.shape.keys, *value):
        for name in undefined:
            if (
                len(key) > 3
                and normalize_name(key) not in parameters
                and normalize_name(key) in normalize_name(name)
            ):
                helpers[key] = name
    return helpers


# ---- a program and a server ----


def _run_program(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    stdin = ""
    if isinstance(value, Mapping) and is_command_line(value):
        argv, stdin = [str(a) for a in value.get("args", [])], value.get("stdin", "")
        files |= _place_files(value.get("files", {}))
    elif isinstance(value, Mapping) and chosen.argv:
        argv = _write_options(value, chosen.facts.options)
    else:
        argv = _list_words([*value.values()] if isinstance(value, Mapping) else value)
        if not chosen.argv:
            argv, stdin = [], "\n".join(argv)
    if any("\0" in word for word in argv):
        raise Unmappable("The test gives a NUL character, which no command line can carry.")
    return Call("script", {"argv": argv}, files, stdin.encode())


def _list_words(value: Any) -> list[str]:
    """What a value is on a command line; null is nothing."""
    words = value if isinstance(value, list) else [value]
    return [_as_text(word) for word in words] if value is not None else []


def _write_options(value: Mapping[str, Any], options: tuple[str, ...]) -> list[str]:
    """The arguments that an object means: the rest in order, then declared options by name."""
    declared = {normalize_name(name): name for name in options if name.startswith("-")}
    flags: list[str] = []
    rest: list[str] = []
    for key, content in value.items():
        name = key if key.startswith("-") else declared.get(normalize_name(key), "")
        if not name:
            rest += _list_words(content)
        elif content is not False and content is not None:
            flags += [name, *([] if content is True else _list_words(content))]
    return [*rest, *flags]


def _call_server(chosen: Plan, prompt: str, value: Any, files: dict[str, bytes]) -> Call:
    facts, port, view = chosen.facts, _PORT.search(prompt), chosen.function
    job: dict[str, Any] = {"raw": chosen.kind == "socket", "start_s": START_S}
    job["port"] = int(port[1]) if port else None
    if view:
        given = bool(view.params)
        job["view"] = {"framework": facts.framework, "name": view.name, "given": given}
    notes: list[str] = []
    if job["raw"]:
        sent = value["requests"] if classify_input(value) == "requests" else [value]
        if not all(isinstance(request, str) for request in sent):
            raise Unmappable("A socket server needs texts to be sent, but the test gives none.")
    else:
        sent = list_requests(value, facts, prompt, notes, view)
    job |= {"requests": sent, "werkzeug": bool({"flask", "werkzeug"} & facts.imports)}
    return Call("serve", job, files, note=_join_notes(notes))


def _join_notes(notes: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, notes)))


# ---- a function and a class ----


def _pack_arguments(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of one call, as a job says them."""
    return {"args": [*args], "kwargs": kwargs}


def _call_function(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    function, owner, shape = chosen.function, chosen.owner, chosen.shape
    assert function is not None
    job: dict[str, Any] = {"target": path_in_module(owner or function), "init": None, "many": False}
    if lines := chosen.facts.examples.get(function.name, ()):
        job["skip"] = lines
    method = function.name if owner else None
    if owner:
        fields = value if isinstance(value, Mapping) else {}
        own = {k: fields[k] for k in owner.init.params[: owner.init.required] if k in fields}
        job["init"] = _pack_arguments(**own)
        if own:
            value = {k: v for k, v in fields.items() if k not in own}
            shape = replace(shape, keys=tuple(k for k in shape.keys if k not in own))
    reads_stdin = chosen.facts.reads_stdin and any(map(_STDIN.search, function.calls))
    if reads_stdin and not function.params and isinstance(value, str):
        job["calls"] = [[method, _pack_arguments()]]
        return Call("call", job, files, value.encode())
    job["many"] = classify_input(value) == "calls" and "calls" not in function.params
    notes: list[str] = []
    inputs = value["calls"] if job["many"] else [value]
    job["calls"] = [[method, _bind_input(function, shape, each, notes)] for each in inputs]
    return Call("call", job, files, note=_join_notes(notes))


def _call_class(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    owner = chosen.owner
    assert owner is not None
    if classify_input(value) != "class":
        raise Unmappable(f"{owner.name} needs 'init' and 'calls', but the test gives neither.")
    calls, notes = [], list[str]()
    init = _bind_alone(owner.init, value["init"], notes)
    for step in value["calls"]:
        if not isinstance(step, list) or not step or not isinstance(step[0], str):
            raise Unmappable(f"A call is [method, arguments], not {json.dumps(step)[:60]}.")
        name, *values = step
        method = _find_method(owner.methods, name, chosen.facts.reserved)
        calls.append([method.name, _bind_alone(method, values[0] if values else None, notes)])
    job = {"target": path_in_module(owner), "init": init, "calls": calls, "many": True}
    return Call("call", job, files, note=_join_notes(notes))


def _find_method(methods: Mapping[str, Function], name: str, reserved: Collection[str]) -> Function:
    """The method that a test calls so; where its language has no such name, what begins with it."""
    alike = [m for m in methods.values() if normalize_name(m.name) == normalize_name(name)]
    if name in reserved and not alike:  # delete_message stands for delete
        longer = [m for m in methods.values() if m.name.startswith(name)]
        alike = longer if len(longer) == 1 else []
    return methods.get(name) or next(iter(alike), replace(ANY, name=name))


def _bind_alone(function: Function, value: Any, notes: list[str]) -> dict[str, Any]:
    """A call whose parameters are matched against this one input; null and [] are no plans."""
    if value is None or value == [] or value == {}:
        return _pack_arguments()
    keys = tuple(value) if isinstance(value, Mapping) else ()
    return _bind_input(function, Shape(keys), value, notes)


def _bind_input(function: Function, shape: Shape, value: Any, notes: list[str]) -> dict[str, Any]:
    """The arguments that one input means; `notes` gets a sentence where names did not agree."""
    params, by_name = function.params, function.keyword_only
    if isinstance(value, Mapping):
        return _bind_object(function, shape, value, notes)
    if not isinstance(value, list):
        if not params and not function.many:
            raise Unfit(f"{function.name}() takes no parameter, but the test gives one value.")
        return _pack_arguments(value)
    if not params and len(value) == len(by_name) > 0:
        return _pack_arguments(**dict(zip(by_name, value, strict=True)))
    if len(params) != 1 or function.many or len(value) == 1:
        return _pack_arguments(*value)
    notes.append(f"The list was passed whole as {params[0]!r}.")
    return _pack_arguments(value)


def _bind_object(
    function: Function, shape: Shape, value: Mapping[str, Any], notes: list[str]
) -> dict[str, Any]:
    """The call whose parameters have the names of the keys; a missing key stays missing.

    Equal names first, then equal but for case and underscores; what is left goes in order, for all
    tests of a task alike, where the counts allow it.
    """
    if not set(value) & set(shape.keys):
        shape = replace(shape, keys=tuple(value) or shape.keys)
    params, takes_more = function.all_parameters, function.many or function.more
    every = dict.fromkeys([*shape.keys, *value])
    names = {key: key for key in every if key in params}
    alike = {normalize_name(name): name for name in params if name not in names}
    names |= {
        k: alike[normalize_name(k)] for k in every if k not in names and normalize_name(k) in alike
    }
    unnamed = [k for k in shape.keys if k not in names and not is_file_key(k, shape)]
    free = [name for name in params if name not in names.values()]
    given = [key for key in value if not is_file_key(key, shape)]
    if function.others:
        names = {key: key for key in given} | names
    elif FILE_KEYS[0] in shape.keys and not names and not unnamed and function.required:
        names = {FILE_KEYS[0]: params[0]}
    elif len(params) == 1 and not names and len(unnamed) > 1:
        notes.append(f"The object was passed whole as {params[0]!r}.")
        return _pack_arguments(dict(value))
    elif unnamed and (len(unnamed) <= len(free) or takes_more):
        pairs = dict(zip(unnamed, free, strict=False))
        names |= pairs
        shown = ", ".join(f"{key} as {name}" for key, name in pairs.items())
        notes += [f"Passed by position: {shown}."] if pairs else []
    # A key that security alone gives must be met by a name.
    rest = [key for key in unnamed if takes_more and key in value and key not in names]
    named = {names[key]: content for key, content in value.items() if key in names}
    args = []
    for name in function.params[: None if rest else function.by_position]:
        if name not in named:
            break
        args.append(named.pop(name))
    has_gap = len(args) < len(function.params)
    lost = [key for key in given if key not in names and (has_gap or key not in rest)]
    if lost:
        # No argument of a test is dropped; where its prompt names no key, the task omits it.
        kind = Unmappable if shape.unsaid.issuperset(lost) else Unfit
        sentence = f"{function.name}({', '.join(params)}) has no parameter for {', '.join(lost)}."
        raise kind(sentence)
    return {"args": [*args, *(value[key] for key in rest)], "kwargs": named}


# ---- for languages without named arguments ----


def order_arguments(chosen: Plan, job: Mapping[str, Any]) -> dict[str, Any]:
    """The calls of a job as lists of arguments, for languages that have no named ones."""
    owner, function = chosen.owner, chosen.function or Function("")
    methods = owner.methods if owner else {}
    calls = []
    for name, call in job["calls"]:
        calls.append([name, _list_arguments(methods.get(name, function), call)])
    return {"calls": calls, "init": owner and _list_arguments(owner.init, job["init"])}


def _list_arguments(function: Function, call: Mapping[str, Any]) -> list[Any]:
    """Arguments in order; properties of a destructured parameter go into one object again."""
    named = dict(call["kwargs"])
    if packed := {key: named.pop(key) for key in function.packed if key in named}:
        named[function.packed[0]] = packed
    params = [name for name in function.params if name not in function.packed[1:]]
    values = [*call["args"]]
    values += [named.pop(name, UNDEFINED) for name in params[len(values) :]]
    while values and values[-1] is UNDEFINED:
        values.pop()
    return [*values, *named.values()]
