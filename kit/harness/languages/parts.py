"""Reads a text as its language does: its statements, what each of them defines and what it needs.

Places are bytes of the text, which is what both parsers count.
"""

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from tree_sitter import Node

from kit.harness.languages import tree
from kit.languages import parsed, whole

WHOLE, ASYNC, SKETCH = "whole", "async", "sketch"


@dataclass(frozen=True)
class Part:
    """One statement.

    defines: functions, classes and members ("Account.deposit"), each with its state; a SKETCH has
    no body that does something. imports: of `binds`, what another file defines; needs: names that
    it does not bind itself; local: names that it binds at any depth. inside: where its body
    begins. returns: outside of any function of its own.
    """

    node: Any
    start: int
    inside: int
    end: int
    defines: Mapping[str, str]
    binds: frozenset[str]
    imports: frozenset[str]
    needs: frozenset[str]
    local: frozenset[str]
    parameters: tuple[str, ...] = ()
    returns: bool = False


@dataclass(frozen=True)
class Reading:
    """A text that its language accepts, statement by statement."""

    code: bytes
    language: str
    parts: tuple[Part, ...]

    @property
    def defines(self) -> dict[str, str]:
        return {name: state for part in self.parts for name, state in part.defines.items()}

    @property
    def binds(self) -> set[str]:
        return {name for part in self.parts for name in part.binds}

    @property
    def needs(self) -> set[str]:
        return {name for part in self.parts for name in part.needs} - self.binds

    @property
    def imports(self) -> set[str]:
        return {name for part in self.parts for name in part.imports}

    def inner(self, part: Part) -> tuple[Part, ...]:
        """The statements in the body of a part."""
        return _statements(self.code, part.node, self.language)


@lru_cache(maxsize=512)
def read(text: str, language: str) -> Reading | None:
    """The reading of a text; None for one that the language refuses."""
    code = text.encode(errors="replace")
    try:
        root: Any = parsed(text) if language == "python" else tree.parse(text, language)
        reading = Reading(code, language, _statements(code, root, language))
    except RecursionError:
        return None
    if language == "python":
        return reading if root else None
    # A grammar does not know every macro; what balances and defines something is no prose.
    is_likely = WHOLE in reading.defines.values() and whole(text, language)
    return reading if is_likely or not root.has_error else None


def _statements(code: bytes, node: Any, language: str) -> tuple[Part, ...]:
    if language == "python":
        return tuple(_read_python(code, inner) for inner in getattr(node, "body", ()))
    body = node.child_by_field_name("body") if node.parent else node
    return tuple(_read_node(n) for n in body.named_children if n.type != "comment") if body else ()


@lru_cache(maxsize=64)
def _line_starts(code: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in code.split(b"\n"))]


def _walk_outside(
    node: Any, children: Callable[[Any], Iterable[Any]], is_scope: Callable[[Any], bool]
) -> Iterator[Any]:
    """The node and what lies below it, but not what lies within functions and classes."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        if not is_scope(at):
            stack.extend(children(at))


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _read_python(code: bytes, node: Any) -> Part:
    starts = _line_starts(code)

    def end_of(at: Any) -> int:
        return int(starts[at.end_lineno - 1] + at.end_col_offset)

    def start_of(at: Any) -> int:
        return int(starts[at.lineno - 1] + at.col_offset)

    every = list(ast.walk(node))
    own = list(_walk_outside(node, ast.iter_child_nodes, lambda n: isinstance(n, _SCOPES)))
    start, inside = start_of(node), end_of(node)
    if body := getattr(node, "body", None):
        ends = [end_of(n) for n in every if hasattr(n, "end_lineno")]
        head = max((at for at in ends if start < at < start_of(body[0])), default=start)
        inside = code.index(b":", head) + 1
    local = {name for n in every for name in _bound(n)}
    reads = {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return Part(
        node=node,
        start=min([start, *(start_of(mark) - 1 for mark in getattr(node, "decorator_list", ()))]),
        inside=inside,
        end=end_of(node),
        defines=dict(_defined(node)),
        binds=frozenset(name for n in own for name in _bound(n)),
        imports=frozenset(name for n in own if isinstance(n, ast.alias) for name in _bound(n)),
        needs=frozenset(reads - local - {*dir(builtins), "__file__"}),
        local=frozenset(local),
        parameters=tuple(n.arg for n in every if isinstance(n, ast.arg)),
        returns=any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in own),
    )


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(name, ast.Store()) | ast.arg(name):
            yield name
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.alias(name, other):
            yield other or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name


def _defined(node: ast.stmt) -> Iterator[tuple[str, str]]:
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            is_async = isinstance(node, ast.AsyncFunctionDef)
            yield name, SKETCH if _is_idle(node) else ASYNC if is_async else WHOLE
        case ast.ClassDef(name):
            members = [pair for inner in node.body for pair in _defined(inner)]
            methods = {state for _, state in members}
            is_idle = _is_idle(node) and not node.bases
            yield name, SKETCH if methods == {SKETCH} or is_idle else WHOLE
            yield from ((f"{name}.{member}", state) for member, state in members)
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            yield name, WHOLE
        case ast.If() | ast.Try():
            yield from (pair for inner in node.body for pair in _defined(inner))


def _is_idle(node: Any) -> bool:
    """Whether a body does nothing: a docstring, "...", pass, an exception."""
    kinds = {type(n) for n in node.body}
    texts = [n.value for n in node.body if isinstance(n, ast.Expr)]
    elided = any(isinstance(t, ast.Constant) and t.value is ... for t in texts)
    constant = all(isinstance(t, ast.Constant) for t in texts)
    return elided or (constant and kinds <= {ast.Expr, ast.Pass, ast.Raise})


_CLASSES = frozenset(
    "class class_declaration class_specifier struct_specifier union_specifier enum_specifier "
    "interface_declaration enum_declaration record_declaration".split()
)
_FUNCTIONS = frozenset(
    "function_definition function_declaration generator_function_declaration method_definition "
    "method_declaration constructor_declaration arrow_function function_expression "
    "generator_function lambda_expression".split()
)
_ROOMS = frozenset(
    "export_statement declaration lexical_declaration variable_declaration type_definition "
    "field_declaration template_declaration linkage_specification namespace_definition "
    "declaration_list preproc_if preproc_ifdef preproc_else expression_statement".split()
)
_NEEDED = frozenset(
    "identifier type_identifier shorthand_property_identifier namespace_identifier".split()
)
_WORDS = _NEEDED | set(
    "field_identifier property_identifier shorthand_property_identifier_pattern "
    "qualified_identifier".split()
)
_INSIDES = frozenset(
    "compound_statement statement_block block field_declaration_list class_body enum_body "
    "interface_body parameter_list formal_parameters".split()
)
_USES = frozenset({"method_invocation", "scoped_identifier", "qualified_identifier"})
_IMPORTS = frozenset({"import_statement", "import_declaration", "preproc_include"})


def _read_node(node: Node) -> Part:
    nodes, body = list(tree.walk(node)), node.child_by_field_name("body")
    own = _walk_outside(node, lambda n: n.children, lambda n: n.type in _INSIDES)
    words = {tree.text(n) for n in nodes if n.type in _NEEDED}
    local = {name for n in nodes for name in _named(n) if name}
    is_import = node.type in _IMPORTS or any(tree.part(n, "function") == "require" for n in nodes)
    binds = frozenset(local if is_import else {name for n in own for name in _named(n) if name})
    lists = [n for n in nodes if n.type == "parameter_list"]
    return Part(
        node=node,
        start=node.start_byte,
        inside=body.start_byte + 1 if body else node.end_byte,
        end=node.end_byte,
        defines={} if is_import else {name: state for name, state in _defined_by(node) if name},
        binds=binds,
        imports=binds if is_import else frozenset(),
        needs=frozenset(words - local),
        local=frozenset(local),
        parameters=tuple(map(_leaf, lists[0].named_children if lists else ())),
    )


def _leaf(node: Node | None) -> str:
    """The name within pointers, references, brackets and parameters."""
    while node is not None and node.type not in _WORDS:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        node = inner or next((n for n in node.named_children if n.type in _WORDS), None)
    return tree.text(node).replace("::", ".")


def _named(node: Node) -> Iterator[str]:
    """The names that this one node gives to something."""
    kind, children = node.type, node.named_children
    is_use = kind in _CLASSES and node.child_by_field_name("body") is None
    if kind in ("import_specifier", "import_declaration"):
        yield tree.text(children[-1])
    elif kind == "preproc_include":
        yield tree.part(node, "path")
    elif kind == "assignment_expression" and "exports" in tree.part(node, "left"):
        yield tree.part(node, "left")
    elif "pattern" in kind or kind in ("formal_parameters", "import_clause"):
        yield from (_leaf(child.child_by_field_name("value") or child) for child in children)
    elif not is_use and kind not in _USES:
        for field in ("name", "declarator", "parameter", "alias"):
            yield from map(_leaf, node.children_by_field_name(field))


def _defined_by(node: Node | None) -> Iterator[tuple[str, str]]:
    """(name, state) of functions and classes, and of their members."""
    if node is None:
        return
    body, value = node.child_by_field_name("body"), node.child_by_field_name("value")
    kind, inner = node.type, list[tuple[str, str]]()
    for child in (body or node).named_children if kind in _CLASSES | _ROOMS else ():
        inner += _defined_by(child)
    states = [state for _, state in inner or _defined_by(value)]
    if kind in _CLASSES and body is not None:
        yield _leaf(node), SKETCH if {*states} == {SKETCH} else WHOLE
        yield from ((f"{_leaf(node)}.{member}", state) for member, state in inner)
    elif kind in _FUNCTIONS or _is_prototype(node):
        is_async = any(n.type == "async" for n in node.children)
        yield _leaf(node), SKETCH if _is_empty(body) else ASYNC if is_async else WHOLE
    elif kind in ("variable_declarator", "pair"):
        yield from ((_leaf(node) or tree.part(node, "key"), state) for state in states[:1])
    elif kind == "assignment_expression" and "exports" in tree.part(node, "left"):
        right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
        yield from ((tree.part(left, "property"), state) for _, state in _defined_by(right))
        for child in right.named_children if right else ():
            yield from _defined_by(child)
    yield from inner if kind in _ROOMS else ()


def _is_prototype(node: Node) -> bool:
    at: Node | None = node
    while at is not None and at.type != "function_declarator":
        at = at.child_by_field_name("declarator")
    return at is not None and node.type in ("declaration", "field_declaration")


def _is_empty(body: Node | None) -> bool:
    """Whether a body is missing, or does nothing but throw."""
    if body is None:
        return True
    statements = [n for n in body.named_children if n.type != "comment"]
    return body.type in ("block", "statement_block", "compound_statement") and all(
        n.type == "throw_statement" for n in statements
    )
