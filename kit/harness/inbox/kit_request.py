"""In the box: a real request of its framework for a view that is a bare function; its response."""

import asyncio
from typing import Any


def respond(function: Any, job: dict[str, Any]) -> dict[str, Any]:
    """What a view answers to job["request"]: {"status", "headers", "body"}."""
    asked = job["request"]
    view = {"django": _django, "starlette": _starlette, "flask": _flask}[job["framework"]]
    body = bytes.fromhex(asked["body"]) if asked["body"] is not None else b""
    response: dict[str, Any] = view(function, asked, body, job["given"])
    return response


def _told(status: int, headers: Any, body: bytes) -> dict[str, Any]:
    named = {str(k).lower(): str(v) for k, v in headers}
    return {"status": int(status), "headers": named, "body": body.decode(errors="replace")}


def _awaited(value: Any) -> Any:
    return asyncio.run(value) if asyncio.iscoroutine(value) else value


def _django(function: Any, asked: dict[str, Any], body: bytes, given: bool) -> dict[str, Any]:
    import django  # type: ignore[import-not-found] # frameworks are the box's
    from django.conf import settings  # type: ignore[import-not-found]
    from django.test import RequestFactory  # type: ignore[import-not-found]

    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], SECRET_KEY="of a single run", USE_TZ=True)
    django.setup()
    kind = {k.lower(): v for k, v in asked["headers"].items()}.get("content-type", "text/plain")
    sent = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in asked["headers"].items()}
    request = RequestFactory().generic(asked["method"], asked["target"], body, kind, **sent)
    answer = _awaited(function(request) if given else function())
    return _told(answer.status_code, answer.items(), answer.content)


def _flask(function: Any, asked: dict[str, Any], body: bytes, given: bool) -> dict[str, Any]:
    from flask import Flask, request  # type: ignore[import-not-found]

    app = Flask("view")
    with app.test_request_context(
        asked["target"], method=asked["method"], headers=asked["headers"], data=body
    ):
        answer = _awaited(function(request._get_current_object()) if given else function())
        response = app.make_response(answer)
    return _told(response.status_code, response.headers.items(), response.get_data())


def _starlette(function: Any, asked: dict[str, Any], body: bytes, given: bool) -> dict[str, Any]:
    from starlette.requests import Request  # type: ignore[import-not-found]
    from starlette.responses import JSONResponse, Response  # type: ignore[import-not-found]

    path, _, query = asked["target"].partition("?")
    headers = [(k.lower().encode(), v.encode("latin-1")) for k, v in asked["headers"].items()]
    scope = {"type": "http", "method": asked["method"], "path": path, "headers": headers,
             "query_string": query.encode(), "scheme": "http", "server": ("127.0.0.1", 80),
             "client": ("127.0.0.1", 1), "root_path": ""}  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    answer = _awaited(function(Request(scope, receive)) if given else function())
    response = answer if isinstance(answer, Response) else JSONResponse(answer)
    return _told(response.status_code, response.headers.items(), bytes(response.body))
