"""Reads what a coding agent did from the event stream of its command line.

Uses only the standard library: this source is passed to the sandbox's Python, where `watch_agent`
starts the agent, forwards its event stream and stops it at its limits.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

MOST = 1 << 20  # maximum characters of one event
DRAIN_S = 5  # for what the agent printed last
SAID_ONLY = ("think", "message", "finish")  # an OpenHands "action" that does nothing
TOOLS = {  # a vendor's tool -> what it does
    **dict.fromkeys(("bash", "terminal", "execute_bash", "run", "shell"), "shell"),
    **dict.fromkeys(("write", "edit", "multiedit", "notebookedit"), "edit"),
    **dict.fromkeys(("read", "glob", "grep", "ls"), "read"),
    **dict.fromkeys(("todowrite", "task_tracker", "taskcreate", "taskupdate"), "plan"),
    **dict.fromkeys(("file_editor", "str_replace_editor"), "editor"),
}


class Used(NamedTuple):
    """Tokens and US dollars so far, as the stream states them; None if it does not."""

    input: int | None = None
    output: int | None = None
    dollars: float | None = None

    def add_usage(self, more: "Used") -> "Used":
        """The sum of each field; a field that is None in one is taken from the other."""
        sums: list[Any] = []
        for total, amount in zip(self, more, strict=True):
            if total is None:
                sums.append(amount)
            elif amount is None:
                sums.append(total)
            else:
                sums.append(total + amount)
        return Used(*sums)


def parse_stream(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream, one per line or over indented lines; other text is skipped."""
    part = ""
    for line in lines:
        if line.startswith("{") or len(part) > MOST:
            part = line
        elif part:
            part += line
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        part = ""
        if isinstance(value, dict):
            yield value


class Action(NamedTuple):
    """One thing that an agent did. tool: shell, edit, read, plan, or the vendor's own word.

    text: the command, or the path of the file.
    """

    tool: str
    text: str = ""


def list_actions(event: dict[str, Any]) -> list[Action]:
    """The actions in this event of Codex, Claude Code, OpenHands or a script."""
    kind = event.get("type")
    if kind in ("item.completed", "item.updated"):
        return _list_codex_actions(kind, _dict_or_empty(event.get("item")))
    if kind == "assistant":
        blocks = _list_or_empty(_dict_or_empty(event.get("message")).get("content"))
        uses = [block for block in map(_dict_or_empty, blocks) if block.get("type") == "tool_use"]
        return [_name_action(str(use.get("name")), use.get("input")) for use in uses]
    if kind == "action":
        name = str(event.get("action"))
        return [] if name in SAID_ONLY else [_name_action(name, event)]
    if event.get("kind") == "ActionEvent" and event.get("tool_name") not in SAID_ONLY:
        return [_name_action(str(event.get("tool_name")), event.get("action"))]
    return []


def _list_codex_actions(kind: str, item: dict[str, Any]) -> list[Action]:
    if item.get("type") == "todo_list":
        return [Action("plan")]
    if kind != "item.completed":
        return []
    if item.get("type") == "file_change":
        changes = map(_dict_or_empty, _list_or_empty(item.get("changes")))
        return [Action("edit", str(change.get("path", ""))) for change in changes]
    if item.get("type") == "command_execution":
        return [Action("shell", str(item.get("command", "")))]
    if item.get("type") in ("web_search", "mcp_tool_call"):
        return [Action(str(item["type"]), str(item.get("query") or item.get("tool") or ""))]
    return []


def _name_action(tool: str, given: Any) -> Action:
    """The action of a tool, by what it was given: OpenHands' editor reads files too."""
    values = _dict_or_empty(given)
    command = str(values.get("command", ""))
    path = str(values.get("path") or values.get("file_path") or values.get("pattern") or "")
    name = TOOLS.get(tool.lower(), tool)
    if name == "editor":
        return Action("read" if command == "view" else "edit", path)
    return Action(name, command or path)


def read_usage(event: dict[str, Any]) -> Used:
    """Tokens and cost that this event adds, if it is an end of turn, a result or a usage line."""
    if event.get("type") not in ("turn.completed", "result", "usage"):
        return Used()
    usage = _dict_or_empty(event.get("usage")) or event
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")  # not in input_tokens
    tokens = _number_or_none(usage.get("input_tokens"))
    if tokens is not None:
        tokens += sum(_number_or_none(usage.get(name)) or 0 for name in cached)
    dollars = _number_or_none(event.get("total_cost_usd", event.get("cost_usd")))
    return Used(tokens, _number_or_none(usage.get("output_tokens")), dollars)


def read_message(event: dict[str, Any]) -> str:
    """The agent's message in this event, or ""."""
    item = _dict_or_empty(event.get("item"))
    if event.get("type") == "item.completed" and item.get("type") == "agent_message":
        return str(item.get("text", ""))
    if event.get("type") in ("result", "message"):
        return str(event.get("result") or event.get("content") or "")
    if event.get("kind") == "MessageEvent" and event.get("source") == "agent":
        parts = _list_or_empty(_dict_or_empty(event.get("llm_message")).get("content"))
        return "".join(str(_dict_or_empty(part).get("text", "")) for part in parts)
    return ""


def _dict_or_empty(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number_or_none(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class AgentWatch:
    """One agent under its limits, and the way to the server that it may ask."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.stopped = ""
        self.process: subprocess.Popen[str] | None = None

    def run_agent(self) -> int:
        """Start the agent, forward its event stream, kill it at a limit; its exit code."""
        order = self.order
        for folder in (order["env"]["HOME"], order["folder"]):
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - importing pathlib takes time
        address = self.open_relay() if order["socket"] else ""
        values = {"{source}": order["source"], "{address}": f"{address}{order['path']}"}

        def fill_in(text: str) -> str:
            for name, value in values.items():
                text = text.replace(name, value)
            return text

        self.process = process = subprocess.Popen(
            [fill_in(part) for part in order["argv"]],
            env={name: fill_in(text) for name, text in order["env"].items()},
            cwd=order["folder"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        timer = threading.Timer(order["seconds"], self.stop_agent, ["time"])
        timer.daemon = True
        timer.start()
        reader = threading.Thread(target=self.follow_stream, args=(process,), daemon=True)
        reader.start()
        code = process.wait()
        timer.cancel()
        # A shell that the agent left behind may hold the stream open, and prints nothing more.
        reader.join(DRAIN_S)
        # What the vendor's program keeps for itself is not collected with the workspace.
        shutil.rmtree(order["env"]["HOME"], ignore_errors=True)
        return code

    def follow_stream(self, process: "subprocess.Popen[str]") -> None:
        """Forward what the agent prints, until it ends or reaches a limit."""

        def forward_lines() -> Iterator[str]:
            for line in process.stdout or ():
                sys.stdout.write(line)
                sys.stdout.flush()
                yield line

        steps = 0
        spent = Used()
        for event in parse_stream(forward_lines()):
            steps += len(list_actions(event))
            spent = spent.add_usage(read_usage(event))
            if steps >= self.order["steps"]:
                self.stop_agent("steps")
            elif find_reached_limit(spent, self.order):
                self.stop_agent("cost")
            if self.stopped:
                return

    def stop_agent(self, limit: str) -> None:
        """Kill the agent and all that it started in its session."""
        self.stopped = self.stopped or limit
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return

    def open_relay(self) -> str:
        """The address on the box's own loopback that leads to the socket of the kit."""
        listener = socket.create_server(("127.0.0.1", 0))

        def accept_all() -> None:
            while True:
                near, _ = listener.accept()
                far = socket.socket(socket.AF_UNIX)
                try:
                    far.connect(self.order["socket"])
                except OSError:
                    # The kit took the socket away: its count of the cost reached the limit.
                    self.stop_agent("cost")
                    return
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=copy_bytes, args=(source, target), daemon=True).start()

        threading.Thread(target=accept_all, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def copy_bytes(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes from one connection to the other until the first ends."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side has left


def watch_agent(order: dict[str, Any], channel: int) -> int:
    """Run the agent of this order; kill it after its "steps" (actions), "seconds" or "dollars".

    Writes {"stopped": "steps" | "time" | "cost" | "", "exit": code} to the channel, hidden from the
    agent.
    """
    watch = AgentWatch(order)
    code = watch.run_agent()
    os.write(channel, json.dumps({"stopped": watch.stopped, "exit": code}).encode())
    return 0


def find_reached_limit(spent: Used, order: dict[str, Any]) -> str:
    """ "cost" if the stated dollars, or else the tokens at order["prices"], reach the limit."""
    if order["dollars"] is None:
        return ""
    dollars = spent.dollars
    if dollars is None and order["prices"] and spent.input is not None:
        input_price, output_price = order["prices"]  # of a million tokens
        dollars = (spent.input * input_price + (spent.output or 0) * output_price) / 1e6
    return "cost" if dollars is not None and dollars >= order["dollars"] else ""


if __name__ == "__main__":
    place = os.environ.pop("KIT_CHANNEL")
    if place.isdigit():
        descriptor = int(place)
    else:
        descriptor = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    sys.exit(watch_agent(json.load(sys.stdin), descriptor))
