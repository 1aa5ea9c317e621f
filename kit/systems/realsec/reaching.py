"""The methods of a repository that its own tests reach, by which callers, and what they call.

The chain of callers is an estimate, for a call is known by its name alone.
"""

import re
import tomllib
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

from tree_sitter import Node

from kit.core.records import Finding
from kit.harness.languages.tree import field_text, list_field, node_text, parse, walk
from kit.systems.realsec.instance import METHODS, SHELL, Method, find_methods
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.tracing import Traces

SINKS = Path(__file__).with_name("sinks.toml")
FAST_S = 3.0  # a test that takes longer is not used
BRACKETED = re.compile(r"\([^()]*\)|<[^<>]*>|\s")


@dataclass(frozen=True)
class CallSite:
    """A text of a method's body, in the form that sinks.toml describes."""

    text: str
    line: int

    @property
    def name(self) -> str:
        """The name of what is called; "" where nothing is."""
        return re.split(r"[.\s]", self.text[:-1])[-1] if self.text.endswith("(") else ""


@dataclass(frozen=True)
class Sink:
    """A row of sinks.toml."""

    name: str
    cwe: str
    calls: str
    says: str


@dataclass(frozen=True, eq=False)
class ReachedMethod:
    """A method that tests execute. tests: those that pass and are fast, the fastest first."""

    file: str
    owner: str
    method: Method
    tests: Sequence[str] = ()

    @cached_property
    def calls(self) -> list[CallSite]:
        return list_calls(self.method)

    @property
    def is_public(self) -> bool:
        return "public" in self.method.interface[:-2]

    def find_line(self, name: str) -> int:
        """The line of its first call of a method of this name, or its own first line."""
        for call in self.calls:
            if call.name == name:
                return call.line
        return self.method.first_line


def find_reached(repository: Repository, traces: Traces) -> list[ReachedMethod]:
    """Every method of the main sources that passing, fast tests execute."""
    tests = [t for t in traces.tests if t.outcome == "pass" and t.seconds <= FAST_S]
    by_class = defaultdict(list)
    for test in sorted(tests, key=lambda test: test.seconds):
        for owner in test.executed:
            by_class[owner].append(test)
    reached = []
    for file, source in repository.read_sources("main").items():
        for owner, method in find_methods(source):
            outermost = owner.partition("$")[0]
            lines = frozenset(range(method.first_line, method.last_line + 1))
            names = []
            for test in by_class.get(outermost, ()):
                if not lines.isdisjoint(test.executed[outermost]):
                    names.append(test.name)
            if names and method.body_at:
                reached.append(ReachedMethod(file, owner, method, names))
    return reached


def list_calls(method: Method) -> list[CallSite]:
    """The calls, created objects, created arrays and types in a method's body."""
    root = parse(SHELL[0] + method.text + SHELL[1], "java")
    own = next(node for node in walk(root) if node.type in METHODS)
    calls = []
    for node in walk(own):
        text = _describe_node(node, own)
        if text:
            at = node.child_by_field_name("name") or node
            calls.append(CallSite(text, method.first_line + at.start_point[0] - 1))
    return calls


def _describe_node(node: Node, own: Node) -> str:
    """The text of a node in the form that sinks.toml describes; "" for none of these."""
    if node.type == "method_invocation":
        name = field_text(node, "name")
        receiver = BRACKETED.sub("", field_text(node, "object"))
        words = len(list_field(node, "arguments"))
        is_own = name == field_text(own, "name") and receiver in ("", "this")
        if is_own and words == len(list_field(own, "parameters")):
            return "itself("
        return f"{receiver}.{name}(".removeprefix(".")
    if node.type == "object_creation_expression":
        return f"new {BRACKETED.sub('', field_text(node, 'type'))}("
    if node.type == "array_creation_expression":
        return f"new {field_text(node, 'type')}{field_text(node, 'dimensions')}"
    return node_text(node) if node.type == "type_identifier" else ""


@cache
def read_sinks() -> tuple[Sink, ...]:
    """The rows of sinks.toml."""
    rows = tomllib.loads(SINKS.read_text("utf-8"))["sinks"]
    return tuple(Sink(**row) for row in rows)


def find_sinks(reached: ReachedMethod) -> dict[Sink, CallSite]:
    """What the method calls that may be a weakness: the first call for each sink."""
    sinks = {}
    for sink in read_sinks():
        for call in reached.calls:
            if re.search(sink.calls, call.text):
                sinks[sink] = call
                break
    return sinks


class CallerIndex:
    """Who calls whom, by name, among the methods that tests reach."""

    def __init__(self, repository: Repository, reached: Sequence[ReachedMethod]) -> None:
        self.repository = repository
        self.callers = defaultdict(list)
        self.names_by_class: dict[str, frozenset[str]] = {}
        for caller in reached:
            for name in {call.name for call in caller.calls} - {""}:
                self.callers[name].append(caller)

    def find_chain(self, target: ReachedMethod) -> list[ReachedMethod]:
        """The shortest chain of calls from a public method that a test names to the target.

        Only methods that one of the target's own tests executes are in it. Where no test names
        one, the target is alone.
        """
        tests = frozenset(target.tests)
        named: set[str] = set()
        for owner in {test.partition("#")[0] for test in tests}:
            named |= self._names_in(owner)
        chains = deque([[target]])
        known = {target}
        while chains:
            chain = chains.popleft()
            name = chain[0].method.name
            if chain[0].is_public and name in named:
                return chain
            for caller in self.callers[name]:
                if caller not in known and not tests.isdisjoint(caller.tests):
                    known.add(caller)
                    chains.append([caller, *chain])
        return [target]

    def _names_in(self, test_class: str) -> frozenset[str]:
        """The names that the text of a class of tests calls."""
        if test_class not in self.names_by_class:
            text = self.repository.find_test_source(test_class)
            self.names_by_class[test_class] = frozenset(re.findall(r"(\w+)\s*\(", text))
        return self.names_by_class[test_class]


def describe_sink(chain: Sequence[ReachedMethod], sink: Sink, call: CallSite) -> Finding:
    """A draft's report: the chain's calls are its flow, and the sink's place ends it."""
    flow = []
    for caller, callee in pairwise(chain):
        line = caller.find_line(callee.method.name)
        flow.append(f"{caller.file}:{line} {caller.method.name}")
    last = chain[-1]
    flow.append(f"{last.file}:{call.line} {last.method.name}")
    return Finding(
        "sinks",
        sink.name,
        sink.cwe,
        last.file,
        call.line,
        function=last.method.name,
        message=f"{call.text} {sink.says}",
        flow=tuple(flow),
    )
