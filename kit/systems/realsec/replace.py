"""One method of a Java file gets another body, by syntax tree; nothing else of the file changes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from kit.errors import KitError
from kit.harness.languages.tree import broken, parse, text, walk

METHODS = frozenset({"method_declaration", "constructor_declaration"})
TYPES = frozenset(f"{kind}_declaration" for kind in
                  ("class", "interface", "enum", "record", "annotation_type"))  # fmt: skip
STUB = '{ throw new UnsupportedOperationException("stub"); }'
SHELL = ("class Shell__ {\n", "\n}\n")


@dataclass(frozen=True)
class Method:
    """Where a method is: bytes [start, end) of the file and its first and last line (from 1).

    text: the whole method with its annotations, without the comment before it.
    """

    name: str
    text: str
    start: int
    end: int
    first_line: int
    last_line: int
    interface: tuple[str, ...]  # modifiers, type, parameters, exceptions: what callers see
    body_at: int = 0  # where the body begins in `text`, in bytes

    def with_body(self, body: str) -> str:
        """The method with its own head and this block."""
        return self.text.encode()[: self.body_at].decode() + body


@dataclass(frozen=True)
class Replaced:
    """The file with the new method, or `error`: why the answer is no method that fits.

    same_interface: callers see what they saw before, so that they need not be compiled again.
    """

    source: str = ""
    method: Method | None = None
    same_interface: bool = True
    error: str = ""


def locate(source: str, class_name: str, signature: str) -> Method:
    """The method of a binary class name ("a.b.Outer$Inner") with a signature ("int f(String)").

    Only the simple names of types are compared, so "java.util.List<String>" is "List<String>".
    Raises KitError where there is none or more than one.
    """
    found = [
        method
        for where, method in methods(source)
        if where == class_name and _call(method) == _call_of(signature)
    ]
    if len(found) != 1:
        raise KitError(
            f"{class_name} has {len(found)} methods {signature!r}, not one. "
            "Give the signature as the file has it, without modifiers and names of parameters."
        )
    return found[0]


def replace(source: str, class_name: str, signature: str, answer: str) -> Replaced:
    """The file with `answer`, one whole method (imports may come before it), in the method's place.

    The name and the types of the parameters must be the method's own. What does not parse, or is
    not exactly one method, is an error of the answer.
    """
    old = locate(source, class_name, signature)
    imports, rest = _split(answer)
    root = parse(SHELL[0] + rest + SHELL[1], "java")
    if line := broken(root):
        return Replaced(error=f"line {max(1, line - 1)} of the method does not parse")
    members = _members(root)
    if members is None:
        return Replaced(error="the answer closes the class that it stands in")
    if len(members) != 1 or members[0].type not in METHODS:
        return Replaced(error=f"the answer is not one method but {len(members)} members")
    new = _method(members[0])
    if _call(new) != _call(old):
        given, wanted = (_call(m).replace(",", ", ") for m in (new, old))
        return Replaced(error=f"the answer is {given}, not {wanted}")
    data = source.encode()
    whole = data[: old.start] + new.text.encode() + data[old.end :]
    whole = _with_imports(whole, imports)
    method = locate(whole.decode(), class_name, signature)
    return Replaced(whole.decode(), method, new.interface == old.interface)


def methods(source: str) -> Iterator[tuple[str, Method]]:
    """Every method of the file with the binary name of its class, in the order of the text.

    Those of anonymous and local classes belong to the method around them and are left out.
    """
    root = parse(source, "java")
    package = next((n for n in root.children if n.type == "package_declaration"), None)
    names = [text(n) for n in package.children if "identifier" in n.type] if package else []
    prefix = f"{names[0]}." if names else ""
    for node in walk(root):
        if node.type in METHODS and (outer := _outer(node)):
            yield prefix + outer, _method(node)


def _outer(node: Node) -> str:
    """Outer$Inner; "" within an anonymous or local class."""
    names, at = [], node.parent
    while at is not None:
        if at.type in TYPES:
            names.append(text(at.child_by_field_name("name")))
        elif at.type in ("object_creation_expression", "block", "enum_constant"):
            return ""
        at = at.parent
    return "$".join(reversed(names))


def _method(node: Node) -> Method:
    parameters = node.child_by_field_name("parameters")
    modifiers = next((n for n in node.children if n.type == "modifiers"), None)
    words = [n.type for n in modifiers.children if not n.is_named] if modifiers else []
    throws = next((n for n in node.children if n.type == "throws"), None)
    generics = text(node.child_by_field_name("type_parameters"))
    result = _plain(text(node.child_by_field_name("type")))
    types = [_type_of(n) for n in parameters.children if n.is_named] if parameters else []
    return Method(
        text(node.child_by_field_name("name")),
        text(node),
        node.start_byte,
        node.end_byte,
        node.start_point[0] + 1,
        node.end_point[0] + 1,
        (
            *sorted(set(words) - {"synchronized"}),
            f"{_plain(generics)}{result}({','.join(t for t in types if t)})",
            _plain(text(throws)),
        ),
        body.start_byte - node.start_byte if (body := node.child_by_field_name("body")) else 0,
    )


def _type_of(parameter: Node) -> str:
    """The simple type of one parameter; "" for a comment or a receiver."""
    if parameter.type == "spread_parameter":
        inner = [n for n in parameter.children if n.is_named and n.type != "modifiers"]
        return f"{_plain(text(inner[0]))}..."
    if parameter.type != "formal_parameter":
        return ""
    dimensions = text(parameter.child_by_field_name("dimensions"))
    return _plain(text(parameter.child_by_field_name("type")) + dimensions)


def _plain(written: str) -> str:
    """A type without annotations, packages and spaces."""
    bare = re.sub(r"@\w+(?:\([^)]*\))?\s*", "", written)
    bare = re.sub(r"\b(?:[a-z_]\w*\s*\.\s*)+(?=[A-Z])", "", bare)
    return re.sub(r"\s+(?=\W)|(?<=\W)\s+", "", bare).strip()


def _call(method: Method) -> str:
    """name(types): what tells overloads apart."""
    types = method.interface[-2]
    return method.name + types[types.index("(") :]


def _call_of(signature: str) -> str:
    """The same of a written signature "T name(A, B)"."""
    root = parse(f"class Shell__ {{ {_named(signature)} {{ }} }}", "java")
    found = [n for n in walk(root) if n.type in METHODS]
    if root.has_error or len(found) != 1:
        raise KitError(f"{signature!r} is no signature of a method; write like 'int f(String)'.")
    return _call(_method(found[0]))


def _named(signature: str) -> str:
    """Parameters of a declaration must have names: p0, p1, ..."""
    head, _, rest = signature.partition("(")
    depth, out, number = 0, "", 0
    for character in rest[: rest.rindex(")")] if ")" in rest else rest:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            out += f" p{number}"
            number += 1
        out += character
    return f"{head}({out} p{number})" if out.strip() else f"{head}()"


def _split(answer: str) -> tuple[list[str], str]:
    """The import lines that an answer begins with, and the rest."""
    found = re.match(r"(?:\s*import\s+(?:static\s+)?[\w.]+(?:\.\*)?\s*;)*", answer)
    head = found[0] if found else ""
    return [line.strip() for line in head.split(";") if line.strip()], answer[len(head) :]


def _members(root: Node) -> list[Node] | None:
    """What stands in the shell's body, comments left out; None where the shell was closed early."""
    if len(root.children) != 1:
        return None
    body = root.children[0].child_by_field_name("body")
    if body is None or body.end_byte != root.end_byte - 1:  # the shell ends in a line feed
        return None
    return [n for n in body.children if n.is_named and "comment" not in n.type]


def _with_imports(data: bytes, imports: list[str]) -> bytes:
    """Imports that the file lacks, on the line of its last import or package: lines stay."""
    root = parse(data.decode(), "java")
    heads = [n for n in root.children if n.type in ("package_declaration", "import_declaration")]
    there = {text(n).rstrip(";").strip() for n in heads}
    lacking = "".join(f" {line};" for line in dict.fromkeys(imports) if line not in there)
    at = heads[-1].end_byte if heads else 0
    return data[:at] + lacking.encode() + data[at:]
