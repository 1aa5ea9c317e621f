"""A box with libraries of the user's own: a folder of the host that programs import from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.records import Evidence
from kit.sandbox.base import Sandbox

PLACES = ("/opt", "/mnt")  # the first that a run mounts nothing else at
VERSION = "installed.txt"  # in the folder: what is installed, which results depend on
PATHS = {"PYTHONPATH": "python", "NODE_PATH": "node_modules"}


class Equipped:
    """Another tier's box; every run finds the folder's libraries before the box's own.

    Where a run needs both places itself, for a C project or a Java repository, it goes without.
    """

    def __init__(self, box: Sandbox, folder: Path) -> None:
        if "mounts" not in box.gives:
            raise KitError(f"The {box.name} sandbox takes no libraries. Use --sandbox bwrap.")
        if not (folder / VERSION).exists():
            raise KitError(f"{folder} holds no libraries. Give --requirements FILE.")
        self.box, self.folder = box, folder
        self.name, self.gives, self.limits = box.name, box.gives, box.limits
        self.identity = f"{box.identity}, libraries {(folder / VERSION).read_text().strip()}"

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        mounts: Mapping[str, Path] | None = None,
        **asked: Any,
    ) -> Evidence:
        """One program. See the protocol."""
        mounts, env = dict(mounts or {}), dict(env or {})
        place = next((p for p in PLACES if p not in mounts), None)
        if place:
            mounts[place] = self.folder
            for name, inner in PATHS.items():
                env[name] = ":".join(filter(None, (f"{place}/{inner}", env.get(name))))
        return self.box.run(argv, env=env, mounts=mounts, **asked)

    def close(self) -> None:
        self.box.close()

    def __enter__(self) -> "Equipped":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
