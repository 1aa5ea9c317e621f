"""What the tests and programs of CWEval import, beside the kit: from PyPI and npm, installed once.

pytest is among it, so none of its tasks runs without; what else failed to come is missing in the
box, and the tasks that want it are named as such.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kit.errors import KitError
from kit.paths import cache

PYTHON = "/usr/bin/python3"
WHEELS = (
    "pytest==9.2.0", "wrapt-timeout-decorator==1.5.1", "pycryptodome==4.4.0", "argon2-cffi==25.1.0",
    "cffi==1.15.1",  # as Debian's, whose other half may be there
)  # fmt: skip
MODULES = (
    "node-rsa@1.1.1", "argon2@0.41.1", "jsonwebtoken@9.0.3", "xpath@0.0.34",
    "recheck-linux-x64@4.5.0",
)  # fmt: skip
BUILT = "sqlite3@6.0.1"  # one task's; compiling it takes minutes, so it is left to the user
PATIENCE_S = 900


def libraries() -> Path:
    """The folder; it may not be there yet (see `install`)."""
    return cache() / "cweval-1"


def install() -> str:
    """Bring what CWEval needs; the sentence says where it is, and what did not come."""
    lacks: list[str] = []
    if not (libraries() / "complete").exists():
        libraries().parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=libraries().parent) as part:
            made = Path(part) / "made"
            made.mkdir()
            asked = [PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            how = ["--only-binary=:all:", "--python-version", version.strip()]
            into = ["--target", str(made / "python")]
            _did([sys.executable, "-m", "pip", "install", "-q", *how, *into, *WHEELS], "pip", made)
            (made / "package.json").write_text(json.dumps({"private": True}))
            line = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *MODULES]
            try:
                _did(line, "npm", made)
            except KitError as error:
                lacks.append(str(error))
            for path in (p for p in (made, *made.rglob("*")) if not p.is_symlink()):
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
            (made / "complete").touch()
            if not libraries().exists():
                shutil.move(made, libraries())
        lacks = [*lacks, "Remove the folder to try again."] if lacks else []
    if not (libraries() / "node_modules" / "sqlite3").exists():
        lacks.append(f"One task wants what npm compiles: cd {libraries()} && npm install {BUILT}")
    return " ".join([f"What CWEval's tests import is in {libraries()}.", *lacks])


def _did(line: list[str], tool: str, folder: Path) -> None:
    try:
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitError(f"{tool} did not run: {error}.") from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise KitError(f"{tool} did not bring {line[-1]}: {said}")
