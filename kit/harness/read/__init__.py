"""Programs parsed, never run: what they define, import, serve and read."""

from collections.abc import Callable, Mapping

from kit.harness.read import cpp, javascript, python
from kit.harness.read.facts import Facts

READERS: Mapping[str, Callable[[str], Facts]] = {
    "python": python.read,
    "javascript": javascript.read,
    **cpp.READERS,
}
