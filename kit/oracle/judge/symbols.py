"""The interfaces that one program uses: its imports and what it calls of them, by parsing."""

import ast
import builtins
import re
from collections.abc import Iterator

from tree_sitter import Node

from kit.harness.read import python as read_python
from kit.harness.read import tree

MOST = 200  # names of one program; a generated one may have thousands
_NAME = re.compile(r"[A-Za-z_@][\w./:@-]{0,120}")


def used(code: str, language: str) -> tuple[str, ...]:
    """Qualified names in the order of the text, each once; empty for what cannot be parsed."""
    readers = {"python": _python, "javascript": _javascript, "cpp": _native, "c": _native}
    found = readers[language](code, language) if language in readers else iter(())
    try:
        names = dict.fromkeys(name for name in found if _NAME.fullmatch(name))
    except (SyntaxError, RecursionError):
        return ()
    return tuple(names)[:MOST]


def _python(code: str, _language: str) -> Iterator[str]:
    nodes = list(ast.walk(read_python.parse(code)))
    own = dict(_imports(nodes))
    yield from dict.fromkeys(own.values())
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Name)):
            head, _, rest = _dotted(node).partition(".")
            if head in own and rest:
                yield f"{own[head]}.{rest}"
            elif head in ("eval", "exec", "compile", "__import__") and hasattr(builtins, head):
                yield head


def _imports(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """(name in the program, what it stands for)."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for a in node.names:
                yield (a.asname, a.name) if a.asname else (a.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for a in node.names:
                yield a.asname or a.name, f"{node.module}.{a.name}"


def _dotted(node: ast.AST) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _javascript(code: str, language: str) -> Iterator[str]:
    nodes = list(tree.walk(tree.parse(code, language)))
    own: dict[str, str] = {}
    for node in nodes:
        if node.type == "import_statement":
            module = tree.text(node.child_by_field_name("source")).strip("'\"`")
            own |= dict(_bound(node, module))
            yield module
        elif node.type == "variable_declarator":
            module = _required(node.child_by_field_name("value"))
            name = node.child_by_field_name("name")
            if module and name is not None:
                own |= dict(_bound(name, module))
                yield module
    for node in nodes:
        if node.type in ("call_expression", "new_expression"):
            callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
            path = tree.text(callee)
            head, _, rest = path.partition(".")
            if head in own and re.fullmatch(r"[\w$.]+", path):
                yield f"{own[head]}.{rest}" if rest else own[head]


def _bound(node: Node, module: str) -> Iterator[tuple[str, str]]:
    """(name in the program, what it stands for) of a require or import."""
    renamed = {"pair_pattern": ("key", "value"), "import_specifier": ("name", "alias")}
    inner: set[int] = set()
    for at in tree.walk(node):
        if at.type in renamed:
            source, local = (at.child_by_field_name(f) for f in renamed[at.type])
            yield tree.text(local or source), f"{module}.{tree.text(source)}"
            inner |= {n.id for n in (source, local) if n is not None}
        elif at.type == "shorthand_property_identifier_pattern":
            yield tree.text(at), f"{module}.{tree.text(at)}"
        elif at.type == "identifier" and at.id not in inner:
            yield tree.text(at), module


def _required(node: Node | None) -> str:
    """The module of `require("x")` or `require("x").y`, or ""."""
    found = re.match(r"""require\(\s*['"`]([^'"`]+)['"`]\s*\)""", tree.text(node))
    return found[1] if found else ""


def _native(code: str, language: str) -> Iterator[str]:
    nodes = list(tree.walk(tree.parse(code, language)))
    defined = {
        tree.text(n.child_by_field_name("declarator"))
        for n in nodes
        if n.type == "function_declarator"
    }
    for node in nodes:
        if node.type == "preproc_include":
            yield tree.text(node.child_by_field_name("path")).strip('<>"')
    for node in nodes:
        if node.type == "call_expression":
            name = tree.text(node.child_by_field_name("function"))
            if name not in defined and re.fullmatch(r"[\w:]+", name):
                yield name
