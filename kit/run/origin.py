"""What a run says of where it came from: date, version and commit of the kit, the machine."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from typing import Any

from kit import __version__
from kit.paths import ROOT


def here() -> dict[str, Any]:
    """Notes for a run's meta, as JSON values; `commit` is "" outside a repository."""
    system = (platform.system(), platform.release(), platform.machine())
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "kit": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{' '.join(system)}, {os.cpu_count()} processors",
    }


def commit() -> str:
    """The commit of the code, with "+" where files differ from it; empty outside a repository."""
    git = ["git", "-C", str(ROOT)]
    try:
        head, diff = (
            subprocess.run([*git, *words], capture_output=True, text=True, check=False)
            for words in (["rev-parse", "HEAD"], ["diff", "--quiet", "HEAD"])
        )
    except FileNotFoundError:  # no git on this machine
        return ""
    return head.stdout.strip() + ("+" if diff.returncode == 1 else "")
