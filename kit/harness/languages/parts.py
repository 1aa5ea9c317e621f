"""Reads a text as its language does: its statements, what each of them defines and what it needs.

Places are bytes of the text.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
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
_PARAMETERS = frozenset("parameter_list formal_parameters parameters lambda_parameters".split())
_SCOPES = _PARAMETERS | set(
    "compound_statement statement_block field_declaration_list class_body enum_body "
    "interface_body".split()
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
_IDLE = {"comment", "throw_statement", "pass_statement", "raise_statement"}
_BODIES = ("block", "statement_block", "compound_statement")


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
        states: dict[str, str] = {}
        for part in self.parts:
            states |= part.defines
        return states

    @cached_property
    def binds(self) -> set[str]:
        return set[str]().union(*(part.binds for part in self.parts))

    @cached_property
    def needs(self) -> set[str]:
        return set[str]().union(*(part.needs for part in self.parts)) - self.binds


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
    if body is None:
        return ()
    statements = [child for child in body.named_children if child.type != "comment"]
    return tuple(map(_read_statement, statements))


def _read_statement(node: Node) -> Part:
    nodes = list(tree.walk(node))
    outer_nodes = list(tree.walk(node, _is_scope))

    local = _collect_given_names(nodes)
    body = _body_of(node)
    states = dict(_list_definitions(node))
    states.pop("", None)
    return Part(
        node=node,
        start=node.start_byte,
        inside=_begin_of(body) if body else node.end_byte,
        end=node.end_byte,
        defines=states,
        binds=_collect_given_names(outer_nodes),
        needs=_collect_needed_names(nodes) - local,
        local=local,
        parameters=_read_first_parameters(nodes),
        returns=bool(tree.select_nodes(outer_nodes, "return_statement", "yield")),
    )


def _collect_given_names(nodes: Iterable[Node]) -> set[str]:
    names = set[str]()
    for node in nodes:
        names.update(_list_given_names(node))
    return names - {""}


def _collect_needed_names(nodes: Iterable[Node]) -> set[str]:
    """nodes: in the order of the text, where a node stands before the members in it."""
    names = set[str]()
    members = set[Node | None]()
    for node in nodes:
        if node.type in _MEMBERS:
            members.add(node.child_by_field_name(_MEMBERS[node.type]))
        elif node.type in _NEEDED and node not in members:
            names.add(tree.node_text(node))
    return names


def _read_first_parameters(nodes: Iterable[Node]) -> tuple[str, ...]:
    """The names in the first list of parameters."""
    for node in nodes:
        if node.type in _PARAMETERS:
            return tuple(filter(None, map(_read_innermost_name, node.named_children)))
    return ()


def _body_of(node: Node) -> Node | None:
    inner = node.child_by_field_name("definition") or node
    return inner.child_by_field_name("body") or inner.child_by_field_name("consequence")


def _begin_of(body: Node) -> int:
    """Where the inside of a body begins: behind its brace, or behind the colon before it."""
    begin = body.start_byte + 1
    if body.type == "block":
        for node in (body.parent or body).children:
            if node.type == ":":
                begin = node.end_byte
    return begin


def _is_scope(node: Node) -> bool:
    if node.type == "block" and node.parent:
        return node.parent.type in _FUNCTIONS | _CLASSES
    return node.type in _SCOPES


def _read_innermost_name(node: Node | None) -> str:
    """The name within pointers, references, brackets and parameters."""
    while node is not None and node.type not in _WORDS:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        node = inner or _find_word(node)
    return tree.node_text(node).replace("::", ".")


def _find_word(node: Node) -> Node | None:
    """The first word among the children of what does not only use names."""
    if node.type not in _USES:
        for child in node.named_children:
            if child.type in _WORDS:
                return child
    return None


def _list_given_names(node: Node) -> Iterator[str]:
    """The names that this one node gives to something."""
    kind = node.type
    is_use = kind in _USES or (kind in _CLASSES and node.child_by_field_name("body") is None)
    if kind in ("import_specifier", "import_declaration", "aliased_import"):
        yield tree.node_text(node.named_children[-1])
    elif kind == "preproc_include":
        yield tree.field_text(node, "path")
    elif _is_export(node):
        yield tree.field_text(node, "left")
    elif is_use:
        return
    elif "pattern" in kind or kind == "import_clause" or kind.endswith("parameters"):
        for child in node.named_children:
            yield _read_innermost_name(child.child_by_field_name("value") or child)
    else:
        for field in ("name", "declarator", "parameter", "alias", "left"):
            if field != "left" or kind in _ASSIGNMENTS:
                yield from map(_read_innermost_name, node.children_by_field_name(field))


def _is_export(node: Node) -> bool:
    return node.type == "assignment_expression" and "exports" in tree.field_text(node, "left")


def _list_definitions(node: Node | None) -> Iterator[tuple[str, str]]:
    """(name, state) of functions and classes, and of their members."""
    if node is None:
        return
    kind = node.type
    body = node.child_by_field_name("body")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if kind in _ROOMS:
        for child in (body or node).named_children:
            yield from _list_definitions(child)
    elif kind in _CLASSES and body is not None:
        yield from _list_class(node, body)
    elif kind in _FUNCTIONS or _is_prototype(node):
        state = WHOLE
        if _is_idle(body):
            state = SKETCH
        elif tree.select_nodes(node.children, "async"):
            state = ASYNC
        yield _read_innermost_name(node), state
    elif kind in ("variable_declarator", "pair", "assignment"):
        for _, state in list(_list_definitions(value))[:1]:
            yield _read_innermost_name(node) or tree.field_text(node, "key"), state
    elif _is_export(node):
        exported = tree.field_text(node.child_by_field_name("left"), "property")
        for _, state in _list_definitions(value):
            yield exported, state
        for child in value.named_children if value else ():
            yield from _list_definitions(child)


def _list_class(node: Node, body: Node) -> Iterator[tuple[str, str]]:
    """(name, state) of a class and its members; one of sketches alone is a sketch."""
    name = _read_innermost_name(node)
    members = list[tuple[str, str]]()
    for child in body.named_children:
        members += _list_definitions(child)
    is_sketch = {state for _, state in members} == {SKETCH}
    if body.type == "block" and _is_idle(body):
        is_sketch |= not tree.field_text(node, "superclasses")
    yield name, SKETCH if is_sketch else WHOLE
    for member, state in members:
        yield f"{name}.{member}", state


def _is_prototype(node: Node) -> bool:
    at: Node | None = node
    while at is not None and at.type != "function_declarator":
        at = at.child_by_field_name("declarator")
    return at is not None and node.type in ("declaration", "field_declaration")


def _is_idle(body: Node | None) -> bool:
    """Whether a body is missing, or does nothing: a docstring, "...", pass, an exception."""
    if body is None:
        return True
    statement_kinds = set[str]()
    expression_kinds = set[str]()
    for statement in body.named_children:
        if statement.type == "expression_statement":
            expression_kinds.update(child.type for child in statement.named_children)
        else:
            statement_kinds.add(statement.type)
    is_silent = expression_kinds <= {"string"} and statement_kinds <= _IDLE
    return body.type in _BODIES and (is_silent or "ellipsis" in expression_kinds)
