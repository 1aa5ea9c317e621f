"""What a program imports and the box has not: that is ours to mend, and no failure of a program."""

import re
import sys
from collections.abc import Iterable

from kit.harness.read import READERS
from kit.languages import parsed

NOT_FOUND = re.compile(r"(?:No module named|Cannot find module) '([\w@./-]+)'")


def package(missing: Iterable[str], program: str, language: str = "python") -> str:
    """The first of these modules, all not found, that the program's own text imports, or "".

    One that only an attack's input names is no package of the program's.
    """
    names = missing if language != "python" else (m.partition(".")[0] for m in missing)
    found = {name for name in names if name and name not in sys.stdlib_module_names}
    if not found or (language == "python" and parsed(program) is None):
        return ""
    return min(found & READERS[language](program).imports, default="")
