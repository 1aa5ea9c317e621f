"""What comes from PyPI and npm: in folders beside the kit, each whole or not there at all."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import cache_root, read_files, whole_folder
from kit.core.records import Status
from kit.sandbox import Limits, node, open_sandbox

(PYTHON,) = LANGUAGES["python"].command  # the box's
COMPLETE = "complete"  # a file that only a whole folder has
PATIENCE_S = 900
DATED_PIP = "26.3"  # the first that takes a date is 26.0
# Of a package that is not there, not then, or not for this box; anything else may pass.
_UNAVAILABLE = re.compile(
    r"No matching distribution|ResolutionImpossible|conflicting dependencies|"
    r"\b(E404|ETARGET|ENOVERSIONS|EBADENGINE|ERESOLVE|EINVALIDPACKAGENAME|EINVALIDTAGNAME)\b"
)
# pip says "No matching distribution" of a registry that it did not reach, too.
_UNREACHED = re.compile(r"Retrying|Connection(Error| broken| refused)|EAI_AGAIN|ENOTFOUND|ECONN")
_BUILD_LIMITS = Limits(
    wall_s=1800,
    cpu_s=1800,
    memory_mb=2048,
    processes=256,
    file_mb=256,
    disk_mb=1024,
    artefact_mb=256,
)
# $1: where include/node lies; then the packages. What is new in the box is collected, and of that
# only the modules themselves are wanted.
_BUILD = """
headers=$1; shift
[ -e "$headers/include/node/node_api.h" ] && command -v make g++ >&2 || exit 90
gyp=$(node -p 'const {dirname} = require("path"), fs = require("fs");
  require.resolve("node-gyp/bin/node-gyp.js",
    {paths: [dirname(fs.realpathSync("/usr/bin/npm")), "/usr/share/nodejs"]})') || exit 90
for package; do
  (cd "node_modules/$package" && node "$gyp" rebuild --release --nodedir="$headers") >&2 || exit
  rm -rf "node_modules/$package/build/Release/obj.target"
done
find . -path '*/build/*' -type f ! -name '*.node' -delete
"""


class Unavailable(KitError):
    """A package that is not there, was not there then, or cannot be had for the box."""


class Unreached(KitError):
    """A registry did not answer for a package; it may be the registry's failure, or the name's."""


@cache
def python_version() -> str:
    """Of the box's Python, as "3.11"."""
    command = [PYTHON, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def node_version() -> str:
    """Of the box's Node.js, as "v22.23.5"; "" where there is none."""
    if node.find_newer_node():
        return f"v{node.VERSION}"
    try:
        done = subprocess.run([node.PLACE, "--version"], capture_output=True, text=True, check=True)
    except OSError:
        return ""
    return done.stdout.strip()


def make_whole_folder(place: Path, fill: Callable[[Path], None]) -> Path:
    """The folder as `fill` makes it, whole or not at all; the sandbox's user may read it."""
    with whole_folder(place) as folder:
        folder.mkdir()
        fill(folder)
        (folder / COMPLETE).touch()
    return place


def install_with_pip(
    target: Path, *what: str, sources: bool = False, cwd: Path | None = None, before: str = ""
) -> None:
    """Wheels for the box's Python, whatever Python runs the kit; sources: pip may build here.

    before: a day; only what PyPI had before counts, and no folder or index of pip's settings,
    which tell no dates.
    """
    env = None
    if before:
        what = ("--uploaded-prior-to", f"{before}T00:00:00Z", *what)
        env = {
            "PYTHONPATH": str(bring_dated_pip()),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_FIND_LINKS": "",
        }
        env |= {"PIP_EXTRA_INDEX_URL": "", "PIP_CONSTRAINT": ""}
    line = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    line += ["--no-input", "--target", str(target)]
    if not sources:
        line += ["--only-binary=:all:", "--python-version", python_version()]
    try:
        run_command([*line, *what], cwd=cwd, env=env)
    except Unreached as error:
        # Some registries reset the connection for a name that they do not have.
        with TemporaryDirectory() as folder:
            probe = ["download", "-q", "--no-deps", "--no-cache-dir", "-d", folder]
            run_command([sys.executable, "-m", "pip", *probe, f"pip=={DATED_PIP}"], env=env)
        raise Unavailable(str(error)) from None


def bring_dated_pip() -> Path:
    """A folder with a pip that can leave out what was uploaded later."""
    place = cache_root() / f"pip-{DATED_PIP}"
    if (place / COMPLETE).exists():
        return place
    return make_whole_folder(place, lambda folder: install_with_pip(folder, f"pip=={DATED_PIP}"))


def install_with_npm(folder: Path, *what: str, before: str = "") -> None:
    """Packages into folder/node_modules, without their scripts; none that wants another Node.

    before: a day; only what npm's registry had before counts.
    """
    line = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict"]
    line += ["--before", before] if before else []
    newer = node.find_newer_node()
    # npm asks the Node that runs it whether it is the one that a package wants.
    env = {"PATH": f"{newer / 'bin'}:{os.environ['PATH']}"} if newer else None
    run_command([*line, *what], cwd=folder, env=env)


def build_native_modules(folder: Path) -> None:
    """Compile what has to be compiled in folder/node_modules: in a box, without a network.

    The recipes of packages are programs of strangers. Of the box only compiled modules come back,
    which no program but those in boxes loads. Raises Unavailable where a package does not compile.
    """
    packages = find_unbuilt_packages(folder)
    if not packages:
        return
    newer = node.find_newer_node()
    headers = "/opt" if newer else "/usr"
    files = {
        f"node_modules/{path}": text for path, text in read_files(folder / "node_modules").items()
    }
    with open_sandbox("bwrap", _BUILD_LIMITS) as box:
        built = box.run(
            ["/bin/sh", "-c", _BUILD, "build", headers, *packages],
            files=files,
            mounts={"/opt": newer} if newer else {},
            env={"JOBS": "max"},
            observe=False,
        )
    reason = built.note or " ".join(built.err.split())[-300:] or built.status
    if built.exit_code == 90:
        raise KitError(
            f"{packages[0]} has to be compiled, and a tool for that is missing. Type: apt-get "
            f"install npm make g++, and kit doctor --install. ({reason})"
        )
    if built.status in (Status.INFRA_ERROR, Status.TIMEOUT):
        raise KitError(f"{packages[0]} was not compiled ({reason}). Rerun on a machine with time.")
    if built.exit_code != 0:
        raise Unavailable(f"{packages[0]} was not compiled in the sandbox: {reason}")
    for path, module in built.files.items():
        target = folder / path
        if path.startswith("node_modules/") and path.endswith(".node"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(module)
    if unbuilt := find_unbuilt_packages(folder):
        raise Unavailable(f"{unbuilt[0]} was compiled in the sandbox, and nothing came of it.")


def install_node() -> str:
    """Node.js of npm's registry, whose hash the kit knows, for the boxes to come; one line."""
    name = f"node_modules/{node.PACKAGE}"
    wanted = {node.PACKAGE: node.VERSION}
    locked = {"version": node.VERSION, "integrity": f"sha512-{node.SHA512}"}

    def fill_folder(folder: Path) -> None:
        package = {"name": "node", "version": "1.0.0", "dependencies": wanted}
        lock = {**package, "lockfileVersion": 3, "packages": {"": package, name: locked}}
        (folder / "package.json").write_text(json.dumps(package))
        (folder / "package-lock.json").write_text(json.dumps(lock))
        run_command(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder)

    place = make_whole_folder(node.installation_folder(), fill_folder)
    return f"Node.js {node.VERSION} for programs in the sandbox: {place}"


def find_unbuilt_packages(folder: Path) -> list[str]:
    """Names of packages in node_modules that a compiler has to build, and nobody has built."""
    names = []
    for recipe in sorted((folder / "node_modules").rglob("binding.gyp")):
        if not any(recipe.parent.rglob("*.node")):
            names.append(recipe.parent.relative_to(folder / "node_modules").as_posix())
    return names


def run_command(
    line: list[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """The command; KitError with what it said where it fails."""
    name = "pip" if "pip" in line else line[0]
    try:
        done = subprocess.run(
            line,
            cwd=cwd,
            env=env and {**os.environ, **env},
            text=True,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitError(f"{name} did not run: {error}.") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        errors = [n for n in lines if re.search(r"error(?!\()", n, re.IGNORECASE)] or lines[-1:]
        reason = " ".join(" ".join(errors).split())[:300] or f"it ended with {done.returncode}"
        unavailable = [n for n in lines if _UNAVAILABLE.search(n)]
        kind: type[KitError] = KitError
        if _UNREACHED.search(done.stderr):
            kind = Unreached
        elif unavailable:
            kind = Unavailable
        reason = unavailable[0].strip() if unavailable else reason
        raise kind(f"{name} did not bring what was asked for: {reason}")
