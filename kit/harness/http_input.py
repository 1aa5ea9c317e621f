"""The input of a test becomes HTTP requests, or the request object that a view takes"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from kit.harness.arguments import REQUEST_LINE, VERBS, Shape, Unmappable
from kit.harness.read.facts import Facts, Function, Route

BOUNDARY = "----box-9f2c1d7a"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_SEPARATOR = re.compile(r"&(?=[\w.\-\[\]]+=|[\w.\-\[\]]*$)")
_PATH_SAFE = "/:@!$'()*,=~-._&"
_QUERY_SAFE = "/:@!$'()*,=~-._?"
_BODY_KEYS = ("json", "form", "body", "files")
_QUERY_KEYS = ("query", "params", "args")
_REQUEST_KEYS = {"method", "path", "url", "headers", *_BODY_KEYS, *_QUERY_KEYS}
_TYPES = {"xml": "application/xml", "json": "application/json", "html": "text/html"}
_FORM_TYPE = "application/x-www-form-urlencoded"


def requests(value: Any, facts: Facts, prompt: str) -> tuple[list[dict[str, Any]], str]:
    """The requests of one input in order, and a note where something had to be chosen.

    A request is {"method", "target", "headers", "body": hex or None, "cookies"}. Raises Unmappable.
    """
    if isinstance(value, Mapping) and isinstance(value.get("requests"), list):
        pairs = [_request(v, facts, prompt) for v in value["requests"]]
        keep = value.get("cookies") is True
        return [{**r, "cookies": keep} for r, _ in pairs], _joined(note for _, note in pairs)
    made_one, note = _request(value, facts, prompt)
    return [made_one], note


def _joined(notes: Iterator[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, notes)))


def _request(value: Any, facts: Facts, prompt: str) -> tuple[dict[str, Any], str]:
    if isinstance(value, str):
        return _from_line(value), ""
    if not isinstance(value, Mapping):
        raise Unmappable(f"A web application needs a request, but the test gives {value!r:.60}.")
    target = str(value.get("path") or value.get("url") or "/")
    named = "method" in value or (set(value) & {"path", "url"} and target.startswith(("/", "http")))
    if set(value) <= _REQUEST_KEYS and named:
        return _from_description(value, facts, prompt)
    return _from_fields(value, facts, prompt)


def _from_line(line: str) -> dict[str, Any]:
    """A bare target, "METHOD target" or "METHOD target with XML: body"."""
    match = REQUEST_LINE.fullmatch(line)
    if not match:
        if not line.startswith("/"):
            raise Unmappable(f"A web application needs a path, but the test gives {line!r:.60}.")
        return _made("GET", line)
    body, kind = match["body"], ""
    if body is not None:
        words = match["what"].lower().split()
        kind = next((_TYPES[w] for w in words if w in _TYPES), "text/plain")
        kind = _FORM_TYPE if "form" in words else kind
    return _made(match["method"], match["target"], body=body, kind=kind)


def _made(
    method: str,
    target: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: str | bytes | None = None,
    kind: str = "",
) -> dict[str, Any]:
    data = body.encode() if isinstance(body, str) else body
    sent = {} if headers is None else {str(k): _header(v) for k, v in headers.items()}
    names = {name.lower() for name in sent}
    if kind and "content-type" not in names:
        sent["Content-Type"] = kind
    if data is not None and not names & {"content-length", "transfer-encoding"}:
        sent["Content-Length"] = str(len(data))
    return {
        "method": method,
        "target": encode_target(target),
        "headers": sent,
        "body": data.hex() if data is not None else None,
        "cookies": False,
    }


def _header(value: Any) -> str:
    """A header's value as text that HTTP can carry: no line breaks, Latin-1 or percent-encoded."""
    text = re.sub(r"[\r\n]+", " ", str(value))
    return text if text.isascii() else quote(text, safe=" -_.~!#$&'()*+,/:;=?@[]\"")


def encode_target(raw: str) -> str:
    """A raw target as a request line needs it: every character means itself, but %XX stays.

    "+" is sent as %2B (it means a plus sign, not a space), "#" as %23, and an "&" that does not
    begin another name=value as %26.
    """
    if raw.startswith(("http://", "https://")):
        parts = urlsplit(raw)
        raw = raw[len(f"{parts.scheme}://{parts.netloc}") :] or "/"
    path, mark, query = raw.partition("?")
    pieces = (_escaped(piece, _QUERY_SAFE) for piece in _SEPARATOR.split(query))
    return _escaped(path, _PATH_SAFE) + mark + "&".join(pieces)


def _escaped(text: str, safe: str) -> str:
    out, last = [], 0
    for match in _ESCAPE.finditer(text):
        out += [quote(text[last : match.start()], safe=safe), match[0]]
        last = match.end()
    return "".join([*out, quote(text[last:], safe=safe)])


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
    request = _made(
        method or ("GET" if body is None else "POST"),
        str(target),
        headers=value.get("headers"),
        body=body,
        kind=kind,
    )
    if query:
        joint = "&" if "?" in request["target"] else "?"
        request["target"] += joint + urlencode(query, doseq=True, quote_via=quote)
    return request, _joined(iter([note, of_body]))


def _body(value: Mapping[str, Any], facts: Facts) -> tuple[str | bytes | None, str, str]:
    """(body, content type, note) of a described request."""
    if "json" in value:
        return json.dumps(value["json"]), "application/json", ""
    if value.get("files"):
        return _multipart(value.get("form") or {}, value["files"], facts)
    if "form" in value:
        return urlencode(value["form"], doseq=True, quote_via=quote), _FORM_TYPE, ""
    body = value.get("body")
    if body is None or isinstance(body, str):
        xml = isinstance(body, str) and body.lstrip().startswith("<")
        return body, ("application/xml" if xml else "text/plain") if body else "", ""
    return json.dumps(body), "application/json", ""


def _multipart(
    form: Mapping[str, Any], files: Mapping[str, Any], facts: Facts
) -> tuple[bytes, str, str]:
    """multipart/form-data; a file goes to the one field that the program reads, if names differ."""
    rename, note = {}, ""
    if (
        len(files) == 1
        and len(set(facts.upload_names)) == 1
        and not set(files) & set(facts.upload_names)
    ):
        rename = dict(zip(files, facts.upload_names, strict=False))
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


def view_job(
    function: Function, facts: Facts, value: Any, prompt: str
) -> tuple[dict[str, Any], str]:
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
    asked, note = requests(value, known, prompt)
    if len(asked) != 1:
        raise Unmappable(f"{function.name} answers one request, but the test sends {len(asked)}.")
    as_argument = bool(function.params)
    return {"framework": framework, "request": asked[0], "given": as_argument}, note
