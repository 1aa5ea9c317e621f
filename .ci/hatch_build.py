"""What a wheel carries beside the sources: the compiled watcher, so that no compiler is needed."""

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path("kit/sandbox/native")
NAMES = ("watch", "shim")  # as kit.sandbox.watcher compiles them, and with its flags
LINE = ("cc", "-O2", "-static", "-Wall", "-Wextra")


class Compiled(BuildHookInterface):  # type: ignore[misc]
    """Without a compiler, or for an editable install, the wheel is one for any machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or sys.platform != "linux" or not shutil.which(LINE[0]):
            return
        sources = [Path(self.root, NATIVE, f"{name}.c") for name in NAMES]
        digest = hashlib.sha256(b"\0".join(p.read_bytes() for p in sources)).hexdigest()[:12]
        self.folder = tempfile.TemporaryDirectory()
        for source in sources:
            program = Path(self.folder.name, source.stem)
            subprocess.run([*LINE, "-o", str(program), str(source)], check=True)
            target = f"{NATIVE}/{source.stem}-{platform.machine()}-{digest}"
            build_data["force_include"][str(program)] = target
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{platform.machine()}"
