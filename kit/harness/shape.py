"""What a task asks for: the shape of its inputs, the names in its prompt, what could be it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from kit.core.records import Task

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
REQUEST_LINE = re.compile(
    rf"(?P<method>{'|'.join(VERBS)})\s+(?P<target>(?:https?://[^/\s]+)?/.*?)"
    r"(?:\s+with\s+(?P<what>[\w ]+?):\s?(?P<body>.*))?",
    re.DOTALL,
)
OPTION = re.compile(r"--?\w[\w-]*")
FILE_KEYS = ("file_path", "file_content")

_WRITTEN = re.compile(
    r"\b(\w*[a-z0-9](?:_+|[A-Z])\w+)\b"  # snake_case, camelCase
    r"|[`'\"](\w+)(?:\([^)`'\"]*\))?[`'\"]"  # quoted
    r"|\b(\w+)\("  # followed by arguments
    r"|\b(?:function|method|class|named|called)\s+(?:(?:named|called)\s+)?[`'\"]?(\w+)"
)
_CLASS = re.compile(r"\bclass\s+(?:(?:named|called)\s+)?[`'\"]?([A-Z]\w*)")
_FUNCTION = re.compile(
    r"\b(?:function|method)\s+(?:(?:named|called)\s+[`'\"]?|[`'\"])(\w+)"
    r"|\b(?:function|method)\s+(\w+)\("
)
_IS_THERE = re.compile(
    r"[^.]*\b(?:is|are)\s+(?:already\s+)?(?:provided|given|available|defined|supplied|there)\b"
)
_TAKING = re.compile(
    r"arg|stdin|input|read|open|get|scan|cin|file|env|path|recv|eval|exec|load|process|system|spawn",
    re.IGNORECASE,
)


def normalize_name(name: str) -> str:
    """A name without case and separators: userId, user_id and "--user-id" are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def classify_input(value: Any) -> str:
    """cli, class, calls, requests, request, path or plain: the most specific form of `value`."""
    if isinstance(value, str):
        if REQUEST_LINE.fullmatch(value):
            return "request"
        return "path" if value.startswith("/") else "plain"
    if not isinstance(value, Mapping):
        return "plain"
    if isinstance(value.get("calls"), list) and set(value) <= {"init", "calls"}:
        return "class" if "init" in value else "calls"
    if isinstance(value.get("requests"), list):
        return "requests"
    if "method" in value and str(value["method"]).upper() in VERBS:
        return "request"
    return "cli" if is_command_line(value) else "plain"


def is_command_line(value: Mapping[str, Any]) -> bool:
    """Whether an object is {"args": [...], "stdin": text, "files": {...}}, any of them."""
    kinds = {"args": list, "stdin": str, "files": dict}
    for key, content in value.items():
        if key not in kinds or not isinstance(content, kinds[key]):
            return False
    return bool(value)


@dataclass(frozen=True)
class Shape:
    """What the inputs of a task look like together."""

    keys: tuple[str, ...] = ()  # of the functional tests, else of the others
    arity: int = 0  # the longest list; 1 for single values; 0 if all are objects
    forms: frozenset[str] = frozenset()
    status_codes: bool = False  # the expected outputs speak of HTTP
    gives: bool = True  # a test gives something
    unsaid: frozenset[str] = frozenset()  # keys that the prompt does not name
    methods: frozenset[str] = frozenset()  # that the tests call, without case and separators


def shape_of(task: Task) -> Shape:
    """The shape of a task's inputs."""
    inputs = []
    functional = []
    status_codes = False
    for test in task.tests:
        if not test.input_file:
            inputs.append(test.input)
            if test.kind == "functional":
                functional.append(test.input)
        if isinstance(test.expected, Mapping) and "status_code" in test.expected:
            status_codes = True
    prompt = normalize_name(task.prompt)
    keys = _list_keys(inputs)
    return Shape(
        keys=_list_keys(functional) or keys,
        arity=_find_arity(functional or inputs),
        forms=frozenset(map(classify_input, inputs)),
        status_codes=status_codes,
        gives=len(inputs) < len(task.tests) or _holds_something(inputs),
        unsaid=frozenset(key for key in keys if normalize_name(key) not in prompt),
        methods=frozenset(_list_methods(inputs)),
    )


def _holds_something(value: Any) -> bool:
    """Whether a value gives a program anything; null, "" and containers of these give nothing."""
    if isinstance(value, Mapping):
        return any(map(_holds_something, value.values()))
    if isinstance(value, list):
        return any(map(_holds_something, value))
    return value not in (None, "")


def _find_arity(inputs: Iterable[Any]) -> int:
    """The most arguments that an input gives in order; one that is no object and no list is one."""
    counts = [0]
    for value in _open_calls(inputs):
        if not isinstance(value, Mapping):
            counts.append(len(value) if isinstance(value, list) else 1)
    return max(counts)


def _list_methods(inputs: Iterable[Any]) -> set[str]:
    """Names of the methods that the inputs call, without case and separators."""
    names = set()
    for value in inputs:
        if classify_input(value) == "class":
            for step in value["calls"]:
                if isinstance(step, list) and step:
                    names.add(normalize_name(str(step[0])))
    return names


def _open_calls(inputs: Iterable[Any]) -> list[Any]:
    """The inputs, each call of a list of calls by itself."""
    opened: list[Any] = []
    for value in inputs:
        if classify_input(value) == "calls":
            opened += value["calls"]
        else:
            opened.append(value)
    return opened


def _list_keys(inputs: Iterable[Any]) -> tuple[str, ...]:
    """Object keys, those of the fullest object first."""
    objects = []
    for value in _open_calls(inputs):
        if isinstance(value, Mapping) and classify_input(value) == "plain":
            objects.append(value)
    objects.sort(key=len, reverse=True)
    return tuple(dict.fromkeys(chain.from_iterable(objects)))


def find_code_names(prompt: str) -> set[str]:
    """What a prompt writes like the name of a function, method or class."""
    return {*chain.from_iterable(_WRITTEN.findall(prompt))} - {""}


def asked_names(prompt: str, *, of_class: bool) -> dict[str, str]:
    """The class, or the function, that a prompt asks for: as it is written, by its plain form.

    What the prompt says is there already is not asked for.
    """
    names = {}
    pattern = _CLASS if of_class else _FUNCTION
    for match in pattern.finditer(prompt):
        if not _IS_THERE.match(prompt, match.end()):
            name = match[match.lastindex or 0]
            names[normalize_name(name)] = name
    return names


def may_take(words: Iterable[str]) -> bool:
    """Whether one of the words of a program sounds like arguments, an input, a file, a child."""
    return any(map(_TAKING.search, words))
