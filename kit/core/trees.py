"""Source trees in the cache: from pinned files of Debian's archive, or copies of a user's own.

A file is named by its path in the archive and its SHA-256. A source package with Debian's patches
comes by apt's own client over lists of its own: nothing under /etc is changed or needed.
"""

import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit.core.errors import KitError
from kit.core.paths import cache_root, make_readable, whole_folder

RELEASE = "bookworm"  # of Debian, which has the pinned packages
LATER = ("trixie", "forky")  # whose packages are other releases of the projects
OFFICIAL = "http://deb.debian.org/debian"
PATIENCE_S = 600  # with one command of apt
HELPER = "/usr/lib/apt/apt-helper"  # downloads by apt's own settings of proxies and mirrors
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True)
class Package:
    """A release of a project as Debian packs its source, with the SHA-256 of its files.

    version: upstream's and, behind the last dash, Debian's.
    """

    name: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, version: str, hashes: Mapping[str, str]) -> "Package":
        """hashes: of the files by what their names end in, behind the version."""
        upstream = version.rpartition("-")[0]
        files = {}
        for end, digest in hashes.items():
            release = upstream if end.startswith("orig") else version
            files[f"{name}_{release}.{end}"] = digest
        return cls(name, version, files)

    @property
    def upstream_files(self) -> dict[str, str]:
        """What every Debian revision of this release is made of."""
        return {name: digest for name, digest in self.files.items() if ".orig" in name}


def checkout_copy(folder: Path, left_out: Sequence[str] = ()) -> Path:
    """A copy of a user's checkout below the cache, named by its contents; the original stays.

    left_out: names of files and folders that are not copied; .git never is.
    """
    ignored = {".git", *left_out}
    if not folder.is_dir():
        raise KitError(f"No folder {folder}; name the root of a source tree.")
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and ignored.isdisjoint(place.parts):
            digest.update(str(place).encode() + b"\0" + path.read_bytes())
    tree = cache_root() / "trees" / f"{folder.resolve().name}-{digest.hexdigest()[:12]}"
    if not tree.exists():
        with whole_folder(tree) as part:
            shutil.copytree(folder, part, symlinks=True, ignore=shutil.ignore_patterns(*ignored))
    return tree


def fetch_file(place: str, sha256: str) -> Path:
    """The file at this place of Debian's archive ("pool/main/..."), by its hash, from the cache.

    It is downloaded where it is not here yet. Raises KitError that says what to do where it cannot
    be had or has another hash.
    """
    folder = cache_root() / "sources" / sha256[:16]
    path = folder / place.rpartition("/")[2]
    if not path.exists():
        make_readable(folder.parent)
        with whole_folder(folder) as part:
            part.mkdir()
            _download_file(f"{find_mirror()}/{place}", part / path.name, path)
    _check_hashes(folder, {path.name: sha256})
    return path


def _download_file(address: str, part: Path, goal: Path) -> None:
    try:
        # apt's own user may not write here; as the caller it may
        words = ["-o", "APT::Sandbox::User=", "download-file", address, str(part)]
        _run_command([HELPER, *words], part.parent)
    except KitError as error:
        raise KitError(f"{error} Or copy {address} to {goal} by hand.") from None


def unpack_release(place: str, sha256: str, left_out: Sequence[str] = ()) -> Path:
    """The tree in an original source archive, below the cache, without the paths left out.

    left_out: paths or globs below the top of the tree.
    """
    key = hashlib.sha256("\n".join([sha256, *left_out]).encode()).hexdigest()[:16]
    name = place.rpartition("/")[2].partition(".orig")[0]
    tree = cache_root() / "trees" / f"{name}-{key}"
    if tree.exists():
        return tree
    archive = fetch_file(place, sha256)
    with whole_folder(tree) as part:
        part.mkdir()
        # not Python's tarfile, whose filters the 3.11 of Debian 12 lacks
        _run_command(["tar", "--no-same-owner", "-xf", str(archive), "-C", str(part)], part)
        tops = list(part.iterdir())
        if len(tops) == 1 and tops[0].is_dir():  # one folder around all
            top = tops[0].rename(part.with_name("top"))
            part.rmdir()
            top.rename(part)
        for pattern in left_out:
            for path in sorted(part.glob(pattern)):  # a folder before what is in it
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
    return tree


def unpack_package_files(place: str, sha256: str) -> Path:
    """The folder with what a binary package would install; nothing is installed."""
    name = place.rpartition("/")[2].removesuffix(".deb")
    folder = cache_root() / "packages" / f"{name}-{sha256[:16]}"
    if not folder.exists():
        package = fetch_file(place, sha256)
        with whole_folder(folder) as part:
            part.mkdir()
            _run_command(["dpkg-deb", "-x", str(package), str(part)], part)
    return folder


def fetch_package(package: Package) -> Path:
    """The folder with every file of the package, or of another revision of the same release.

    It is downloaded where it is not here yet. A package without files is any that the archives
    have in this version. Raises KitError that says what to do where none can be had, or a file has
    another hash.
    """
    home = cache_root() / "sources"
    upstream = package.version.rpartition("-")[0]
    folders = {home / f"{package.name}-{package.version}": package.files}
    if package.upstream_files:
        for other in sorted(home.glob(f"{package.name}-{upstream}-*")):
            folders.setdefault(other, package.upstream_files)
    for folder, hashes in folders.items():
        is_whole = all((folder / name).exists() for name in hashes)
        if is_whole and any(folder.glob("*.dsc")):
            _check_hashes(folder, hashes)
            return folder
    make_readable(home)
    with tempfile.TemporaryDirectory(dir=home) as part:
        version = _download_package(package, Path(part), upstream)
        hashes = package.files if version == package.version else package.upstream_files
        _check_hashes(Path(part), hashes)
        folder = home / f"{package.name}-{version}"
        folder.mkdir(exist_ok=True)
        # the .dsc comes last: a folder that has one is whole
        for path in sorted(Path(part).glob(f"{package.name}_*"), key=lambda p: p.suffix == ".dsc"):
            path.replace(folder / path.name)
    return folder


def _check_hashes(folder: Path, hashes: Mapping[str, str]) -> None:
    """Check the files against the pinned hashes; KitError names the first that differs."""
    for name, pinned in hashes.items():
        path = folder / name
        if not path.exists():
            raise KitError(f"The source package brought no {name}; pass a checkout instead.")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != pinned:
            raise KitError(f"{path} has SHA-256 {digest}, not the pinned {pinned}. Delete it.")


def _download_package(package: Package, folder: Path, upstream: str) -> str:
    """The version that was downloaded: the package's own, or another revision of its release.

    By apt's own client over lists of its own: nothing under /etc is changed or needed.
    """
    parts = folder / "parts"
    (folder / "lists" / "partial").mkdir(parents=True)
    parts.mkdir()
    releases = [RELEASE] if package.files else [RELEASE, *LATER]
    (parts / "own.sources").write_text(_source_stanzas(releases))
    words = [
        "-o",
        "Dir::Etc::sourcelist=/dev/null",
        "-o",
        f"Dir::Etc::sourceparts={parts}",
        "-o",
        f"Dir::State::lists={folder / 'lists'}",
        "-o",
        "Dir::Cache::pkgcache=",
        "-o",
        "Dir::Cache::srcpkgcache=",
        "-o",
        "APT::Sandbox::User=",
    ]
    _run_command(["apt-get", "-qq", *words, "update"], folder, may_fail=True)
    listing = _run_command(["apt-cache", *words, "showsrc", package.name], folder, may_fail=True)
    versions = sorted(set(re.findall(r"^Version: (\S+)$", listing, re.MULTILINE)))
    candidates = []
    if package.version in versions:
        candidates = [package.version]
    elif package.upstream_files:
        candidates = [v for v in versions if v.rpartition("-")[0] == upstream]
    if not candidates:
        raise KitError(
            f"The archives that apt reaches have no {package.name} {package.version}; they have "
            f"{', '.join(versions) or 'none at all'}. Name one of these with --source-version, or "
            "a source tree with --checkout DIR; runs of different versions do not compare."
        )
    version = candidates[-1]
    _run_command(
        ["apt-get", "-qq", *words, "source", "--download-only", f"{package.name}={version}"], folder
    )
    return version


def _source_stanzas(releases: Sequence[str]) -> str:
    """deb-src of these releases and of the machine's own of Debian, from the machine's mirrors.

    A system that is no Debian may lack Debian's key; every pinned file is checked by its hash.
    """
    names = [*releases]
    system = platform.freedesktop_os_release()
    own_release = system.get("VERSION_CODENAME")
    if system["ID"] == "debian" and own_release and own_release not in names:
        names.append(own_release)
    mirror = find_mirror()
    trust = f"Signed-By: {KEYRING}" if Path(KEYRING).exists() else "Trusted: yes"
    stanzas = []
    for uri, endings in {mirror: ("", "-updates"), f"{mirror}-security": ("-security",)}.items():
        suites = []
        for name in names:
            suites += [f"{name}{ending}" for ending in endings]
        stanzas.append(
            f"Types: deb-src\nURIs: {uri}\nSuites: {' '.join(suites)}\nComponents: main\n{trust}\n"
        )
    return "\n".join(stanzas)


def find_mirror() -> str:
    """The mirror of Debian that the machine itself uses, or the official one."""
    own_sources = Path("/etc/apt/sources.list.d/debian.sources")
    if own_sources.exists():
        line = re.search(r"^URIs: (\S+/debian)/?$", own_sources.read_text(), re.MULTILINE)
        if line:
            return line[1]
    return OFFICIAL


def _run_command(line: list[str], folder: Path, *, may_fail: bool = False) -> str:
    """What the command printed."""
    if shutil.which(line[0]) is None:
        raise KitError(
            f"{line[0]}, which sources from Debian's archive need, is missing. Type: apt-get "
            "install apt dpkg-dev; or name a source tree of your own."
        )
    try:
        result = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        if result.returncode == 0 or may_fail:
            return result.stdout
        reason = (result.stderr.strip().splitlines() or ["no word"])[-1]
    except subprocess.TimeoutExpired:  # apt waits for ever for a disk with no room
        reason = f"no end after {PATIENCE_S} s; is there room in {folder}?"
    raise KitError(
        f"`{' '.join(line[:1] + line[-2:])}` failed: {reason}. "
        "Name a source tree of your own instead."
    )


def unpack_package(package: Package) -> Path:
    """The package's tree with Debian's patches, below the cache, readable by everybody."""
    source = fetch_package(package)
    tree = cache_root() / "trees" / source.name
    if tree.exists():
        return tree
    dsc = next(source.glob("*.dsc"))
    with whole_folder(tree) as part:
        _run_command(["dpkg-source", "--no-check", "-x", str(dsc), str(part)], source)
    return tree
