"""Decides how a program is called, from its facts, the prompt and the shape of the inputs.

Which parameter each part of an input goes to is the next step: calls.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from kit.core.records import Status, Task
from kit.harness.facts import ANY, Class, Facts, Function, path_in_module
from kit.harness.shape import (
    FILE_KEYS,
    Shape,
    asked_names,
    find_code_names,
    normalize_name,
    shape_of,
)

Reader = Callable[[str], Facts]
Look = Callable[[Facts], Facts]  # the facts with what can be called in the loaded program
_HTTP = re.compile(r"\b(https?|endpoint|route|web (server|application|service)|REST)\b", re.I)
_PROGRAM = re.compile(
    r"\b(program|script|tool|utility|stdin|standard input|command[- ]line)\b", re.I
)
_ARGUMENT = re.compile(r"\b(command[- ]line|arguments?|argv)\b", re.I)
_REQUEST = ("request", "req")  # what views call their one argument


class Unmappable(Exception):
    """An input that fits no call of this program; its text is one sentence."""


class Unfit(Unmappable):
    """What was chosen does not take this input."""


@dataclass(frozen=True)
class Plan:
    """The decision. kind: function, view, class, program, server, socket; or lacking or none.

    view: a function that takes a request of its framework. lacking: the program has nothing that
    could be what the task asks for. none: the kit cannot tell how it is called. `reason` says why.
    `owner` is the class of a method; `function` is what is called; `argv`: a program's single value
    goes to its command line, not to its standard input. named: the task names what is called.
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


def plan_call(code: str, read: Reader, task: Task, look: Look | None = None) -> Plan:
    """The plan for a program; what cannot be decided is kind "none" with a reason in a sentence.

    look: where what can be called is not read from the text, but looked at in the loaded program.
    """
    try:
        facts = read(code)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        reason = f"The program does not compile{where}: {error.msg}."
        return Plan("none", status=Status.COMPILE_ERROR, reason=reason)
    return _Choice(facts, task.prompt, shape_of(task), look).decide()


def list_argument_keys(keys: Iterable[str], shape: Shape) -> list[str]:
    """The keys that go to arguments: all but those of a file that is made before the call."""
    has_file = set(FILE_KEYS) <= set(shape.keys)
    return [key for key in keys if not (has_file and key in FILE_KEYS)]


def measure_fit(function: Function, shape: Shape) -> tuple[int, bool]:
    """How well a function fits the inputs: how many names agree, and whether the count does."""
    wanted = set(map(normalize_name, list_argument_keys(shape.keys, shape)))
    parameters = function.all_parameters
    count = len(wanted) or shape.arity
    takes_all = function.many or function.others or count <= len(parameters)
    agreeing = wanted.intersection(map(normalize_name, parameters))
    return len(agreeing), function.required <= count and takes_all


def _is_public(function: Function) -> bool:
    return function.name[:1] != "_" and function.name != "main"


class _Choice:
    """text: the facts that the text alone gives. facts: those of the program, loaded if need be."""

    def __init__(self, text: Facts, prompt: str, shape: Shape, look: Look | None) -> None:
        self.text = text
        self.prompt = prompt
        self.shape = shape
        self.look = look
        self.written_names = find_code_names(prompt)
        self.plain_names = set(map(normalize_name, self.written_names))
        self.asked = asked_names(prompt, of_class="class" in shape.forms)

    @cached_property
    def facts(self) -> Facts:
        return self.look(self.text) if self.look else self.text

    def decide(self) -> Plan:
        """The first of the ways of calling, from the most explicit, that this program offers."""
        ways = (
            self.take_form,
            self.take_server,
            self.take_named,
            self.refuse_idle,
            self.take_program,
            self.take_public,
            self.take_broken,
            self.take_script,
        )
        for way in ways:
            plan = way()
            if plan:
                return plan
        return self.give_up("The program defines nothing that could be called and does nothing.")

    def give_up(self, reason: str) -> Plan:
        return Plan("none", status=Status.HARNESS_ERROR, reason=reason)

    def refuse_program(self, reason: str, wanted: str = "") -> Plan:
        asks = f", and the task asks for {wanted}" if wanted else ""
        return Plan("lacking", reason=f"The program {reason}{asks}.")

    def choose(self, kind: str, **parts: object) -> Plan:
        facts = self.facts if kind in ("function", "view", "class") else self.text
        return Plan(kind, facts, self.shape, **parts)  # type: ignore[arg-type]

    @property
    def is_broken(self) -> bool:
        """Whether an error ended the load: the test will show it, whatever is called."""
        return self.facts.look is not None and bool(self.facts.look.ended)

    # ---- the ways ----

    def take_form(self) -> Plan | None:
        """What the inputs alone demand: a command line, an object's methods, a server."""
        forms = self.shape.forms
        if "cli" in forms:
            return self.take_command_line()
        if "class" in forms:
            return self.take_class()
        if self.text.serves:
            return None
        is_web_path = forms == {"path"} and _HTTP.search(self.prompt)
        if is_web_path or forms & {"requests", "request"}:
            return self.take_view() or self.choose("server")
        return None

    def take_command_line(self) -> Plan:
        text = self.text
        wanted = "a program with a command line"
        if not (text.runs or text.binds):
            return self.refuse_program("does nothing when it is run", wanted)
        if self.shape.gives and not (text.takes or text.reads_argv or text.reads_stdin):
            return self.refuse_program("reads no arguments, no standard input and no file", wanted)
        return self.choose("program", argv=True)

    def take_class(self) -> Plan:
        """The class that the task names, or a function in its place; else the only one."""
        classes = [c for c in self.facts.classes.values() if not c.name.startswith("_")]
        if self.asked:
            if self.facts.look:
                for function in self.facts.functions.values():
                    classes.append(Class(function.name, function, path=function.path))
            classes = list(filter(self.is_asked, classes))
            if not classes:
                return self.report_absence("class")
        elif not (classes or self.is_broken or self.text.binds):
            return self.refuse_program("defines no class", "one")
        for is_meant in (self.is_written, self.is_named, _is_object_class):
            classes = list(filter(is_meant, classes)) or classes
        if len(classes) == 1 or self.is_broken:
            owner = classes[0] if classes else Class("")
            return self.choose("class", owner=owner, named=bool(self.asked))
        names = ", ".join(c.name for c in classes) or "none"
        return self.give_up(f"The tests construct an object; the public classes are: {names}.")

    def take_view(self) -> Plan | None:
        """The one function that takes a request of its framework, or the named one of several."""
        if not self.text.framework:
            return None
        views = list(filter(self.takes_request, self.facts.functions.values()))
        view = views[0] if len(views) == 1 else self.find_named(views)
        return self.choose("view", function=view) if view else None

    def take_server(self) -> Plan | None:
        if not self.text.serves:
            return None
        is_served = self.shape.forms & {"path", "request", "requests"} or self.shape.status_codes
        if not is_served:
            best = self.find_named(self.list_callables())
            handlers = {route.handler for route in self.text.routes}
            if best and best.name not in handlers and self.can_take_inputs(best):
                return None
        if self.text.serves == "socket":
            return self.choose("socket")
        if is_served or _HTTP.search(self.prompt):
            return self.choose("server")
        return None

    def take_named(self) -> Plan | None:
        """The function that the task names; none is called in its place."""
        offered = self.list_callables()
        if not self.asked:
            best = self.find_named(offered)
            return self.take_function(best) if best else None
        if self.facts.look:
            for owner in self.facts.classes.values():
                offered.append(replace(owner.init, name=owner.name))
        offered = list(filter(self.is_asked, offered))
        if not offered:
            return self.report_absence("function")
        return replace(self.take_function(self.find_named(offered) or offered[0]), named=True)

    def refuse_idle(self) -> Plan | None:
        """A program that takes nothing of what the tests give, however it is called."""
        text = self.text
        if text.takes or (text.runs and not self.shape.gives):
            return None
        if self.facts.functions or self.facts.classes or self.is_broken:
            return None
        return self.refuse_program("defines nothing that could be called and reads no input")

    def take_program(self) -> Plan | None:
        """A program that reads its command line or input, where the prompt asks for one."""
        if not (self.text.reads_argv or self.text.reads_stdin):
            return None
        if _PROGRAM.search(self.prompt) or not self.list_candidates():
            return self.take_script()
        return None

    def take_public(self) -> Plan | None:
        """The only public function; else the one that fits best, if no other fits as well."""
        offered = self.list_candidates()
        if not offered:
            offered = list(filter(_is_public, self.list_callables()))
        if not offered:
            offered = [f for f in self.facts.functions.values() if f.params]
        if not offered:
            return None
        best_fit = max(measure_fit(f, self.shape) for f in offered)
        best = [f for f in offered if measure_fit(f, self.shape) == best_fit]
        if len(best) > 1:
            called = set[str]()
            for function in offered:
                called |= function.calls - {function.name}
            roots = [f for f in best if f.name not in called]
            if len(roots) != 1:
                names = ", ".join(f.name for f in best)
                return self.give_up(
                    f"The prompt names none of the functions {names}, and all fit alike."
                )
            best = roots
        return self.take_function(best[0])

    def take_broken(self) -> Plan | None:
        """A call of anything, where names are there and an error ended the load."""
        if self.is_broken and self.text.bound:
            return self.choose("function", function=ANY)
        return None

    def take_script(self) -> Plan | None:
        if not self.text.runs:
            return None
        asks = not self.text.reads_stdin or _ARGUMENT.search(self.prompt)
        return self.choose("program", argv=self.text.reads_argv and bool(asks))

    # ---- what they choose from ----

    def list_callables(self) -> list[Function]:
        """Functions of the module, then methods of its classes that need an object."""
        functions = [*self.facts.functions.values()]
        paths = set(map(path_in_module, functions))
        return functions + [m for m in self.facts.methods if path_in_module(m) not in paths]

    def list_candidates(self) -> list[Function]:
        """Functions that could be the answer: public, and not the program's own entry."""
        public = filter(_is_public, self.facts.functions.values())
        return [f for f in public if len(path_in_module(f)) < 2]

    def can_take_inputs(self, function: Function) -> bool:
        return measure_fit(function, self.shape)[1]

    def is_written(self, item: Function | Class) -> bool:
        return item.name in self.written_names

    def is_named(self, item: Function | Class) -> bool:
        return normalize_name(item.name) in self.plain_names

    def find_named(self, offered: list[Function]) -> Function | None:
        """What the prompt names; of several, what it writes so, what fits, the first named."""

        def rank_function(function: Function) -> tuple[bool, bool, int]:
            place = -self.prompt.find(function.name)
            return self.is_written(function), self.can_take_inputs(function), place

        return max(filter(self.is_named, offered), key=rank_function, default=None)

    def is_asked(self, item: Function | Class) -> bool:
        """Whether the task asks for this name; what has none, a whole module, goes by any."""
        return not item.name or normalize_name(item.name) in self.asked

    def takes_request(self, function: Function) -> bool:
        """Whether it is a view: its one argument is a request, or it reads Flask's own."""
        if not self.text.framework:
            return False
        needed = function.required_parameters
        if len(needed) == 1 and needed[0] in _REQUEST and needed[0] not in self.shape.keys:
            return True
        takes_nothing = not function.params and not function.many
        return takes_nothing and "flask" in self.text.imports and bool(self.text.request_reads)

    def take_function(self, function: Function) -> Plan:
        owner = self.find_owner(function)
        if owner is None:
            kind = "view" if self.takes_request(function) else "function"
            return self.choose(kind, function=function)
        needed = owner.init.required_parameters
        if not set(needed) <= set(self.shape.keys):
            method = f"{function.name} is a method of {owner.name}"
            return self.give_up(f"{method}, whose constructor needs {', '.join(needed)}.")
        return self.choose("function", function=function, owner=owner)

    def find_owner(self, method: Function) -> Class | None:
        for owner in self.facts.classes.values():
            if any(each is method for each in owner.methods.values()):
                return owner
        return None

    def report_absence(self, kind: str) -> Plan:
        """What is said of a program that has not what the task names."""
        bound = set(map(normalize_name, self.text.bound)) & self.asked.keys()
        names = ", ".join(self.asked[name] for name in sorted(bound))
        if bound and self.is_broken:
            if kind == "class":
                return self.choose(kind, owner=Class(names), named=True)
            return self.choose(kind, function=replace(ANY, name=names), named=True)
        if bound and self.facts.look is None:
            return self.give_up(f"It is not known how to call what the program names {names}.")
        return self.refuse_program(f"defines no {kind} {' or '.join(self.asked.values())}", "it")


def _is_object_class(owner: Class) -> bool:
    """Whether a class is no exception or enumeration, which no test constructs."""
    return not any(b.endswith(("Error", "Exception", "Enum", "Protocol")) for b in owner.bases)
