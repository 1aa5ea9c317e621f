"""Plans how to call a program, from its facts, the prompt and the shape of the inputs.

First which call of the program they fit, then which parameter each part of an input goes to.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kit.harness.facts import ANY, Class, Facts, Function, place
from kit.harness.shape import FILE_KEYS, Shape, asked_names, plain, shape_of
from kit.records import Status, Task

Reader = Callable[[str], Facts]
Look = Callable[[Facts], Facts]  # the facts with what can be called in the loaded program
_HTTP = re.compile(r"\b(https?|endpoint|route|web (server|application|service)|REST)\b", re.I)
_PROGRAM = re.compile(
    r"\b(program|script|tool|utility|stdin|standard input|command[- ]line)\b", re.I
)
_ARGUMENT = re.compile(r"\b(command[- ]line|arguments?|argv)\b", re.I)
EXPLICIT = re.compile(r"\b(?:named|called)\s+[`'\"]?(\w+)")
_WRITTEN = re.compile(
    r"\b(\w*[a-z0-9](?:_+|[A-Z])\w+)\b"  # snake_case, camelCase
    r"|[`'\"](\w+)(?:\([^)`'\"]*\))?[`'\"]"  # quoted
    r"|\b(\w+)\("  # followed by arguments
    r"|\b(?:function|method|class)\s+(\w+)"
)
_SERVERLIKE = {"path", "request", "requests"}

FRAMEWORKS = {"django": "django", "starlette": "starlette", "fastapi": "starlette",
              "flask": "flask", "werkzeug": "flask", "functions_framework": "flask"}  # fmt: skip
_REQUEST = ("request", "req")  # what views call their one argument


class Unmappable(Exception):
    """An input that fits no call of this program; its text is one sentence."""


class Unfit(Unmappable):
    """What was chosen does not take this input."""


def written(prompt: str) -> set[str]:
    """What a prompt writes like the name of a function, method or class."""
    return {name for groups in _WRITTEN.findall(prompt) for name in groups if name}


def fit(function: Function, shape: Shape) -> tuple[int, bool]:
    """How well a function fits the inputs: how many names agree, and whether the count does."""
    wanted = {plain(key) for key in shape.keys if not _is_file_key(key, shape)}
    own = [plain(p) for p in (*function.params, *function.keyword_only)]
    agree = len(wanted & set(own))
    count = len(wanted) or shape.arity or 0
    takes = function.required <= count and (count <= len(own) or function.many or function.others)
    return agree, takes


def unplaced(function: Function, keys: Collection[str], shape: Shape) -> Unmappable:
    """No argument of a test is dropped; it is the task's omission where its prompt names no key."""
    params = ", ".join([*function.params, *function.keyword_only])
    sentence = f"{function.name}({params}) has no parameter for {', '.join(keys)}."
    return Unmappable(sentence) if shape.unsaid.issuperset(keys) else Unfit(sentence)


def _is_file_key(key: str, shape: Shape) -> bool:
    """Whether the key belongs to a file that is made before the call, not to an argument."""
    return key in FILE_KEYS and set(FILE_KEYS) <= set(shape.keys)


def call_of(function: Function, shape: Shape, value: Any) -> tuple[dict[str, Any], str]:
    """{"args": [...], "kwargs": {...}} for one input, and a note where names did not agree."""
    if isinstance(value, Mapping):
        return _from_object(function, shape, value)
    if isinstance(value, list):
        if not function.params and len(value) == len(function.keyword_only) > 0:
            return {"args": [], "kwargs": dict(zip(function.keyword_only, value, strict=True))}, ""
        if len(function.params) != 1 or function.many or len(value) == 1:
            return {"args": value, "kwargs": {}}, ""
        note = f"The list was passed whole as {function.params[0]!r}."
        return {"args": [value], "kwargs": {}}, note
    if not function.params and not function.many:
        raise Unfit(f"{function.name}() takes no parameter, but the test gives one value.")
    return {"args": [value], "kwargs": {}}, ""


def _from_object(
    function: Function, shape: Shape, value: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """The call whose parameters have the names of the keys; a missing key stays missing.

    Equal names first, then equal but for case and underscores; what is left goes in order, for all
    tests of a task alike, where the counts allow it.
    """
    if value and not set(value) & set(shape.keys):
        shape = replace(shape, keys=tuple(value))
    params = [*function.params, *function.keyword_only]
    every = [*shape.keys, *shape.late_keys]
    names = {key: key for key in every if key in params}
    alike = {plain(p): p for p in params if p not in names}
    names |= {k: alike[plain(k)] for k in every if k not in names and plain(k) in alike}
    keys = [k for k in shape.keys if k not in names and not _is_file_key(k, shape)]
    free = [p for p in params if p not in names.values()]
    rest, note = list[str](), ""
    if function.others:
        names = {**{k: k for k in value if not _is_file_key(k, shape)}, **names}
    elif FILE_KEYS[0] in shape.keys and not names and not keys and function.required:
        names = {FILE_KEYS[0]: function.params[0]}
    elif len(params) == 1 and not names and len(keys) > 1:
        note = f"The object was passed whole as {params[0]!r}."
        return {"args": [dict(value)], "kwargs": {}}, note
    elif len(keys) <= len(free) or function.many or function.more:
        pairs = dict(zip(keys, free, strict=False))
        names |= pairs
        shown = ", ".join(f"{k} as {p}" for k, p in pairs.items())
        note = f"Passed by position: {shown}." if pairs else ""
    if function.many or function.more:  # a key that security alone gives must be met by a name
        rest = [key for key in keys if key in value and key not in names]
    named = {names[k]: v for k, v in value.items() if k in names}
    args = []
    for name in function.params[: None if rest else function.by_position]:
        if name not in named:
            break
        args.append(named.pop(name))
    in_order = len(args) == len(function.params)
    placed = {*names, *(rest if in_order else ())}
    if lost := [key for key in value if key not in placed and not _is_file_key(key, shape)]:
        raise unplaced(function, lost, shape)
    return {"args": [*args, *(value[key] for key in rest)], "kwargs": named}, note


def command_line(value: Mapping[str, Any], options: tuple[str, ...]) -> list[str]:
    """The arguments that an object means: the rest in order, then declared options by name."""
    declared = {plain(name): name for name in options if name.startswith("-")}
    flags: list[str] = []
    rest: list[str] = []
    for key, content in value.items():
        name = key if key.startswith("-") else declared.get(plain(key), "")
        words = [as_text(v) for v in (content if isinstance(content, list) else [content])]
        if not name:
            rest += [] if content is None else words
        elif content is True:
            flags.append(name)
        elif content is not False and content is not None:
            flags += [name, *words]
    return [*rest, *flags]


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def may_take_requests(facts: Facts) -> bool:
    """Whether a function of the program may be a view."""
    return facts.views and bool(facts.request_reads or set(FRAMEWORKS) & facts.imports)


def takes_request(function: Function, shape: Shape, facts: Facts) -> bool:
    """Whether the function is a view: its one argument is a request, or it reads Flask's own."""
    needed = function.params[: function.required]
    if not may_take_requests(facts):
        return False
    by_argument = len(needed) == 1 and needed[0] in _REQUEST and needed[0] not in shape.keys
    context = not function.params and not function.many and "flask" in facts.imports
    return by_argument or (context and bool(facts.request_reads))


@dataclass(frozen=True)
class Plan:
    """The decision. kind: function, class, program, server, socket; or lacking or none, and why.

    lacking: the program has nothing that could be what the task asks for. none: the kit cannot
    tell how it is called. `owner` is the class of a method; `function` is what is called; `argv`: a
    program's single value goes to its command line, not to its standard input. named: the task
    names what is called.
    """

    kind: str
    facts: Facts = Facts()
    shape: Shape = Shape()
    function: Function | None = None
    owner: Class | None = None
    argv: bool = False
    status: Status = Status.COMPLETED
    reason: str = ""
    named: bool = False


def steered(chosen: Plan, value: Any, prompt: str) -> tuple[Plan, Any, dict[str, Any]]:
    """The plan and the input without the keys of helpers, and what each of these answers.

    A helper is a function that the prompt names and that the program calls and does not have: where
    that is isAuthorizedUser, a key `authorized` that is no parameter says what it returns.
    """
    if chosen.function is None or not isinstance(value, Mapping):
        return chosen, value, {}
    facts, shape, function = chosen.facts, chosen.shape, chosen.function
    methods = [m for c in facts.classes.values() for m in c.methods.values()]
    called = {name for f in (*facts.functions.values(), *methods) for name in f.calls}
    taken = {*map(plain, (*function.params, *function.keyword_only))}
    names = {
        key: name
        for key in (*shape.keys, *shape.late_keys)
        for name in sorted(written(prompt) & called - facts.functions.keys())
        if len(key) > 3 and plain(key) not in taken and plain(key) in plain(name)
    }
    keys, late = (tuple(k for k in of if k not in names) for of in (shape.keys, shape.late_keys))
    rest = {k: v for k, v in value.items() if k not in names}
    answers = {names[k]: v for k, v in value.items() if k in names}
    return replace(chosen, shape=replace(shape, keys=keys, late_keys=late)), rest, answers


def plan(code: str, read: Reader, task: Task, look: Look | None = None) -> Plan:
    """The plan for a program; what cannot be decided is kind "none" with a reason in a sentence.

    look: where what can be called is not read from the text, but looked at in the loaded program.
    """
    try:
        facts = read(code)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        reason = f"The program does not compile{where}: {error.msg}."
        return Plan("none", status=Status.COMPILE_ERROR, reason=reason)
    return _Choice(facts, task.prompt, shape_of(task), look).plan()


Callee = tuple[Function, Class | None]  # a function, or a method and its class


class _Choice:
    """text: the facts that the text alone gives. facts: those of the program, loaded if need be."""

    def __init__(self, facts: Facts, prompt: str, wanted: Shape, look: Look | None) -> None:
        self.text, self.prompt, self.shape, self.look = facts, prompt, wanted, look
        self.explicit = set(EXPLICIT.findall(prompt))
        self.written = written(prompt)
        self.alike = {plain(name) for name in self.explicit | self.written}
        self.serves = facts.starts_server or facts.raw_socket
        self.asked = asked_names(prompt, of_class="class" in wanted.forms)

    @cached_property
    def facts(self) -> Facts:
        return self.look(self.text) if self.look else self.text

    def plan(self) -> Plan:
        """The first of the ways of calling, from the most explicit, that this program offers."""
        ways = [self.by_form, self.server, self.named, self.idle, self.program, self.public,
                self.broken, self.script]  # fmt: skip
        for way in ways:
            if chosen := way():
                return chosen
        return self.none("The program defines nothing that could be called and does nothing.")

    @property
    def is_broken(self) -> bool:
        """Whether an error ended the load: the test will show it, whatever is called."""
        return self.facts.look is not None and bool(self.facts.look.ended)

    def broken(self) -> Plan | None:
        """A call of anything, where names are there and an error ended the load."""
        shows = self.is_broken and self.text.bound
        return self.found("function", function=ANY) if shows else None

    def none(self, reason: str) -> Plan:
        return Plan("none", status=Status.HARNESS_ERROR, reason=reason)

    def lacking(self, reason: str, wanted: str = "") -> Plan:
        asks = f", and the task asks for {wanted}" if wanted else ""
        return Plan("lacking", reason=f"The program {reason}{asks}.")

    def idle(self) -> Plan | None:
        """A program that takes nothing of what the tests give, however it is called."""
        facts = self.text
        can_be_called = self.callables() or self.facts.classes or facts.defines or self.is_broken
        if can_be_called or facts.takes or (facts.runs and not self.shape.given):
            return None
        return self.lacking("defines nothing that could be called and reads no input")

    def found(self, kind: str, **parts: object) -> Plan:
        facts = self.facts if kind in ("function", "class") else self.text
        return Plan(kind, facts, self.shape, **parts)  # type: ignore[arg-type]

    def by_form(self) -> Plan | None:
        """What the inputs alone demand: a command line, an object's methods, a server."""
        if "cli" in self.shape.forms:
            return self.command_line()
        if "class" in self.shape.forms:
            return self.class_()
        asks = self.shape.forms & {"requests", "request"} or (
            self.shape.forms == {"path"} and _HTTP.search(self.prompt)
        )
        return self.view() or self.found("server") if asks and not self.serves else None

    def command_line(self) -> Plan:
        facts, wanted = self.text, "a program with a command line"
        if not (facts.runs or facts.binds):
            return self.lacking("does nothing when it is run", wanted)
        if self.shape.given and not (facts.takes or facts.reads_argv or facts.reads_stdin):
            return self.lacking("reads no arguments, no standard input and no file", wanted)
        return self.found("program", argv=True)

    def view(self) -> Plan | None:
        """The one function that takes a request of its framework, or the named one of several."""
        if not may_take_requests(self.text):
            return None
        functions = self.facts.functions.values()
        offered = [f for f in functions if takes_request(f, self.shape, self.facts)]
        named = self.best_named([(f, None) for f in offered])
        chosen = named[0] if named else offered[0] if len(offered) == 1 else None
        return self.found("function", function=chosen) if chosen else None

    def server(self) -> Plan | None:
        if not self.serves:
            return None
        strong = bool(self.shape.forms & _SERVERLIKE) or self.shape.status_codes
        best = None if strong else self.best_named(self.callables())
        handlers = {route.handler for route in self.text.routes}
        if best and best[0].name not in handlers and self.fits(best[0]):
            return None
        if self.text.raw_socket and not self.text.is_http:
            return self.found("socket")
        return self.found("server") if strong or _HTTP.search(self.prompt) else None

    def fits(self, function: Function) -> bool:
        return fit(function, self.shape)[1]

    def callables(self) -> list[Callee]:
        """Functions of the module, then methods of its classes that need an object."""
        functions = self.facts.functions.values()
        alone = {place(f) for f in functions}
        methods = [
            (m, c)
            for c in self.facts.classes.values()
            for m in c.methods.values()
            if place(m) not in alone and (not m.name.startswith("__") or m.name == "__call__")
        ]
        return [*((f, None) for f in functions), *methods]

    def mention(self, name: str) -> int:
        """4: "named X"; 3: but for case and _; 2: written like a name; 1: but for these; 0: not."""
        if name in self.explicit:
            return 4
        if plain(name) in {plain(n) for n in self.explicit}:
            return 3
        if name in self.written:
            return 2
        return int(plain(name) in self.alike)

    def best_named(self, offered: list[Callee]) -> Callee | None:
        """What the prompt names; of several, the one that fits, then the first named."""
        scored = [(self.mention(f.name), f, c) for f, c in offered]
        top = max((score for score, _, _ in scored), default=0)
        if not top:
            return None
        best = [(f, c) for score, f, c in scored if score == top]
        return max(best, key=lambda pair: (self.fits(pair[0]), -self.prompt.find(pair[0].name)))

    def is_asked(self, name: str) -> bool:
        """Whether the task asks for this name; what has none, a whole module, goes by any."""
        return not name or plain(name) in self.asked

    def named(self) -> Plan | None:
        """The function that the task names; none is called in its place."""
        offered = self.callables()
        if not self.asked:
            best = self.best_named(offered)
            return self.function(*best) if best else None
        classes = self.facts.classes.values() if self.facts.look else ()
        offered += [(replace(c.init, name=c.name), None) for c in classes]
        offered = [(f, c) for f, c in offered if self.is_asked(f.name)]
        if not offered:
            return self.absent("function")
        return replace(self.function(*(self.best_named(offered) or offered[0])), named=True)

    def absent(self, kind: str) -> Plan:
        """What is said of a program that has not what the task names."""
        asked_for = " or ".join(self.asked.values())
        bound = {plain(name) for name in self.text.bound} & self.asked.keys()
        names = ", ".join(self.asked[name] for name in sorted(bound))
        if bound and self.is_broken:
            what = replace(ANY, name=names) if kind == "function" else Class(names)
            return self.found(kind, named=True, **{"owner" if kind == "class" else kind: what})
        if bound and self.facts.look is None:
            return self.none(f"It is not known how to call what the program names {names}.")
        return self.lacking(f"defines no {kind} {asked_for}", "it")

    def function(self, function: Function, owner: Class | None) -> Plan:
        if owner and not set(owner.init.params[: owner.init.required]) <= set(self.shape.keys):
            needs = ", ".join(owner.init.params[: owner.init.required])
            return self.none(
                f"{function.name} is a method of {owner.name}, whose constructor needs {needs}."
            )
        return self.found("function", function=function, owner=owner)

    def program(self) -> Plan | None:
        """A program that reads its command line or input, where the prompt asks for one."""
        reads = self.text.reads_argv or self.text.reads_stdin
        if not reads or not (_PROGRAM.search(self.prompt) or not self.candidates()):
            return None
        return self.script()

    def script(self) -> Plan | None:
        if not self.text.runs:
            return None
        by_argument = self.text.reads_argv and (
            not self.text.reads_stdin or bool(_ARGUMENT.search(self.prompt))
        )
        return self.found("program", argv=by_argument)

    def candidates(self) -> list[Function]:
        """Functions that could be the answer: public, and not the program's own entry."""
        functions = self.facts.functions.values()
        return [
            f for f in functions if f.name[:1] != "_" and f.name != "main" and len(place(f)) < 2
        ]

    def public(self) -> Plan | None:
        """The only public function; else the one that fits best, if no other fits as well."""
        offered = self.offered()
        if len(offered) < 2:
            return self.function(*offered[0]) if offered else None
        return self.best_fit(offered)

    def offered(self) -> list[Callee]:
        return (
            [(f, None) for f in self.candidates()]
            or [(f, c) for f, c in self.callables() if c or len(place(f)) > 1 if f.name[:1] != "_"]
            or [(f, None) for f in self.facts.functions.values() if f.params]
        )

    def best_fit(self, offered: list[Callee]) -> Plan:
        fits = {id(f): fit(f, self.shape) for f, _ in offered}
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
        """The class that the task names, or a function in its place; else the only one."""
        classes = [c for c in self.facts.classes.values() if not c.name.startswith("_")]
        if self.asked:
            functions = self.facts.functions.values() if self.facts.look else ()
            classes += [Class(f.name, f, path=f.path) for f in functions]
            classes = [c for c in classes if self.is_asked(c.name)]
            if not classes:
                return self.absent("class")
        elif not (classes or self.is_broken or self.text.binds):
            return self.lacking("defines no class", "one")
        top = max((self.mention(c.name) for c in classes), default=0)
        best = [c for c in classes if self.mention(c.name) == top]
        own = [c for c in best if not _is_helper(c)]
        best = own if len(own) == 1 else best
        if len(best) == 1 or self.is_broken:
            return self.found("class", owner=(best or [Class("")])[0], named=bool(self.asked))
        names = ", ".join(c.name for c in best) or "none"
        return self.none(f"The tests construct an object; the public classes are: {names}.")


def _is_helper(owner: Class) -> bool:
    """Whether a class is an exception or an enumeration, which no test constructs."""
    tails = {base.rpartition(".")[2] for base in owner.bases}
    return any(t.endswith(("Error", "Exception", "Enum", "Protocol")) for t in tails)
