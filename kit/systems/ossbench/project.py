"""A C project as the kit sees it: its compilations, its programs, its test runs, its log.

By its name it comes ready to build: fetched by hash from Debian's archive, unpacked into a cache,
with what its own scripts generate. Trees there are never edited.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from kit.core.errors import KitError
from kit.core.paths import whole_folder
from kit.core.records import Status, content_key
from kit.core.trees import Package, checkout_copy, unpack_package
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
