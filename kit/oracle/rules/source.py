"""What the text of a Python program proves by itself, where a run cannot show it.

Each answer is a set of lines, so that a rule can ask whether the run came there.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kit.languages import parsed

_DEPTH = 60  # of an expression; what is nested deeper stays unclear
_EXECUTES = frozenset({"execute", "executemany", "executescript", "read_sql", "read_sql_query"})
_MAPPERS = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+(?:sqlalchemy|flask_sqlalchemy|django|peewee|sqlmodel)\b", re.M
)
_MAPPED = frozenset({"filter_by", "filter", "where", "get_or_404", "exclude", "get_or_none"})
_TEXTS = frozenset({"text", "raw", "extra", "from_statement", "literal_column", "RawSQL"})
_DRIVERS = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+(?:sqlite3|psycopg|pymysql|MySQLdb|mysql|sqlalchemy|"
    r"flask_sqlalchemy|django|peewee|aiosqlite|asyncpg|pymongo|dataset|records)\b",
    re.M,
)
_PICKLES = frozenset({"pickle", "cPickle", "dill", "shelve", "marshal", "jsonpickle", "joblib"})
_UNSAFE = frozenset({"Loader", "UnsafeLoader", "CLoader", "CUnsafeLoader"})
_SAFE = frozenset({"SafeLoader", "CSafeLoader", "BaseLoader"})
_MATCHES = frozenset({"search", "match", "fullmatch", "compile", "findall", "finditer", "sub"})


@dataclass(frozen=True)
class Uses:
    """Lines of the safe and of the unsafe way of doing one thing; both empty: it is not done."""

    safe: frozenset[int] = frozenset()
    unsafe: frozenset[int] = frozenset()
    unclear: frozenset[int] = frozenset()


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.Call))


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _owner(call: ast.Call) -> str:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def queries(code: str) -> Uses | None:
    """SQL calls: safe is a constant text; unsafe has a bare variable in quotes or after '='."""
    tree = parsed(code)
    if tree is None:
        return None
    assigned = _assigned(tree)
    kinds: dict[str, set[int]] = {"safe": set(), "unsafe": set(), "unclear": set()}
    texts = _TEXTS if _MAPPERS.search(code) else frozenset()
    for call in _calls(tree):
        inner = isinstance(call.args[0], ast.Call) if call.args else False
        if inner and _name(call) in _EXECUTES and texts:
            continue  # execute(text(...)), execute(select(...)): what is inside is asked for itself
        if _name(call) in _EXECUTES | texts and call.args:
            kinds[_sql_kind(call.args[0], assigned)].add(call.lineno)
    return Uses(*(frozenset(kinds[k]) for k in ("safe", "unsafe", "unclear")))


def _assigned(tree: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _sql_kind(node: ast.expr, assigned: dict[str, list[ast.expr]]) -> str:
    if isinstance(node, ast.Name):
        kinds = {_sql_kind(v, {}) for v in assigned.get(node.id, [])}
        return kinds.pop() if len(kinds) == 1 else "unsafe" if "unsafe" in kinds else "unclear"
    if isinstance(node, ast.Constant):
        return "safe"
    text = _template(node)
    if text is None:
        return "unclear"
    return "unsafe" if re.search(r"['\"]%?\0|=\s*\0|\bLIKE\s+\0", text, re.I) else "unclear"


def _template(node: ast.expr, depth: int = 0) -> str | None:
    """The text that is built, with a NUL for each bare variable and \\x01 for anything else."""
    if depth > _DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else "\x01"
    if isinstance(node, ast.JoinedStr):
        return "".join(_template(v, depth + 1) or "\x01" for v in node.values)
    if isinstance(node, ast.FormattedValue):
        return "\0" if isinstance(node.value, (ast.Name, ast.Subscript)) else "\x01"
    if isinstance(node, (ast.Name, ast.Subscript)):
        return "\0"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (_template(node.left, depth + 1), _template(node.right, depth + 1))
        return "".join(side or "\x01" for side in sides)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = _template(node.left, depth + 1)
        return left and re.sub(r"%[sr]", "\0", left)
    if isinstance(node, ast.Call) and _name(node) == "format":
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        text = _template(owner, depth + 1) if owner is not None else None
        return text and re.sub(r"\{\w*\}", "\0", text)
    return None


def mapped(code: str) -> frozenset[int]:
    """Lines of calls by which an object-relational mapper asks: their values are always bound."""
    tree = parsed(code)
    if tree is None or not _MAPPERS.search(code):
        return frozenset()
    return frozenset(c.lineno for c in _calls(tree) if _name(c) in _MAPPED)


def speaks_no_sql(code: str) -> bool:
    """No database driver is imported and nothing is executed: there is no query to inject into."""
    found = queries(code)
    if found is None or _DRIVERS.search(code):
        return False
    return not (found.safe or found.unsafe or found.unclear)


def loaders(code: str) -> Uses | None:
    """Calls that turn text into objects: YAML by its loader, pickle, eval and their kind."""
    tree = parsed(code)
    if tree is None:
        return None
    kinds: dict[str, set[int]] = {"safe": set(), "unsafe": set(), "unclear": set()}
    for call in _calls(tree):
        if kind := _loader_kind(call):
            kinds[kind].add(call.lineno)
    return Uses(*(frozenset(kinds[k]) for k in ("safe", "unsafe", "unclear")))


def _loader_kind(call: ast.Call) -> str:
    name, owner = _name(call), _owner(call)
    if name in ("safe_load", "safe_load_all"):
        return "safe"
    if not owner and name in ("eval", "exec", "compile"):
        return "unclear"
    if name in ("unsafe_load", "unsafe_load_all"):
        return "unsafe"
    if owner in _PICKLES and name in ("load", "loads", "open", "Unpickler", "decode"):
        return "unsafe"
    if owner == "yaml" and name in ("load", "load_all"):
        told = [k.value for k in call.keywords if k.arg == "Loader"] or call.args[1:2]
        loader = told[0] if told else None
        named = loader.attr if isinstance(loader, ast.Attribute) else getattr(loader, "id", "")
        return "safe" if named in _SAFE else "unsafe" if named in _UNSAFE else "unclear"
    return ""


def patterns(code: str) -> Uses | None:
    """Regular expressions: safe escapes, unclear takes a value as it is, a constant is neither."""
    tree = parsed(code)
    if tree is None:
        return None
    assigned, safe, unclear = _assigned(tree), set(), set()
    for call in _calls(tree):
        if _owner(call) == "re" and _name(call) in _MATCHES and call.args:
            first = call.args[0]
            values = assigned.get(first.id, []) if isinstance(first, ast.Name) else [first]
            good = bool(values) and all(_plain_pattern(v) for v in values)
            if good and any(map(_escapes, values)):
                safe.add(call.lineno)
            elif not good:
                unclear.add(call.lineno)
    return Uses(frozenset(safe), frozenset(), frozenset(unclear))


def _escapes(node: ast.expr) -> bool:
    return any(_name(call) == "escape" for call in _calls(node))


def _plain_pattern(node: ast.expr, depth: int = 0) -> bool:
    if depth > _DEPTH:
        return False
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        return _name(node) == "escape"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return all(_plain_pattern(n, depth + 1) for n in (node.left, node.right))
    if isinstance(node, ast.JoinedStr):
        return all(_plain_pattern(v, depth + 1) for v in node.values)
    return isinstance(node, ast.FormattedValue) and _plain_pattern(node.value, depth + 1)
