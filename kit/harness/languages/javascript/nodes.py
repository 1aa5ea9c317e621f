"""What nodes of the syntax tree of JavaScript mean."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tree_sitter import Node

from kit.harness.facts import ANY, Function
from kit.harness.languages.tree import (
    field_text,
    field_text_tail,
    list_field,
    node_text,
    parse,
    select_nodes,
    walk,
)

FUNCTIONS = frozenset(
    "function_declaration generator_function_declaration function_expression arrow_function "
    "generator_function method_definition".split()
)
CLASSES = frozenset({"class_declaration", "class"})
LITERALS = frozenset(
    "number string template_string true false null undefined array object unary_expression".split()
)
WORDS = frozenset(
    "identifier property_identifier shorthand_property_identifier string_fragment "
    "shorthand_property_identifier_pattern".split()
)
_STDIN = b"process.stdin"
_DECLARED = ("identifier", "shorthand_property_identifier_pattern")
BUILTIN = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram "
    "diagnostics_channel dns domain events fs http http2 https inspector module net os path "
    "perf_hooks process punycode querystring readline repl stream string_decoder sys test timers "
    "tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)


def list_declared(node: Node) -> Iterator[str]:
    """The names that a statement of the top level declares."""
    if node.type in FUNCTIONS | CLASSES:
        yield field_text(node, "name")
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for declarator in node.named_children:
            target = declarator.child_by_field_name("name")
            for word in walk(target) if target is not None else ():
                if word.type in _DECLARED:
                    yield node_text(word)


def read_function(name: str, path: Iterable[str] | None, source: str) -> Function:
    """A function by its own text, which is that of an expression or of a method."""
    # A method is no expression: what is read of one begins at a function within it.
    node = _find_function(f"({source})", 1) or _find_function(f"({{{source}}})", 2)
    is_native = source.rstrip().endswith("[native code] }")
    function = ANY if node is None or is_native else _read_node(name, node)
    return replace(function, name=name, path=None if path is None else tuple(path))


def _find_function(source: str, start: int) -> Node | None:
    """The function that begins at this byte."""
    for node in walk(parse(source, "javascript")):
        if node.type in FUNCTIONS and node.start_byte == start:
            return node
    return None


def read_constructor(name: str, path: Iterable[str], texts: Iterable[str]) -> Function:
    """What a class is made with: the first constructor among its text and its ancestors'."""
    for source in texts:
        if not source.startswith("class"):
            return read_function(name, path, source)
        for node in walk(parse(f"({source})", "javascript")):
            if node.type == "method_definition" and field_text(node, "name") == "constructor":
                return replace(_read_node(name, node), path=tuple(path))
    return Function(name, path=tuple(path))


def find_library(node: Node) -> str:
    """The library that an import or a require names; "" for a file, and for any other node."""
    source = None
    if node.type in ("import_statement", "export_statement"):
        source = node.child_by_field_name("source")
    elif node.type == "call_expression" and field_text_tail(node) in ("require", "import"):
        source = first_argument(node)
    name = read_string(source)
    bare = name.removeprefix("node:")
    if bare.partition("/")[0] in BUILTIN:
        name = bare  # else it is one that the box's Node does not have
    if not name or name.startswith((".", "/")):
        return ""
    parts = name.split("/")
    return "/".join(parts[:2]) if name.startswith("@") else parts[0]


def is_guarded(node: Node) -> bool:
    """Whether the program goes on where a node throws: in a try with a catch, or by .catch()."""
    at = node
    while (owner := at.parent) is not None and owner.type not in FUNCTIONS:
        handler = owner.child_by_field_name("handler") if owner.type == "try_statement" else None
        if handler is not None:
            goes_on = not select_nodes(walk(handler), "throw_statement")
            return goes_on and owner.child_by_field_name("body") == at
        if owner.type == "member_expression" and field_text(owner, "property") == "catch":
            return True
        at = owner
    return False


def first_argument(call: Node) -> Node | None:
    for value in list_field(call, "arguments"):
        if value.type != "comment":
            return value
    return None


def read_string(node: Node | None) -> str:
    """The text of a literal; "" for anything else."""
    return node_text(node)[1:-1] if node is not None and node.type == "string" else ""


def _read_node(name: str, node: Node) -> Function:
    """What a function expects and calls, from its node."""
    params: list[str] = []
    packed: tuple[str, ...] = ()
    required = 0
    is_optional = False
    many = False
    single = node.child_by_field_name("parameter")
    for item in [single] if single is not None else list_field(node, "parameters"):
        if item.type == "comment":
            continue
        has_default = item.type == "assignment_pattern"
        inner = item.child_by_field_name("left") if has_default else item
        many = many or item.type == "rest_pattern"
        is_optional = is_optional or has_default or many
        if inner is not None and inner.type == "object_pattern" and not packed:
            packed = tuple(_list_properties(inner))
            params += packed
        elif item.type != "rest_pattern":
            params.append(node_text(inner))
        if not is_optional:
            required = len(params)
    callees = set[str]()
    for inner_node in walk(node):
        if inner_node.type == "call_expression":
            callees.add(field_text_tail(inner_node))
        elif inner_node.type == "identifier" and inner_node.text == b"arguments":
            many = True
        elif (
            inner_node.end_byte - inner_node.start_byte == len(_STDIN) and inner_node.text == _STDIN
        ):
            callees.add(_STDIN.decode())
    return Function(
        name, tuple(params), required, many=many, calls=frozenset(callees), packed=packed, more=True
    )


def _list_properties(pattern: Node) -> Iterator[str]:
    for item in pattern.named_children:
        if item.type == "pair_pattern":
            yield field_text(item, "key").strip("'\"")
        elif item.type == "object_assignment_pattern":
            yield field_text(item, "left")
        elif item.type == "shorthand_property_identifier_pattern":
            yield node_text(item)


def list_bound(words: Iterable[Node]) -> Iterator[str]:
    """The words of a program, which are nodes of WORDS, but properties that are only read."""
    for node in words:
        owner = node.parent
        if owner is not None and owner.type == "member_expression":
            statement = owner.parent
            if statement is None or statement.type != "assignment_expression":
                continue
        yield node_text(node)


def read_callee(node: Node) -> str:
    """What is called, or constructed by `new`, as it is written."""
    return field_text_tail(node) or field_text_tail(node, "constructor")
