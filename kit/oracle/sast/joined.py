"""The classes of one Java program as one file, since opengrep follows taint within a file only.

Lines keep their text, so that a finding goes back to its file by counting, but for three things
that are written as the engine knows them. A static method of a declared class is called on a new
object (`A.f(x)` -> `new A().f(x)`); a constant of a declared enum is the object that it is
(`E.ONE` -> `new E("1")`); a type named with its package loses that (`java.io.File` -> `File`).
"""

import bisect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from kit.harness.read import tree
from kit.records import Finding

_TYPES = frozenset({"class_declaration", "record_declaration", "enum_declaration"})


@dataclass(frozen=True)
class Joined:
    """content: the one file. starts[i]: the line before the first one of paths[i]."""

    content: bytes
    starts: tuple[int, ...]
    paths: tuple[str, ...]

    def back(self, place: str) -> str:
        """ "joined:line" as "path:line" of the file that the line came from."""
        line = int(place.rpartition(":")[2])
        at = max(bisect.bisect_left(self.starts, line) - 1, 0)
        return f"{self.paths[at]}:{line - self.starts[at]}"

    def home(self, finding: Finding) -> Finding:
        """The finding where its file is."""
        file, _, line = self.back(f":{finding.line}").rpartition(":")
        length = max(finding.end_line - finding.line, 0)
        flow = tuple(self.back(step) for step in finding.flow)
        return replace(finding, file=file, line=int(line), end_line=int(line) + length, flow=flow)


@dataclass(frozen=True)
class _Names:
    """What a program declares: classes, constants of enums with their arguments, packages."""

    classes: frozenset[str]
    constants: Mapping[tuple[str, str], str]
    packages: frozenset[str]

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> "_Names":
        nodes = [n for text in files.values() for n in tree.walk(tree.parse(text.decode(), "java"))]
        classes = (tree.text(n.child_by_field_name("name")) for n in nodes if n.type in _TYPES)
        heads = (n for n in nodes if n.type in ("package_declaration", "import_declaration"))
        first = (re.search(r"(\w+)(?=[.;])", tree.text(n)) for n in heads)
        packages = {"java", "javax"} | {found[0] for found in first if found}
        constants = {}
        for n in nodes:
            given = n.child_by_field_name("arguments") if n.type == "enum_constant" else None
            if given is not None and n.parent is not None and n.parent.parent is not None:
                owner = tree.text(n.parent.parent.child_by_field_name("name"))
                name = tree.text(n.child_by_field_name("name"))
                constants[owner, name] = " ".join(tree.text(given).split("\n"))
        return cls(frozenset(classes), constants, frozenset(packages))

    def short(self, node: Node) -> str:
        """The type's name without its package; "" for what is no such name."""
        *before, name = tree.text(node).split(".")
        package = before and before[0] in self.packages and all(map(str.islower, before))
        return name if package and name[:1].isupper() else ""

    def instead(self, node: Node) -> str:
        """The text that stands for the node; "" for its own. No line may move."""
        parent = node.parent
        if node.start_point[0] != node.end_point[0]:
            return ""
        if node.type == "identifier" or node.type == "field_access":
            name = tree.text(node) if node.type == "identifier" else self.short(node)
            called = parent if parent is not None and parent.type == "method_invocation" else None
            on = called.child_by_field_name("object") if called is not None else None
            if on == node and name in self.classes:
                return f"new {name}()"
        if node.type == "field_access":
            owner, _, constant = tree.text(node).rpartition(".")
            given = self.constants.get((owner.rpartition(".")[2], constant))
            if given:
                return f"new {owner.rpartition('.')[2]}{given}"
        return self.short(node) if node.type in ("field_access", "scoped_type_identifier") else ""


def join(files: Mapping[str, bytes]) -> Joined:
    """The files, in the order of their paths, in one."""
    names = _Names.of(files)
    parts, starts, at = [], [], 0
    for path in sorted(files):
        text = _objects(files[path], names).rstrip(b"\n") + b"\n"
        parts.append(text)
        starts.append(at)
        at += text.count(b"\n")
    return Joined(b"".join(parts), tuple(starts), tuple(sorted(files)))


def _objects(content: bytes, names: _Names) -> bytes:
    """The text with its names as the engine knows them; the outermost of several in one another."""
    nodes = tree.walk(tree.parse(content.decode(), "java"))
    made = [(n.start_byte, n.end_byte, new) for n in nodes if (new := names.instead(n))]
    parts, at = [], 0
    for start, end, new in sorted(made, key=lambda place: (place[0], -place[1])):
        if start >= at:
            parts += [content[at:start], new.encode()]
            at = end
    return b"".join([*parts, content[at:]])
