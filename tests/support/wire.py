"""A real HTTP server on this machine that speaks both wire formats, well or as badly as told.

    with Server([Reply(status=429, headers={"Retry-After": "0"}), Reply("hello")]) as server:
        model = open_model("openai:any", base_url=server.openai)

Replies are used in order, the last one for ever. Every request is kept in `server.requests`.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kit.core.records import Sample, Status
from kit.generation.answering import FromModel
from kit.harness.extract import sample_of

OPENAI, ANTHROPIC = "/v1/chat/completions", "/v1/messages"
REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


@dataclass(frozen=True)
class Reply:
    """One answer. `reason` is OpenAI's word, said in Anthropic's where that is spoken."""

    text: str | None = "ok"
    reason: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None  # the error object of a status above 200
    refusal: str | None = None  # openai only
    served: str = "served-model-2026"
    usage: tuple[int, int] | None = (11, 7)
    raw: bytes | None = None  # instead of a well-formed body
    wait_s: float = 0.0  # before answering
    pieces: Iterable[bytes] = ()  # instead of a body with a length, until the client leaves
    head: Iterable[bytes] = ()  # the same, instead of the whole reply
    thought: str | None = None  # the text of the reasoning
    cut: bool = False  # drop the connection in the middle of the body

    def body(self, path: str) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": self.error or {"message": "as told"}}).encode()
        return json.dumps(self._openai() if path == OPENAI else self._anthropic()).encode()

    def _openai(self) -> dict[str, Any]:
        message = {
            "role": "assistant",
            "content": self.text,
            "refusal": self.refusal,
            "reasoning_content": self.thought,
        }
        data = {
            "id": "c-1",
            "object": "chat.completion",
            "created": 0,
            "model": self.served,
            "choices": [{"index": 0, "message": message, "finish_reason": self.reason}],
        }
        return data | self._counted("prompt_tokens", "completion_tokens")

    def _counted(self, *names: str) -> dict[str, Any]:
        return {"usage": dict(zip(names, self.usage, strict=True))} if self.usage else {}

    def _anthropic(self) -> dict[str, Any]:
        data = {
            "id": "m-1",
            "type": "message",
            "role": "assistant",
            "model": self.served,
            "content": [
                {"type": kind, kind: text}
                for kind, text in (("thinking", self.thought), ("text", self.text))
                if text is not None
            ],
            "stop_reason": REASONS.get(self.reason, self.reason),
            "stop_sequence": None,
        }
        return data | self._counted("input_tokens", "output_tokens")


@dataclass(frozen=True)
class Request:
    """What a client sent. `headers`: names in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class Server:
    """The server; `openai` and `anthropic` are the base addresses for the SDKs.

    replies: in order, or a function of the request.
    """

    def __init__(self, replies: Sequence[Reply] | Callable[[Request], Reply] = (Reply(),)) -> None:
        self.replies = replies
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.openai, self.anthropic = root + "/v1", root

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def take(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if callable(self.replies):
                return self.replies(request)
            return self.replies[min(len(self.requests), len(self.replies)) - 1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:  # the base class names it
                data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {k.lower(): v for k, v in self.headers.items()}
                reply = server.take(Request(self.path, headers, data, time.monotonic()))
                server._closing.wait(reply.wait_s)
                if self.path not in (OPENAI, ANTHROPIC):
                    reply = Reply(status=404, error={"message": f"no {self.path} here"})
                self._send(reply)

            def _pour(self, pieces: Iterable[bytes]) -> None:
                self.close_connection = True
                for piece in pieces:
                    try:
                        self.wfile.write(piece)
                    except (BrokenPipeError, ConnectionResetError):
                        return  # the client has left

            def _send(self, reply: Reply) -> None:
                if reply.head:
                    self._pour(reply.head)
                    return
                body = reply.body(self.path)
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                if reply.pieces:
                    self.end_headers()
                    self._pour(reply.pieces)
                    return
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body[: len(body) // 2] if reply.cut else body)
                    self.wfile.flush()
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client did not wait
                if reply.cut:
                    self.close_connection = True

            def log_message(self, *args: object) -> None:
                """Silent: the requests are kept, not printed."""

        return Handler


def question(request: Request) -> str:
    """The text of the last message."""
    return request.body["messages"][-1]["content"]


def answering(request: Request, **data: object) -> Reply:
    """An answer of one object, with the ticket of its question."""
    ticket = re.findall(r'"ticket": "(\w+)"', question(request))[-1]
    return Reply(json.dumps({"ticket": ticket, **data}))


def ask_once(model, task, messages, *, index=0, arm=None, cache=None, budget=None):
    """The sample of one question to a model."""
    slot = Sample(task.id, model.name, index, arm=arm or {}, status=Status.NOT_RUN)
    kept = {} if cache is None else cache
    return FromModel(model, lambda _: messages, sample_of, {}, budget, kept).answer(slot, messages)
