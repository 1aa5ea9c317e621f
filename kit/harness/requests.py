"""Writes the requests that an input means, as the program reads them."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from kit.harness.facts import Facts, Function, Route
from kit.harness.plan import Unmappable
from kit.harness.shape import REQUEST_LINE, VERBS, classify_input

_VIEW_BODY = frozenset("json get_json form POST body data get_data files".split())
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


def list_requests(
    value: Any, facts: Facts, prompt: str, notes: list[str], view: Function | None = None
) -> list[dict[str, Any]]:
    """The requests of one input in order; `notes` gets a sentence where something was chosen.

    A request is {"method", "target", "headers", "body": hex or None, "cookies"}. Raises Unmappable.
    view: the function that alone takes them.
    """
    writer = _Writer(_read_view(facts, view) if view else facts, prompt, notes)
    is_several = classify_input(value) == "requests"
    keeps_cookies = is_several and value.get("cookies") is True
    requests = []
    for each in value["requests"] if is_several else [value]:
        requests.append({**writer.write(each), "cookies": keeps_cookies})
    return requests


def _read_view(facts: Facts, view: Function) -> Facts:
    """The facts with what the view reads of requests, by the names that all frameworks share."""
    reads = facts.request_reads
    reads |= {"form"} if "POST" in reads else set()
    reads |= {"args"} if reads & {"GET", "query_params"} else set()
    route = Route("/", ("POST" if reads & _VIEW_BODY else "GET",), view.name)
    return replace(facts, routes=facts.routes or (route,), request_reads=reads)


def encode_target(raw: str) -> str:
    """A raw target as a request line needs it: every character means itself, but %XX stays.

    "+" is sent as %2B (it means a plus sign, not a space), "#" as %23, and an "&" that does not
    begin another name=value as %26.
    """
    if origin := re.match(r"https?://[^/?#]*", raw):
        raw = raw[origin.end() :] or "/"
    path, mark, query = raw.partition("?")
    pieces = (_percent_encode(piece, _QUERY_SAFE) for piece in _SEPARATOR.split(query))
    return _percent_encode(path, _PATH_SAFE) + mark + "&".join(pieces)


def _percent_encode(text: str, safe: str) -> str:
    return _UNESCAPED.sub(lambda match: quote(match[0], safe=safe), text)


def _describe_line(line: str) -> dict[str, Any]:
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


def _write_header(value: Any) -> str:
    """A header's value as text that HTTP can carry: no line breaks, Latin-1 or percent-encoded."""
    text = re.sub(r"[\r\n]+", " ", str(value))
    return text if text.isascii() else quote(text, safe=" -_.~!#$&'()*+,/:;=?@[]\"")


def _check_saved(parts: Any) -> Mapping[str, str]:
    try:
        for where in parts.values():
            kind, _, name = where.partition(".")
            groups = re.compile(name).groups
            if kind not in ("json", "header", "body") or groups != (kind == "body"):
                raise ValueError(f"got {kind}.{name}")
    except (AttributeError, TypeError, ValueError, re.error) as error:
        wanted = '{"name": "json.FIELD", "header.NAME" or "body.REGEX" with one group}'
        raise Unmappable(f"A request saves {wanted}: {error}.") from error
    return dict(parts)


class _Writer:
    def __init__(self, facts: Facts, prompt: str, notes: list[str]) -> None:
        self.facts, self.prompt, self.notes = facts, prompt, notes

    def write(self, value: Any) -> dict[str, Any]:
        if isinstance(value, str):
            return self.write_described(_describe_line(value))
        if not isinstance(value, Mapping):
            raise Unmappable(
                f"A web application needs a request, but the test gives {value!r:.60}."
            )
        target = str(value.get("path") or value.get("url") or "/")
        is_named = value.keys() & {"path", "url"} and target.startswith(("/", "http"))
        if set(value) <= REQUEST_KEYS and ("method" in value or is_named):
            return self.write_described(value)
        return self.write_fields(value)

    def write_described(self, value: Mapping[str, Any]) -> dict[str, Any]:
        target = value.get("path") or value.get("url")
        if target is None:
            target = self.find_route().path
            self.notes.append(f"The request was sent to {target}.")
        target = encode_target(str(target))
        query = next((value[k] for k in _QUERY_KEYS if isinstance(value.get(k), Mapping)), None)
        if query:
            joint = "&" if "?" in target else "?"
            target += joint + urlencode(query, doseq=True, quote_via=quote)
        kind, body = self.write_body(value)
        headers = {str(k): _write_header(v) for k, v in (value.get("headers") or {}).items()}
        names = {name.lower() for name in headers}
        if kind and "content-type" not in names:
            headers["Content-Type"] = kind
        if body is not None and not names & {"content-length", "transfer-encoding"}:
            headers["Content-Length"] = str(len(body))
        request: dict[str, Any] = {
            "method": str(value.get("method") or ("GET" if body is None else "POST")).upper(),
            "target": target,
            "headers": headers,
            "body": body.hex() if body is not None else None,
        }
        if saved := value.get("save"):
            request["save"] = _check_saved(saved)
        return request

    def write_body(self, value: Mapping[str, Any]) -> tuple[str, bytes | None]:
        """Content type and body of a described request."""
        if "json" in value:
            return _TYPES["json"], json.dumps(value["json"]).encode()
        if value.get("files"):
            return self.write_multipart(value.get("form") or {}, value["files"])
        if "form" in value:
            return _FORM_TYPE, urlencode(value["form"], doseq=True, quote_via=quote).encode()
        body = value.get("body")
        if body is None:
            return "", None
        if not isinstance(body, str):
            return _TYPES["json"], json.dumps(body).encode()
        kind = _TYPES["xml"] if body.lstrip().startswith("<") else "text/plain"
        return kind if body else "", body.encode()

    def write_multipart(
        self, fields: Mapping[str, Any], files: Mapping[str, Any]
    ) -> tuple[str, bytes]:
        """A file goes to the one field that the program reads, if names differ."""
        field_of_file = {name: name for name in files}
        read = {*self.facts.upload_names}
        if len(files) == len(read) == 1 and not read & set(files):
            field_of_file = dict(zip(files, read, strict=True))
            self.notes.append(f"The file was sent as field {self.facts.upload_names[0]!r}.")
        body = b""
        for name, content in fields.items():
            body += _write_part(f'name="{_escape_quotes(name)}"', content)
        for name, file in files.items():
            file = file if isinstance(file, Mapping) else {"filename": name, "content": file}
            head = f'name="{_escape_quotes(field_of_file[name])}"'
            if file.get("filename") is not None:
                kind = file.get("content_type", "application/octet-stream")
                head += f'; filename="{_escape_quotes(file["filename"])}"\r\nContent-Type: {kind}'
            body += _write_part(head, file.get("content") or "")
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        return kind, body + f"--{BOUNDARY}--\r\n".encode()

    def find_route(self) -> Route:
        """The route that requests without a path mean: the prompt's, else the only one."""
        routes = self.facts.routes
        if not routes:
            paths = [text for text in sorted(self.facts.texts) if re.fullmatch(r"/[\w\-/.]*", text)]
            routes = tuple(Route(path, ("GET", "POST"), "") for path in paths)
        quoted = [
            r for r in routes if self.is_in_prompt(rf"(?<![\w/]){re.escape(r.path)}(?![\w/])")
        ]
        named = [r for r in routes if r.handler and self.is_in_prompt(rf"\b{r.handler}\b")]
        for choice in (quoted, named, routes):
            if len({route.path for route in choice}) == 1:
                return choice[0]
        shown = ", ".join(route.path for route in routes) or "none"
        raise Unmappable(f"The test gives no path, and the program's routes are: {shown}.")

    def is_in_prompt(self, pattern: str) -> bool:
        return bool(re.search(pattern, self.prompt))

    def write_fields(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """An object without a path: fields of a body or query, as the program reads them."""
        route, reads = self.find_route(), self.facts.request_reads
        method = next((verb for verb in (*VERBS[1:], "GET") if verb in route.methods), "POST")
        either = {"GET", "POST"} <= {*route.methods}
        by_query = bool(reads) and reads <= ({"args", "values"} if either else {"args"})
        part, style = "json", "JSON body"
        if by_query or method == "GET":
            part, style = "query", "query"
            method = "GET" if either else method
        elif reads & {"form", "values"} and not reads & {"json", "get_json"}:
            part, style = "form", "form"
        self.notes.append(f"The fields were sent to {route.path} as {style} by {method}.")
        return self.write_described({"method": method, "path": route.path, part: value})


def _write_part(head: str, content: Any) -> bytes:
    """A part of a multipart body."""
    text = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n"
    return text.encode()


def _escape_quotes(text: Any) -> str:
    return str(text).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
