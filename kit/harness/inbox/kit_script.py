"""In the box: runs the candidate as `python3 main.py ...` would; then serves the app it holds.

Without arguments the candidate is a command-line program. With them (return channel, port) it is a
server: if it serves nothing by itself, what it holds that can be served is served on the port.
"""

import os
import sys
import time

from kit_channel import Channel, complain, describe, execute, prepare, take_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

APPS = {"Flask": "wsgi", "Bottle": "wsgi", "Starlette": "asgi", "FastAPI": "asgi", "Quart": "asgi"}
HANDLERS = {"BaseHTTPRequestHandler", "SimpleHTTPRequestHandler", "CGIHTTPRequestHandler"}
STARTS = {
    "serve_forever",
    "handle_request",
    "run_app",
    "run_simple",
    "make_server",
    "uvicorn",
    "waitress",
}


def tame_werkzeug() -> None:
    """The development server without reloader (a second process), own log, TLS and low ports.

    Its start message asks the network for the machine's address: not the program's doing.
    """
    from werkzeug import serving

    class Quiet(serving.WSGIRequestHandler):  # type: ignore[misc] # werkzeug is the box's
        def log_request(self, *_args: "Any") -> None:
            return

    original = serving.run_simple

    def run_simple(
        hostname: str, port: int, application: "Any", *args: "Any", **options: "Any"
    ) -> None:
        if not args:
            options |= {"use_reloader": False, "ssl_context": None}
            options["request_handler"] = options.get("request_handler") or Quiet
        original(hostname, port, application, *args, **options)

    serving.run_simple = run_simple
    serving.get_interface_ip = lambda _family: "127.0.0.1"


def lift_ports() -> None:
    """Adds 8000 to the ports that only root may take."""
    import socket

    original = socket.socket.bind

    def bind(self: socket.socket, address: "Any") -> None:
        if isinstance(address, tuple) and len(address) > 1 and 0 < address[1] < 1024:
            address = (address[0], address[1] + 8000, *address[2:])
        original(self, address)

    socket.socket.bind = bind  # type: ignore[assignment,method-assign]


def find_apps(module: "ModuleType", view: "Any") -> "Iterator[tuple[str, Any]]":
    """(kind, value) of what the module holds that could be served, the most explicit first."""
    if view:
        target = getattr(module, view["name"])
        served = sys.modules["kit_request"].application(view["framework"], target, view["given"])
        yield "asgi" if view["framework"] == "starlette" else "wsgi", served
    values = [*vars(module).values()]  # asked for their type alone: some stand for others
    functions = [v for v in values if type(v) is type(serve) and v.__module__ == module.__name__]
    for value in values:
        for base in type(value).__mro__:
            if base.__name__ in APPS:
                yield APPS[base.__name__], value
    for function in functions:
        code = function.__code__
        if APPS.keys() & code.co_names and code.co_argcount == len(function.__defaults__ or ()):
            yield "factory", function
        if code.co_varnames[1:2] == ("start_response",):
            yield "wsgi", function
    for value in values:
        if issubclass(type(value), type) and value.__module__ == module.__name__:
            if HANDLERS & {base.__name__ for base in value.__mro__}:
                yield "handler", value
    for function in functions:
        if STARTS & {*function.__code__.co_names}:
            yield "start", function


def serve(kind: str, target: "Any", port: int) -> None:
    """Blocks while the target answers on 127.0.0.1:port."""
    if kind == "start":
        code = target.__code__
        values = {"port": port, "host": "127.0.0.1"}
        needed = code.co_varnames[: code.co_argcount - len(target.__defaults__ or ())]
        target(*[values.get(name, port) for name in needed])
        while "threading" in sys.modules and sys.modules["threading"].active_count() > 1:
            time.sleep(0.05)  # it may serve in a thread that ends with the program
    elif kind == "handler":
        from http.server import ThreadingHTTPServer

        ThreadingHTTPServer(("127.0.0.1", port), target).serve_forever()
    elif kind == "asgi":
        import uvicorn

        uvicorn.run(target, host="127.0.0.1", port=port, log_level="warning")
    else:
        from wsgiref.simple_server import make_server

        served = target() if kind == "factory" else target
        if hasattr(served, "test_client"):  # Flask: its own development server
            served.run(host="127.0.0.1", port=port, threaded=True)
        make_server("127.0.0.1", port, served).serve_forever()


def main() -> None:
    channel_of_script = os.environ.pop("KIT_CHANNEL", "")
    sink, port = sys.argv[1:] or (channel_of_script, 0)
    channel, job = Channel(sink), take_job()
    sys.argv = ["main.py", *job.get("argv", ())]
    if port:
        lift_ports()
    if job.get("view"):
        import kit_request  # noqa: F401 - before its file is taken away
    if job.get("werkzeug"):
        tame_werkzeug()
    module, code = prepare("__main__")
    caught = execute(module, code, channel)
    if caught.error is None and port:
        with caught:
            for kind, target in find_apps(module, job.get("view")):
                serve(kind, target, int(port))
                break
    if caught.error is None:
        return
    if isinstance(caught.error, SystemExit):
        raise SystemExit(caught.error.code)
    channel.write({"kind": "output", **describe(caught.error)})
    complain(caught.error)
    sys.exit(130 if isinstance(caught.error, KeyboardInterrupt) else 1)


main()
