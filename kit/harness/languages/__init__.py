"""Parses programs without running them: what they define, import, serve and read.

A folder here is a language: __init__.py reads its programs and starts them, and the other files
go into the box. kit.core.languages has its row.
"""

from collections.abc import Callable, Mapping
from functools import partial

from kit.harness.facts import Facts
from kit.harness.languages import cpp, javascript, python

READERS: Mapping[str, Callable[[str], Facts]] = {
    "python": python.read,
    "javascript": javascript.read,
    "cpp": partial(cpp.read, language="cpp"),
    "c": partial(cpp.read, language="c"),
}
