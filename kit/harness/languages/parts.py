"""Reads a text as its language does: its statements, what each of them defines and what it needs.

Places are bytes of the text, which is what both parsers count.
"""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from tree_sitter import Node

from kit.harness.languages import tree
from kit.languages import parsed, whole

WHOLE, ASYNC, SKETCH, VALUE = "whole", "async", "sketch", "value"


@dataclass(frozen=True)
class Part:
    """One statement.

    defines: functions, classes and members ("Account.deposit"), each with its state. A SKETCH has
    no body that does something; a VALUE is what an expression gives. imports: of `binds`, what
    another file defines; needs: names that it does not bind itself; local: names that it binds at
    any depth. inside: where its body begins. returns: outside of any function of its own.
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
    def offers(self) -> dict[str, str]:
        """What it defines but for values."""
        return {name: state for name, state in self.defines.items() if state != VALUE}

    @property
    def binds(self) -> set[str]:
        return {name for part in self.parts for name in part.binds}

    @property
    def needs(self) -> set[str]:
        return {name for part in self.parts for name in part.needs} - self.binds

    @property
    def imports(self) -> set[str]:
        return {name for part in self.parts for name in part.imports}

    def words(self, part: Part) -> list[tuple[int, str]]:
        """Where in the text each name of a part is used."""
        if self.language == "python":
            starts, nodes = _line_starts(self.code), ast.walk(part.node)
            names = [n for n in nodes if isinstance(n, ast.Name)]
            return sorted((starts[n.lineno - 1] + n.col_offset, n.id) for n in names)
        nodes = tree.walk(part.node)
        return [(n.start_byte, tree.text(n)) for n in nodes if n.type == "identifier"]

    def parameters(self, part: Part) -> list[str]:
        """The parameters of a function, in order."""
        if self.language == "python":
            given = part.node.args
            return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        lists = [n for n in tree.walk(part.node) if n.type == "parameter_list"]
        return [_leaf(n.child_by_field_name("declarator")) for n in lists[0].named_children]

    def inner(self, part: Part) -> tuple[Part, ...]:
        """The statements in the body of a part."""
        return _statements(self.code, part.node, self.language)


@lru_cache(maxsize=512)
def read(text: str, language: str) -> Reading | None:
    """The reading of a text; None for one that the language refuses."""
    code = text.encode(errors="replace")
    try:
        root = parsed(text) if language == "python" else tree.parse(text, language)
        if root is None:
            return None
        reading = Reading(code, language, _statements(code, root, language))
    except RecursionError:
        return None
    # A grammar does not know every macro; what balances and defines something is no prose.
    does_define = WHOLE in reading.defines.values() and whole(text, language)
    return reading if language == "python" or not root.has_error or does_define else None


def _statements(code: bytes, node: Any, language: str) -> tuple[Part, ...]:
    if language == "python":
        starts = _line_starts(code)
        return tuple(_read_python(code, starts, n) for n in getattr(node, "body", ()))
    body = node.child_by_field_name("body") if node.parent else node
    return tuple(_read_node(n) for n in body.named_children if n.type != "comment") if body else ()


@lru_cache(maxsize=64)
def _line_starts(code: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in code.split(b"\n"))]


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


def _read_python(code: bytes, starts: list[int], node: ast.stmt) -> Part:
    def place(line: int | None, column: int | None) -> int:
        return starts[(line or 1) - 1] + (column or 0)

    own, every = list(_outside_functions(node)), list(ast.walk(node))
    start = place(node.lineno, node.col_offset)
    marks = getattr(node, "decorator_list", [])
    inside = end = place(node.end_lineno, node.end_col_offset)
    if body := getattr(node, "body", None):
        first = place(body[0].lineno, body[0].col_offset)
        heads = [place(n.end_lineno, n.end_col_offset) for n in every if hasattr(n, "end_lineno")]
        head = max((at for at in heads if start < at < first), default=start)
        inside = code.index(b":", head) + 1
    local = {name for n in every for name in _bound(n)}
    reads = {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return Part(
        node, min([start, *(place(m.lineno, m.col_offset) - 1 for m in marks)]), inside, end,
        defines=dict(_defined(node)),
        binds=frozenset(name for n in own for name in _bound(n)),
        imports=frozenset(name for n in own if isinstance(n, ast.alias) for name in _bound(n)),
        needs=frozenset(reads - local - {*dir(builtins), "__file__"}),
        local=frozenset(local),
        returns=any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in own),
    )  # fmt: skip


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what lies below it, but not what lies within functions and classes."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        if not isinstance(at, _SCOPES):
            stack.extend(ast.iter_child_nodes(at))


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
            methods = {state for _, state in members if state != VALUE}
            is_idle = _is_idle(node) and not node.bases
            yield name, SKETCH if methods == {SKETCH} or is_idle else WHOLE
            yield from ((f"{name}.{member}", state) for member, state in members)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            made = (ast.Call, ast.Name, ast.Attribute)
            state = VALUE if any(isinstance(n, made) for n in ast.walk(value)) else ""
            state = WHOLE if isinstance(value, ast.Lambda) else state
            yield from ((name, state) for name in _names_of(node) if state)
        case ast.If() | ast.Try():
            yield from (pair for inner in node.body for pair in _defined(inner))


def _names_of(node: ast.stmt) -> Iterator[str]:
    for target in getattr(node, "targets", [getattr(node, "target", None)]):
        if isinstance(target, ast.Name):
            yield target.id


def _is_idle(node: Any) -> bool:
    """Whether a body does nothing: a docstring, "...", pass, an exception."""
    kinds = {type(n) for n in node.body}
    texts = [n.value for n in node.body if isinstance(n, ast.Expr)]
    elided = any(isinstance(t, ast.Constant) and t.value is ... for t in texts)
    constant = all(isinstance(t, ast.Constant) for t in texts)
    return elided or (constant and kinds <= {ast.Expr, ast.Pass, ast.Raise})


_CLASSES = frozenset(
    "class class_declaration class_specifier struct_specifier union_specifier interface_declaration "
    "enum_declaration record_declaration enum_specifier".split()
)
_BODIES = frozenset(
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
_LITERALS = frozenset(
    "number string template_string true false null undefined array object number_literal "
    "string_literal char_literal initializer_list unary_expression".split()
)
_IMPORTS = frozenset({"import_statement", "import_declaration", "preproc_include"})


def _read_node(node: Node) -> Part:
    nodes = list(tree.walk(node))
    body = node.child_by_field_name("body")
    words = {tree.text(n) for n in nodes if n.type in _NEEDED}
    local = {name for n in nodes for name in _named(n) if name}
    imported = node.type in _IMPORTS or any(_is_require(n) for n in nodes)
    defines = {name: state for name, state in _definitions(node) if name}
    binds = local if imported else {*_bindings(node), *filter(str.isidentifier, defines)} - {""}
    return Part(
        node, node.start_byte, body.start_byte + 1 if body else node.end_byte, node.end_byte,
        defines={} if imported else defines,
        binds=frozenset(binds),
        imports=frozenset(binds if imported else ()),
        needs=frozenset(words - local),
        local=frozenset(local),
    )  # fmt: skip


def _is_require(node: Node) -> bool:
    return node.type == "call_expression" and tree.part(node, "function") == "require"


def _leaf(node: Node | None) -> str:
    """The name within pointers, references, brackets and parameters."""
    while node is not None and node.type not in _WORDS:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        node = inner or next((n for n in node.named_children if n.type in _WORDS), None)
    return tree.text(node).replace("::", ".")


def _named(node: Node) -> Iterator[str]:
    """The names that this one node gives to something."""
    only_used = node.type in ("method_invocation", "scoped_identifier", "qualified_identifier")
    if only_used or (node.type in _CLASSES and node.child_by_field_name("body") is None):
        return
    for field in ("name", "declarator", "parameter", "alias"):
        for child in node.children_by_field_name(field):
            yield _leaf(child)
    if "pattern" in node.type or node.type in ("formal_parameters", "import_clause"):
        for child in node.named_children:
            yield _leaf(child if child.type != "pair_pattern" else child.child_by_field_name("value"))
    elif node.type in ("import_specifier", "import_declaration"):
        yield tree.text(node.named_children[-1])
    elif node.type == "preproc_include":
        yield tree.part(node, "path")


def _bindings(node: Node) -> Iterator[str]:
    """The names that a statement leaves behind."""
    if node.type in _ROOMS:
        for child in node.named_children:
            yield from _bindings(child)
    if node.type == "expression_statement":
        lefts = [tree.part(child, "left") for child in node.named_children]
        yield from (left for left in lefts if "exports" in left)
    elif node.type not in ("namespace_definition", "export_statement"):
        pattern = node.child_by_field_name("name")
        names = _named(pattern) if pattern is not None and "pattern" in pattern.type else _named(node)
        yield from names


def _definitions(node: Node | None) -> Iterator[tuple[str, str]]:
    """(name, state) of functions and classes, and of their members."""
    if node is None:
        return
    body, kind = node.child_by_field_name("body"), node.type
    name, value = _leaf(node), node.child_by_field_name("value")
    if kind in _CLASSES and body is not None:
        members = [pair for inner in body.named_children for pair in _definitions(inner)]
        states = {state for _, state in members if state != VALUE}
        yield name, SKETCH if states == {SKETCH} else WHOLE
        yield from ((f"{name}.{member}", state) for member, state in members)
    elif kind in _BODIES or _is_prototype(node):
        is_async = any(n.type == "async" for n in node.children)
        yield name, SKETCH if _is_empty(body) else ASYNC if is_async else WHOLE
    elif kind == "variable_declarator":
        states = [state for _, state in _definitions(value)]
        if value is not None and (states or value.type not in _LITERALS):
            yield name, states[0] if states else VALUE
    elif kind == "assignment_expression" and "exports" in tree.part(node, "left"):
        right = node.child_by_field_name("right")
        members = [p for n in (right.named_children if right else ()) for p in _definitions(n)]
        states = [state for _, state in _definitions(right)]
        property_ = node.child_by_field_name("left").child_by_field_name("property")
        yield tree.text(property_), states[0] if states else VALUE
        yield from members
    elif kind in _ROOMS:
        for child in node.named_children:
            yield from _definitions(child)
    elif kind == "pair":
        yield from ((tree.part(node, "key"), state) for _, state in _definitions(value))


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
