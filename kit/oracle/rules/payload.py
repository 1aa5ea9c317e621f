"""What the input of a security test carries: texts, paths that climb, markup, line breaks."""

import posixpath
import re
from urllib.parse import unquote

from kit.oracle.describe import strings
from kit.records import Task, Test

LONGEST = 5000  # characters of a text that may be a path
PATH = re.compile(r"(?<![\w.~%:+-])(?:[\w.~%:+-]*[/\\])+[\w.~%+-]*[\w~%+-]|\.\.(?:[/\\]|$)")
CLIMBS = re.compile(r"\.\.|^[/~\\]|^[A-Za-z]:\\|%2e|file:|\0|\\x00|\\0", re.I)
LINE_BREAK = re.compile(r"\r\n|\n|\r|\u2028|\u2029|\x85|%0d%0a|%0a|%0d", re.I)
_NAMED = re.compile(r"[\w.-]+\.\w{1,8}")
_MARKUP = re.compile(
    r"<\s*(?:script|img|svg|iframe|body|a|div|b|i|object|embed|style)\b[^>]*>?"
    r"|[\"'][^\"'<>]*\bon\w+\s*=",
    re.I,
)


def texts_of(task: Task, test: Test) -> list[str]:
    """Every text of the input as it is and percent-decoded, and the fixtures that it names."""
    raw = strings(test.input)
    if test.input_file:
        raw.append(task.files.get(test.input_file, b"").decode(errors="replace"))
    texts = [*raw, *(d for t in raw if len(t) < 10_000 and (d := unquote(t)) != t)]
    contents = {posixpath.basename(p): b for p, b in task.files.items()}
    stems = {posixpath.splitext(n)[0]: n for n in contents if n.endswith((".yaml", ".yml"))}
    for name in dict.fromkeys(n for t in raw if len(t) < 300 for n in _names(t)):
        content = contents.get(name) or contents.get(stems.get(name, ""))
        if content and not content.startswith(b"SQLite format 3"):
            texts.append(content.decode(errors="replace"))
    return texts


def _names(text: str) -> list[str]:
    """Words of a short input that may name a fixture: a file name, or the value of a query."""
    return [*_NAMED.findall(text), *re.findall(r"=([\w.-]+)", text)]


def climbing(text: str) -> list[str]:
    """The parts of a text that lead out of a folder, if they are taken for paths."""
    if len(text) > LONGEST:
        return []
    parts = [text, *(m[0] for m in PATH.finditer(text)), *re.findall(r"=([^&\s]+)", text)]
    return [p for p in dict.fromkeys(parts) if CLIMBS.search(p)]


def markup(text: str) -> bool:
    """Whether a text makes an element, or an attribute that runs a script."""
    return _MARKUP.search(text) is not None
