"""Reads what a coding agent did from the event stream of its command line.

Uses only the standard library: this source is passed to the sandbox's Python, where `watch_agent`
starts the agent, forwards its event stream and stops it at its limits.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

MOST = 1 << 20  # maximum characters of one event
SAID_ONLY = ("think", "message")  # an OpenHands "action" that does nothing


class Used(NamedTuple):
    """Tokens and US dollars so far, as the stream states them; None if it does not."""

    input: int | None = None
    output: int | None = None
    dollars: float | None = None

    def add_usage(self, more: "Used") -> "Used":
        """The sum of each field; a field that is None in one is taken from the other."""
        pairs: Iterable[tuple[Any, Any]] = zip(self, more, strict=True)
        return Used(*(b if a is None else a if b is None else a + b for a, b in pairs))


def parse_stream(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream, one per line or over indented lines; other text is skipped."""
    part = ""
    for line in lines:
        part = line if line.startswith("{") or len(part) > MOST else part and part + line
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        part = ""
        if isinstance(value, dict):
            yield value


def count_actions(event: dict[str, Any]) -> int:
    """The number of actions in this event of Codex, Claude Code, OpenHands or a script."""
    kind, item = event.get("type"), _dict_or_empty(event.get("item"))
    if kind in ("item.completed", "item.updated") and item.get("type") == "todo_list":
        return 1
    if kind == "item.completed" and item.get("type") == "file_change":
        return len(item["changes"]) if isinstance(item.get("changes"), list) else 0
    if kind == "item.completed":
        return int(item.get("type") in ("command_execution", "web_search", "mcp_tool_call"))
    if kind == "assistant":
        content = _dict_or_empty(event.get("message")).get("content")
        blocks = content if isinstance(content, list) else []
        return sum(_dict_or_empty(b).get("type") == "tool_use" for b in blocks)
    if kind == "action":
        return int(str(event.get("action")) not in SAID_ONLY)
    return int(event.get("kind") == "ActionEvent" and event.get("tool_name") not in SAID_ONLY)


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
        content = _dict_or_empty(event.get("llm_message")).get("content")
        parts = content if isinstance(content, list) else []
        return "".join(str(_dict_or_empty(part).get("text", "")) for part in parts)
    return ""


def _dict_or_empty(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number_or_none(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def watch_agent(told: dict[str, Any], channel: int) -> int:
    """Run told["argv"] with told["env"]; kill it after told["steps"] actions or told["dollars"].

    Writes {"stopped": "steps" | "cost" | "", "exit": code} to the channel, hidden from the agent.
    """
    for folder in (told["env"]["HOME"], told["folder"]):
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - importing pathlib takes time
    argv = [part.replace("{source}", told["source"]) for part in told["argv"]]
    process = subprocess.Popen(
        argv,
        env=told["env"],
        cwd=told["folder"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    steps, spent, stopped = 0, Used(), ""

    def passed_on() -> Iterator[str]:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            yield line

    for event in parse_stream(passed_on()):
        steps, spent = steps + count_actions(event), spent.add_usage(read_usage(event))
        stopped = "steps" if steps >= told["steps"] else find_reached_limit(spent, told)
        if stopped:
            os.killpg(process.pid, signal.SIGKILL)
            break
    code = process.wait()
    os.write(channel, json.dumps({"stopped": stopped, "exit": code}).encode())
    return 0


def find_reached_limit(spent: Used, told: dict[str, Any]) -> str:
    """ "cost" if the stated dollars, or else the tokens at told["prices"], reach the limit."""
    if told["dollars"] is None:
        return ""
    dollars = spent.dollars
    if dollars is None and told["prices"] and spent.input is not None:
        dollars = (spent.input * told["prices"][0] + (spent.output or 0) * told["prices"][1]) / 1e6
    return "cost" if dollars is not None and dollars >= told["dollars"] else ""


if __name__ == "__main__":
    where = os.environ.pop("KIT_CHANNEL")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    sys.exit(
        watch_agent(json.load(sys.stdin), int(where) if where.isdigit() else os.open(where, flags))
    )
