"""Turns the input of a test into a call that is ready to start; the same for every language.

It is the arguments of a function, a command line, or HTTP requests.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from kit.harness import services
from kit.harness.facts import ANY, Facts, Function, Route, place
from kit.harness.plan import (
    FRAMEWORKS,
    Plan,
    Unmappable,
    as_text,
    call_of,
    command_line,
    steered,
    takes_request,
)
from kit.harness.shape import (
    FILE_KEYS,
    REQUEST_LINE,
    VERBS,
    Shape,
    form,
    is_command_line,
    plain,
)
from kit.records import Task, Test

_VIEW_BODY = {"json", "get_json", "form", "POST", "body", "data", "get_data", "files"}
BOUNDARY = "----box-9f2c1d7a"
_UNESCAPED = re.compile(r"[^%]+|%(?![0-9A-Fa-f]{2})")  # what of a target is no %XX
_SEPARATOR = re.compile(r"&(?=[\w.\-\[\]]+=|[\w.\-\[\]]*$)")
_PATH_SAFE = "/:@!$'()*,=~-._&"
_QUERY_SAFE = "/:@!$'()*,=~-._?"
_BODY_KEYS = ("json", "form", "body", "files")
_QUERY_KEYS = ("query", "params", "args")
REQUEST_KEYS = {"method", "path", "url", "headers", "save", *_BODY_KEYS, *_QUERY_KEYS}
_TYPES = {"xml": "application/xml", "json": "application/json", "html": "text/html"}
_FORM_TYPE = "application/x-www-form-urlencoded"

_FOLDER = re.compile(r"(?<![\w/.-])(?:\./)?(test_dir(?:/[\w-]+)*)/|(?<![\w/.-])(test_dir)\b")
_PORT = re.compile(r"\bport\s+(?:number\s+)?`?(\d{1,5})\b", re.IGNORECASE)
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
    raw, files = input_and_files(task, test)
    chosen, value, answers = steered(chosen, raw, task.prompt)
    kinds = {"program": _program, "class": _class, "function": _function}
    free = chosen.function if chosen.kind == "function" and not chosen.owner else None
    if free and takes_request(free, chosen.shape, chosen.facts):
        call = _served(_with_view(chosen, free), task.prompt, value, files)
        brought = [FRAMEWORKS[name] for name in FRAMEWORKS if name in chosen.facts.imports]
        view = {"framework": [*brought, "flask"][0], "name": free.name, "given": bool(free.params)}
        call = replace(call, job={**call.job, "view": view})
    elif chosen.kind in kinds:
        call = kinds[chosen.kind](chosen, value, files)
    else:
        call = _served(chosen, task.prompt, value, files)
    job = {**call.job, "folders": folders(task), **({"helpers": answers} if answers else {})}
    return replace(call, job=job, value=raw, environment=services.environment(task))


def folders(task: Task) -> tuple[str, ...]:
    """The folders below test_dir of which the prompt speaks: they exist when the program starts."""
    return tuple(sorted({a or b for a, b in _FOLDER.findall(task.prompt)}))


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
            files[path.as_posix()] = as_text(content).encode()
    return files


def _program(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    stdin = ""
    if isinstance(value, Mapping) and is_command_line(value):
        argv, stdin = [str(a) for a in value.get("args", [])], value.get("stdin", "")
        files |= _placed(value.get("files", {}))
    elif isinstance(value, Mapping) and chosen.argv:
        argv = command_line(value, chosen.facts.options)
    else:
        words = [] if value is None else value if isinstance(value, list) else [value]
        texts = [as_text(w) for w in (value.values() if isinstance(value, Mapping) else words)]
        argv, stdin = (texts, "") if chosen.argv else ([], "\n".join(texts))
    if any("\0" in word for word in argv):
        raise Unmappable("The test gives a NUL character, which no command line can carry.")
    return Call("script", {"argv": argv}, files, stdin.encode())


def _served(chosen: Plan, prompt: str, value: Any, files: dict[str, bytes]) -> Call:
    facts, port = chosen.facts, _PORT.search(prompt)
    job: dict[str, Any] = {"raw": chosen.kind == "socket", "start_s": START_S}
    job["port"] = int(port[1]) if port else None
    if job["raw"]:
        several = isinstance(value, Mapping) and "requests" in value
        sent, note = value["requests"] if several else [value], ""
        if not isinstance(sent, list) or not all(isinstance(r, str) for r in sent):
            raise Unmappable("A socket server needs texts to be sent, but the test gives none.")
    else:
        sent, note = requests(value, facts, prompt)
    job |= {"requests": sent, "werkzeug": bool({"flask", "werkzeug"} & facts.imports)}
    return Call("serve", job, files, note=note)


def _with_view(chosen: Plan, view: Function) -> Plan:
    """The plan with what the view reads of requests, by the names that all frameworks share."""
    reads = chosen.facts.request_reads
    reads |= {"form"} if "POST" in reads else set()
    reads |= {"args"} if reads & {"GET", "query_params"} else set()
    route = Route("/", ("POST" if reads & _VIEW_BODY else "GET",), view.name)
    routes = chosen.facts.routes or (route,)
    return replace(chosen, facts=replace(chosen.facts, routes=routes, request_reads=reads))


def _skipped(chosen: Plan, name: str) -> dict[str, Any]:
    """Lines of the examples of use that the program holds of what is called."""
    lines = chosen.facts.examples.get(name, ())
    return {"skip": lines} if lines else {}


def _function(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    function, owner, shape = chosen.function, chosen.owner, chosen.shape
    assert function is not None
    job: dict[str, Any] = {"target": place(owner or function), "init": None, "many": False}
    job |= _skipped(chosen, function.name)
    method = function.name if owner else None
    if owner:
        fields = value if isinstance(value, Mapping) else {}
        own = {k: fields[k] for k in owner.init.params[: owner.init.required] if k in fields}
        job["init"] = {"args": [], "kwargs": own}
        if own:
            value = {k: v for k, v in fields.items() if k not in own}
            shape = replace(shape, keys=tuple(k for k in shape.keys if k not in own))
    if function.reads_stdin and not function.params and isinstance(value, str):
        job["calls"] = [[method, {"args": [], "kwargs": {}}]]
        return Call("call", job, files, value.encode())
    many = form(value) == "calls" and "calls" not in function.params
    pairs = [call_of(function, shape, v) for v in (value["calls"] if many else [value])]
    job |= {"calls": [[method, call] for call, _ in pairs], "many": many}
    return Call("call", job, files, note=_joined(note for _, note in pairs))


def _class(chosen: Plan, value: Any, files: dict[str, bytes]) -> Call:
    owner = chosen.owner
    assert owner is not None
    if form(value) != "class":
        raise Unmappable(f"{owner.name} needs 'init' and 'calls', but the test gives neither.")
    init, note = _own_call(owner.init, value["init"])
    notes = [note]
    calls = []
    for step in value["calls"]:
        if not isinstance(step, list) or not step or not isinstance(step[0], str):
            raise Unmappable(f"A call is [method, arguments], not {json.dumps(step)[:60]}.")
        name, values = (step[0], step[1]) if len(step) > 1 else (step[0], [])
        alike = (m for n, m in owner.methods.items() if plain(n) == plain(name))
        method = owner.methods.get(name) or next(alike, None)
        if method is None and name in chosen.facts.reserved:  # delete_message stands for delete
            longer = [m for m in owner.methods.values() if m.name.startswith(name)]
            method = longer[0] if len(longer) == 1 else None
        call, note = _own_call(method or replace(ANY, name=name), values)
        calls.append([method.name if method else name, call])
        notes.append(note)
    job = {"target": place(owner), "init": init, "calls": calls, "many": True}
    return Call("call", job, files, note=_joined(notes))


def _own_call(function: Function, value: Any) -> tuple[dict[str, Any], str]:
    """A call whose parameters are matched against this one input; null and [] are no plans."""
    if value is None or value == [] or value == {}:
        return {"args": [], "kwargs": {}}, ""
    keys = tuple(value) if isinstance(value, Mapping) else ()
    return call_of(function, Shape(keys), value)


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


def requests(value: Any, facts: Facts, prompt: str) -> tuple[list[dict[str, Any]], str]:
    """The requests of one input in order, and a note where something had to be chosen.

    A request is {"method", "target", "headers", "body": hex or None, "cookies"}. Raises Unmappable.
    """
    several = isinstance(value, Mapping) and isinstance(value.get("requests"), list)
    pairs = [_request(v, facts, prompt) for v in (value["requests"] if several else [value])]
    keep = several and value.get("cookies") is True
    return [{**r, "cookies": keep} for r, _ in pairs], _joined(note for _, note in pairs)


def _joined(notes: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, notes)))


def _request(value: Any, facts: Facts, prompt: str) -> tuple[dict[str, Any], str]:
    if isinstance(value, str):
        return _from_description(_described(value), facts, prompt)
    if not isinstance(value, Mapping):
        raise Unmappable(f"A web application needs a request, but the test gives {value!r:.60}.")
    target = str(value.get("path") or value.get("url") or "/")
    named = "method" in value or (set(value) & {"path", "url"} and target.startswith(("/", "http")))
    if set(value) <= REQUEST_KEYS and named:
        return _from_description(value, facts, prompt)
    return _from_fields(value, facts, prompt)


def _described(line: str) -> dict[str, Any]:
    """The description of a bare target, "METHOD target" or "METHOD target with XML: body"."""
    match = REQUEST_LINE.fullmatch(line)
    if not match:
        if not line.startswith("/"):
            raise Unmappable(f"A web application needs a path, but the test gives {line!r:.60}.")
        return {"method": "GET", "path": line}
    described = {"method": match["method"], "path": match["target"]}
    if match["body"] is None:
        return described
    words = match["what"].lower().split()
    kind = next((_TYPES[w] for w in words if w in _TYPES), "text/plain")
    kind = _FORM_TYPE if "form" in words else kind
    return {**described, "body": match["body"], "headers": {"Content-Type": kind}}


def _header(value: Any) -> str:
    """A header's value as text that HTTP can carry: no line breaks, Latin-1 or percent-encoded."""
    text = re.sub(r"[\r\n]+", " ", str(value))
    return text if text.isascii() else quote(text, safe=" -_.~!#$&'()*+,/:;=?@[]\"")


def encode_target(raw: str) -> str:
    """A raw target as a request line needs it: every character means itself, but %XX stays.

    "+" is sent as %2B (it means a plus sign, not a space), "#" as %23, and an "&" that does not
    begin another name=value as %26.
    """
    if origin := re.match(r"https?://[^/?#]*", raw):
        raw = raw[origin.end() :] or "/"
    path, mark, query = raw.partition("?")
    pieces = (_escaped(piece, _QUERY_SAFE) for piece in _SEPARATOR.split(query))
    return _escaped(path, _PATH_SAFE) + mark + "&".join(pieces)


def _escaped(text: str, safe: str) -> str:
    return _UNESCAPED.sub(lambda match: quote(match[0], safe=safe), text)


def _from_description(
    value: Mapping[str, Any], facts: Facts, prompt: str
) -> tuple[dict[str, Any], str]:
    target, note = value.get("path") or value.get("url"), ""
    method = str(value.get("method", "")).upper()
    if target is None:
        route = _route(facts, prompt)
        target, note = route.path, f"The request was sent to {route.path}."
    query = next((value[k] for k in _QUERY_KEYS if isinstance(value.get(k), Mapping)), None)
    body, kind, of_body = _body(value, facts)
    headers = {str(k): _header(v) for k, v in (value.get("headers") or {}).items()}
    named = {name.lower() for name in headers}
    if kind and "content-type" not in named:
        headers["Content-Type"] = kind
    if body is not None and not named & {"content-length", "transfer-encoding"}:
        headers["Content-Length"] = str(len(body))
    request: dict[str, Any] = {
        "method": method or ("GET" if body is None else "POST"),
        "target": encode_target(str(target)),
        "headers": headers,
        "body": body.hex() if body is not None else None,
    }
    if saved := value.get("save"):
        request["save"] = _saved(saved)
    if query:
        joint = "&" if "?" in request["target"] else "?"
        request["target"] += joint + urlencode(query, doseq=True, quote_via=quote)
    return request, _joined([note, of_body])


def _saved(parts: Any) -> Mapping[str, str]:
    try:
        for kind, _, name in (where.partition(".") for where in parts.values()):
            if kind not in ("json", "header", "body") or re.compile(name).groups != (
                kind == "body"
            ):
                raise ValueError(f"got {kind}.{name}")
    except (AttributeError, TypeError, ValueError, re.error) as error:
        wanted = '{"name": "json.FIELD", "header.NAME" or "body.REGEX" with one group}'
        raise Unmappable(f"A request saves {wanted}: {error}.") from error
    return dict(parts)


def _body(value: Mapping[str, Any], facts: Facts) -> tuple[bytes | None, str, str]:
    """(body, content type, note) of a described request."""
    if "json" in value:
        return json.dumps(value["json"]).encode(), "application/json", ""
    if value.get("files"):
        return _multipart(value.get("form") or {}, value["files"], facts)
    if "form" in value:
        form_body = urlencode(value["form"], doseq=True, quote_via=quote)
        return form_body.encode(), _FORM_TYPE, ""
    body = value.get("body")
    if body is None:
        return None, "", ""
    if isinstance(body, str):
        kind = "application/xml" if body.lstrip().startswith("<") else "text/plain"
        return body.encode(), kind if body else "", ""
    return json.dumps(body).encode(), "application/json", ""


def _multipart(
    form: Mapping[str, Any], files: Mapping[str, Any], facts: Facts
) -> tuple[bytes, str, str]:
    """multipart/form-data; a file goes to the one field that the program reads, if names differ."""
    rename, note, fields = {}, "", set(facts.upload_names)
    if len(files) == len(fields) == 1 and not fields & set(files):
        rename = dict(zip(files, fields, strict=True))
        note = f"The file was sent as field {facts.upload_names[0]!r}."
    parts = [(f'name="{_quoted(k)}"', str(v).encode()) for k, v in form.items()]
    for field, file in files.items():
        file = file if isinstance(file, Mapping) else {"filename": field, "content": file}
        disposition = f'name="{_quoted(rename.get(field, field))}"'
        if file.get("filename") is not None:
            disposition += f'; filename="{_quoted(file["filename"])}"'
            disposition += "\r\nContent-Type: " + str(
                file.get("content_type", "application/octet-stream")
            )
        parts.append((disposition, str(file.get("content") or "").encode()))
    lines = b"".join(
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n"
        for head, data in parts
    )
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return lines + f"--{BOUNDARY}--\r\n".encode(), kind, note


def _quoted(text: Any) -> str:
    return str(text).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _route(facts: Facts, prompt: str) -> Route:
    """The route that requests without a path mean: the prompt's, else the only one."""
    routes = facts.routes or tuple(
        Route(text, ("GET", "POST"), "")
        for text in sorted(facts.texts)
        if re.fullmatch(r"/[\w\-/.]*", text)
    )
    quoted = [r for r in routes if re.search(rf"(?<![\w/]){re.escape(r.path)}(?![\w/])", prompt)]
    named = [r for r in routes if r.handler and re.search(rf"\b{r.handler}\b", prompt)]
    for choice in (quoted, named, routes):
        if len({r.path for r in choice}) == 1:
            return choice[0]
    paths = ", ".join(r.path for r in routes) or "none"
    raise Unmappable(f"The test gives no path, and the program's routes are: {paths}.")


def _from_fields(value: Mapping[str, Any], facts: Facts, prompt: str) -> tuple[dict[str, Any], str]:
    """An object without a path: the fields of a body or query, as the program reads them."""
    route = _route(facts, prompt)
    method = next((v for v in (*VERBS[1:], VERBS[0]) if v in route.methods), "POST")
    reads = facts.request_reads
    as_query = method == "GET" or (reads & {"args"} and not reads - {"args"})
    if "GET" in route.methods and "POST" in route.methods:
        as_query = bool(reads) and reads <= {"args", "values"}
        method = "GET" if as_query else "POST"
    if as_query:
        sent, style = {"query": value}, "query"
    elif reads & {"form", "values"} and not reads & {"json", "get_json"}:
        sent, style = {"form": value}, "form"
    else:
        sent, style = {"json": value}, "JSON body"
    request, _ = _from_description({"method": method, "path": route.path, **sent}, facts, prompt)
    return request, f"The fields were sent to {route.path} as {style} by {method}."
