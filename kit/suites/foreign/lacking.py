"""What a program imports and the box has not: that is ours to mend, and no failure of a program."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from kit.harness.read import python
from kit.languages import parsed


def package(answers: Iterable[Mapping[str, Any]], program: str) -> str:
    """The first package that was not found of those that the program's own text imports.

    One that only an attack's input names is no package of the program's.
    """
    missing = (str(o.get("missing") or "").partition(".")[0] for o in answers)
    found = {name for name in missing if name and name not in sys.stdlib_module_names}
    if not found or parsed(program) is None:
        return ""
    return min(found & python.read(program).imports, default="")
