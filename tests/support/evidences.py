"""Evidence of programs in a box, and evidence that is made up: a line for each kind of answer."""

import sqlite3
from contextlib import closing
from textwrap import dedent

from kit import harness
from kit.core.records import Event, Evidence, Observed, Status, Task, Test


def ran(box, code, value, prompt="", *, language="python", probes=(), **parts):
    """The evidence of a program that is called with this input; `parts` of its task."""
    test = Test("fc-0", "functional", input=value, probes=probes)
    task = Task("t", "s", prompt, (test,), **parts)
    return harness.run_test(box, task, test, dedent(code), language=language)


def evidence(*events, status=Status.COMPLETED, **more):
    usual = {
        "wall_s": 0.1,
        "peak_mb": 20.0,
        "exit_code": 0,
        "isolation": "bwrap",
        "observed": Observed("value", "fine"),
    }
    return Evidence(status, events=tuple(Event(*e) for e in events), **(usual | more))


def answer(kind="value", value=None, *, events=(), status=Status.COMPLETED, **more):
    """`more`: what else was observed."""
    out = value.encode() if kind == "output" else b""
    observed = Observed(kind, value, **more)
    return evidence(*events, status=status, observed=observed, stdout=out)


def value(seen, *events, **more):
    return evidence(*events, observed=Observed("value", seen), **more)


def raised(name, message="no", *events, bases=(), **more):
    observed = Observed("exception", exception=name, message=message, bases=bases)
    return evidence(*events, observed=observed, **more)


def dump(sql):
    """The text of the database that these statements make."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        return "\n".join(connection.iterdump())


def response(status, body="", *events, headers=None, **more):
    told = {"status": status, "headers": headers or {}, "body": body}
    return evidence(*events, observed=Observed("response", [told], response=told), **more)
