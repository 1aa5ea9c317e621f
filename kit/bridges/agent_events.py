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


def count_actions(event: dict[str, Any]) -> int:
    """The number of actions in this event of Codex, Claude Code, OpenHands or a script."""
    kind, item = event.get("type"), _dict_or_empty(event.get("item"))
    if kind in ("item.completed", "item.updated") and item.get("type") == "todo_list":
        return 1
    if kind == "item.completed" and item.get("type") == "file_change":
        return len(_list_or_empty(item.get("changes")))
    if kind == "item.completed":
        return int(item.get("type") in ("command_execution", "web_search", "mcp_tool_call"))
    if kind == "assistant":
        blocks = _list_or_empty(_dict_or_empty(event.get("message")).get("content"))
        return sum(_dict_or_empty(block).get("type") == "tool_use" for block in blocks)
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
        parts = _list_or_empty(_dict_or_empty(event.get("llm_message")).get("content"))
        return "".join(str(_dict_or_empty(part).get("text", "")) for part in parts)
    return ""


def _dict_or_empty(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number_or_none(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def watch_agent(order: dict[str, Any], channel: int) -> int:
    """Run the agent of this order; kill it after order["steps"] actions or order["dollars"].

    Writes {"stopped": "steps" | "cost" | "", "exit": code} to the channel, hidden from the agent.
    """
    for folder in (order["env"]["HOME"], order["folder"]):
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - importing pathlib takes time
    argv = [part.replace("{source}", order["source"]) for part in order["argv"]]
    process = subprocess.Popen(
        argv,
        env=order["env"],
        cwd=order["folder"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    steps = 0
    spent = Used()
    stopped = ""

    def forward_lines() -> Iterator[str]:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            yield line

    for event in parse_stream(forward_lines()):
        steps += count_actions(event)
        spent = spent.add_usage(read_usage(event))
        stopped = "steps" if steps >= order["steps"] else find_reached_limit(spent, order)
        if stopped:
            os.killpg(process.pid, signal.SIGKILL)
            break
    code = process.wait()
    os.write(channel, json.dumps({"stopped": stopped, "exit": code}).encode())
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
