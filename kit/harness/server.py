"""A candidate that serves: the driver's job, and what its answers mean."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kit.harness import http_input
from kit.harness.arguments import Unmappable
from kit.harness.channel import Answers, raised
from kit.harness.plan import Plan
from kit.harness.read.facts import Facts
from kit.records import Event, Evidence, Observed, Status

START_S = 6.0  # from the start of the program to an open port


def job(chosen: Plan, value: Any, prompt: str) -> tuple[dict[str, Any], str]:
    """The driver's job for one input, and a note where something had to be chosen."""
    facts = chosen.facts
    assert facts is not None
    raw = chosen.kind == "socket"
    requests, note = (_texts(value), "") if raw else http_input.requests(value, facts, prompt)
    return {
        "requests": requests,
        "raw": raw,
        "start_s": START_S,
        "app": _app(facts),
        "werkzeug": bool({"flask", "werkzeug"} & facts.imports),
    }, note


def _texts(value: Any) -> list[str]:
    texts = value["requests"] if isinstance(value, Mapping) and "requests" in value else [value]
    if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
        raise Unmappable("A socket server needs texts to be sent, but the test gives none.")
    return texts


def _app(facts: Facts) -> dict[str, Any] | None:
    """What is to be served if the program, run as it is, opens no port by itself."""
    if not facts.apps:
        return None
    kind, name = facts.apps[0]
    function = facts.functions.get(name)
    needs = function.params[: function.required] if function else ()
    return {"kind": kind, "name": name, "needs": needs}


def observed(evidence: Evidence, answers: Answers, sent: Mapping[str, Any]) -> Evidence:
    """The evidence with the server's responses; the driver's own connections are not events."""
    answer = answers.last("kind")
    if answer.get("kind") == "unreachable":
        return _unreachable(evidence, answer, answers.part("server"))
    responses = answer.get("responses", [])
    if not isinstance(responses, list) or not all(map(readable, responses)):
        return replace(evidence, note="The driver's answer could not be read.")
    evidence = replace(evidence, events=tuple(_programs_events(evidence, answer)))
    if len(responses) < len(sent["requests"]):
        note = f"The server did not answer request {len(responses) + 1}."
        evidence = replace(evidence, note=" ".join(filter(None, (evidence.note, note))))
    if not responses:
        return evidence
    seen = Observed("response", value=responses, response=responses[-1])
    return replace(evidence, observed=seen)


def readable(response: Any) -> bool:
    kinds = {"status": int, "headers": dict, "body": str}
    return isinstance(response, dict) and all(
        isinstance(response.get(key), kind) for key, kind in kinds.items()
    )


def _programs_events(evidence: Evidence, answer: Mapping[str, Any]) -> Iterator[Event]:
    """Events without the driver's: a connection for each request, the signal that ends the server.

    Where the program's app was served on the driver's port, that bind is not the program's either.
    """
    port, asked = answer.get("port"), answer.get("asked")
    left = asked if isinstance(asked, int) else 0
    own = {f"127.0.0.1:{port}", f"::1:{port}", f"[::1]:{port}"}
    for event in evidence.events:
        if event.kind == "connect" and event.target in own and left > 0:
            left -= 1
        elif event.kind == "bind" and event.target in own and answer.get("offered") is True:
            continue
        elif event.kind != "signal" or event.target not in ("SIGTERM", "SIGKILL"):
            yield event


def _unreachable(
    evidence: Evidence, answer: Mapping[str, Any], error: Mapping[str, Any]
) -> Evidence:
    """A server that never listened: its exception, its exit, or our ignorance how to start it."""
    code = answer.get("code") if isinstance(answer.get("code"), int) else None
    if not answer.get("ended"):
        note = f"The program opened no port within {START_S:g} seconds."
        return replace(evidence, status=Status.TIMEOUT, note=note)
    if error:
        seen = Observed("exception", **raised(error))
        note = "The exception came before the program opened a port."
        return replace(evidence, exit_code=code, observed=seen, note=note)
    if code is not None and code < 0:
        note = "The program was ended by a signal before it opened a port."
        return replace(evidence, status=Status.CRASHED, signal=-code, note=note)
    note = f"The program ended with exit code {code} and opened no port."
    status = evidence.status if code else Status.HARNESS_ERROR
    return replace(evidence, status=status, exit_code=code, note=note)
