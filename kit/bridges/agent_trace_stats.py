"""What agents spend their actions on: overhead, writing, revising, testing, environment.

The kinds follow DualGauge's reading of agents' traces (section 5.2): repository-oriented overhead
is what can have no effect in an empty workspace: listing it, looking for notes to agents, keeping
lists of things to do.
"""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from kit.bridges import agent_events
from kit.bridges.agent_events import Action
from kit.languages import LANGUAGES
from kit.records import Sample

KINDS = ("overhead", "read", "write", "revise", "test", "environment", "other")
RANK = ("write", "test", "environment", "read", "overhead", "other")  # of several commands
COMMANDS = (  # the first that is found in one command of a line names its kind
    ("write", r"(?:>>?|\btee\b(?: -a)?)\s*(?!/dev/null|&)\S|\bsed\b.* -i|\bapply_patch\b"),
    ("overhead", r"\b(?:AGENTS|CLAUDE|README)\b"),
    ("environment", r"\b(?:pip3?|npm|npx|apt|apt-get|which|venv|conda|uv|chmod|kill|pkill|lsof|"
     r"env|export|ps|ss|netstat)\b|--version\b"),
    ("test", r"\b(?:python3?|node|pytest|unittest|jest|mocha|curl|gcc|g\+\+|cc|make)\b|\./"),
    ("read", r"\b(?:cat|head|tail|less|sed|nl|wc|diff)\b"),
    ("overhead", r"\b(?:ls|find|tree|pwd|git|rg|grep|stat|file|fd|du)\b"),
)  # fmt: skip
SPLIT = re.compile(r"&&|\|\||[;|\n]")
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?(.*?)\n.*?^\s*\1\s*$", re.S | re.M)


def kind(action: Action) -> str:
    """The kind of one action by itself; whether a write is a revision, only its past can tell."""
    if action.verb == "run":
        parts = SPLIT.split(HEREDOC.sub(r"\2", action.target))
        names = {next((k for k, pattern in COMMANDS if re.search(pattern, part)), "other")
                 for part in parts}  # fmt: skip
        return next(k for k in RANK if k in names)
    if action.verb in ("list", "plan"):
        return "overhead"
    if re.search(COMMANDS[1][1], action.target) and action.verb == "read":
        return "overhead"
    return action.verb if action.verb in ("read", "write") else "other"


def kinds(done: Iterable[Action], file: str) -> list[str]:
    """The kinds of the actions in their order; the program's second writing is its first revision.

    A file beside the program is a test that the agent made for itself.
    """
    names, written = [], False
    for action in done:
        name = kind(action)
        theirs = PurePosixPath(action.target).name == file
        if action.verb == "run":
            theirs = re.search(rf"(?<![\w-]){re.escape(file)}\b", action.target) is not None
        if name == "write" and not theirs:
            name = "test"
        elif name == "write":
            name, written = ("revise" if written else "write"), True
        names.append(name)
    return names


def of(sample: Sample) -> dict[str, Any]:
    """One row: task, model, language, number of actions, how many of each kind, revised or not."""
    done = [a for event in agent_events.events(sample.stream.splitlines(keepends=True))
            for a in agent_events.actions(event) if a.verb != "finish"]  # fmt: skip
    count = Counter(kinds(done, LANGUAGES[sample.language].program))
    row = {"task": sample.task, "model": sample.model, "language": sample.language}
    counts = {name: count[name] for name in KINDS}
    return row | {"sample": sample.index, "actions": len(done), **counts,
                  "revised": count["revise"] > 0, "ended": sample.truncated}  # fmt: skip


def shares(samples: Iterable[Sample]) -> pd.DataFrame:
    """By model and language: tasks, mean number of actions, share of each kind, share revised."""
    rows = pd.DataFrame([of(s) for s in samples])
    if rows.empty:
        return rows
    groups = rows.groupby(["model", "language"])
    total = groups[["actions", *KINDS]].sum()
    table = total[list(KINDS)].div(total["actions"].where(total["actions"] > 0), axis=0)
    means = groups[["actions", "revised", "ended"]].mean()
    return groups.size().rename("tasks").to_frame().join(means).join(table).reset_index()
