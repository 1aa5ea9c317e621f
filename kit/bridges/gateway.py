"""The one server that a boxed agent can reach: a socket of this machine, mounted into its box.

The box has no network. What the agent asks of its own loopback goes through the socket to one
server, and to no other address. The key is added here, so that no secret is in the box; tokens are
counted here, so that a limit in dollars holds whatever the agent says of its cost.
"""

import json
import secrets
import socketserver
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from shutil import rmtree
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from kit.generation.cost import CHARS_PER_TOKEN, Price

MOST = 64 << 20  # bytes of a question
PATIENCE_S = 600.0  # without a byte of the server
OURS = {"authorization", "x-api-key"}  # headers that the server gets from us alone
HOP = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding"}
QUESTIONS = ("/responses", "/chat/completions", "/messages")  # what a model answers
KEPT = ("content-type", "retry-after", "request-id", "x-request-id")  # headers of an answer


@dataclass
class Meter:
    """Counts the tokens of every answer at a price; `is_full` once they cost the limit."""

    price: Price | None
    limit: float | None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0  # answers without counts: characters / 4
    failure: str = ""  # how the last call failed
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def dollars(self) -> float | None:
        """What the tokens cost; None if the price is unknown."""
        return None if self.price is None else self.price.of(self.input_tokens, self.output_tokens)

    @property
    def is_full(self) -> bool:
        dollars = self.dollars
        return self.limit is not None and dollars is not None and dollars >= self.limit

    def describe_counts(self) -> str:
        """What was counted, as a line of JSON for the agent's stream."""
        counted = {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "estimated": self.estimated,
            "cost_usd": self.dollars,
        }
        return json.dumps({"type": "kit.meter", **counted})

    def count_call(self, question: bytes, answer: bytes) -> None:
        """Add the tokens of one call, which may have come as a stream of events."""
        tokens: dict[str, int] = {}
        for usage in _list_usages(answer):
            for name, number in _read_tokens(usage).items():
                tokens[name] = max(number, tokens.get(name, 0))
        with self._lock:
            self.failure = ""
            self.calls += 1
            self.estimated += not tokens
            self.input_tokens += tokens.get("input", len(question) // CHARS_PER_TOKEN)
            self.output_tokens += tokens.get("output", len(answer) // CHARS_PER_TOKEN)


def _list_usages(answer: bytes) -> Iterator[dict[str, Any]]:
    """The `usage` of an answer, whole or in events, in any of the three formats."""
    text = answer.decode(errors="replace")
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    for line in lines or [text]:
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                for holder in (value, value.get("response"), value.get("message")):
                    if isinstance(holder, dict) and isinstance(holder.get("usage"), dict):
                        yield holder["usage"]


def _read_tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    """input and output of a usage, as far as it states them; what a cache held is input too."""

    def add_up(*names: str) -> int | None:
        numbers = [usage[name] for name in names if isinstance(usage.get(name), int)]
        return sum(numbers) if numbers else None

    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    totals = {
        "input": add_up("input_tokens", "prompt_tokens", *cached),
        "output": add_up("output_tokens", "completion_tokens"),
    }
    return {name: number for name, number in totals.items() if number is not None}


class _Listener(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    gateway: "Gateway"


class Gateway:
    """A socket in `folder`, which leads to the server at `address` and nowhere else.

    headers: what the server gets in place of the agent's own key. Once the meter is full the socket
    is gone, and nothing is asked any more.
    """

    def __init__(self, address: str, headers: Mapping[str, str], meter: Meter) -> None:
        self.address = address
        self.headers = dict(headers)
        self.meter = meter
        # The user of a box may enter the folder and not list it; its box alone is told the name.
        self.folder = Path(tempfile.mkdtemp(prefix="kit-gateway-"))
        self.folder.chmod(0o711)
        self.name = secrets.token_hex(16)
        self._socket = self.folder / self.name
        self._client = httpx.Client(timeout=httpx.Timeout(PATIENCE_S, connect=30.0))
        self._listener = _Listener(str(self._socket), _Handler)
        self._listener.gateway = self
        self._socket.chmod(0o666)
        self._thread = threading.Thread(
            target=self._listener.serve_forever, args=(0.05,), daemon=True
        )

    @property
    def path(self) -> str:
        """The path of the server's address, below which the agent may ask."""
        return urlsplit(self.address).path.rstrip("/")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._client.close()
        rmtree(self.folder, ignore_errors=True)

    def close_socket(self) -> None:
        """From now on no request comes through."""
        self._socket.unlink(missing_ok=True)

    def build_request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> httpx.Request:
        """The agent's request as the server gets it: to its address, with our key."""
        kept = {}
        for name, value in headers.items():
            if name.lower() not in HOP | OURS:
                kept[name] = value
        kept |= {**self.headers, "accept-encoding": "identity"}
        rest = path.removeprefix(self.path)
        url = f"{self.address.rstrip('/')}{rest}"
        return self._client.build_request(method, url, headers=kept, content=body)

    def send_request(self, request: httpx.Request) -> httpx.Response:
        return self._client.send(request, stream=True)


class _Handler(BaseHTTPRequestHandler):
    """One connection of the box, for one request."""

    server: _Listener

    def do_POST(self) -> None:
        self._pass_on()

    do_GET = do_HEAD = do_POST

    def address_string(self) -> str:
        return "box"  # a client of a Unix socket has no address

    def log_message(self, *args: object) -> None:
        """Silent: the agent's own stream says what it did."""

    def _pass_on(self) -> None:
        gateway = self.server.gateway
        length = self.headers.get("content-length") or "0"
        inside = urlsplit(self.path).path.startswith(f"{gateway.path}/")
        is_chunked = bool(self.headers.get("transfer-encoding"))
        if not inside or ".." in self.path or is_chunked or not length.isdigit():
            self._refuse(404, f"{self.path[:100]} is not of the server that this box may ask")
            return
        if int(length) > MOST or gateway.meter.is_full:
            self._refuse(403, "The limit of this box is reached")
            return
        body = self.rfile.read(int(length))
        request = gateway.build_request(self.command, self.path, dict(self.headers), body)
        answer = bytearray()
        try:
            response = gateway.send_request(request)
        except httpx.HTTPError as error:
            gateway.meter.failure = f"{type(error).__name__}: its server gave no answer"
            self._refuse(502, gateway.meter.failure)
            return
        is_question = urlsplit(self.path).path.endswith(QUESTIONS)
        try:
            self._begin(response)
            for piece in response.iter_raw():
                answer += piece
                self.wfile.write(piece)
                self.wfile.flush()
        except (httpx.HTTPError, OSError):
            pass  # one of the two sides has left; what came until then counts
        finally:
            response.close()
            if is_question and response.is_success:
                gateway.meter.count_call(body, bytes(answer))
            elif is_question:
                text = answer[:300].decode(errors="replace")
                gateway.meter.failure = f"its server said {response.status_code}: {text}"
            if gateway.meter.is_full:
                gateway.close_socket()

    def _begin(self, response: httpx.Response) -> None:
        self.send_response(response.status_code)
        for name in KEPT:
            if name in response.headers:
                self.send_header(name, response.headers[name])
        self.send_header("connection", "close")
        self.end_headers()

    def _refuse(self, status: int, sentence: str) -> None:
        body = json.dumps({"error": {"type": "gateway", "message": sentence}}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)
