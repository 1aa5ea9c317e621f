"""How is this program called? Decided from its facts, the prompt and the shape of the inputs."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kit.harness import arguments, http_input
from kit.harness.arguments import Shape, shape_of
from kit.harness.read.facts import Class, Facts, Function
from kit.records import Status, Task

Reader = Callable[[str], Facts]
_HTTP = re.compile(r"\b(https?|endpoint|route|web (server|application|service)|REST)\b", re.I)
_PROGRAM = re.compile(
    r"\b(program|script|tool|utility|stdin|standard input|command[- ]line)\b", re.I
)
_ARGUMENT = re.compile(r"\b(command[- ]line|arguments?|argv)\b", re.I)
_EXPLICIT = re.compile(r"\b(?:named|called)\s+[`'\"]?(\w+)")
_WRITTEN = re.compile(
    r"\b(\w*[a-z0-9](?:_+|[A-Z])\w+)\b"  # snake_case, camelCase
    r"|[`'\"](\w+)(?:\([^)`'\"]*\))?[`'\"]"  # quoted
    r"|\b(\w+)\("  # followed by arguments
    r"|\b(?:function|method|class)\s+(\w+)"
)
_SERVERLIKE = {"path", "request", "requests"}


@dataclass(frozen=True)
class Plan:
    """The decision. kind: function, class, program, server, socket; or none, and why.

    `owner` is the class of a method; `function` is what is called; `argv`: a program's single
    value goes to its command line, not to its standard input.
    """

    kind: str
    facts: Facts | None = None
    shape: Shape | None = None
    function: Function | None = None
    owner: Class | None = None
    argv: bool = False
    status: Status = Status.COMPLETED
    reason: str = ""


def plan(code: str, read: Reader, task: Task) -> Plan:
    """The plan for a program; what cannot be decided is kind "none" with a reason in a sentence."""
    try:
        facts = read(code)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        reason = f"The program does not compile{where}: {error.msg}."
        return Plan("none", status=Status.COMPILE_ERROR, reason=reason)
    return _Choice(facts, task.prompt, shape_of(task)).plan()


class _Choice:
    def __init__(self, facts: Facts, prompt: str, wanted: Shape) -> None:
        self.facts, self.prompt, self.shape = facts, prompt, wanted
        self.explicit = set(_EXPLICIT.findall(prompt))
        self.written = {name for groups in _WRITTEN.findall(prompt) for name in groups if name}
        self.alike = {arguments.plain(name) for name in self.explicit | self.written}

    def plan(self) -> Plan:
        """The first of the ways of calling, from the most explicit, that this program offers."""
        ways = [self.by_form, self.server, self.named, self.program, self.public, self.script]
        for way in ways:
            if chosen := way():
                return chosen
        return self.none("The program defines nothing that could be called and does nothing.")

    def none(self, reason: str) -> Plan:
        return Plan("none", status=Status.HARNESS_ERROR, reason=reason)

    def found(self, kind: str, **parts: object) -> Plan:
        return Plan(kind, self.facts, self.shape, **parts)  # type: ignore[arg-type]

    def by_form(self) -> Plan | None:
        """What the inputs alone demand: a command line, an object's methods, a server."""
        if "cli" in self.shape.forms:
            return self.found("program", argv=True)
        if "class" in self.shape.forms:
            return self.class_()
        asks = self.shape.forms & {"requests", "request"} or (
            self.shape.forms == {"path"} and _HTTP.search(self.prompt)
        )
        if asks and not self.facts.serves:
            return self.view() or self.none(
                "The tests send HTTP requests, but the program starts no server."
            )
        return None

    def view(self) -> Plan | None:
        """The one function that takes a request of its framework, or the named one of several."""
        offered = [f for f in self.facts.functions.values() if self.is_view(f)]
        named = self.best_named([(f, None) for f in offered])
        chosen = named[0] if named else offered[0] if len(offered) == 1 else None
        return self.found("function", function=chosen) if chosen else None

    def is_view(self, function: Function) -> bool:
        return http_input.takes_request(function, self.shape, self.facts)

    def server(self) -> Plan | None:
        if not self.facts.serves:
            return None
        strong = bool(self.shape.forms & _SERVERLIKE) or self.shape.status_codes
        best = self.best_named(self.callables())
        handlers = {route.handler for route in self.facts.routes}
        if best and best[0].name not in handlers and not strong and self.fits(best[0]):
            return None
        if self.facts.raw_socket and not self.facts.is_http:
            return self.found("socket")
        return self.found("server") if strong or _HTTP.search(self.prompt) else None

    def fits(self, function: Function) -> bool:
        return bool(arguments.fit(function, self.shape)[1])

    def callables(self) -> list[tuple[Function, Class | None]]:
        """Functions of the module, then methods of its classes."""
        methods = [
            (m, c)
            for c in self.facts.classes.values()
            for m in c.methods.values()
            if not m.name.startswith("__") or m.name == "__call__"
        ]
        return [*((f, None) for f in self.facts.functions.values()), *methods]

    def mention(self, name: str) -> int:
        """4: "named X"; 3: but for case and _; 2: written like a name; 1: but for these; 0: not."""
        if name in self.explicit:
            return 4
        if arguments.plain(name) in {arguments.plain(n) for n in self.explicit}:
            return 3
        if name in self.written:
            return 2
        return int(arguments.plain(name) in self.alike)

    def best_named(
        self, offered: list[tuple[Function, Class | None]]
    ) -> tuple[Function, Class | None] | None:
        """What the prompt names; of several, the one that fits, then the first named."""
        scored = [(self.mention(f.name), f, c) for f, c in offered]
        top = max((score for score, _, _ in scored), default=0)
        if not top:
            return None
        best = [(f, c) for score, f, c in scored if score == top]
        best.sort(key=lambda pair: pair[1] is not None)
        return max(best, key=lambda pair: (self.fits(pair[0]), -self.prompt.find(pair[0].name)))

    def named(self) -> Plan | None:
        best = self.best_named(self.callables())
        return self.function(*best) if best else None

    def function(self, function: Function, owner: Class | None) -> Plan:
        if owner and not set(owner.init.params[: owner.init.required]) <= set(self.shape.keys):
            needs = ", ".join(owner.init.params[: owner.init.required])
            return self.none(
                f"{function.name} is a method of {owner.name}, whose constructor needs {needs}."
            )
        return self.found("function", function=function, owner=owner)

    def program(self) -> Plan | None:
        """A program that reads its command line or input, where the prompt asks for one."""
        reads = self.facts.reads_argv or self.facts.reads_stdin
        if not reads or not (_PROGRAM.search(self.prompt) or not self.candidates()):
            return None
        return self.script()

    def script(self) -> Plan | None:
        if not self.facts.runs:
            return None
        by_argument = self.facts.reads_argv and (
            not self.facts.reads_stdin or bool(_ARGUMENT.search(self.prompt))
        )
        return self.found("program", argv=by_argument)

    def candidates(self) -> list[Function]:
        """Functions that could be the answer: public, and not the program's own entry."""
        public = {n: f for n, f in self.facts.functions.items() if n[0] != "_" and n != "main"}
        return [f for n, f in public.items() if n in self.facts.exports] or list(public.values())

    def public(self) -> Plan | None:
        """The only public function; else the one that fits best, if no other fits as well."""
        offered: list[tuple[Function, Class | None]] = [(f, None) for f in self.candidates()]
        if not offered:
            offered = [(f, c) for f, c in self.callables() if c and not f.name.startswith("_")] or [
                (f, None) for f in self.facts.functions.values() if f.params
            ]
        if len(offered) < 2:
            return self.function(*offered[0]) if offered else None
        return self.best_fit(offered)

    def best_fit(self, offered: list[tuple[Function, Class | None]]) -> Plan:
        fits = {id(f): arguments.fit(f, self.shape)[:2] for f, _ in offered}
        top = max(fits.values())
        best = [(f, c) for f, c in offered if fits[id(f)] == top]
        called = {name for f, _ in offered for name in f.calls if name != f.name}
        roots = [(f, c) for f, c in best if f.name not in called]
        chosen = best if len(best) == 1 else roots
        if len(chosen) == 1:
            return self.function(*chosen[0])
        names = ", ".join(f.name for f, _ in best)
        return self.none(f"The prompt names none of the functions {names}, and all fit alike.")

    def class_(self) -> Plan:
        """The class that the prompt names, else the only public one."""
        classes = [c for c in self.facts.classes.values() if not c.name.startswith("_")]
        top = max((self.mention(c.name) for c in classes), default=0)
        best = [c for c in classes if self.mention(c.name) == top]
        for better in (
            [c for c in best if not _is_helper(c)],
            [c for c in best if c.name in self.facts.exports],
        ):
            best = better if len(best) > 1 and len(better) == 1 else best
        if len(best) == 1:
            return self.found("class", owner=best[0])
        names = ", ".join(c.name for c in best) or "none"
        return self.none(f"The tests construct an object; the public classes are: {names}.")


def _is_helper(owner: Class) -> bool:
    """Whether a class is an exception or an enumeration, which no test constructs."""
    tails = {base.rpartition(".")[2] for base in owner.bases}
    return any(t.endswith(("Error", "Exception", "Enum", "Tuple", "Protocol")) for t in tails)
