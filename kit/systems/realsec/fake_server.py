"""A server on this machine that answers by a function, in OpenAI's format: a model without a model.

What rests on its answers shows that the machinery works, and nothing about any model.
"""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[str], str]  # the question's last message -> the text of the answer


class Scripted:
    """`with Scripted({"name": answer}) as server:` then open "openai:name" at `server.url`."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                asked = json.loads(self.rfile.read(size))
                answer = answers[asked["model"]](asked["messages"][-1]["content"])
                message = {"role": "assistant", "content": answer}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                body = json.dumps({
                    "id": "scripted", "object": "chat.completion", "created": 0,
                    "model": asked["model"], "choices": [choice],
                }).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def spec(self, *names: str) -> str:
        """SPEC@URL of these answers, separated by commas."""
        return ",".join(f"openai:{name}@{self.url}" for name in names)

    def __enter__(self) -> "Scripted":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
