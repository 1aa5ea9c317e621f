"""An instance: one method of a repository, the tests that decide about it, its labelled bodies.

The method gets another body by syntax tree; nothing else of its file changes.
"""

import hashlib
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
from kit.systems.realsec.repository import Repository

METHODS = frozenset({"method_declaration", "constructor_declaration"})
TYPES = frozenset(
    f"{kind}_declaration" for kind in ("class", "interface", "enum", "record", "annotation_type")
)
MEMBERS = METHODS | TYPES | {"field_declaration", "constant_declaration", "static_initializer"}
STUB = '{ throw new UnsupportedOperationException("stub"); }'
STUB_NAME = "stub.java"
ORIGINAL = "original.java"
SHELL = ("class Shell__ {\n", "\n}\n")
FUNCTIONAL, EXPLOIT, SAST, ADJUDICATED = "functional", "exploit", "sast", "adjudicated"
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
)


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
    answer_line: int = 0  # of the answer, where its method begins


def locate_method(source: str, class_name: str, signature: str) -> Method:
    """The method of a binary class name ("a.b.Outer$Inner") with a signature ("int f(String)").

    Only the simple names of types are compared, so "java.util.List<String>" is "List<String>".
    Raises KitError where there is none or more than one.
    """
    matches = []
    for owner, method in find_methods(source):
        if owner == class_name and _call_signature(method) == _call_of(signature):
            matches.append(method)
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
    imports = _children_of_type(parse(answer, "java"), "import_declaration")
    begin = imports[-1].end_byte if imports else 0
    body = answer.encode()[begin:].decode()
    root = parse(SHELL[0] + body + SHELL[1], "java")
    if line := find_error_line(root):
        return Replaced(error=f"line {max(1, line - 1)} of the method does not parse")
    members = _shell_members(root)
    if members is None:
        return Replaced(error="the answer closes the class that it stands in")
    wanted = _call_signature(old)
    methods = [_read_method(m) for m in members if m.type in METHODS]
    matches = [m for m in methods if _call_signature(m) == wanted]
    if len(matches) != 1:
        calls = " and ".join(map(_call_signature, methods)) or "no method"
        answered = calls.replace(",", ", ")
        expected = wanted.replace(",", ", ")
        return Replaced(error=f"the answer is {answered}, not one {expected}")
    new = matches[0]
    block = "\n\n    ".join([new.text, *select_helpers(members, source, class_name)])
    data = source.encode()
    changed = (data[: old.start] + block.encode() + data[old.end :]).decode()
    changed = _add_imports(changed, imports)
    method = locate_method(changed, class_name, signature)
    last = method.first_line + block.count("\n")
    return Replaced(
        changed,
        method,
        new.interface == old.interface,
        last_line=last,
        answer_line=answer.encode()[:begin].count(b"\n") + new.first_line - SHELL[0].count("\n"),
    )


def _add_imports(source: str, imports: Iterable[Node]) -> str:
    """The file with the imports that it lacks, behind its last import or package: lines stay."""
    end = 0
    present = set()
    for node in parse(source, "java").children:
        if node.type in ("package_declaration", "import_declaration"):
            end = node.end_byte
            present.add(_strip_statement(node))
    lines = ""
    for line in dict.fromkeys(map(_strip_statement, imports)):
        if line not in present:
            lines += f" {line};"
    data = source.encode()
    return (data[:end] + lines.encode() + data[end:]).decode()


def _strip_statement(node: Node) -> str:
    """The text of a statement without what ends it."""
    return node_text(node).rstrip(";").strip()


def _member_key(member: Node) -> tuple[str, ...]:
    """What tells a member from others of its class: name(types), or the names that it declares."""
    if member.type in METHODS:
        return (_call_signature(_read_method(member)),)
    declarators = _children_of_type(member, "variable_declarator") or [member]
    return tuple(field_text(node, "name") or node_text(member) for node in declarators)


def _children_of_type(node: Node, kind: str) -> list[Node]:
    return [child for child in node.children if child.type == kind]


def list_members(source: str, class_name: str) -> list[Node]:
    """What a class declares itself, by its binary name."""
    short = class_name.rpartition(".")[2]
    return [
        n for n in walk(parse(source, "java")) if n.type in MEMBERS and _enclosing_class(n) == short
    ]


def select_helpers(written: Iterable[Node], source: str, class_name: str) -> list[str]:
    """The texts of the members that the class of this file has not; constructors are none."""
    taken: set[str] = set()
    for member in list_members(source, class_name):
        taken.update(_member_key(member))
    helpers = []
    for member in written:
        if member.type != "constructor_declaration" and taken.isdisjoint(_member_key(member)):
            helpers.append(node_text(member))
    return helpers


def find_methods(source: str) -> Iterator[tuple[str, Method]]:
    """Every method of the file with the binary name of its class, in the order of the text.

    Those of anonymous and local classes belong to the method around them and are left out.
    """
    root = parse(source, "java")
    prefix = ""
    for package in _children_of_type(root, "package_declaration")[:1]:
        names = [n for n in package.children if "identifier" in n.type]
        if names:
            prefix = f"{node_text(names[0])}."
    for node in walk(root):
        if node.type in METHODS:
            owner = _enclosing_class(node)
            if owner:
                yield prefix + owner, _read_method(node)


def _enclosing_class(node: Node) -> str:
    """Outer$Inner; "" within an anonymous or local class."""
    names = []
    at = node.parent
    while at is not None:
        if at.type in TYPES:
            names.append(field_text(at, "name"))
        elif at.type in ("object_creation_expression", "block", "enum_constant"):
            return ""
        at = at.parent
    return "$".join(reversed(names))


def _read_method(node: Node) -> Method:
    modifiers: set[str] = set()
    for child in _children_of_type(node, "modifiers")[:1]:
        modifiers.update(word.type for word in child.children if not word.is_named)
    head = _simplify_type(field_text(node, "type_parameters"))
    head += _simplify_type(field_text(node, "type"))
    parameters = node.child_by_field_name("parameters")
    types = map(_type_of, parameters.named_children) if parameters else ()
    throws = _children_of_type(node, "throws")
    body = node.child_by_field_name("body")
    return Method(
        field_text(node, "name"),
        node_text(node),
        node.start_byte,
        node.end_byte,
        node.start_point[0] + 1,
        node.end_point[0] + 1,
        (
            *sorted(modifiers - {"synchronized"}),
            f"{head}({','.join(filter(None, types))})",
            _simplify_type(node_text(throws[0]) if throws else ""),
        ),
        body.start_byte - node.start_byte if body else 0,
    )


def _type_of(parameter: Node) -> str:
    """The simple type of one parameter; "" for a comment or a receiver."""
    if parameter.type == "spread_parameter":
        inner = [n for n in parameter.named_children if n.type != "modifiers"]
        return f"{_simplify_type(node_text(inner[0]))}..."
    if parameter.type != "formal_parameter":
        return ""
    return _simplify_type(field_text(parameter, "type") + field_text(parameter, "dimensions"))


def _simplify_type(text: str) -> str:
    """A type without annotations, packages and spaces."""
    bare = re.sub(r"@\w+(?:\([^)]*\))?\s*", "", text)
    bare = re.sub(r"\b(?:[a-z_]\w*\s*\.\s*)+(?=[A-Z])", "", bare)
    return re.sub(r"\s+(?=[^\w$])|(?<=[^\w$])\s+", "", bare).strip()


def _call_signature(method: Method) -> str:
    """name(types): what tells overloads apart."""
    types = method.interface[-2]
    return method.name + types[types.index("(") :]


def _call_of(signature: str) -> str:
    """The same of a written signature "T name(A, B)"."""
    call = re.match(r".*?([\w$]+\([^)]*)", _simplify_type(signature))
    if call is None:
        raise KitError(f"{signature!r} is no signature of a method; write like 'int f(String)'.")
    return f"{call[1]})"


def _shell_members(root: Node) -> list[Node] | None:
    """What stands in the shell's body, comments left out; None where the shell was closed early."""
    if len(root.children) != 1:
        return None
    body = root.children[0].child_by_field_name("body")
    if body is None or body.end_byte != root.end_byte - 1:  # the shell ends in a line feed
        return None
    return [n for n in body.named_children if "comment" not in n.type]


@dataclass(frozen=True)
class Instance:
    """One folder of instances/, as its instance.json says it. root: of the suite's data."""

    root: Path
    data: dict[str, Any]
    repository: Repository

    @property
    def id(self) -> str:
        return str(self.data["instance_id"])

    @property
    def place(self) -> tuple[str, str]:
        """The binary name of the class, and the signature."""
        return str(self.data["class"]), str(self.data["signature"])

    @property
    def hops(self) -> str:
        """How many calls the flow takes, in the groups of the tables: 0, 1, 2, 3+."""
        hops = self.data["hops"]
        return str(hops) if hops < 3 else "3+"

    @cached_property
    def source(self) -> str:
        """The text of the file that holds the method."""
        return self.repository.read_file(str(self.data["file"]))

    @cached_property
    def method(self) -> Method:
        """The method as the repository has it. Raises KitError where it is another one."""
        method = locate_method(self.source, *self.place)
        if hash_text(method.text) != self.data.get("method_sha256", hash_text(method.text)):
            raise KitError(f"{self.id}: the repository has another method than the instance says.")
        return method

    def task(self, wanted: Sequence[str]) -> Task:
        """The task with the tests of these ids: functional tests are one, exploit tests are one.

        An instance without exploit tests has that test only where no other decides: undecided.
        """
        d = self.data
        cwe = str(d["cwe"])
        tests = (
            Test(FUNCTIONAL, "functional", input=d["test_functions"]),
            Test(EXPLOIT, "security", input=d["exploit_functions"], cwe=cwe),
            Test(SAST, "security", cwe=cwe),
            Test(ADJUDICATED, "security", cwe=cwe),
        )
        ids = set(wanted)
        if not d["exploit_functions"] and len(wanted) > 2:  # others decide about security
            ids.discard(EXPLOIT)
        return Task(
            self.id,
            "realsec",
            f"{d['docstring']}\n{d['signature']}",
            tuple(test for test in tests if test.id in ids),
            facts={"cwe": cwe, "hops": self.hops},
            title=f"{d['class']}.{d['function_name']}",
            domain=str(d["category"]),
            details=json.dumps(d, sort_keys=True),
            source=str(d["repository"]),
        )


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_folder(root: Path, local_jars: Path | None = None) -> tuple[list[Instance], list[str]]:
    """The instances below `root`/instances, and a sentence for each that is refused.

    local_jars: for the repositories; see `Repository`. What a recipe fetches is not read here.
    """
    files = sorted(root.glob("instances/*/instance.json"))
    if not files:
        raise KitError(f"{root} has no instances/<id>/instance.json; give a folder in that format.")
    repositories: dict[str, Repository] = {}
    good, problems = [], []
    for path in files:
        try:
            data = json.loads(path.read_text("utf-8"))
            lacking = [name for name in FORM if name not in data]
            if not {"function_body", "method_sha256"} & set(data):
                lacking.append("function_body")
            if lacking:
                raise KitError(f"it lacks {', '.join(lacking)}")
            name = str(data["repository"])
            if name not in repositories:
                repositories[name] = Repository(root / "repositories" / name, local_jars)
            instance = Instance(root, data, repositories[name])
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
    if not data["test_functions"]:
        yield "test_functions is empty"
    if instance.repository.is_released:
        return  # whether it fits, its validation says: it would have to be fetched
    if instance.method.text != data.get("function_body", instance.method.text):
        yield "function_body is not the method that the file has"
    for name in (*data["test_functions"], *data["exploit_functions"]):
        if not _has_test(instance.repository, str(name)):
            yield f"there is no test {name}"


def _has_test(repository: Repository, name: str) -> bool:
    """Whether a "pkg.Class#method" is declared in the folders of tests."""
    owner, _, method = name.partition("#")
    return f" {method}(" in repository.find_test_source(owner)


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
        texts = {}
        for name in sorted(labels):
            file = path.parent / name
            is_upstreams = name == ORIGINAL and not file.exists()  # a released one is not copied
            texts[name] = instance.method.text if is_upstreams else file.read_text("utf-8")
        texts = {STUB_NAME: instance.method.with_body(STUB), **texts}
        labels[STUB_NAME] = {"kind": "stub", "functional": "fail", "why": "It only throws."}
        security = [EXPLOIT, SAST, ADJUDICATED]
        if not instance.data["exploit_functions"]:
            security.remove(EXPLOIT)
        for name, code in texts.items():
            entry = labels[name]
            kind = entry["kind"]
            arm = {"program": name}
            samples.append(
                Sample(instance.id, "reference", language="java", arm=arm, code=code, label=kind)
            )
            body = (instance.id, name, kind)
            if FUNCTIONAL in entry:
                label = entry[FUNCTIONAL]
                rows.append((*body, FUNCTIONAL, "functional", "", label, entry["why"]))
            if "secure" in entry:
                end = ("security", instance.data["cwe"], entry["secure"], entry["why"])
                rows += [(*body, test, *end) for test in security]
    return samples, pd.DataFrame(rows, columns=LABELS)
