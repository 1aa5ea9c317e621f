"""A box with libraries of the user's own: a folder of the host that programs import from."""

from dataclasses import replace
from pathlib import Path

from kit.errors import KitError
from kit.records import Evidence
from kit.sandbox.base import Command, Sandbox, Wrapped

PLACES = ("/opt", "/mnt")  # the first that a run mounts nothing else at
VERSION = "installed.txt"  # in the folder: what is installed, which results depend on
PATHS = {"PYTHONPATH": "python", "NODE_PATH": "node_modules"}


class Equipped(Wrapped):
    """Another tier's box; every run finds the folder's libraries before the box's own.

    Where a run needs both places itself, for a C project or a Java repository, it goes without.
    """

    def __init__(self, box: Sandbox, folder: Path) -> None:
        if "mounts" not in box.capabilities:
            raise KitError(f"The {box.name} sandbox takes no libraries. Use --sandbox bwrap.")
        if not (folder / VERSION).exists():
            raise KitError(f"{folder} holds no libraries. Give --requirements FILE.")
        super().__init__(box)
        self.folder = folder
        self.identity = f"{box.identity}, libraries {(folder / VERSION).read_text().strip()}"

    def perform(self, command: Command) -> Evidence:
        mounts, env = dict(command.mounts), dict(command.env)
        place = next((p for p in PLACES if p not in mounts), None)
        if place:
            mounts[place] = self.folder
            for name, inner in PATHS.items():
                env[name] = ":".join(filter(None, (f"{place}/{inner}", env.get(name))))
        return self.box.perform(replace(command, env=env, mounts=mounts))
