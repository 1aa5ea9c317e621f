"""One table of the programming languages that the kit knows, and questions to a text in one."""

import ast
import re
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kit.core.errors import KitError


@dataclass(frozen=True)
class Language:
    """The facts about one language; those that the kit does not need are empty."""

    name: str
    tags: str  # what models write after a fence
    label: str = ""  # as a reader knows it
    title: str = ""  # as prompts call it
    extensions: tuple[str, ...] = ()
    marks: str = ""  # a pattern that every program of it matches, broken or not
    program: str = ""  # the file that the harness makes of an answer; "": the kit cannot run it
    folder: str = ""  # of kit/harness/languages, which reads and starts programs of the language
    command: tuple[str, ...] = ()  # the interpreter, or the compiler and its standard
    package: str = ""  # of Debian, with the command
    errors: tuple[str, ...] = ()  # named like exceptions of Python, and raised on purpose
    accidents: str = ""  # a pattern of messages that only its runtime writes
    absent: str = ""  # what its runtime says of a library {name} that is not there
    debian: str = ""  # the prefix of Debian's packages of its libraries
    requirements: str = "requirements.txt"  # the file in which users name further libraries
    fixed_fields: bool = False  # an object has each field of its type, whether it was set or not
    truths_are_numbers: bool = False  # 1 is what programs give for true, and 0 for false


_TABLE = (
    Language(
        "python",
        "python py python3 py3 ipython python2 sage",
        label="Python",
        title="Python",
        extensions=(".py",),
        marks=r"^[ \t]*(?:def|class|async def) \w+.*:|^(?:import \w|from [\w.]+ import )|^print\(|"
        r"^\w+(?: = .|=\w)|^if __name__",
        program="main.py",
        folder="python",
        command=("/usr/bin/python3",),
        package="python3",
        absent="No module named '{name}'",
        debian="python3",
    ),
    Language(
        "javascript",
        "javascript js node nodejs node.js jsx mjs cjs ecmascript es6",
        label="JavaScript",
        title="JavaScript (Node.js)",
        extensions=(".js", ".mjs", ".cjs"),
        marks=r"\bfunction\b *\w*\(|=>|\b(?:const|let|var) \w+|require\(|console\.log|"
        r"module\.exports|^(?:import|export) ",
        program="main.js",
        folder="javascript",
        command=("/usr/bin/node",),
        package="nodejs",
        errors=("TypeError", "SyntaxError", "ReferenceError"),
        accidents=r"Cannot (read|set) propert|is not (a function|iterable|defined)|"
        r"Maximum call stack|Cannot convert undefined|Invalid (array|string) length|"
        r"of (null|undefined)\b",
        absent="Cannot find module '{name}'",
        debian="node",
        requirements="package.json",
    ),
    Language(
        "cpp",
        "c++ cpp cc cxx hpp h++ cplusplus",
        label="C++",
        title="C++",
        extensions=(".cpp", ".cc", ".cxx"),
        marks=r"^[ \t]*#include *[<\"]|\bstd::|\bint main *\(|\bclass \w+ *\{|\bcout *<<",
        program="main.cpp",
        folder="cpp",
        command=("/usr/bin/g++", "-std=gnu++20"),
        package="g++",
        fixed_fields=True,
    ),
    Language(
        "c",
        "c h",
        label="C",
        title="C",
        extensions=(".c",),
        marks=r"^[ \t]*#include *[<\"]|\bint main *\(",
        program="main.c",
        folder="cpp",
        command=("/usr/bin/gcc", "-std=gnu17"),
        package="gcc",
        fixed_fields=True,
        truths_are_numbers=True,
    ),
    Language(
        "java",
        "java",
        label="Java",
        title="Java",
        extensions=(".java",),
        marks=r"\bpublic (?:static |final |abstract )*(?:class|interface|void|int|String)\b|"
        r"^import java",
        command=("/usr/bin/javac",),
        package="openjdk-17-jdk-headless",
    ),
    Language("csharp", "c# cs csharp"),
    Language("typescript", "typescript ts tsx"),
    Language("go", "go golang"),
    Language("rust", "rust rs"),
    Language("php", "php", label="PHP"),
    Language("ruby", "ruby rb"),
    Language("other", "kotlin kt swift scala lua perl julia haskell hs elixir dart r matlab asm"),
)
LANGUAGES: Mapping[str, Language] = {language.name: language for language in _TABLE}
RUN = tuple(language.name for language in _TABLE if language.program)
ALIASES: dict[str, str] = {}
EXTENSIONS: dict[str, str] = {}
for _row in _TABLE:
    ALIASES |= dict.fromkeys(_row.tags.split(), _row.name)
    EXTENSIONS |= dict.fromkeys(_row.extensions, _row.name)
NOT_PROGRAMS = frozenset(
    "bash sh shell zsh fish console terminal shell-session shellsession powershell ps1 cmd bat dos "
    "json json5 jsonc yaml yml toml ini cfg conf env html xml css scss svg sql csv tsv output "
    "stdout diff patch dockerfile makefile cmake log http requirements pip mermaid latex tex "
    "markdown md mdx pycon python-console python-repl pytb traceback regex graphql nginx".split()
)
_parser = threading.Lock()


def resolve_alias(language: str) -> str:
    """The kit's name of a language, from any alias. KitError for an unknown one."""
    name = ALIASES.get(language.lower(), "")
    names = sorted(one.name for one in _TABLE if one.marks)
    if name not in names:
        raise KitError(f"Unknown language {language!r}. Use one of: {', '.join(names)}.")
    return name


def require_runnable(language: str) -> Language:
    """The row of a language that the harness can run. Raises KitError for any other."""
    if language not in RUN:
        raise KitError(f"Unknown language {language!r}. Use one of: {', '.join(RUN)}.")
    return LANGUAGES[language]


def of_tag(tag: str) -> str:
    """The language of a fence's tag: a name, "none" (surely no program), or "" (unknown)."""
    if tag in NOT_PROGRAMS:
        return "none"
    without_version = re.sub(r"-?[\d.]+$", "", tag)  # python3.11, c++17
    for name in (tag, without_version):
        if name in ALIASES:
            return ALIASES[name]
    _, dot, suffix = tag.rpartition(".")
    return EXTENSIONS.get(dot + suffix, "")


def looks_like(code: str, language: str) -> bool:
    """Could this be a program of the language, broken or not?"""
    matched = re.search(LANGUAGES[language].marks, code, re.MULTILINE)
    return matched is not None and not is_console(code)


def is_console(code: str) -> bool:
    """Is this a transcript of a shell or an interpreter?"""
    return code.lstrip().startswith((">>>", "$ ", "In ["))


def try_parse_python(code: str) -> ast.Module | None:
    """Python's tree, or None for a text that Python refuses."""
    try:
        return parse_python(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_literal(text: str) -> tuple[Any, ...]:
    """The value of a Python literal, alone in a tuple; () for any other text."""
    try:
        return (ast.literal_eval(parse_expression(text.strip())),)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return ()


def parse_python(code: str | bytes, *, compiles: bool = False) -> ast.Module:
    """Python's tree of a text; raises as `ast.parse`, and with `compiles` also as `compile`.

    The interpreter reads bytes, in the encoding that the first lines name, and so is it read here.
    """
    raw = code.encode() if isinstance(code, str) else code
    tree: ast.Module = _parse_under_lock(raw, "exec", compiles=compiles)
    return tree


def parse_expression(text: str) -> ast.Expression:
    """Python's tree of an expression; raises as `ast.parse`."""
    tree: ast.Expression = _parse_under_lock(text, "eval")
    return tree


def _parse_under_lock(code: str | bytes, mode: str, *, compiles: bool = False) -> Any:
    """All threads parse here, one at a time: CPython 3.11 counts the depth of all their trees as
    one, and a switch of threads amid a tree ends in a SystemError."""
    with _parser, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate's "\\d" is no concern of ours
        tree = ast.parse(code, mode=mode)
        if compiles:
            compile(code, "main.py", mode, dont_inherit=True)
    return tree


def is_complete(code: str, language: str) -> bool:
    """Is the text complete: does it parse (Python), are its brackets balanced (the others)?"""
    if language == "python":
        return try_parse_python(code) is not None
    bare = re.sub(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
        r"|R\"(\w*)\(.*?\)\1\"",
        "",
        code,
        flags=re.DOTALL,
    )
    return all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}"))
