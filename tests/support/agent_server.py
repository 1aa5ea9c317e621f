"""A server on this machine that tells an agent what to do, in the protocol that the agent speaks.

    with AgentServer([Edit("main.py", "x = 1\n"), Shell("python3 main.py"), "done"]) as server:
        agent = open_agent("agent:codex:any", base_url=server.openai)

The number of tool results in a question says which step comes next, so that a repeated question
gets the same answer. The last step is repeated for ever. OpenAI's two formats and Anthropic's, each
in one piece or as a stream of events.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"input_tokens": 1000, "output_tokens": 50}  # of each answer
WORK = "/box/work/"


@dataclass(frozen=True)
class Shell:
    command: str


@dataclass(frozen=True)
class Edit:
    """Writes a new file, or replaces `old` in one that is there."""

    path: str
    new: str
    old: str = ""

    @property
    def patch(self) -> str:
        """As a command of Codex, which makes a change of files of it."""
        kind = "Update" if self.old else "Add"
        lines = [f"*** {kind} File: {self.path}"]
        lines += ["@@"] if self.old else []
        lines += [f"-{line}" for line in self.old.splitlines()]
        lines += [f"+{line}" for line in self.new.splitlines()]
        patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        return f"apply_patch <<'PATCH'\n{patch}\nPATCH"


Step = Shell | Edit | str


def choose_tool(step: Step, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The step as a call of one of the tools that the agent offers."""
    names = {tool.get("function", tool).get("name") for tool in body["tools"]}
    for name, make_call in (("exec_command", codex_tool), ("Bash", claude_tool)):
        if name in names:
            return make_call(step)
    return openhands_tool(step)


def codex_tool(step: Step) -> tuple[str, dict[str, Any]]:
    command = step.patch if isinstance(step, Edit) else step.command
    return "exec_command", {"cmd": command}


def claude_tool(step: Step) -> tuple[str, dict[str, Any]]:
    if isinstance(step, Shell):
        return "Bash", {"command": step.command, "description": "a step"}
    if step.old:
        names = {"old_string": step.old, "new_string": step.new}
        return "Edit", {"file_path": WORK + step.path, **names}
    return "Write", {"file_path": WORK + step.path, "content": step.new}


def openhands_tool(step: Step) -> tuple[str, dict[str, Any]]:
    common = {"summary": "a step", "security_risk": "LOW"}
    if isinstance(step, Shell):
        return "terminal", {"command": step.command, **common}
    path = WORK + step.path
    if step.old:
        names = {"old_str": step.old, "new_str": step.new}
        return "file_editor", {"command": "str_replace", "path": path, **names, **common}
    return "file_editor", {"command": "create", "path": path, "file_text": step.new, **common}


class AgentServer:
    """The server; `openai` and `anthropic` are the addresses that agents are given."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self.anthropic = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.openai = self.anthropic + "/v1"

    def __enter__(self) -> "AgentServer":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def next_step(self, body: dict[str, Any]) -> Step:
        if not body.get("tools"):
            return "ok"  # a question beside the work, such as one for a title
        text = json.dumps(body.get("input") or body["messages"])
        done = sum(
            text.count(mark)
            for mark in ('"function_call_output"', '"type": "tool_result"', '"role": "tool"')
        )
        return self.steps[min(done, len(self.steps) - 1)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                step = server.next_step(body)
                number = f"{len(server.requests):04d}"
                path = self.path.partition("?")[0]
                if path.endswith("/responses"):
                    self._send(body, [*responses_events(step, number, body)])
                elif path.endswith("/chat/completions"):
                    self._send(body, [*chat_events(step, number, body)], end="data: [DONE]\n\n")
                elif path.endswith("/messages"):
                    self._send(body, [*anthropic_events(step, number, body)])
                else:
                    self.send_error(404)

            def _send(self, body: dict[str, Any], events: list[Any], end: str = "") -> None:
                *stream, whole = events
                self.send_response(200)
                kind = "text/event-stream" if body.get("stream") else "application/json"
                self.send_header("content-type", kind)
                self.end_headers()
                text = json.dumps(whole)
                if body.get("stream"):
                    texts = []
                    for event in stream:
                        name = f"event: {event['type']}\n" if "type" in event else ""
                        texts.append(f"{name}data: {json.dumps(event)}\n\n")
                    text = "".join(texts) + end
                self.wfile.write(text.encode())

            def log_message(self, *args: object) -> None:
                """Silent: the requests are kept."""

        return Handler


def responses_events(step: Step, number: str, body: Any) -> Iterator[dict[str, Any]]:
    """OpenAI's Responses format; the last one is the answer in one piece."""
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item = {"type": "message", "role": "assistant", "content": content, "id": f"m_{number}"}
    else:
        name, given = choose_tool(step, body)
        item = {"type": "function_call", "name": name, "arguments": json.dumps(given)}
        item |= {"call_id": f"c_{number}", "id": f"f_{number}"}
    item |= {"status": "completed"}
    usage = {**USAGE, "total_tokens": sum(USAGE.values())}
    usage |= {"input_tokens_details": {"cached_tokens": 0}}
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": f"r_{number}", "object": "response", "status": "completed", "output": [item]}
    whole |= {"created_at": 0, "model": "scripted", "parallel_tool_calls": True, "tools": []}
    whole |= {"tool_choice": "auto", "error": None, "incomplete_details": None, "metadata": {}}
    whole |= {"instructions": None, "temperature": 1.0, "top_p": 1.0}
    yield {"type": "response.created", "response": {"id": f"r_{number}"}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**whole, "usage": usage}}
    yield {**whole, "usage": usage}


def chat_events(step: Step, number: str, body: Any) -> Iterator[dict[str, Any]]:
    """OpenAI's chat format."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(step, str):
        message["content"] = step
    else:
        name, given = choose_tool(step, body)
        function = {"name": name, "arguments": json.dumps(given)}
        message["tool_calls"] = [
            {"id": f"c_{number}", "index": 0, "type": "function", "function": function}
        ]
    reason = "stop" if isinstance(step, str) else "tool_calls"
    usage = {"prompt_tokens": USAGE["input_tokens"], "completion_tokens": USAGE["output_tokens"]}
    usage["total_tokens"] = sum(USAGE.values())
    head = {"id": f"r_{number}", "created": 0, "model": "scripted"}
    piece = {"index": 0, "delta": message, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": reason}
    yield {**head, "object": "chat.completion.chunk", "choices": [piece]}
    yield {**head, "object": "chat.completion.chunk", "choices": [last], "usage": usage}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    yield {**head, "object": "chat.completion", "choices": [choice], "usage": usage}


def anthropic_events(step: Step, number: str, body: Any) -> Iterator[dict[str, Any]]:
    """Anthropic's Messages format."""
    if isinstance(step, str):
        block: dict[str, Any] = {"type": "text", "text": step}
        empty: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": step}
    else:
        name, given = choose_tool(step, body)
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
    reason = "end_turn" if isinstance(step, str) else "tool_use"
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted"}
    started = {**whole, "content": [], "stop_reason": None, "stop_sequence": None}
    first = {**USAGE, "output_tokens": 1}
    yield {"type": "message_start", "message": {**started, "usage": first}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": reason, "stop_sequence": None}
    last = {"output_tokens": USAGE["output_tokens"]}
    yield {"type": "message_delta", "delta": ending, "usage": last}
    yield {"type": "message_stop"}
    ended = {"content": [block], "stop_reason": reason, "stop_sequence": None, "usage": USAGE}
    yield {**whole, **ended}
