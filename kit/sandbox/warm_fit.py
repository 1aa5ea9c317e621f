"""Which command lines a forked interpreter can run as a fresh one would: decided by parsing.

What a template cannot give is a fact of the interpreter itself: its flags, its memory, its frames
and limits, what /proc says of it, and modules with which a program would look at these. Where such
a thing is named, in an import, as an attribute or in a text, or where what is imported is computed,
the run is a cold one. A program that hides it runs all the same, in the same box, and would see the
differences that warm.py states.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from kit.paths import ROOT
from kit.sandbox.box import ENVIRONMENT
from kit.sandbox.slot import PYTHON

MODULES = frozenset(
    "_ctypes _multiprocessing _posixsubprocess bdb cProfile cffi code codeop ctypes doctest "
    "faulthandler gc imp importlib inspect modulefinder multiprocessing objgraph pdb pkgutil "
    "profile psutil resource runpy site sysconfig trace tracemalloc venv zipimport __main__".split()
)
NAMES = frozenset(
    "ProcessPoolExecutor __import__ __loader__ __spec__ _clear_type_cache _current_frames "
    "_debugmallocstats _getframe call_stack_limit extract_stack f_back f_globals f_locals "
    "get_native_id getallocatedblocks getrecursionlimit getrefcount getsizeof import_module "
    "meta_path native_id orig_argv path_hooks path_importer_cache print_stack relativeCreated "
    "setrecursionlimit settrace setprofile tb_frame walk_stack __subclasses__".split()
)
OF_SYS = frozenset("flags modules warnoptions _xoptions".split())
INBOX = ROOT / "kit/harness/inbox"
FOLDER = ".kit"
KNOWN = ("kit_channel", "kit_encode", "kit_request")  # modules of the harness, loaded beforehand
RUNNERS = ("kit_call", "kit_drive", "kit_dump", "kit_script")  # with which a warm run may begin
SETTINGS = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "MALLOC_", "GLIBC_")
_PROC = re.compile(rb"proc(?:/|\\|%2f)", re.I)
_HIDDEN = re.compile(
    rf"\b(?:import|from)\s+({'|'.join(sorted(MODULES))})\b|\b({'|'.join(sorted(NAMES))})\b"
)


def cold(
    argv: Sequence[str],
    files: Mapping[str, bytes],
    stdin: bytes,
    env: Mapping[str, str],
) -> str:
    """ "" where a template can run this, else why a fresh interpreter must.

    Files of the harness are not looked into.
    """
    if why := command(argv, files):
        return why
    theirs = {place: data for place, data in files.items() if not _ours(place, data)}
    if any(_PROC.search(data) for data in (*theirs.values(), stdin, *map(_bytes, argv))):
        return "it may ask /proc about its process"
    if odd := [n for n, v in env.items() if n.startswith(SETTINGS) and ENVIRONMENT.get(n) != v]:
        return f"{odd[0]} is read when an interpreter starts"
    for place in files:
        if place.partition("/")[0].removesuffix(".py") in sys.stdlib_module_names:
            return f"{place} has the name of a module"
    sources = [data for place, data in theirs.items() if place.endswith(".py")]
    sources += [_bytes(code) for word, code in pairwise(argv) if word == "-c"]
    return next(filter(None, map(needs, sources)), "")


def command(argv: Sequence[str], files: Mapping[str, bytes]) -> str:
    """ "" where the command line is python3 [-I] with a script that is given or with -c."""
    words = list(argv[1:])
    if words[:1] == ["-I"]:
        words.pop(0)
    if argv[:1] != [PYTHON] or not words:
        return "it is no program of Python"
    script = PurePosixPath(words[0])
    if words[0] == "-c" and len(words) > 1:
        return ""
    if words[0] not in files or script.suffix != ".py" or ".." in script.parts:
        return "its command line is more than a script"
    if _ours(words[0], files[words[0]]) and script.stem not in RUNNERS:
        return "it is begun by another program"
    return ""


def request(
    argv: Sequence[str], files: Mapping[str, bytes], env: Mapping[str, str]
) -> dict[str, Any]:
    """What a template's child must know of a command line that fits."""
    words = list(argv[1:])
    isolated = words[:1] == ["-I"]
    script, *rest = words[isolated:]
    inline = script == "-c"
    place = "" if inline else f"/box/{script}"
    ours = not inline and _ours(script, files[script])
    here = {n for n in KNOWN if ours and _ours(p := f"{FOLDER}/{n}.py", files.get(p, b""))}
    folder = str(PurePosixPath(place).parent) if place else ""
    return {
        "environment": {**ENVIRONMENT, **env, "PWD": "/box"},
        "command": list(argv),
        "argv": [script, *rest[inline:]],
        "path": [] if isolated else [folder],
        "place": place,
        "text": rest[0] if inline else None,
        "runner": PurePosixPath(script).stem if ours else "",
        "strange": sorted(set(KNOWN) - here),
    }


@cache
def texts(names: Iterable[str]) -> dict[str, str]:
    """Sources of the harness by the name of their module."""
    return {name: (INBOX / f"{name}.py").read_text() for name in names}


@cache
def _inbox() -> dict[str, bytes]:
    return {f"{FOLDER}/{path.name}": path.read_bytes() for path in INBOX.glob("*.py")}


def _ours(place: str, data: bytes) -> bool:
    return _inbox().get(place) == data


def _bytes(word: str) -> bytes:
    return word.encode(errors="surrogateescape")


@lru_cache(maxsize=256)
def needs(source: bytes) -> str:
    """What of a fresh interpreter this program asks for; "" where nothing, or where it is none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    except (ValueError, RecursionError, MemoryError):
        return "it cannot be parsed"
    return next(_asked(tree), "")


def _asked(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                found = {alias.name.partition(".")[0] for alias in names} & MODULES
            case ast.ImportFrom(module, names):
                found = {(module or "").partition(".")[0]} & MODULES
                found |= {alias.name for alias in names} & NAMES
                if module == "sys":
                    found |= {alias.name for alias in names} & OF_SYS
            case ast.Attribute(ast.Name("sys"), attr) if attr in OF_SYS:
                found = {attr}
            case ast.Attribute(_, name) | ast.Name(name):
                found = {name} & NAMES
            case ast.Constant(str(text)):
                found = {a or b for a, b in _HIDDEN.findall(text)}
            case _:
                continue
        yield from (f"it names {name}" for name in sorted(found))
