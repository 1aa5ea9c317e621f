"""A program as the engines may read it: in plain sight, whole, and with nothing that steers them.

An engine passes over what it cannot parse without a word (opengrep 1.30, semgrep 1.182), obeys
comments that ask for silence, and reads other text than the compiler where a file says so. Each of
these is found here, before a start, so that silence is never taken for safety.
"""

import ast
import contextlib
import io
import re
import tokenize
from collections.abc import Iterator

from tree_sitter import Node

from kit.harness.read import tree
from kit.languages import parsed

LANGUAGES = {"python": ".py", "c": ".c", "java": ".java"}
LARGEST = 1_000_000  # characters
_SILENCERS = re.compile(r"(?i)(?<=n)o(?=sem|sec|opengrep)")
_STEERS = re.compile(r"\b_?pragma\s*\(|\bpragma\s+(?:GCC|clang)|^\s*#\s*(?:line\b|\d)", re.I | re.M)
_ESCAPED = re.compile(r"\\u+00[2-7][0-9a-fA-F]")
_NAMED = {
    "c": frozenset({"function_definition"}),
    "java": frozenset({"method_declaration", "constructor_declaration"}),
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def readable(content: bytes, language: str) -> str:
    """Why an engine may not be believed about this file, in one sentence; "" where it may."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "The file is no UTF-8 text."
    if len(text) > LARGEST:
        return f"The file has {len(text)} characters, more than {LARGEST}."
    if "\0" in text:
        return "The file holds a NUL character."
    steered = _steered(content, text, language)
    return steered or ("" if _whole(text, language) else f"The file does not parse as {language}.")


def _steered(content: bytes, text: str, language: str) -> str:
    """Does the file make a compiler read something else than is written, or be silent?"""
    if language == "python":
        try:
            coding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
        except SyntaxError:
            return "The file names an encoding that Python does not know."
        return "" if coding.startswith("utf-8") else f"The file asks to be read as {coding}."
    if language == "c" and (found := _STEERS.search(text.replace("\\\n", ""))):
        return f"The file steers the compiler's warnings: {found[0].strip()}."
    if language == "java" and (found := _ESCAPED.search(text)):
        return f"The file hides plain characters: {found[0]}."
    return ""


def _whole(text: str, language: str) -> bool:
    if language == "python":
        return parsed(text) is not None
    return not tree.parse(text, language).has_error


def audible(content: bytes, language: str) -> bytes:
    """The file as an engine gets it: comments are blanks, so that none asks for silence or passes
    for a check; "nosem" and "nosec" elsewhere are misspelt. No line and no column moves."""
    text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    return _SILENCERS.sub("0", _uncommented(text, language)).encode()


def _uncommented(text: str, language: str) -> str:
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


def functions(content: bytes, language: str) -> list[tuple[int, int, str]]:
    """(first line, last line, name) of every function, outer ones first."""
    text = content.decode("utf-8", "replace")
    if language == "python":
        root = parsed(text)
        found = [n for n in ast.walk(root) if isinstance(n, _DEFINITIONS)] if root else []
        return sorted((n.lineno, n.end_lineno or n.lineno, n.name) for n in found)
    kinds = _NAMED[language]
    nodes = (n for n in tree.walk(tree.parse(text, language)) if n.type in kinds)
    return [(n.start_point[0] + 1, n.end_point[0] + 1, _name(n)) for n in nodes]


def _name(node: Node) -> str:
    """The name that a definition declares."""
    named = node.child_by_field_name("name")
    if named is None:
        named = next((n for n in _declarators(node) if n.type == "identifier"), None)
    return tree.text(named)


def _declarators(node: Node) -> Iterator[Node]:
    at = node.child_by_field_name("declarator")
    while at is not None:
        yield at
        at = at.child_by_field_name("declarator")
