"""The calls of a program, read from its syntax tree: what it calls, where, and with what.

A rule asks which of them ran; a name alone proves nothing, so names are resolved through imports.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from kit.harness.read import tree
from kit.languages import parsed

CONSTANT, VALUE, BUILT = "constant", "value", "built"  # a text as it stands, given, put together


@dataclass(frozen=True)
class Called:
    """One call. kinds: of each positional argument CONSTANT, VALUE or BUILT (of values)."""

    name: str  # dotted, imports resolved; the receiver is "?" where it has no name
    lines: frozenset[int]
    args: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def tail(self) -> str:
        return self.name.rpartition(".")[2]

    def ran(self, lines: frozenset[int]) -> bool:
        return bool(self.lines & lines)


@lru_cache(maxsize=256)
def calls(code: str, language: str) -> tuple[Called, ...] | None:
    """Every call of a Python or JavaScript program; None for what is not read here."""
    if not code.strip():
        return None
    if language == "python":
        root = parsed(code)
        return tuple(_python(root)) if root is not None else None
    if language == "javascript":
        return tuple(_javascript(tree.parse(code, language)))
    return None


def _python(root: ast.Module) -> Iterator[Called]:
    nodes = list(ast.walk(root))
    aliases = dict(_aliases(nodes))
    texts: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                texts.setdefault(ast.unparse(target), []).append(node.value)
    for node in nodes:
        if isinstance(node, ast.Call):
            yield Called(
                _dotted(node.func, aliases),
                frozenset(range(node.lineno, (node.end_lineno or node.lineno) + 1)),
                tuple(ast.unparse(a) for a in node.args),
                tuple(_kind(a, texts) for a in node.args),
                {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg},
            )


def _aliases(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for a in node.names:
                yield (a.asname, a.name) if a.asname else (a.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module:
            for a in node.names:
                yield a.asname or a.name, f"{node.module}.{a.name}"


def _dotted(node: ast.AST, aliases: Mapping[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    first = aliases.get(node.id, node.id) if isinstance(node, ast.Name) else "?"
    return ".".join([first, *reversed(parts)])


def _kind(node: ast.expr, texts: Mapping[str, list[ast.expr]], depth: int = 0) -> str:
    """Of an expression that is to be a text; a name is what every assignment to it is."""
    if isinstance(node, ast.Constant):
        return CONSTANT
    if depth < 8 and isinstance(node, ast.Name) and (given := texts.get(node.id)):
        kinds = {_kind(g, {}, depth + 1) for g in given}
        return kinds.pop() if len(kinds) == 1 else BUILT if BUILT in kinds else VALUE
    if isinstance(node, ast.JoinedStr):
        plain = all(isinstance(v, ast.Constant) for v in node.values)
        return CONSTANT if plain else BUILT
    if depth < 8 and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = {_kind(n, texts, depth + 1) for n in (node.left, node.right)}
        return CONSTANT if sides == {CONSTANT} else BUILT
    formatted = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if formatted and node.func.attr == "format":  # type: ignore[attr-defined]
        return BUILT
    return VALUE


_JS_CALLS = ("call_expression", "new_expression")


def _javascript(root: Node) -> Iterator[Called]:
    own = {}
    for node in tree.walk(root):
        if node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            if tree.named(value) == "require":
                module = tree.text(value.child_by_field_name("arguments")) if value else ""
                own[tree.named(node, "name")] = module.strip("()'\"` ").removeprefix("node:")
    for node in tree.walk(root):
        if node.type in _JS_CALLS:
            name = tree.named(node) or tree.named(node, "constructor")
            head, dot, rest = name.partition(".")
            listed = node.child_by_field_name("arguments")
            given = [n for n in listed.named_children if n.type != "comment"] if listed else []
            first, last = node.start_point[0] + 1, node.end_point[0] + 1
            yield Called(
                own.get(head, head) + dot + rest,
                frozenset(range(first, last + 1)),
                tuple(tree.text(n)[:400] for n in given),
                tuple(map(_js_kind, given)),
            )


def _js_kind(node: Node) -> str:
    if node.type in ("string", "number", "true", "false", "null", "regex"):
        return CONSTANT
    if node.type == "template_string":
        return BUILT if any(n.type == "template_substitution" for n in node.children) else CONSTANT
    if node.type == "binary_expression":
        sides = [node.child_by_field_name(f) for f in ("left", "right")]
        return CONSTANT if all(n and _js_kind(n) == CONSTANT for n in sides) else BUILT
    return VALUE


INTERPRETERS = frozenset(
    "eval exec compile __import__ os.system os.popen pickle.loads pickle.load marshal.loads "
    "shelve.open dill.loads jsonpickle.decode yaml.load yaml.unsafe_load yaml.full_load "
    "importlib.import_module flask.render_template_string jinja2.Template string.Template "
    "Function setTimeout setInterval document.write insertAdjacentHTML".split()
)
_MODULES = ("subprocess.", "child_process.", "vm.", "vm2.", "os.exec", "os.spawn", "code.")
_TAILS = frozenset({"execute", "executescript", "executemany", "from_string", "xpath", "query"})


def interpreters(code: str, language: str) -> tuple[Called, ...] | None:
    """Calls that take something that is no constant for a language of its own; None: not read."""
    found = calls(code, language)
    if found is None:
        return None
    return tuple(c for c in found if _interprets(c) and set(c.kinds[:1]) != {CONSTANT})


def _interprets(call: Called) -> bool:
    if call.name in ("setTimeout", "setInterval"):
        return call.kinds[:1] == (BUILT,)
    return (
        call.name in INTERPRETERS or call.name.startswith(_MODULES)
        or (call.tail in _TAILS and "." in call.name)
    )  # fmt: skip
