"""Prepares programs for static analysis: complete, and without comments that control an engine.

Engines skip what they cannot parse and do not report it (opengrep 1.30, semgrep 1.182), obey
comments that suppress findings, and read another text than the compiler if a file says so. These
are detected before a start, so that the lack of a finding is not taken for safety. And since
opengrep follows taint within a file only, the classes of one Java program become one file
(`join_files`).
"""

import ast
import bisect
import contextlib
import io
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from kit.core.languages import try_parse_python
from kit.core.records import Finding
from kit.harness.languages import tree

LANGUAGES = {"python": ".py", "c": ".c", "java": ".java", "cpp": ".cpp", "javascript": ".js"}
LARGEST = 1_000_000  # characters
_SUPPRESSIONS = re.compile(r"(?i)(?<=n)o(?=sem|sec|opengrep)")
_STEERS = re.compile(r"\b_?pragma\s*\(|\bpragma\s+(?:GCC|clang)|^\s*#\s*(?:line\b|\d)", re.I | re.M)
_ESCAPED = re.compile(r"\\u+00[2-7][0-9a-fA-F]")
_NAMED = {
    "c": ("function_definition",),
    "cpp": ("function_definition",),
    "java": ("method_declaration", "constructor_declaration"),
    "javascript": ("function_declaration", "method_definition"),
}
_GETS = re.compile(r"\{\s*return\s+(?:this\.)?\w+;\s*\}")
_TYPES = frozenset({"class_declaration", "record_declaration", "enum_declaration"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def explain_unreliable_file(content: bytes, language: str) -> str:
    """Why an engine's report on this file cannot be relied on, in one sentence; "" if it can."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "The file is no UTF-8 text."
    if len(text) > LARGEST:
        return f"The file has {len(text)} characters, more than {LARGEST}."
    if "\0" in text:
        return "The file holds a NUL character."
    steering = _find_steering(content, text, language)
    if steering:
        return steering
    if language == "python":
        is_whole = try_parse_python(text) is not None
    else:
        is_whole = not tree.parse(text, language).has_error
    return "" if is_whole else f"The file does not parse as {language}."


def _find_steering(content: bytes, text: str, language: str) -> str:
    """Whether, and how, a file makes a compiler read another text or suppress warnings; or ""."""
    if language == "python":
        try:
            coding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
        except SyntaxError:
            return "The file names an encoding that Python does not know."
        return "" if coding.startswith("utf-8") else f"The file asks to be read as {coding}."
    if language == "c":
        pragma = _STEERS.search(text.replace("\\\n", ""))
        return f"The file steers the compiler's warnings: {pragma[0].strip()}." if pragma else ""
    if language == "java":
        escape = _ESCAPED.search(text)
        return f"The file hides plain characters: {escape[0]}." if escape else ""
    return ""


def prepare_content(content: bytes, language: str) -> bytes:
    """The file as an engine gets it: comments are blanks, so that none suppresses a finding or
    passes for a check; "nosem" and "nosec" elsewhere are misspelt. No line and no column moves."""
    text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    return _SUPPRESSIONS.sub("0", _blank_comments(text, language)).encode()


def _blank_comments(text: str, language: str) -> str:
    if language != "python":
        data = text.encode()
        for node in tree.walk(tree.parse(text, language)):
            if "comment" in node.type:
                blank = re.sub(rb"[^\n]", b" ", data[node.start_byte : node.end_byte])
                data = data[: node.start_byte] + blank + data[node.end_byte :]
        return data.decode()
    lines = text.split("\n")
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(lines)


def list_functions(content: bytes, language: str) -> list[tuple[int, int, str]]:
    """(first line, last line, name) of every function, outer ones first."""
    text = content.decode("utf-8", "replace")
    spans = []
    if language == "python":
        root = try_parse_python(text)
        if root is None:
            return []
        for definition in ast.walk(root):
            if isinstance(definition, _DEFINITIONS):
                first = definition.lineno
                spans.append((first, definition.end_lineno or first, definition.name))
        return sorted(spans)
    for node in tree.walk(tree.parse(text, language)):
        if node.type in _NAMED[language]:
            spans.append((node.start_point[0] + 1, node.end_point[0] + 1, _declared_name(node)))
    return spans


def _declared_name(node: Node) -> str:
    """The name that a definition declares."""
    name = node.child_by_field_name("name")
    if name is not None:
        return tree.node_text(name)
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "identifier":
        declarator = declarator.child_by_field_name("declarator")
    return tree.node_text(declarator)


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
    """What a Java program declares: classes, constants of enums with their arguments, packages."""

    classes: frozenset[str]
    constants: Mapping[tuple[str, str], str]
    packages: frozenset[str]

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> "_Names":
        classes = set()
        constants = {}
        packages = {"java", "javax"}
        for text in files.values():
            for node in tree.walk(tree.parse(text.decode(), "java")):
                if node.type in _TYPES:
                    classes.add(tree.field_text(node, "name"))
                elif node.type in ("package_declaration", "import_declaration"):
                    first = re.search(r"(\w+)(?=[.;])", tree.node_text(node))
                    if first:
                        packages.add(first[0])
                elif node.type == "enum_constant":
                    arguments = tree.field_text(node, "arguments")
                    body = node.parent
                    if arguments and body is not None and body.parent is not None:
                        constant = (
                            tree.field_text(body.parent, "name"),
                            tree.field_text(node, "name"),
                        )
                        constants[constant] = arguments.replace("\n", " ")
        return cls(frozenset(classes), constants, frozenset(packages))

    def short(self, node: Node) -> str:
        """The type's name without its package; "" if the node is no such name."""
        *before, name = tree.node_text(node).split(".")
        package = before and before[0] in self.packages and all(map(str.islower, before))
        return name if package and name[:1].isupper() else ""

    def find_replacement(self, node: Node) -> str:
        """The text that stands for the node; "" for its own. No line may move."""
        parent = node.parent
        if node.start_point[0] != node.end_point[0]:
            return ""
        if node.type in ("||", "&&"):  # the engine forgets a check that may be passed over
            return "| "
        if parent is not None and parent.type == "method_declaration":
            body = tree.field_text(parent, "body")
            if node == parent.child_by_field_name("name") and _GETS.fullmatch(body):
                return f"{tree.node_text(node)}__"  # an unknown method: its value is its object's
        is_name = node.type in ("identifier", "field_access")
        if is_name and parent is not None and parent.type == "method_invocation":
            name = tree.node_text(node) if node.type == "identifier" else self.short(node)
            if node == parent.child_by_field_name("object") and name in self.classes:
                return f"new {name}()"
        if node.type == "field_access":
            path, _, constant = tree.node_text(node).rpartition(".")
            owner = path.rpartition(".")[2]
            if (owner, constant) in self.constants:
                return f"new {owner}{self.constants[owner, constant]}"
        return self.short(node) if node.type in ("field_access", "scoped_type_identifier") else ""


def join_files(files: Mapping[str, bytes]) -> Joined:
    """The files in the order of their paths as one file."""
    names = _Names.of(files)
    parts, starts = [], []
    at = 0
    for path in sorted(files):
        text = _rewrite_names(files[path], names).rstrip(b"\n") + b"\n"
        parts.append(text)
        starts.append(at)
        at += text.count(b"\n")
    return Joined(b"".join(parts), tuple(starts), tuple(sorted(files)))


def _rewrite_names(content: bytes, names: _Names) -> bytes:
    """The text with its names as the engine knows them; of nested ones the outermost changes."""
    changes = []
    for node in tree.walk(tree.parse(content.decode(), "java")):
        replacement = names.find_replacement(node)
        if replacement:
            changes.append((node.start_byte, node.end_byte, replacement))
    parts = []
    at = 0
    for start, end, new in sorted(changes, key=lambda place: (place[0], -place[1])):
        if start >= at:
            parts += [content[at:start], new.encode()]
            at = end
    return b"".join([*parts, content[at:]])
