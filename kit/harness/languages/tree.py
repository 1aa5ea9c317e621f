"""Syntax trees by tree-sitter: parsing that is not stopped by an error, and walks over nodes."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from tree_sitter import Language, Node, Parser

_LONGEST = 400  # bytes of a name


@cache
def _load_grammar(name: str) -> Language:
    """The grammar; loaded when it is first needed, for each is a library of its own."""
    return Language(importlib.import_module(f"tree_sitter_{name}").language())


def parse(code: str, language: str) -> Node:
    """The root of the program's tree."""
    return Parser(_load_grammar(language)).parse(code.encode(errors="replace")).root_node


def node_text(node: Node | None) -> str:
    """The source text of a node; "" for none."""
    if node is None or node.text is None:
        return ""
    return node.text.decode(errors="replace")


def _find_field(node: Node | None, field: str) -> Node | None:
    return node.child_by_field_name(field) if node is not None else None


def field_text(node: Node | None, field: str) -> str:
    """The source text of what stands in a field of the node; "" where nothing does."""
    return node_text(_find_field(node, field))


def list_field(node: Node | None, field: str) -> list[Node]:
    """The named nodes within what stands in a field of the node; none where nothing does."""
    target = _find_field(node, field)
    return target.named_children if target is not None else []


def select_nodes(nodes: Iterable[Node], *kinds: str) -> list[Node]:
    """The nodes of these kinds."""
    return [node for node in nodes if node.type in kinds]


def field_text_tail(node: Node | None, field: str = "function") -> str:
    """What stands in a field, a call's function for one; the end of what is longer than a name.

    A chain of calls holds all calls before it: their texts together would be quadratic.
    """
    target = _find_field(node, field)
    if target is None or target.text is None:
        return ""
    return target.text[-_LONGEST:].decode(errors="replace")


def walk(node: Node, is_left_out: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    stack = [node]
    while stack:
        at = stack.pop()
        if is_left_out is None or not is_left_out(at):
            yield at
            stack.extend(reversed(at.children))


def has_ancestor(node: Node, kinds: frozenset[str]) -> bool:
    """Whether an ancestor is of one of the kinds."""
    at = node.parent
    while at is not None and at.type not in kinds:
        at = at.parent
    return at is not None


def find_error_line(root: Node) -> int:
    """The first line (from 1) that is not understood, or 0."""
    if not root.has_error:
        return 0
    for node in walk(root):
        if node.type == "ERROR" or node.is_missing:
            return node.start_point[0] + 1
    return 1
