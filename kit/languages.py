"""What tells one programming language from another: names, marks, definitions, whole programs."""

import ast
import re
import threading
import warnings
from typing import Any

from kit.errors import KitError

NAMES = {  # our name: the names that models write after a fence
    "python": "python py python3 py3 ipython python2 sage",
    "javascript": "javascript js node nodejs node.js jsx mjs cjs ecmascript es6",
    "cpp": "c++ cpp cc cxx hpp h++ cplusplus",
    "c": "c h",
    "java": "java",
    "csharp": "c# cs csharp",
    "typescript": "typescript ts tsx",
    "go": "go golang",
    "rust": "rust rs",
    "php": "php",
    "ruby": "ruby rb",
    "other": "kotlin kt swift scala lua perl julia haskell hs elixir dart r matlab asm",
}
ALIASES = {alias: name for name, aliases in NAMES.items() for alias in aliases.split()}
TITLES = {
    "python": "Python",
    "javascript": "JavaScript (Node.js)",
    "cpp": "C++",
    "c": "C",
}  # as prompts call them
EXTENSIONS = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".c": "c", ".java": "java",
}  # fmt: skip
NOT_PROGRAMS = frozenset(
    "bash sh shell zsh fish console terminal shell-session shellsession powershell ps1 cmd bat dos "
    "json json5 jsonc yaml yml toml ini cfg conf env html xml css scss svg sql csv tsv output "
    "stdout diff patch dockerfile makefile cmake log http requirements pip mermaid latex tex "
    "markdown md mdx pycon python-console python-repl pytb traceback regex graphql nginx".split()
)
MARKS = {
    "python": r"^[ \t]*(?:def|class|async def) \w+.*:|^(?:import \w|from [\w.]+ import )|^print\(|"
    r"^\w+ = .+$|^if __name__",
    "javascript": r"\bfunction\b *\w*\(|=>|\b(?:const|let|var) \w+|require\(|console\.log|"
    r"module\.exports|^(?:import|export) ",
    "cpp": r"^[ \t]*#include *[<\"]|\bstd::|\bint main *\(|\bclass \w+ *\{|\bcout *<<",
    "c": r"^[ \t]*#include *[<\"]|\bint main *\(",
    "java": r"\bpublic (?:static |final |abstract )*(?:class|interface|void|int|String)\b|"
    r"^import java",
}
DEFINES = {
    "python": r"^(?:async )?def +(\w+)|^class +(\w+)|^(\w+) *(?::[^=\n]+)?=(?!=)",
    "javascript": r"^(?:export +)?(?:default +)?(?:async +)?function\*? *(\w+)|"
    r"^(?:export +)?class +(\w+)|^(?:export +)?(?:const|let|var) +(\w+)",
    "java": r"^(?:public |final |abstract )*(?:class|interface|enum|record) +(\w+)",
    "c": r"^(?:[\w:<>,]+[ \t*&]+)+(\w+) *\([^;{}]*\)[^;{}]*\{|^(?:class|struct) +(\w+)[^;]*\{",
}
DEFINES["cpp"] = DEFINES["c"]
_warnings_lock = threading.Lock()


def named(language: str) -> str:
    """Our name of a language, whatever its alias. Raises KitError if the kit cannot run it."""
    name = ALIASES.get(language.lower(), "")
    if name not in MARKS:
        raise KitError(f"Unknown language {language!r}. Use one of: {', '.join(sorted(MARKS))}.")
    return name


def of_tag(tag: str) -> str:
    """The language of a fence's tag: ours, "none" (surely no program), or "" (says nothing)."""
    if tag in NOT_PROGRAMS:
        return "none"
    suffix = "." + tag.rpartition(".")[2] if "." in tag else ""
    bare = re.sub(r"-?[\d.]+$", "", tag)  # python3.11, c++17
    return ALIASES.get(tag) or ALIASES.get(bare) or EXTENSIONS.get(suffix, "")


def looks_like(code: str, language: str) -> bool:
    """Could this be a program of the language, broken or not?"""
    return not is_console(code) and re.search(MARKS[language], code, re.MULTILINE) is not None


def is_console(code: str) -> bool:
    """Is this a transcript of a shell or an interpreter?"""
    return code.lstrip().startswith((">>>", "$ ", "In ["))


def defined(code: str, language: str) -> set[str]:
    """The names that the code defines at its top level, also where it does not parse."""
    found = re.finditer(DEFINES[language], code, re.MULTILINE)
    return {name for match in found for name in match.groups() if name}


def used(code: str) -> set[str]:
    """Every word of the code."""
    return set(re.findall(r"[A-Za-z_]\w*", code))


def parsed(code: str) -> ast.Module | None:
    """Python's tree, or None where Python refuses the text."""
    tree = _tree(code, "exec")
    return tree if isinstance(tree, ast.Module) else None


def literal(text: str) -> tuple[Any, ...]:
    """The value of a Python literal, alone in a tuple; () where the text is none."""
    try:
        return (ast.literal_eval(tree),) if (tree := _tree(text.strip(), "eval")) else ()
    except (ValueError, TypeError, MemoryError, RecursionError):
        return ()


def _tree(code: str, mode: str) -> ast.AST | None:
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate's "\\d" is no concern of ours
        try:
            return ast.parse(code, mode=mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def is_python(text: str) -> bool:
    """Does the whole text parse, and do something that prose which happens to parse does not?"""
    tree = parsed(text)
    if tree is None:
        return False
    idle = (ast.Expr, ast.AnnAssign, ast.Pass)
    calls = any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) for n in tree.body)
    return calls or any(not isinstance(node, idle) for node in tree.body)


def whole(code: str, language: str) -> bool:
    """Is the text complete: does it parse (Python), are its brackets balanced (the others)?"""
    if language == "python":
        return parsed(code) is not None
    bare = re.sub(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
        r"|R\"(\w*)\(.*?\)\1\"",
        "",
        code,
        flags=re.DOTALL,
    )
    return all(bare.count(a) == bare.count(b) for a, b in ("()", "[]", "{}"))
