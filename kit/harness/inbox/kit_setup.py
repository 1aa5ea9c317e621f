"""In the box, before the candidate: makes files, starts servers, then becomes the real command."""

import binascii
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = os.path.dirname(os.path.abspath(__file__))
OURS = {"setup", "kit_setup.py", "kit_servers.py", "kit_smtp.py", "kit_ldap.py"}


def place(entry: "dict[str, Any]") -> None:
    """A folder, file or link, still without the rights that it is to have."""
    path = entry["path"]
    is_folder = entry["type"] == "directory"
    os.makedirs(path if is_folder else os.path.dirname(path) or ".", exist_ok=True)
    if entry["type"] == "link":
        os.symlink(entry["target"], path)
    elif entry["type"] == "file":
        text = entry.get("content", "").ljust(entry.get("size", 0), entry.get("fill", " "))
        with open(path, "wb") as file:
            file.write(binascii.a2b_base64(entry.get("base64", "")) or text.encode())


def main() -> None:
    with open(os.path.join(FOLDER, "setup"), "rb") as file:
        services = marshal.loads(file.read())
    entries = [s for s in services if s["type"] in ("directory", "file", "link")]
    for entry in entries:
        place(entry)
    served = [service for service in services if "port" in service]
    if served:  # what only servers need is loaded where there are any
        import kit_servers

        servers = kit_servers.open_servers(served)  # they read files that nobody may read later
    for entry in reversed(entries):
        if "mode" in entry:
            os.chmod(entry["path"], int(entry["mode"], 8))
    for name in OURS.intersection(os.listdir(FOLDER)):
        os.unlink(os.path.join(FOLDER, name))
    if not os.listdir(FOLDER):
        os.rmdir(FOLDER)
    if served:
        servers.serve_program()
    os.execv(sys.argv[1], sys.argv[1:])


main()
