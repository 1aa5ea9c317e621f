"""Modules that a template has loaded, and a program imports; the first part of its text.

See warm_template.py. Nothing may be imported before the import of modules is recorded.
"""

import sys

FRESH = frozenset(sys.modules)  # what any program finds loaded

import builtins  # noqa: E402 - in this order on purpose
from types import FrameType, ModuleType  # noqa: E402


def _running(frame: FrameType | None) -> str:
    """The module whose text, or whose library in C, is being run for its import."""
    while frame:
        if frame.f_code.co_name == "<module>":
            return str(frame.f_globals["__name__"])
        if frame.f_code.co_name == "_load_unlocked":
            return str(frame.f_locals["spec"].name)
        frame = frame.f_back
    return ""


class Shelf:
    """Modules that are loaded but not imported: who imports one gets it and what it needs.

    So `import xml` gives no xml.etree here either, and sys.modules tells what was imported.
    """

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}
        self.specs: dict[str, Any] = {}
        self.parts: set[str] = set()  # those that their package knows as an attribute
        self.needs: dict[str, dict[str, None]] = {}
        self.original = builtins.__import__

    def record(
        self, name: str, space: "Any" = None, local: "Any" = None, names: "Any" = (), level: int = 0
    ) -> ModuleType:
        """__import__ that notes which module's text imported which."""
        found = self.original(name, space, local, names, level)
        importer = _running(sys._getframe(1))
        whole = name
        if level:
            home = space["__package__"].split(".")
            whole = ".".join([*home[: len(home) - level + 1], *([name] if name else [])])
        parts = whole.split(".")
        needed = [".".join(parts[: n + 1]) for n in range(len(parts))]
        needed += [f"{whole}.{part}" for part in names or () if f"{whole}.{part}" in sys.modules]
        self.needs.setdefault(importer, {}).update(dict.fromkeys(needed))
        return found

    def fill(self, names: list[str]) -> None:
        """Load these; then nothing but what a fresh interpreter has is imported."""
        builtins.__import__ = self.record  # type: ignore[assignment]
        for name in names:
            try:
                self.record(name)
            except ImportError:
                continue
        builtins.__import__ = self.original
        for name in [n for n in sys.modules if n not in FRESH]:
            self.modules[name] = sys.modules.pop(name)
            self.specs[name] = getattr(self.modules[name], "__spec__", None)
        for name, module in self.modules.items():
            home, _, leaf = name.rpartition(".")
            package = self.modules.get(home) or sys.modules.get(home)
            if package and package.__dict__.get(leaf) is module:
                delattr(package, leaf)
                self.parts.add(name)
                if not hasattr(package, "__path__"):  # it has made its parts itself
                    self.needs.setdefault(home, {})[name] = None

    def find_spec(self, name: str, path: "Any" = None, _target: "Any" = None) -> "Any":
        """A module of the shelf, unless a file of the program's comes before it on the path."""
        if name not in self.modules:
            return None
        if path is None and self.specs[name].origin not in ("built-in", "frozen"):
            first = sys.path[: sys.path.index(LIBRARY)] if LIBRARY in sys.path else sys.path
            found = PathFinder.find_spec(name, first)
            if found and found.loader:
                return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: "Any") -> ModuleType:
        return self.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Its text has run long ago; what it had imported comes along."""
        todo = [module.__spec__.name] if module.__spec__ else []
        while todo:
            name = todo.pop()
            if (found := self.modules.pop(name, None)) is None:
                continue
            found.__spec__ = self.specs[name]
            sys.modules[name] = found
            home, _, leaf = name.rpartition(".")
            if name in self.parts and (package := self.modules.get(home) or sys.modules.get(home)):
                setattr(package, leaf, found)
            todo += reversed(self.needs.get(name, {}))


shelf = Shelf()
builtins.__import__ = shelf.record  # type: ignore[assignment]

from importlib.machinery import ModuleSpec, PathFinder  # noqa: E402
from typing import Any  # noqa: E402

LIBRARY = next(path for path in sys.path if path.endswith(".zip"))  # where the standard one begins
