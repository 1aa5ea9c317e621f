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
from kit.harness.plan import Plan, Unfit, Unmappable, list_argument_keys
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


def prepare(plan: Plan, task: Task, test: Test) -> Call:
    """The call of one test; raises Unmappable where its input fits no call of this program."""
    value, files = input_and_files(task, test)
    arguments = value
    settings: dict[str, Any] = {"folders": find_prompt_folders(task)}
    helper_of_key = _find_helpers(plan, value, task.prompt)
    if helper_of_key:
        shape, arguments = _drop_keys(helper_of_key, plan.shape, value)
        plan = replace(plan, shape=shape)
        results = {}
        for key, content in value.items():
            if key in helper_of_key:
                results[helper_of_key[key]] = content
        settings["helpers"] = results
    makers = {"program": _run_program, "class": _call_class, "function": _call_function}
    if plan.kind in makers:
        call = makers[plan.kind](plan, arguments, files)
    else:
        call = _call_server(plan, task.prompt, arguments, files)
    environment = services.prepare_environment(task)
    return replace(call, job={**call.job, **settings}, value=value, environment=environment)


def _drop_keys(
    dropped: Collection[str], shape: Shape, value: Mapping[str, Any]
) -> tuple[Shape, dict[str, Any]]:
    """The shape and the input without these keys."""
    keys = tuple(key for key in shape.keys if key not in dropped)
    fields = {key: content for key, content in value.items() if key not in dropped}
    return replace(shape, keys=keys), fields


def find_prompt_folders(task: Task) -> tuple[str, ...]:
    """The folders below test_dir of which the prompt speaks: they exist when the program starts."""
    return tuple(sorted({path or alone for path, alone in _FOLDER.findall(task.prompt)}))


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


def _find_helpers(plan: Plan, value: Any, prompt: str) -> dict[str, str]:
    """By key: a function that the prompt names, and that the program calls and does not have.

    Where that is isAuthorizedUser, a key `authorized` that is no parameter says what it returns.
    """
    if plan.function is None or not isinstance(value, Mapping):
        return {}
    functions = plan.facts.functions
    called = set[str]()
    for function in (*functions.values(), *plan.facts.methods):
        called |= function.calls
    undefined = sorted(find_code_names(prompt) & called - functions.keys())
    parameters = set(map(normalize_name, plan.function.all_parameters))
    helpers = {}
    for key in (*plan.shape.keys, *value):
        plain_key = normalize_name(key)
        if len(key) <= 3 or plain_key in parameters:
            continue
        for name in undefined:
            if plain_key in normalize_name(name):
                helpers[key] = name
    return helpers


# ---- a program and a server ----


def _run_program(plan: Plan, value: Any, files: dict[str, bytes]) -> Call:
    argv: list[str] = []
    stdin = ""
    if isinstance(value, Mapping) and is_command_line(value):
        argv = list(map(str, value.get("args", [])))
        stdin = value.get("stdin", "")
        files |= _place_files(value.get("files", {}))
    elif isinstance(value, Mapping) and plan.argv:
        argv = _write_options(value, plan.facts.options)
    else:
        words = _list_words([*value.values()] if isinstance(value, Mapping) else value)
        if plan.argv:
            argv = words
        else:
            stdin = "\n".join(words)
    if any("\0" in word for word in argv):
        raise Unmappable("The test gives a NUL character, which no command line can carry.")
    return Call("script", {"argv": argv}, files, stdin.encode())


def _list_words(value: Any) -> list[str]:
    """What a value is on a command line; null is nothing."""
    if value is None:
        return []
    return list(map(_as_text, value if isinstance(value, list) else [value]))


def _write_options(value: Mapping[str, Any], options: tuple[str, ...]) -> list[str]:
    """The arguments that an object means: those without a name in order, then declared options."""
    declared = {}
    for name in options:
        if name.startswith("-"):
            declared[normalize_name(name)] = name
    nameless: list[str] = []
    flags: list[str] = []
    for key, content in value.items():
        name = key if key.startswith("-") else declared.get(normalize_name(key), "")
        if not name:
            nameless += _list_words(content)
        elif content is True:
            flags.append(name)
        elif content is not False and content is not None:
            flags += [name, *_list_words(content)]
    return [*nameless, *flags]


def _call_server(plan: Plan, prompt: str, value: Any, files: dict[str, bytes]) -> Call:
    facts = plan.facts
    view = plan.function
    port = _PORT.search(prompt)
    job: dict[str, Any] = {"raw": plan.kind == "socket", "start_s": START_S}
    job["port"] = int(port[1]) if port else None
    if view:
        takes_request = bool(view.params)
        job["view"] = {"framework": facts.framework, "name": view.name, "given": takes_request}
    notes: list[str] = []
    if job["raw"]:
        is_several = classify_input(value) == "requests"
        requests = value["requests"] if is_several else [value]
        if not all(isinstance(request, str) for request in requests):
            raise Unmappable("A socket server needs texts to be sent, but the test gives none.")
    else:
        requests = list_requests(value, facts, prompt, notes, view)
    job |= {"requests": requests, "werkzeug": bool({"flask", "werkzeug"} & facts.imports)}
    return Call("serve", job, files, note=_join_notes(notes))


def _join_notes(notes: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, notes)))


# ---- a function and a class ----


def _pack_arguments(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of one call, as a job says them."""
    return {"args": [*args], "kwargs": kwargs}


def _call_function(plan: Plan, value: Any, files: dict[str, bytes]) -> Call:
    function = plan.function
    owner = plan.owner
    shape = plan.shape
    assert function is not None
    job: dict[str, Any] = {"target": path_in_module(owner or function), "init": None, "many": False}
    examples = plan.facts.examples.get(function.name, ())
    if examples:
        job["skip"] = examples
    method = function.name if owner else None
    if owner:
        fields = value if isinstance(value, Mapping) else {}
        init = {}
        for name in owner.init.required_parameters:
            if name in fields:
                init[name] = fields[name]
        job["init"] = _pack_arguments(**init)
        if init:
            shape, value = _drop_keys(init, shape, fields)
    reads_stdin = plan.facts.reads_stdin and any(map(_STDIN.search, function.calls))
    if reads_stdin and not function.params and isinstance(value, str):
        job["calls"] = [[method, _pack_arguments()]]
        return Call("call", job, files, value.encode())
    job["many"] = classify_input(value) == "calls" and "calls" not in function.params
    notes: list[str] = []
    inputs = value["calls"] if job["many"] else [value]
    job["calls"] = [[method, _bind_input(function, shape, each, notes)] for each in inputs]
    return Call("call", job, files, note=_join_notes(notes))


def _call_class(plan: Plan, value: Any, files: dict[str, bytes]) -> Call:
    owner = plan.owner
    assert owner is not None
    if classify_input(value) != "class":
        raise Unmappable(f"{owner.name} needs 'init' and 'calls', but the test gives neither.")
    notes: list[str] = []
    init = _bind_alone(owner.init, value["init"], notes)
    calls = []
    for step in value["calls"]:
        if not isinstance(step, list) or not step or not isinstance(step[0], str):
            raise Unmappable(f"A call is [method, arguments], not {json.dumps(step)[:60]}.")
        method = _find_method(owner.methods, step[0], plan.facts.reserved)
        argument = step[1] if len(step) > 1 else None
        calls.append([method.name, _bind_alone(method, argument, notes)])
    job = {"target": path_in_module(owner), "init": init, "calls": calls, "many": True}
    return Call("call", job, files, note=_join_notes(notes))


def _find_method(methods: Mapping[str, Function], name: str, reserved: Collection[str]) -> Function:
    """The method that a test calls so; where its language has no such name, what begins with it."""
    if name in methods:
        return methods[name]
    for method in methods.values():
        if normalize_name(method.name) == normalize_name(name):
            return method
    if name in reserved:  # delete_message stands for delete
        longer = [method for method in methods.values() if method.name.startswith(name)]
        if len(longer) == 1:
            return longer[0]
    return replace(ANY, name=name)


def _bind_alone(function: Function, value: Any, notes: list[str]) -> dict[str, Any]:
    """A call whose parameters are matched against this one input; null and [] are no plans."""
    if value is None or value == [] or value == {}:
        return _pack_arguments()
    keys = tuple(value) if isinstance(value, Mapping) else ()
    return _bind_input(function, Shape(keys), value, notes)


def _bind_input(function: Function, shape: Shape, value: Any, notes: list[str]) -> dict[str, Any]:
    """The arguments that one input means; `notes` gets a sentence where names did not agree."""
    params = function.params
    by_name = function.keyword_only
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

    Equal names first, then equal but for case and underscores; other keys go in order, for all
    tests of a task alike, where the counts allow it.
    """
    if not set(value) & set(shape.keys):
        shape = replace(shape, keys=tuple(value) or shape.keys)
    params = function.all_parameters
    takes_more = function.many or function.more
    names = _match_names(dict.fromkeys([*shape.keys, *value]), params)
    unnamed = [key for key in list_argument_keys(shape.keys, shape) if key not in names]
    free = [name for name in params if name not in names.values()]
    argument_keys = list_argument_keys(value, shape)
    if function.others:
        names = dict(zip(argument_keys, argument_keys, strict=True)) | names
    elif FILE_KEYS[0] in shape.keys and not names and not unnamed and function.required:
        names = {FILE_KEYS[0]: params[0]}
    elif len(params) == 1 and not names and len(unnamed) > 1:
        notes.append(f"The object was passed whole as {params[0]!r}.")
        return _pack_arguments(dict(value))
    elif unnamed and free and (len(unnamed) <= len(free) or takes_more):
        pairs = dict(zip(unnamed, free, strict=False))
        names |= pairs
        listing = ", ".join(f"{key} as {name}" for key, name in pairs.items())
        notes.append(f"Passed by position: {listing}.")
    further: list[str] = []
    if takes_more:  # A key that security alone gives must be met by a name.
        further = [key for key in unnamed if key in value and key not in names]
    call = _place_arguments(function, value, names, further)
    has_gap = len(call["args"]) < len(function.params) + len(further)
    placed = {*names} if has_gap else {*names, *further}
    lost = [key for key in argument_keys if key not in placed]
    if lost:
        # No argument of a test is dropped; where its prompt names no key, the task omits it.
        kind = Unmappable if shape.unsaid.issuperset(lost) else Unfit
        sentence = f"{function.name}({', '.join(params)}) has no parameter for {', '.join(lost)}."
        raise kind(sentence)
    return call


def _place_arguments(
    function: Function, value: Mapping[str, Any], names: Mapping[str, str], further: list[str]
) -> dict[str, Any]:
    """The call with the keys of `names` as parameters, and with further keys behind all others."""
    by_name = {}
    for key, content in value.items():
        if key in names:
            by_name[names[key]] = content
    positional = function.params if further else function.params[: function.by_position]
    args = []
    for name in positional:
        if name not in by_name:
            break
        args.append(by_name.pop(name))
    args += [value[key] for key in further]
    return {"args": args, "kwargs": by_name}


def _match_names(keys: Collection[str], params: Collection[str]) -> dict[str, str]:
    """By key, the parameter of that name; else one that is equal but for case and underscores."""
    equal = [key for key in keys if key in params]
    names = dict(zip(equal, equal, strict=True))
    similar = {normalize_name(name): name for name in params if name not in names}
    for key in keys:
        plain_key = normalize_name(key)
        if key not in names and plain_key in similar:
            names[key] = similar[plain_key]
    return names


# ---- for languages without named arguments ----


def order_arguments(plan: Plan, job: Mapping[str, Any]) -> dict[str, Any]:
    """The calls of a job as lists of arguments, for languages that have no named ones."""
    owner = plan.owner
    function = plan.function or Function("")
    methods = owner.methods if owner else {}
    calls = []
    for name, call in job["calls"]:
        calls.append([name, _list_arguments(methods.get(name, function), call)])
    return {"calls": calls, "init": owner and _list_arguments(owner.init, job["init"])}


def _list_arguments(function: Function, call: Mapping[str, Any]) -> list[Any]:
    """Arguments in order; properties of a destructured parameter go into one object again."""
    named = dict(call["kwargs"])
    packed = {}
    for key in function.packed:
        if key in named:
            packed[key] = named.pop(key)
    if packed:
        named[function.packed[0]] = packed
    params = [name for name in function.params if name not in function.packed[1:]]
    values = [*call["args"]]
    for name in params[len(values) :]:
        values.append(named.pop(name, UNDEFINED))
    while values and values[-1] is UNDEFINED:
        values.pop()
    return [*values, *named.values()]
