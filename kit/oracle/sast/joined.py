"""The classes of one Java program as one file, since opengrep follows taint within a file only.

Lines keep their text, so that a finding goes back to its file by counting. Calls of a declared
class's static methods are written as calls on a new object of it (`A.f(x)` -> `new A().f(x)`):
that is the form in which the engine finds the method, and no line moves by it.
"""

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, replace

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


def join(files: Mapping[str, bytes]) -> Joined:
    """The files, in the order of their paths, in one."""
    names = frozenset(name for content in files.values() for name in _declared(content))
    parts, starts, at = [], [], 0
    for path in sorted(files):
        text = _objects(files[path], names).rstrip(b"\n") + b"\n"
        parts.append(text)
        starts.append(at)
        at += text.count(b"\n")
    return Joined(b"".join(parts), tuple(starts), tuple(sorted(files)))


def _declared(content: bytes) -> list[str]:
    nodes = tree.walk(tree.parse(content.decode(), "java"))
    return [tree.text(n.child_by_field_name("name")) for n in nodes if n.type in _TYPES]


def _objects(content: bytes, names: frozenset[str]) -> bytes:
    """Static calls of the named classes as calls on an object."""
    places = []
    for node in tree.walk(tree.parse(content.decode(), "java")):
        owner = node.child_by_field_name("object") if node.type == "method_invocation" else None
        if owner is not None and owner.type == "identifier" and tree.text(owner) in names:
            places.append((owner.start_byte, owner.end_byte))
    for start, end in sorted(places, reverse=True):
        content = content[:start] + b"new " + content[start:end] + b"()" + content[end:]
    return content
