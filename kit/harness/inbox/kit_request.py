"""In the box: an application of its framework that answers every request with one bare view."""

import asyncio
from typing import Any

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


def application(framework: str, view: Any, takes_request: bool) -> Any:
    def answer(request: Any) -> Any:
        return view(request) if takes_request else view()

    return {"django": of_django, "starlette": of_starlette, "flask": of_flask}[framework](answer)


def settle(value: Any) -> Any:
    return asyncio.run(value) if asyncio.iscoroutine(value) else value


def of_django(answer: Any) -> Any:
    import django  # type: ignore[import-not-found] # frameworks are the box's
    from django.conf import settings  # type: ignore[import-not-found]
    from django.core.handlers.wsgi import WSGIRequest  # type: ignore[import-not-found]

    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], SECRET_KEY="of a single run", USE_TZ=True)
    django.setup()

    def wsgi(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        response = settle(answer(WSGIRequest(environ)))
        start_response(f"{response.status_code} {response.reason_phrase}", [*response.items()])
        return [response.content]

    return wsgi


def of_flask(answer: Any) -> Any:
    from flask import Flask, request  # type: ignore[import-not-found]

    app = Flask("view")
    app.add_url_rule("/", "view", lambda **_: settle(answer(request)), methods=METHODS)
    app.add_url_rule("/<path:path>", "view", methods=METHODS)
    return app


def of_starlette(answer: Any) -> Any:
    from starlette.applications import Starlette  # type: ignore[import-not-found]
    from starlette.responses import JSONResponse, Response  # type: ignore[import-not-found]
    from starlette.routing import Route  # type: ignore[import-not-found]

    async def respond(request: Any) -> Any:
        value = answer(request)
        if asyncio.iscoroutine(value):
            value = await value
        return value if isinstance(value, Response) else JSONResponse(value)

    return Starlette(routes=[Route("/{path:path}", respond, methods=METHODS)])
