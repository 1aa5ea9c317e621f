"""Sources come from Debian, pinned by hash, into a cache; trees unpacked there are never edited."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from kit.errors import KitError
from kit.paths import cache
from kit.suites.cproject.project import Package

OFFICIAL = "http://deb.debian.org/debian"
SUITES = "{0} {0}-updates"
PATIENCE_S = 600  # with one command of apt
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fetch(package: Package) -> Path:
    """The folder that holds every file of the package, downloaded where one is missing.

    Raises KitError where the pinned version is not to be had or a file has another hash.
    """
    folder = cache() / "sources" / f"{package.name}-{package.version}"
    if not all((folder / name).exists() for name in package.files):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as part:
            _download(package, Path(part))
            for name in package.files:
                _same(Path(part) / name, package.files[name])
            folder.mkdir(exist_ok=True)
            for name in package.files:
                (Path(part) / name).replace(folder / name)
    for name, known in package.files.items():
        _same(folder / name, known)
    return folder


def _same(path: Path, known: str) -> None:
    """The file has the pinned hash; one that has not is refused by name."""
    if not path.exists():
        raise KitError(f"The source package brought no {path.name}; pass a checkout instead.")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != known:
        raise KitError(f"{path} has SHA-256 {found}, not the pinned {known}. Delete it.")


def _download(package: Package, folder: Path) -> None:
    """apt's own client over a list of its own: nothing under /etc is changed or needed."""
    if shutil.which("apt-get") is None:
        raise KitError(f"No apt-get to fetch {package.name} with. Pass a checkout: --checkout DIR.")
    parts = folder / "parts"
    (folder / "lists" / "partial").mkdir(parents=True)
    parts.mkdir()
    (parts / "debian.sources").write_text(_stanzas())
    line = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null"]
    line += ["-o", f"Dir::Etc::sourceparts={parts}", "-o", f"Dir::State::lists={folder / 'lists'}"]
    line += ["-o", "APT::Sandbox::User="]
    _run([*line, "update"], folder)
    _run([*line, "source", "--download-only", f"{package.name}={package.version}"], folder)


def _stanzas() -> str:
    """This machine's Debian mirrors for deb-src; the official one where none is configured."""
    own = Path("/etc/apt/sources.list.d/debian.sources")
    if own.exists():
        return own.read_text().replace("Types: deb\n", "Types: deb-src\n")
    facts = dict(
        line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if line
    )
    name = facts.get("VERSION_CODENAME", "stable")
    return (f"Types: deb-src\nURIs: {OFFICIAL}\nSuites: {SUITES.format(name)}\n"
            f"Components: main\nSigned-By: {KEYRING}\n")  # fmt: skip


def _run(line: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        said = done.stderr.strip().splitlines() if done.returncode else []
    except subprocess.TimeoutExpired:  # apt waits for ever for a disk with no room
        done, said = None, [f"no end after {PATIENCE_S} s; is there room in {folder}?"]
    if done is None or done.returncode:
        raise KitError(
            f"`{' '.join(line[:1] + line[-2:])}` failed: {said[-1] if said else 'no word'}. "
            "Pass a checkout of the project instead: --checkout DIR."
        )


def unpack(package: Package) -> Path:
    """The package's tree with Debian's patches, below the cache, readable by everybody."""
    tree = cache() / "trees" / f"{package.name}-{package.version}"
    if tree.exists():
        return tree
    source = fetch(package)
    tree.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tree.parent) as part:
        dsc = next(source.glob("*.dsc"))
        out = Path(part) / "tree"
        _run(["dpkg-source", "--no-check", "-x", str(dsc), str(out)], source)
        _open_to_all(out)
        out.replace(tree)
    return tree


def checkout(folder: Path) -> Path:
    """A copy of a user's checkout below the cache, named by its contents; the original stays."""
    if not folder.is_dir():
        raise KitError(f"No folder {folder}; --checkout takes the root of a source tree.")
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    tree = cache() / "trees" / f"{folder.resolve().name}-{digest.hexdigest()[:12]}"
    if not tree.exists():
        part = tree.with_name(tree.name + f".part-{os.getpid()}")
        shutil.copytree(folder, part, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        _open_to_all(part)
        part.replace(tree)
    return tree


def _open_to_all(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
