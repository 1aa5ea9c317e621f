"""What coding agents did in a run: their actions by class, revisions, own tests and cost.

The classes are those of DualGauge's section 5.2; kit/generation/actions.toml says which command is
of which class. An action that does several things at once counts once.
"""

import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pandas as pd

from kit.core.errors import KitError
from kit.core.languages import EXTENSIONS
from kit.core.records import Sample
from kit.core.store import Store, slot_of
from kit.generation import agent_events
from kit.scoring import measures, stats, steps

RULES = tomllib.loads(
    Path(agent_events.__file__).with_name("actions.toml").read_text(encoding="utf-8")
)
PATTERNS = [(rule["class"], re.compile(rule["pattern"], re.S)) for rule in RULES["rules"]]
CLASSES = ["look", "plan", "edit", "self-test", "environment", "other"]
GROUP = ["model", "language"]
SAMPLE = ["slot", "task", *GROUP]
COST = ["calls", "input tokens", "output tokens", "dollars"]
RATES = ["overhead", "revised", "low", "high", "tested"]
SUMMARY = [*GROUP, "workspaces", "actions", *CLASSES, *RATES, *COST, "stopped"]
METER = "kit.meter"  # type of the event with what the kit counted
TEST_FILE = re.compile(r"tests?[_.-]|.*[_.-]tests?\.|.*[_.-]spec\.|tests?/", re.I)
HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?^\s*\2\s*$", re.S | re.M)
ASSIGNMENT = re.compile(r"\w+=\S*\s+")
LEADERS = re.compile(r"(?:sudo|time|timeout(?:\s+-\S+)*\s+\S+|nohup|exec|cd\s+\S+)\s*")


class Classified(NamedTuple):
    """An action's class, and the path of the file that an edit wrote, "" if unknown."""

    name: str
    path: str = ""


def classify_action(action: agent_events.Action) -> Classified:
    """The class of one action of an agent."""
    if action.tool != "shell":
        name = RULES["tools"].get(action.tool, "other")
        return Classified(name, action.text if name == "edit" else "")
    best = Classified("other")
    for part in split_command(action.text):
        for name, pattern in PATTERNS:
            match = pattern.match(part)
            if match:
                path = next(filter(None, match.groupdict().values()), "")
                if RULES["order"].index(name) < RULES["order"].index(best.name):
                    best = Classified(name, path)
                break
    return best


def split_command(text: str) -> Iterator[str]:
    """The parts of a shell's line between ; | & and ends of lines, without what they are given.

    Texts of here-documents, settings of variables and changes of the folder are left out.
    """
    text = HEREDOC.sub(r"\3", unwrap_shell(text))
    reader = shlex.shlex(text.replace("\n", " ; "), posix=False, punctuation_chars=";|&")
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        words = list(reader)
    except ValueError:  # a quotation without an end
        words = text.split()
    part: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set(";|&"):
            line = LEADERS.sub("", ASSIGNMENT.sub("", " ".join(part))).strip()
            if line:
                yield line
            part = []
        else:
            part.append(word)


def unwrap_shell(text: str) -> str:
    """The command in `sh -lc COMMAND`, which is how Codex names what it ran."""
    try:
        words = shlex.split(text)
    except ValueError:
        return text
    is_wrapped = len(words) == 3 and re.fullmatch(r"(\S*/)?(ba|z|da)?sh", words[0])
    return words[2] if is_wrapped and re.fullmatch(r"-\w*c", words[1]) else text


class AgentTraces:
    """`Explorer.traces`: what the agents of a run did, from the streams of their command lines.

    actions: one row per action, in order. rows: the run's tidy table.
    """

    def __init__(self, store: Store, rows: pd.DataFrame) -> None:
        self.run = store.path.parent.name
        self.rows = rows
        self._samples = [sample for sample in store.samples() if sample.stream]

    @cached_property
    def actions(self) -> pd.DataFrame:
        lines = []
        for sample in self._samples:
            identity = identify_sample(sample)
            for number, action in enumerate(list_sample_actions(sample), 1):
                kind = classify_action(action)
                facts = {"number": number, "class": kind.name, "tool": action.tool}
                lines.append({**identity, **facts, "path": kind.path, "text": action.text})
        columns = [*SAMPLE, "number", "class", "tool", "path", "text"]
        return pd.DataFrame(lines, columns=columns)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """One row per workspace: actions by class, revisions, own tests, tokens, dollars, its end.

        revisions: edits of a program's file after its first. own tests: actions that ran something;
        test files: those that it wrote. dollars: what the kit counted, else what the agent said.
        """
        of_slot = dict(list(self.actions.groupby("slot", sort=False)))
        lines = []
        for sample in self._samples:
            facts = identify_sample(sample)
            actions = of_slot.get(facts["slot"], self.actions.iloc[:0])
            counts = actions["class"].value_counts().reindex(CLASSES, fill_value=0)
            edits = actions.loc[actions["class"] == "edit", "path"]
            kinds = edits.map(kind_of_file)
            programs = edits[kinds == "program"]
            facts |= {"actions": len(actions), **counts.to_dict()}
            facts |= {"revisions": int(programs.duplicated().sum())}
            facts |= {"test files": edits[kinds == "test"].nunique()}
            lines.append(facts | read_cost(sample) | {"end": sample.finish_reason})
        columns = [*SAMPLE, "actions", *CLASSES, "revisions", "test files", *COST, "end"]
        return pd.DataFrame(lines, columns=columns)

    @property
    def summary(self) -> pd.DataFrame:
        """By agent and language: each class's share of all actions, and how many revised.

        overhead: the share of looking and planning. revised: the share of the workspaces whose
        program was edited again, with Wilson's limits. tested: those that ran something.
        """
        lines = []
        for (model, language), part in self.samples.groupby(GROUP, sort=False):
            total = max(int(part["actions"].sum()), 1)
            line = {"model": model, "language": language, "workspaces": len(part)}
            line |= {"actions": part["actions"].mean()}
            line |= {name: part[name].sum() / total for name in CLASSES}
            line |= {"overhead": sum(line[name] for name in RULES["overhead"])}
            revised = stats.wilson_interval(int((part["revisions"] > 0).sum()), len(part))
            line |= {"revised": revised.estimate, "low": revised.low, "high": revised.high}
            line |= {"tested": (part["self-test"] > 0).mean()}
            line |= {name: part[name].mean() for name in COST}
            line |= {"stopped": int((part["end"] != "stop").sum())}
            lines.append(line)
        return pd.DataFrame(lines, columns=SUMMARY)

    def against(
        self, direct: pd.DataFrame, *, n_boot: int = 5000, level: float = 0.95
    ) -> pd.DataFrame:
        """Each agent minus the direct answers of a model on the same tasks, paired, in points.

        direct: the tidy table of that model's run. part: all tasks, those whose program the agent
        revised, and those that it left as first written. Tasks of one language are paired; `n` is
        their number. low, high and p are those of `kit.scoring.steps.compare_pairs`.
        """
        ours = measures.summarize_samples(self.rows)
        others = measures.summarize_samples(direct)
        revised = set(self.samples.loc[self.samples["revisions"] > 0, "slot"])
        lines = []
        for (model, language), part in ours.groupby(GROUP, sort=False):
            side = others[others["language"] == language]
            is_revised = part["slot"].isin(revised)
            parts = {"all": part, "revised": part[is_revised], "as written": part[~is_revised]}
            for name, chosen in parts.items():
                for metric, axis in steps.AXES.items():
                    line = steps.compare_pairs(
                        side,
                        chosen,
                        axis,
                        name=f"{self.run} {model} {language} {name} {metric}",
                        level=level,
                        power=0.8,
                        n_boot=n_boot,
                    )
                    names = {"model": model, "language": language, "part": name, "metric": metric}
                    points = {end: 100 * line[end] for end in ("difference", "low", "high")}
                    facts = {"n": line["tasks"], **points, "p": line["p"], "note": line["note"]}
                    lines.append(names | facts)
        if not lines:
            raise KitError(f"The run {self.run} has no samples of an agent. Use one of agent:NAME.")
        return pd.DataFrame(lines)


def list_sample_actions(sample: Sample) -> Iterator[agent_events.Action]:
    """The actions of the agent that made this sample, in order."""
    for event in read_events(sample):
        yield from agent_events.list_actions(event)


def describe_trace(sample: Sample) -> str:
    """Each action in a line: its number, its class, and what it was; "" without an agent."""
    lines = []
    for number, action in enumerate(list_sample_actions(sample), 1):
        text = unwrap_shell(action.text) if action.tool == "shell" else action.text
        lines.append(f"{number:3} {classify_action(action).name:12} {action.tool}: {text}")
    return "\n".join(lines)


def identify_sample(sample: Sample) -> dict[str, Any]:
    """The columns by which a sample is found in other tables."""
    names = {"task": sample.task, "model": sample.model, "language": sample.language}
    return {"slot": slot_of(sample), **names}


def read_events(sample: Sample) -> Iterator[dict[str, Any]]:
    """The events of the agent's stream."""
    return agent_events.parse_stream(sample.stream.splitlines(keepends=True))


def read_cost(sample: Sample) -> dict[str, Any]:
    """Calls, tokens and dollars of one workspace; None is unknown."""
    calls = None
    stated = agent_events.Used()
    counted = None
    for event in read_events(sample):
        stated = stated.add_usage(agent_events.read_usage(event))
        if event.get("type") == METER:
            calls, counted = event.get("calls"), event.get("cost_usd")
    dollars = stated.dollars if counted is None else counted
    values = [calls, sample.input_tokens, sample.output_tokens, dollars]
    numbers = pd.to_numeric(pd.Series(values, dtype=object))
    return dict(zip(COST, numbers, strict=True))


def kind_of_file(path: str) -> str:
    """Whether a path is of a program, of the agent's own test, or of anything else."""
    name = PurePosixPath(path).name
    if PurePosixPath(name).suffix not in EXTENSIONS:
        return ""
    return "test" if TEST_FILE.match(name) else "program"
