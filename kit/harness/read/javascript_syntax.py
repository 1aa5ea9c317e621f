"""Small questions to nodes of a JavaScript tree."""

from collections.abc import Iterator

from tree_sitter import Node

from kit.harness.read.facts import Function
from kit.harness.read.tree import named, text, walk


def last(assignment: Node) -> Node:
    """The value of `a = b = value`; of anything else itself."""
    value: Node | None = assignment
    while value is not None and value.type == "assignment_expression":
        assignment, value = value, value.child_by_field_name("right")
    return value or assignment


def argument(call: Node, index: int) -> Node | None:
    given = call.child_by_field_name("arguments")
    words = [n for n in given.named_children if n.type != "comment"] if given is not None else []
    return words[index] if index < len(words) else None


def string(node: Node | None) -> str:
    return text(node)[1:-1] if node is not None and node.type == "string" else ""


def function(name: str, node: Node) -> Function:
    single = node.child_by_field_name("parameter")
    spec = node.child_by_field_name("parameters")
    nodes = [single] if single is not None else list(spec.named_children if spec else ())
    params: list[str] = []
    packed: tuple[str, ...] = ()
    required, many, optional = 0, False, False
    for item in (n for n in nodes if n.type != "comment"):
        given = item.type == "assignment_pattern"
        inner = item.child_by_field_name("left") if given else item
        many = many or item.type == "rest_pattern"
        optional = optional or given or many
        if inner is not None and inner.type == "object_pattern" and not packed:
            packed = tuple(_properties(inner))
            params += packed
        elif not item.type == "rest_pattern":
            params.append(text(inner))
        required = required if optional else len(params)
    calls = (n for n in walk(node) if n.type == "call_expression")
    return Function(
        name=name,
        params=tuple(params),
        required=required,
        many=many,
        reads_stdin=reads_stdin(node),
        calls=frozenset(named(n) for n in calls),
        packed=packed,
    )


def _properties(pattern: Node) -> Iterator[str]:
    for item in pattern.named_children:
        if item.type == "pair_pattern":
            yield text(item.child_by_field_name("key")).strip("'\"")
        elif item.type == "object_assignment_pattern":
            yield text(item.child_by_field_name("left"))
        elif item.type == "shorthand_property_identifier_pattern":
            yield text(item)


def reads_stdin(node: Node) -> bool:
    for n in walk(node):
        if n.type == "member_expression" and n.end_byte - n.start_byte == 13:
            if text(n) == "process.stdin":
                return True
        if n.type == "string_fragment" and text(n) == "/dev/stdin":
            return True
        if n.type == "call_expression" and text(argument(n, 0)) in ("0", "process.stdin.fd"):
            if named(n).endswith(("readFileSync", "readSync")):
                return True
    return False
