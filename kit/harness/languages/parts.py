"""Reads a text as its language does: its statements, what each of them defines and what it needs.

Places are bytes of the text.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tree_sitter import Node

from kit.core.languages import is_complete, try_parse_python
from kit.harness.languages import tree

WHOLE, ASYNC, SKETCH = "whole", "async", "sketch"

# What the kinds of nodes are, in the grammars of all languages.
_CLASSES = frozenset(
    "class class_declaration class_definition class_specifier struct_specifier union_specifier "
    "enum_specifier interface_declaration enum_declaration record_declaration".split()
)
_FUNCTIONS = frozenset(
    "function_definition function_declaration generator_function_declaration method_definition "
    "method_declaration constructor_declaration arrow_function function_expression "
    "generator_function lambda_expression lambda".split()
)
_ROOMS = frozenset(  # what they hold stands in the scope around them
    "export_statement declaration lexical_declaration variable_declaration type_definition "
    "field_declaration template_declaration linkage_specification namespace_definition "
    "declaration_list preproc_if preproc_ifdef preproc_else expression_statement "
    "decorated_definition if_statement try_statement block".split()
)
_SCOPES = frozenset(
    "compound_statement statement_block field_declaration_list class_body enum_body "
    "interface_body parameter_list formal_parameters parameters lambda_parameters".split()
)
_NEEDED = frozenset(
    "identifier type_identifier shorthand_property_identifier namespace_identifier".split()
)
_WORDS = _NEEDED | set(
    "field_identifier property_identifier shorthand_property_identifier_pattern "
    "qualified_identifier".split()
)
_ASSIGNMENTS = "assignment augmented_assignment for_statement for_in_clause".split()
_USES = (
    "method_invocation scoped_identifier qualified_identifier keyword_argument attribute "
    "subscript as_pattern class_pattern keyword_pattern".split()
)
_MEMBERS = {"attribute": "attribute", "keyword_argument": "name"}  # fields that hold no need
_IDLE = "comment throw_statement pass_statement raise_statement".split()


@dataclass(frozen=True)
class Part:
    """One statement.

    defines: functions, classes and members ("Account.deposit"), each with its state; a SKETCH has
    no body that does something. needs: names that it does not bind itself; local: names that it
    binds at any depth. inside: where its body begins. returns: outside of any function of its own.
    """

    node: Node
    start: int
    inside: int
    end: int
    defines: Mapping[str, str]
    binds: Set[str]
    needs: Set[str]
    local: Set[str]
    parameters: tuple[str, ...]
    returns: bool


@dataclass(frozen=True)
class Reading:
    """A text that its language accepts, statement by statement."""

    code: bytes
    parts: tuple[Part, ...]

    @cached_property
    def defines(self) -> dict[str, str]:
        return {name: state for part in self.parts for name, state in part.defines.items()}

    @cached_property
    def binds(self) -> set[str]:
        return {name for part in self.parts for name in part.binds}

    @cached_property
    def needs(self) -> set[str]:
        return {name for part in self.parts for name in part.needs} - self.binds


@lru_cache(maxsize=512)
def read_parts(text: str, language: str) -> Reading | None:
    """The reading of a text; None for one that the language refuses."""
    root = tree.parse(text, language)
    try:
        reading = Reading(text.encode(errors="replace"), read_statements(root))
    except RecursionError:
        return None
    if language == "python":
        return reading if try_parse_python(text) else None
    # A grammar does not know every macro; what balances and defines something is no prose.
    is_likely = WHOLE in reading.defines.values() and is_complete(text, language)
    return reading if is_likely or not root.has_error else None


def read_statements(node: Node | None) -> tuple[Part, ...]:
    """The statements of a text, or in the body of one."""
    body = _body_of(node) if node and node.parent else node
    return (
        tuple(_read_statement(n) for n in body.named_children if n.type != "comment")
        if body
        else ()
    )


def _read_statement(node: Node) -> Part:
    nodes, own = list(tree.walk(node)), list(tree.walk(node, _is_scope))
    local = {name for n in nodes for name in _list_given_names(n) if name}
    binds = {name for n in own for name in _list_given_names(n) if name}
    members = {n.child_by_field_name(_MEMBERS[n.type]) for n in nodes if n.type in _MEMBERS}
    needs = {tree.node_text(n) for n in nodes if n.type in _NEEDED and n not in members}
    lists = [n.named_children for n in nodes if "parameter" in n.type and n.type in _SCOPES]
    body = _body_of(node)
    return Part(
        node=node,
        start=node.start_byte,
        inside=_begin_of(body) if body else node.end_byte,
        end=node.end_byte,
        defines={name: state for name, state in _list_definitions(node) if name},
        binds=binds,
        needs=needs - local,
        local=local,
        parameters=tuple(filter(None, map(_read_innermost_name, lists[0]))) if lists else (),
        returns=any(n.type in ("return_statement", "yield") for n in own),
    )


def _body_of(node: Node) -> Node | None:
    inner = node.child_by_field_name("definition") or node
    return inner.child_by_field_name("body") or inner.child_by_field_name("consequence")


def _begin_of(body: Node) -> int:
    """Where the inside of a body begins: behind its brace, or behind the colon before it."""
    colons = (
        [n for n in (body.parent or body).children if n.type == ":"] if body.type == "block" else []
    )
    return colons[-1].end_byte if colons else body.start_byte + 1


def _is_scope(node: Node) -> bool:
    if node.type == "block" and (parent := node.parent):
        return parent.type in _FUNCTIONS | _CLASSES
    return node.type in _SCOPES


def _read_innermost_name(node: Node | None) -> str:
    """The name within pointers, references, brackets and parameters."""
    while node is not None and node.type not in _WORDS:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        words = [] if node.type in _USES else [n for n in node.named_children if n.type in _WORDS]
        node = inner or next(iter(words), None)
    return tree.node_text(node).replace("::", ".")


def _list_given_names(node: Node) -> Iterator[str]:
    """The names that this one node gives to something."""
    kind, children = node.type, node.named_children
    is_use = kind in _USES or (kind in _CLASSES and node.child_by_field_name("body") is None)
    if kind in ("import_specifier", "import_declaration", "aliased_import"):
        yield tree.node_text(children[-1])
    elif kind == "preproc_include":
        yield tree.field_text(node, "path")
    elif kind == "assignment_expression" and "exports" in tree.field_text(node, "left"):
        yield tree.field_text(node, "left")
    elif is_use:
        return
    elif "pattern" in kind or kind == "import_clause" or kind.endswith("parameters"):
        yield from (
            _read_innermost_name(child.child_by_field_name("value") or child) for child in children
        )
    else:
        for field in ("name", "declarator", "parameter", "alias", "left"):
            if field != "left" or kind in _ASSIGNMENTS:
                yield from map(_read_innermost_name, node.children_by_field_name(field))


def _list_definitions(node: Node | None) -> Iterator[tuple[str, str]]:
    """(name, state) of functions and classes, and of their members."""
    if node is None:
        return
    kind, body = node.type, node.child_by_field_name("body")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    inner = list[tuple[str, str]]()
    for child in (body or node).named_children if kind in _CLASSES | _ROOMS else ():
        inner += _list_definitions(child)
    if kind in _ROOMS:
        yield from inner
    elif kind in _CLASSES and body is not None:
        is_sketch = {state for _, state in inner} == {SKETCH} or (
            body.type == "block" and _is_idle(body) and not tree.field_text(node, "superclasses")
        )
        yield _read_innermost_name(node), SKETCH if is_sketch else WHOLE
        yield from ((f"{_read_innermost_name(node)}.{member}", state) for member, state in inner)
    elif kind in _FUNCTIONS or _is_prototype(node):
        is_async = any(n.type == "async" for n in node.children)
        yield _read_innermost_name(node), SKETCH if _is_idle(body) else ASYNC if is_async else WHOLE
    elif kind in ("variable_declarator", "pair", "assignment"):
        for _, state in list(_list_definitions(value))[:1]:
            yield _read_innermost_name(node) or tree.field_text(node, "key"), state
    elif kind == "assignment_expression" and "exports" in tree.field_text(node, "left"):
        exported = tree.field_text(node.child_by_field_name("left"), "property")
        yield from ((exported, state) for _, state in _list_definitions(value))
        for child in value.named_children if value else ():
            yield from _list_definitions(child)


def _is_prototype(node: Node) -> bool:
    at: Node | None = node
    while at is not None and at.type != "function_declarator":
        at = at.child_by_field_name("declarator")
    return at is not None and node.type in ("declaration", "field_declaration")


def _is_idle(body: Node | None) -> bool:
    """Whether a body is missing, or does nothing: a docstring, "...", pass, an exception."""
    if body is None:
        return True
    kinds = {n.type for n in body.named_children}
    texts = {
        t.type
        for n in body.named_children
        if n.type == "expression_statement"
        for t in n.named_children
    }
    return body.type in ("block", "statement_block", "compound_statement") and (
        "ellipsis" in texts or (texts <= {"string"} and kinds <= {*_IDLE, "expression_statement"})
    )
