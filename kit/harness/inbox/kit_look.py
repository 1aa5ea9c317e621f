"""In the box: loads the candidate as module "main" and tells what in it can be called, and how."""

import dis
import inspect
import os
import re
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from kit_channel import Caught, Channel, prepare, take_job

OWN = "main"
HELD_BY_NAME = (FunctionType, BuiltinFunctionType, type)
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def is_own(value: Any) -> bool:
    """Whether the program made it; what it imports can be meant by its name alone."""
    if getattr(value, "__module__", "") == OWN:
        return True
    return not isinstance(value, HELD_BY_NAME) and type(value).__module__ in (OWN, "functools")


def names_used(code: CodeType) -> Iterator[str]:
    """The global names that a text of code reads, and that of the standard input."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") or step.argval == "stdin":
            yield step.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_used(inner)


def parameters_of(function: Any, **how: Any) -> list[inspect.Parameter]:
    """Its parameters; those of a function of the interpreter that does not tell them: any."""
    with Caught():
        return [*inspect.signature(function, **how).parameters.values()]
    return [inspect.Parameter("parameters", inspect.Parameter.VAR_POSITIONAL)]


def describe_function(name: str, path: list[str], function: Any, skipped: int = 0) -> Any:
    """skipped: how many leading parameters no caller gives, as the first of a method."""
    positional: list[str] = []
    by_name: list[str] = []
    kinds = set()
    required = 0
    for parameter in parameters_of(function)[skipped:]:
        kinds.add(parameter.kind)
        if parameter.kind in BY_POSITION:
            positional.append(parameter.name)
            required += parameter.default is parameter.empty
        elif parameter.kind is parameter.KEYWORD_ONLY:
            by_name.append(parameter.name)
    outside = parameters_of(function, follow_wrapped=False)[skipped:]
    takes_positions = any(p.kind <= p.VAR_POSITIONAL for p in outside)
    used: set[str] = set()
    with Caught():
        used.update(names_used(inspect.unwrap(function).__code__))
    return {
        "name": name,
        "path": path,
        "params": positional,
        "required": required,
        "keyword_only": by_name,
        "by_position": len(positional) if takes_positions else 0,
        "many": inspect.Parameter.VAR_POSITIONAL in kinds,
        "others": inspect.Parameter.VAR_KEYWORD in kinds,
        "reads_stdin": bool(used & {"input", "stdin", "fileinput"}),
        "calls": sorted(used),
    }


def own_attributes(kind: type) -> list[str]:
    """What the classes of the program among its ancestors define, but special methods."""
    names: dict[str, None] = {}
    for base in kind.__mro__:
        if base is kind or base.__module__ == OWN:
            names.update(dict.fromkeys(vars(base)))
    return [name for name in names if not name.startswith("__") or name == "__call__"]


def describe_methods(kind: type, path: list[str]) -> Iterator[tuple[Any, bool]]:
    """(method, whether the class alone has it, without an object)."""
    for name in own_attributes(kind):
        static = inspect.getattr_static(kind, name)
        is_of_class = isinstance(static, (staticmethod, classmethod))
        value = getattr(kind, name, None)
        if callable(value):
            skipped = 0 if is_of_class or isinstance(static, type) else 1
            yield describe_function(name, [*path, name], value, skipped), is_of_class
        else:
            yield {"name": name, "path": [*path, name]}, False


def describe_value(name: str, value: Any, functions: list[Any], classes: list[Any]) -> None:
    """Adds what a name of the module stands for, where it can be called."""
    is_class = isinstance(value, type)
    if is_class:
        methods = [*describe_methods(value, [name])]
        class_ = {"name": name, "path": [name], "init": describe_function("", [name], value)}
        class_["methods"] = {method["name"]: method for method, _ in methods}
        class_["bases"] = [base.__name__ for base in value.__mro__[1:]]
        classes.append(class_)
        for method, is_of_class in methods:
            if is_of_class:
                functions.append(method)
    elif callable(value):
        functions.append(describe_function(name, [name], value))
    if type(value).__module__ == OWN and not is_class:
        functions += [method for method, _ in describe_methods(type(value), [name])]


def look(module: ModuleType, wanted: set[str]) -> dict[str, list[Any]]:
    functions: list[Any] = []
    classes: list[Any] = []
    for name, value in [*vars(module).items()]:
        with Caught():  # some values stand for others, which are not there now
            is_wanted = re.sub("[^a-z0-9]", "", name.lower()) in wanted
            if not name.startswith("__") and (is_own(value) or is_wanted):
                describe_value(name, value, functions, classes)
    return {"functions": functions, "classes": classes}


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    job = take_job()
    sys.argv = ["main.py"]
    module, code = prepare(OWN)
    caught = Caught()
    with caught:
        exec(code, module.__dict__)
    ended = type(caught.error).__name__ if caught.error else ""
    channel.write({"kind": "look", "ended": ended, **look(module, {*job["wanted"]})})
    os._exit(0)


main()
