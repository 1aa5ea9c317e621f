"""Installs vendors' agents: each in a folder of the kit's cache, which its boxes see as /opt.

Nothing of them runs outside of a box: npm's packages come without their scripts, PyPI's as wheels.
"""

import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit.core.errors import KitError
from kit.core.paths import cache_root
from kit.harness import wheels

LINE = "kit doctor --install --heavy"
# OpenHands runs with this Python alone, which Debian 12 does not have; and a box sees only what the
# machine has in /usr. So the agent's folder gets a copy.
PYTHON = "python3.12"
UV = "uv==0.13.9"


@dataclass(frozen=True)
class Vendor:
    """A vendor's command line.

    argv and options: fills in {prompt}, {model}, {steps} and {address}; an option without a value
    is left out. env: the same. api: whose format it speaks, by the name of a kind of model. npm: a
    package of it, pip: a file beside this one with all that it needs, each of one version.
    """

    version: str
    argv: Sequence[str]
    options: Mapping[str, Sequence[str]]
    api: str
    npm: str = ""
    pip: str = ""
    env: Mapping[str, str] = field(default_factory=dict)


HERE = Path(__file__).parent
FACTS = tomllib.loads((HERE / "vendors.toml").read_text(encoding="utf-8"))
VENDORS = {name: Vendor(**facts) for name, facts in FACTS.items()}


def find_folder(name: str) -> Path:
    """Where the agent of this version is, or would be."""
    return cache_root() / "agents" / f"{name}-{VENDORS[name].version}"


def is_installed(name: str) -> bool:
    return (find_folder(name) / wheels.COMPLETE).exists()


def install(name: str) -> str:
    """Install the agent, whole or not at all; what was done in a sentence. KitError if it fails."""
    vendor = VENDORS[name]

    def fill_folder(folder: Path) -> None:
        if vendor.npm:
            wheels.install_with_npm(folder, vendor.npm)
        else:
            _install_with_python(folder, HERE / vendor.pip)

    place = wheels.make_whole_folder(find_folder(name), fill_folder)
    return f"{name} {vendor.version}: {place}"


def _install_with_python(folder: Path, requirements: Path) -> None:
    """A copy of PYTHON in folder/python, and in folder/site the packages for it."""
    prefix = _find_prefix()
    program = prefix / "bin" / PYTHON
    home = folder / "python"
    skipped = shutil.ignore_patterns("test", "site-packages", "dist-packages", "__pycache__")
    (home / "bin").mkdir(parents=True)
    shutil.copytree(prefix / "lib" / PYTHON, home / "lib" / PYTHON, ignore=skipped)
    for library in (prefix / "lib").glob("libpython*.so*"):
        shutil.copy(library, home / "lib")
    shutil.copy(program, home / "bin")
    # pip takes a quarter of an hour for so many packages, and uv a minute.
    wheels.install_with_pip(folder / "uv", UV)
    line = [
        str(folder / "uv" / "bin" / "uv"),
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--compile-bytecode",
    ]
    line += ["--only-binary=:all:", "--python", str(program), "--target", str(folder / "site")]
    line += ["-r", str(requirements)]
    cache = str(folder / "uv" / "cache")
    wheels.run_command(line, cwd=folder, env={"UV_SYSTEM_CERTS": "1", "UV_CACHE_DIR": cache})
    shutil.rmtree(folder / "uv")


def _find_prefix() -> Path:
    """Where PYTHON is installed."""
    line = [PYTHON, "-I", "-c", "import sys; print(sys.base_prefix)"]
    try:
        done = subprocess.run(line, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # also a name of pyenv's that is switched off
        raise KitError(
            f"OpenHands needs {PYTHON} on PATH (with pyenv: export PYENV_VERSION=3.12). Then type: "
            f"{LINE}"
        ) from None
    return Path(done.stdout.strip())
