"""In the box: runs the candidate as `python3 main.py ...` would; then serves the app it holds.

Without arguments the candidate is a command-line program. With them (return channel, port) it is a
server: if it serves nothing by itself, the app that it holds is served on the port.
"""

import os
import sys
import time

from kit_channel import Channel, complain, describe, execute, prepare, take_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


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
        port = port if port >= 1024 else port + 8000  # only root may take the others
        original(hostname, port, application, *args, **options)

    serving.run_simple = run_simple
    serving.get_interface_ip = lambda _family: "127.0.0.1"


def serve(module: "ModuleType", app: "dict[str, Any]", port: int) -> None:
    """Blocks while the named object answers on 127.0.0.1:port."""
    target = getattr(module, app["name"])
    if app["kind"] == "start":
        known = {"port": port, "host": "127.0.0.1"}
        target(*[known.get(name, port) for name in app["needs"]])
        while "threading" in sys.modules and sys.modules["threading"].active_count() > 1:
            time.sleep(0.05)  # it may serve in a thread that ends with the program
    elif app["kind"] == "handler":
        from http.server import ThreadingHTTPServer

        ThreadingHTTPServer(("127.0.0.1", port), target).serve_forever()
    elif app["kind"] == "asgi":
        import uvicorn

        uvicorn.run(target, host="127.0.0.1", port=port, log_level="warning")
    else:
        from wsgiref.simple_server import make_server

        served = target() if app["kind"] == "factory" else target
        if hasattr(served, "test_client"):  # Flask: its own development server
            served.run(host="127.0.0.1", port=port, threaded=True)
        make_server("127.0.0.1", port, served).serve_forever()


def main() -> None:
    own = os.environ.pop("KIT_CHANNEL", "")
    sink, port = sys.argv[1:] or (own, 0)
    channel, job = Channel(sink), take_job()
    sys.argv = ["main.py", *job.get("argv", ())]
    if job.get("werkzeug"):
        tame_werkzeug()
    module, code = prepare("__main__")
    caught = execute(module, code, channel)
    if caught.error is None and job.get("app"):
        with caught:
            serve(module, job["app"], int(port))
    if caught.error is None:
        return
    if isinstance(caught.error, SystemExit):
        raise SystemExit(caught.error.code)
    channel.write({"kind": "output", **describe(caught.error)})
    complain(caught.error)
    sys.exit(130 if isinstance(caught.error, KeyboardInterrupt) else 1)


main()
