"""A C project as the kit sees it: its compilations, its programs, its test runs, its log.

By its name it comes ready to build: fetched by hash from Debian's archive, unpacked into a cache,
with what its own scripts generate. Trees there are never edited.
"""

import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from kit.core.errors import KitError
from kit.core.paths import cache_root, make_readable, whole_folder
from kit.core.records import Status, content_key
from kit.sandbox import Limits, open_sandbox

SWITCHED_OFF = (
    "no_sanitize_address",
    "__no_sanitize_address__",
    "no_sanitize_undefined",
    "__no_sanitize_undefined__",
    "no_sanitize(x)",
    "__no_sanitize__(x)",
    "no_address_safety_analysis",
    "__no_address_safety_analysis__",
)
SANITIZE = (
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    *(f"-D{attribute}=unused" for attribute in SWITCHED_OFF),
)
MOUNT = "/mnt"  # where the tree stands inside a box
GENERATED = "kit-generated"  # the folder of the tree that holds what a build generates

RELEASE = "bookworm"  # of Debian, which has the pinned packages
OFFICIAL = "http://deb.debian.org/debian"
PATIENCE_S = 600  # with one command of apt
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
NAMES = ("cjson", "sqlite", "php")
LIMITS = Limits(
    wall_s=600,
    cpu_s=580,
    memory_mb=2000,
    processes=256,
    file_mb=128,
    disk_mb=512,
    artefacts=5000,
    artefact_mb=256,
)


def place_of(word: str) -> str:
    """The path in the tree of a source that a build's log names."""
    inside = f"{MOUNT}/"
    return word.removeprefix(inside) if word.startswith(inside) else f"{GENERATED}/{word}"


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


@dataclass(frozen=True)
class Unit:
    """One compilation. flags are the project's own; `strict` ones only where nothing was added.

    Paths in flags stand below /mnt, where the tree is.
    """

    source: str
    flags: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()

    @property
    def object(self) -> str:
        return self.source.replace("/", "-").removesuffix(".c") + ".o"


@dataclass(frozen=True)
class ProjectProgram:
    """What the linker makes: objects by the sources of their units, and libraries."""

    name: str
    sources: tuple[str, ...]
    libraries: tuple[str, ...] = ()  # and other words for the linker


@dataclass(frozen=True)
class TestRun:
    """One start of a program by the test suite, in a fresh folder.

    files: place in that folder -> file or folder of the tree, of which it gets a copy.
    whole: it prints no results; that its end is its own, with exit code 0, is its one test.
    """

    __test__ = False

    name: str
    program: str
    argv: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    wall_s: float = 10.0
    whole: bool = False


@dataclass(frozen=True)
class FuzzTarget:
    """LLVMFuzzerTestOneInput in C, the units linked with it, and the inputs that libFuzzer mutates.

    seeds: tree -> first inputs. dictionary: a file of the tree with the words of its language.
    """

    harness: str
    sources: tuple[str, ...]
    seeds: Callable[[Path], Iterable[bytes]]
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    dictionary: str = ""


@dataclass(frozen=True)
class FuzzCorpus:
    """A program of the project itself that tries what fuzzers found before, input by input.

    units: what it adds to the project's units; `program` names all that is linked.
    inputs: (tree, how many) -> files of its folder. argv: (files, inputs to skip) -> its arguments.
    trying, slow: patterns of what it prints before each input, and of one that takes too long.
    """

    program: ProjectProgram
    units: tuple[Unit, ...]
    inputs: Callable[[Path, int], Mapping[str, bytes]]
    argv: Callable[[Sequence[str], int], Sequence[str]]
    trying: str
    slow: str


@dataclass(frozen=True)
class CProject:
    """An adapter's description of one tree.

    edited: only functions of files for which it is true are given to models.
    parse:  (test run, its stdout) -> {test: passed}.
    """

    name: str
    tree: Path
    units: tuple[Unit, ...]
    programs: tuple[ProjectProgram, ...]
    runs: tuple[TestRun, ...]
    edited: Callable[[str], bool]
    parse: Callable[[str, str], dict[str, bool]]
    version: str = ""
    fuzz: FuzzTarget | FuzzCorpus | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    leaks: bool = False  # do its test programs free all at their end, so that leaks say something?
    memory_mb: int = 512
    disk_mb: int = 128

    def affected_units(self, path: str, readers: tuple[str, ...]) -> tuple[Unit, ...]:
        """What a change of `path` recompiles: its own unit, and all that include it."""
        return tuple(u for u in self.units if u.source in (path, *readers))

    def test_programs(self) -> tuple[ProjectProgram, ...]:
        """The programs that the test suite starts."""
        names = {run.program for run in self.runs}
        return tuple(program for program in self.programs if program.name in names)

    def unit(self, source: str) -> Unit:
        return next(u for u in self.units if u.source == source)


def open_project(name: str, *, checkout: Path | None = None, version: str = "") -> CProject:
    """The project as the recorded runs used it, in another of Debian's versions, or a checkout."""
    package = pinned_package(name)
    adapter = import_module(f"{__package__}.{name}")
    if version not in ("", package.version):
        package = Package(package.name, version)
    tree = checkout_copy(checkout) if checkout else unpack_package(package)
    actual = tree.name if checkout else tree.name.removeprefix(f"{package.name}-")
    if adapter.PREPARE:
        tree = _generate_sources(adapter, tree)
    project: CProject = replace(adapter.describe(tree), version=actual)
    return project


def pinned_package(name: str) -> Package:
    """The source that the recorded runs of a project used."""
    if name not in NAMES:
        raise KitError(f"Unknown project {name!r}. Use one of: {', '.join(NAMES)}.")
    package: Package = import_module(f"{__package__}.{name}").PACKAGE
    return package


def _generate_sources(adapter: ModuleType, tree: Path) -> Path:
    """A second tree beside the first: the same, and what the project's own scripts generate."""
    full = tree.with_name(f"{tree.name}-{content_key(adapter.PREPARE)[:8]}")
    if full.exists():
        return full
    with open_sandbox("bwrap", LIMITS) as box:
        evidence = box.run(["sh", "-ec", adapter.PREPARE], observe=False, mounts={MOUNT: tree})
    if evidence.status != Status.COMPLETED or evidence.exit_code:
        raise KitError(f"Configuring {tree.name} failed: {evidence.note} {evidence.err[-300:]}")
    with whole_folder(full) as part:
        shutil.copytree(tree, part, symlinks=True)
        for name, data in evidence.files.items():
            target = part / GENERATED / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return full


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
    (parts / "own.sources").write_text(_source_stanzas())
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


def _source_stanzas() -> str:
    """deb-src of RELEASE and of the machine's own release of Debian, from the machine's mirrors.

    A system that is no Debian may lack Debian's key; every pinned file is checked by its hash.
    """
    names = [RELEASE]
    system = platform.freedesktop_os_release()
    own_release = system.get("VERSION_CODENAME")
    if system["ID"] == "debian" and own_release and own_release not in names:
        names.append(own_release)
    mirror = OFFICIAL
    own_sources = Path("/etc/apt/sources.list.d/debian.sources")
    if own_sources.exists():
        line = re.search(r"^URIs: (\S+/debian)/?$", own_sources.read_text(), re.MULTILINE)
        mirror = line[1] if line else OFFICIAL
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


def _run_command(line: list[str], folder: Path, *, may_fail: bool = False) -> str:
    """What the command printed."""
    if shutil.which(line[0]) is None:
        raise KitError(
            f"{line[0]}, which C projects' sources need, is missing. Type: apt-get "
            "install apt dpkg-dev; or pass a checkout: --checkout DIR."
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
        "Pass a checkout of the project instead: --checkout DIR."
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


def checkout_copy(folder: Path) -> Path:
    """A copy of a user's checkout below the cache, named by its contents; the original stays."""
    if not folder.is_dir():
        raise KitError(f"No folder {folder}; --checkout takes the root of a source tree.")
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    tree = cache_root() / "trees" / f"{folder.resolve().name}-{digest.hexdigest()[:12]}"
    if not tree.exists():
        with whole_folder(tree) as part:
            shutil.copytree(folder, part, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return tree
