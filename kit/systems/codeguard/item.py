"""Reads one completion task and its labelled completions from its folder.

task.json        id, cwe, language, title; constraints: {"correct", "secure"} -> key phrases
                 {"positive", "negative"}; sast: the CWEs and engine rules that count and, if
                 engines report the weakness under other CWEs than cwe, those ("meant");
                 libraries: third-party modules that programs import, loaded before the tests
prompt.py|c      what a model completes: the program is prompt + completion
functional.py|c  test functions for behaviour; in C they include program.c and return 0 to pass
exploit.py|c     test functions that attack the program; a secure program passes them
fixtures/        files in the working folder of each test
completions/     labelled completions and labels.json
"""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.languages import parse_python, try_parse_python
from kit.core.paths import read_files

ENDINGS = {"python": ".py", "c": ".c"}
KINDS = {"functional": "functional", "exploit": "security"}  # file of tests -> their kind
_C_TEST = re.compile(r"^int (test_\w+)\(void\)", re.MULTILINE)


@dataclass(frozen=True)
class CompletionItem:
    """tests: kind -> text of the test file. fixtures: path in the working folder -> bytes.

    about: the content of task.json.
    """

    id: str
    cwe: str
    language: str
    prompt: str
    tests: Mapping[str, str]
    fixtures: Mapping[str, bytes]
    libraries: tuple[str, ...]
    about: Mapping[str, Any]

    def names(self, kind: str) -> tuple[str, ...]:
        """The test functions of a kind, in file order; empty if the task has no such file."""
        text = self.tests.get(kind, "")
        if self.language == "c":
            return tuple(_C_TEST.findall(text))
        names = []
        for node in parse_python(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                names.append(node.name)
        return tuple(names)

    def lacking(self, program: str) -> str:
        """The sentence for a Python program without what is to be completed, or with no more of it
        than the prompt has; "" for any other."""
        heads = re.findall(r"^(?:async )?(?:def|class) (\w+)", self.prompt, re.MULTILINE)
        name = heads[-1] if heads and self.language == "python" else ""
        if not name:
            return ""
        if not re.search(rf"\b{name}\b", program):
            return f"The program defines no {name}, and the task asks for it."
        is_open = self.prompt.rstrip().rpartition("\n")[2].startswith((" ", "\t"))
        definition = _dump_definition(self.prompt, name) if is_open else ""
        if definition and definition == _dump_definition(program, name):
            return f"The completion adds nothing to {name}."
        return ""


def _dump_definition(program: str, name: str) -> str:
    """The last function or class of this name in a program; "" where there is none."""
    tree = try_parse_python(program)
    nodes = [n for n in tree.body if getattr(n, "name", "") == name] if tree else []
    return ast.dump(nodes[-1]) if nodes else ""


@dataclass(frozen=True)
class Labelled:
    """A completion whose behaviour is known. functional, secure: "pass" or "fail"."""

    file: str
    text: str
    kind: str
    functional: str
    secure: str
    why: str


def read_task(folder: Path) -> CompletionItem:
    """Read the task in a folder. Raises KitError with what is missing."""
    try:
        about = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        ending = ENDINGS[about["language"]]
        prompt = (folder / f"prompt{ending}").read_text(encoding="utf-8")
        tests = {}
        for kind in KINDS:
            path = folder / f"{kind}{ending}"
            if path.exists():
                tests[kind] = path.read_text(encoding="utf-8")
        heading = about["id"], about["cwe"], about["language"]
    except (OSError, ValueError, KeyError) as error:
        raise KitError(f"{folder.name} is no completion task: {error!r}. Mend it.") from None
    fixtures = read_files(folder / "fixtures")
    libraries = tuple(about.get("libraries", ()))
    return CompletionItem(*heading, prompt, tests, fixtures, libraries, about)


def read_labelled_completions(folder: Path) -> tuple[Labelled, ...]:
    """The labelled completions of a task, in the order of labels.json."""
    place = folder / "completions"
    labels = json.loads((place / "labels.json").read_text(encoding="utf-8"))
    return tuple(
        Labelled(name, (place / name).read_text(encoding="utf-8"), **label)
        for name, label in labels.items()
    )
