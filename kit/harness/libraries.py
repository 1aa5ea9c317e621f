"""Which libraries programs import, which of them the box lacks, and the line that brings each."""

import ast
import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from kit import sandbox
from kit.harness import box_files
from kit.harness.javascript import ENVIRONMENT, NODE
from kit.harness.read import javascript
from kit.languages import parsed
from kit.sandbox.base import Sandbox

LIST = Path(sandbox.__file__).with_name("images") / "languages.txt"
KINDS = {"python3": "python", "node": "javascript"}  # how Debian's names begin; others: headers
# imported under a name that PyPI does not know, and not in Debian
PYPI = {"Crypto": "pycryptodome", "sklearn": "scikit-learn", "cv2": "opencv-python"}
_PROBE = (
    "import importlib.util as u, json, sys; "
    "print(json.dumps([n for n in sys.argv[1:] if u.find_spec(n) is None]))"
)
_NODE_PROBE = (
    "const gone = process.argv.slice(1).filter(n => { try { require.resolve(n); return false } "
    "catch { return true } }); console.log(JSON.stringify(gone))"
)
_NAME = re.compile(r"@[\w.-]+/[\w.-]+|[\w.-]+")


@cache
def packages(language: str) -> dict[str, str]:
    """What programs import, require or include -> the Debian package that brings it.

    The box installs nothing itself: both tiers have what LIST names, once it is installed.
    """
    lines = (line.split() for line in LIST.read_text().splitlines() if not line.startswith("#"))
    return {
        name: package for package, *names in lines for name in names
        if KINDS.get(package.partition("-")[0], "cpp") == language
    }  # fmt: skip


def imported(code: str, language: str) -> frozenset[str]:
    """Names of the libraries that a program needs to load, by parsing alone.

    An import that the program itself guards (try ... except ImportError), its own modules and what
    the language brings are none. Empty for a program that does not parse, and for C and C++, whose
    compiler names what is missing.
    """
    if language == "python":
        tree = parsed(code)
        return frozenset(_imports(tree) - sys.stdlib_module_names) if tree else frozenset()
    if language != "javascript":
        return frozenset()
    try:
        names = javascript.read(code).imports
    except SyntaxError:
        return frozenset()
    outer = (_NAME.match(n) for n in names if not n.startswith((".", "/", "node:")))
    return frozenset(m[0] for m in outer if m)


def _imports(tree: ast.AST) -> set[str]:
    if isinstance(tree, ast.Try) and any(map(_catches_import, tree.handlers)):
        return {n for part in (*tree.handlers, *tree.orelse, *tree.finalbody)
                for n in _imports(part)}  # fmt: skip
    if isinstance(tree, ast.Import):
        return {alias.name.partition(".")[0] for alias in tree.names}
    if isinstance(tree, ast.ImportFrom):
        return set() if tree.level or not tree.module else {tree.module.partition(".")[0]}
    return {name for child in ast.iter_child_nodes(tree) for name in _imports(child)}


def _catches_import(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type else "Exception"
    return bool(re.search(r"\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b", caught))


def lacking(box: Sandbox, programs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """(language, name) -> how many of these (code, language) need it, where the box lacks it."""
    needed: dict[tuple[str, str], int] = {}
    for code, language in programs:
        for name in imported(code, language):
            needed[language, name] = needed.get((language, name), 0) + 1
    gone = {language: _gone(box, language, {n for a, n in needed if a == language})
            for language in {a for a, _ in needed}}  # fmt: skip
    found = {key: n for key, n in needed.items() if key[1] in gone[key[0]]}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _gone(box: Sandbox, language: str, names: set[str]) -> set[str]:
    """Which of these the box cannot find; none where the box itself failed."""
    if language == "python":
        return set(_told(box, [box_files.PYTHON, "-c", _PROBE, *sorted(names)]))
    return set(_told(box, [NODE, "-e", _NODE_PROBE, *sorted(names)]))


def _told(box: Sandbox, line: list[str]) -> list[str]:
    seen = box.run(line, env=ENVIRONMENT, observe=False)
    try:
        return [str(name) for name in json.loads(seen.out)]
    except ValueError:
        return []


def line_for(language: str, name: str) -> str:
    """What to type so that programs find this library."""
    language = {"node": "javascript"}.get(language, language)
    if known := packages(language).get(name):
        return f"apt-get install {known}"
    if language == "javascript":
        return f"write {name} into a package.json, and add --requirements package.json"
    line = f"echo {PYPI.get(name, name)} >> requirements.txt"
    return f"{line}, and add --requirements requirements.txt"


def sentences(gone: Mapping[tuple[str, str], int]) -> list[str]:
    """One line for each library that is lacking, with the line to type."""
    return [
        f"{n} program{'s' * (n != 1)} import{'s' * (n == 1)} {name}, which the box lacks. "
        f"Type: {line_for(language, name)}"
        for (language, name), n in gone.items()
    ]
