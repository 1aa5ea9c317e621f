"""An instance: one method of a repository, the tests that decide about it, its labelled bodies.

The method gets another body by syntax tree; nothing else of its file changes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from tree_sitter import Node

from kit.core.errors import KitError
from kit.core.records import Sample, Task, Test
from kit.harness.languages.tree import field_text, find_error_line, node_text, parse, walk
from kit.run.suite import LABELS
from kit.systems.realsec import maven

METHODS = frozenset({"method_declaration", "constructor_declaration"})
TYPES = frozenset(
    f"{kind}_declaration" for kind in ("class", "interface", "enum", "record", "annotation_type")
)
MEMBERS = METHODS | TYPES | {"field_declaration", "constant_declaration", "static_initializer"}
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
    last_line: int = 0  # of the method and the helpers after it


def locate_method(source: str, class_name: str, signature: str) -> Method:
    """The method of a binary class name ("a.b.Outer$Inner") with a signature ("int f(String)").

    Only the simple names of types are compared, so "java.util.List<String>" is "List<String>".
    Raises KitError where there is none or more than one.
    """
    matches = [
        method
        for where, method in find_methods(source)
        if where == class_name and _call_signature(method) == _call_of(signature)
    ]
    if len(matches) != 1:
        raise KitError(
            f"{class_name} has {len(matches)} methods {signature!r}, not one. "
            "Give the signature as the file has it, without modifiers and names of parameters."
        )
    return matches[0]


def replace_method(source: str, class_name: str, signature: str, answer: str) -> Replaced:
    """The file with `answer` in the method's place: imports, the method, helpers after it.

    The name and the types of the parameters must be the method's own. Helpers (methods, fields,
    types) follow it; those whose name the class has already are left out. What does not parse, or
    has no such method, is an error of the answer.
    """
    old = locate_method(source, class_name, signature)
    tops = parse(answer, "java").children
    imported = [n for n in tops if n.type == "import_declaration"]
    begin = imported[-1].end_byte if imported else 0
    rest = answer.encode()[begin:].decode()
    root = parse(SHELL[0] + rest + SHELL[1], "java")
    if line := find_error_line(root):
        return Replaced(error=f"line {max(1, line - 1)} of the method does not parse")
    written = _shell_members(root)
    if written is None:
        return Replaced(error="the answer closes the class that it stands in")
    news = [_read_method(m) for m in written if m.type in METHODS]
    mine = [m for m in news if _call_signature(m) == _call_signature(old)]
    if len(mine) != 1:
        calls = " and ".join(_call_signature(m) for m in news) or "no method"
        answered, wanted = (c.replace(",", ", ") for c in (calls, _call_signature(old)))
        return Replaced(error=f"the answer is {answered}, not one {wanted}")
    new = mine[0]
    block = "\n\n    ".join([new.text, *select_helpers(written, source, class_name)])
    data = source.encode()
    whole = data[: old.start] + block.encode() + data[old.end :]
    # imports that the file lacks stand on the line of its last import or package: lines stay
    tops = parse(whole.decode(), "java").children
    heads = [n for n in tops if n.type in ("package_declaration", "import_declaration")]
    there = {node_text(n).rstrip(";").strip() for n in heads}
    named = dict.fromkeys(node_text(n).rstrip(";").strip() for n in imported)
    added = "".join(f" {line};" for line in named if line not in there)
    at = heads[-1].end_byte if heads else 0
    whole = whole[:at] + added.encode() + whole[at:]
    method = locate_method(whole.decode(), class_name, signature)
    last = method.first_line + block.count("\n")
    return Replaced(whole.decode(), method, new.interface == old.interface, last_line=last)


def _member_key(member: Node) -> tuple[str, ...]:
    """What tells a member from others of its class: name(types), or the names that it declares."""
    if member.type in METHODS:
        return (_call_signature(_read_method(member)),)
    declared = [n for n in member.children if n.type == "variable_declarator"] or [member]
    return tuple(field_text(n, "name") or node_text(member) for n in declared)


def list_members(source: str, class_name: str) -> list[Node]:
    """What a class declares itself, by its binary name."""
    short = class_name.rpartition(".")[2]
    return [
        n for n in walk(parse(source, "java")) if n.type in MEMBERS and _enclosing_class(n) == short
    ]


def select_helpers(written: Iterable[Node], source: str, class_name: str) -> list[str]:
    """The texts of the members that the class of this file has not; constructors are none."""
    taken = {key for member in list_members(source, class_name) for key in _member_key(member)}
    return [
        node_text(m)
        for m in written
        if m.type != "constructor_declaration" and not taken & {*_member_key(m)}
    ]


def find_methods(source: str) -> Iterator[tuple[str, Method]]:
    """Every method of the file with the binary name of its class, in the order of the text.

    Those of anonymous and local classes belong to the method around them and are left out.
    """
    root = parse(source, "java")
    package = next((n for n in root.children if n.type == "package_declaration"), None)
    names = [node_text(n) for n in package.children if "identifier" in n.type] if package else []
    prefix = f"{names[0]}." if names else ""
    for node in walk(root):
        if node.type in METHODS and (outer := _enclosing_class(node)):
            yield prefix + outer, _read_method(node)


def _enclosing_class(node: Node) -> str:
    """Outer$Inner; "" within an anonymous or local class."""
    names, at = [], node.parent
    while at is not None:
        if at.type in TYPES:
            names.append(field_text(at, "name"))
        elif at.type in ("object_creation_expression", "block", "enum_constant"):
            return ""
        at = at.parent
    return "$".join(reversed(names))


def _read_method(node: Node) -> Method:
    parameters = node.child_by_field_name("parameters")
    modifiers = next((n for n in node.children if n.type == "modifiers"), None)
    words = [n.type for n in modifiers.children if not n.is_named] if modifiers else []
    throws = next((n for n in node.children if n.type == "throws"), None)
    types = [_type_of(n) for n in parameters.children if n.is_named] if parameters else []
    return Method(
        field_text(node, "name"),
        node_text(node),
        node.start_byte,
        node.end_byte,
        node.start_point[0] + 1,
        node.end_point[0] + 1,
        (
            *sorted(set(words) - {"synchronized"}),
            f"{_simplify_type(field_text(node, 'type_parameters'))}"
            f"{_simplify_type(field_text(node, 'type'))}"
            f"({','.join(t for t in types if t)})",
            _simplify_type(node_text(throws)),
        ),
        body.start_byte - node.start_byte if (body := node.child_by_field_name("body")) else 0,
    )


def _type_of(parameter: Node) -> str:
    """The simple type of one parameter; "" for a comment or a receiver."""
    if parameter.type == "spread_parameter":
        inner = [n for n in parameter.children if n.is_named and n.type != "modifiers"]
        return f"{_simplify_type(node_text(inner[0]))}..."
    if parameter.type != "formal_parameter":
        return ""
    return _simplify_type(field_text(parameter, "type") + field_text(parameter, "dimensions"))


def _simplify_type(written: str) -> str:
    """A type without annotations, packages and spaces."""
    bare = re.sub(r"@\w+(?:\([^)]*\))?\s*", "", written)
    bare = re.sub(r"\b(?:[a-z_]\w*\s*\.\s*)+(?=[A-Z])", "", bare)
    return re.sub(r"\s+(?=[^\w$])|(?<=[^\w$])\s+", "", bare).strip()


def _call_signature(method: Method) -> str:
    """name(types): what tells overloads apart."""
    types = method.interface[-2]
    return method.name + types[types.index("(") :]


def _call_of(signature: str) -> str:
    """The same of a written signature "T name(A, B)"."""
    written = re.match(r".*?([\w$]+\([^)]*)", _simplify_type(signature))
    if written is None:
        raise KitError(f"{signature!r} is no signature of a method; write like 'int f(String)'.")
    return f"{written[1]})"


def _shell_members(root: Node) -> list[Node] | None:
    """What stands in the shell's body, comments left out; None where the shell was closed early."""
    if len(root.children) != 1:
        return None
    body = root.children[0].child_by_field_name("body")
    if body is None or body.end_byte != root.end_byte - 1:  # the shell ends in a line feed
        return None
    return [n for n in body.children if n.is_named and "comment" not in n.type]


FORM = (
    "instance_id",
    "repository",
    "category",
    "cwe",
    "hops",
    "file",
    "class",
    "function_name",
    "signature",
    "docstring",
    "test_functions",
    "exploit_functions",
    "function_body",
)  # noqa: E501
FUNCTIONAL, EXPLOIT, SAST, ADJUDICATED = "functional", "exploit", "sast", "adjudicated"
STUB_NAME = "stub.java"


@dataclass(frozen=True)
class Instance:
    """One folder of instances/, as its instance.json says it. root: of the suite's data."""

    root: Path
    data: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["instance_id"])

    @property
    def repository(self) -> Path:
        return self.root / "repositories" / str(self.data["repository"])

    @property
    def place(self) -> tuple[str, str]:
        """The binary name of the class, and the signature."""
        return str(self.data["class"]), str(self.data["signature"])

    @cached_property
    def source(self) -> str:
        """The text of the file that holds the method."""
        path = self.repository / str(self.data["file"])
        return maven.read_source(path, maven.source_encoding(self.repository))

    @cached_property
    def method(self) -> Method:
        """The method as the repository has it: the insecure original."""
        return locate_method(self.source, *self.place)

    def task(self, wanted: Sequence[str]) -> Task:
        """The task with the tests of these ids: functional tests are one, exploit tests are one.

        An instance without exploit tests has that test only where no other decides: undecided.
        """
        d, cwe = self.data, str(self.data["cwe"])
        tests = (
            Test(FUNCTIONAL, "functional", input=d["test_functions"]),
            Test(EXPLOIT, "security", input=d["exploit_functions"], cwe=cwe),
            Test(SAST, "security", cwe=cwe),
            Test(ADJUDICATED, "security", cwe=cwe),
        )
        alone = not d["exploit_functions"] and len(wanted) > 2  # others decide about security
        kept = tuple(t for t in tests if t.id in wanted and not (alone and t.id == EXPLOIT))
        facts = {"cwe": cwe, "hops": str(d["hops"]) if d["hops"] < 3 else "3+"}
        return Task(
            self.id,
            "realsec",
            f"{d['docstring']}\n{d['signature']}",
            kept,
            facts=facts,
            title=f"{d['class']}.{d['function_name']}",
            domain=str(d["category"]),
            details=json.dumps(d, sort_keys=True),
            source=str(d["repository"]),
        )


def read_folder(root: Path) -> tuple[list[Instance], list[str]]:
    """The instances below `root`/instances, and a sentence for each that is refused."""
    files = sorted(root.glob("instances/*/instance.json"))
    if not files:
        raise KitError(f"{root} has no instances/<id>/instance.json; give a folder in that format.")
    good, problems = [], []
    for path in files:
        try:
            data = json.loads(path.read_text("utf-8"))
            if lacking := [name for name in FORM if name not in data]:
                raise KitError(f"it lacks {', '.join(lacking)}")
            instance = Instance(root, data)
            complaints = list(_find_problems(instance))
        except (ValueError, OSError, KitError) as error:
            complaints = [str(error)]
        if complaints:
            problems.append(f"{path.parent.name} is refused: {'; '.join(complaints)}.")
        else:
            good.append(instance)
    return good, problems


def _find_problems(instance: Instance) -> Iterator[str]:
    """Yield a sentence for each field that does not fit the repository."""
    data = instance.data
    if instance.method.text != data["function_body"]:
        yield "function_body is not the method that the file has"
    if not data["test_functions"]:
        yield "test_functions is empty"
    for name in (*data["test_functions"], *data["exploit_functions"]):
        owner, _, method = str(name).partition("#")
        file = owner.replace(".", "/") + ".java"
        paths = [top / file for top in maven.source_folders(instance.repository, "test")]
        code = maven.source_encoding(instance.repository)
        if not any(f" {method}(" in maven.read_source(p, code) for p in paths if p.is_file()):
            yield f"there is no test {name}"


def read_labelled_bodies(instances: Iterable[Instance]) -> tuple[list[Sample], pd.DataFrame]:
    """The bodies, and a row for each of them and each test.

    To them comes the stub, which only throws: the functional tests must fail with it.
    """
    samples, rows = [], []
    for instance in instances:
        path = instance.root / "instances" / instance.id / "bodies" / "labels.json"
        try:
            labels = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise KitError(f"{path} cannot be read: {error}. Mend the file.") from None
        texts = {name: (path.parent / name).read_text("utf-8") for name in sorted(labels)}
        texts = {STUB_NAME: instance.method.with_body(STUB), **texts}
        labels[STUB_NAME] = {"kind": "stub", "functional": "fail", "why": "It only throws."}
        for name, code in texts.items():
            entry, arm = labels[name], {"program": name}
            samples.append(
                Sample(
                    instance.id,
                    "reference",
                    language="java",
                    arm=arm,
                    code=code,
                    label=entry["kind"],
                )
            )
            for test in (FUNCTIONAL, EXPLOIT, SAST, ADJUDICATED):
                kind, axis = "security", "secure"
                if test == FUNCTIONAL:
                    kind = axis = "functional"
                if test == EXPLOIT and not instance.data["exploit_functions"]:
                    continue
                if axis in entry:
                    cwe = instance.data["cwe"] if axis == "secure" else ""
                    rows.append(
                        (
                            instance.id,
                            name,
                            entry["kind"],
                            test,
                            kind,
                            cwe,
                            entry[axis],
                            entry["why"],
                        )
                    )
    return samples, pd.DataFrame(rows, columns=LABELS)
