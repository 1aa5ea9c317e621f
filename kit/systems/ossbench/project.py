"""A C project as the kit sees it: its compilations, its programs, its test runs, its log.

An adapter is a class that says these for one project; one of your own is opened by its path.
By its name it comes ready to build: fetched by hash from Debian's archive, unpacked into a cache,
with what its own scripts generate. Trees there are never edited.
"""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from kit.core.errors import KitError
from kit.core.paths import whole_folder
from kit.core.records import Status, content_key
from kit.core.trees import Package, checkout_copy, unpack_package
from kit.run.suites import explain_failure, load_only_class
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

# project -> its adapter
NAMES = {"cjson": "CJson", "sqlite": "SqliteAdapter", "php": "Php", "php_whole": "PhpWhole"}
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
    serial: argv with which its tests run one after the other, each in a process of its own and
    with its result printed at its end; so it is learnt which functions each of them reaches.
    """

    __test__ = False

    name: str
    program: str
    argv: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    wall_s: float = 10.0
    whole: bool = False
    serial: tuple[str, ...] = ()


@dataclass(frozen=True)
class FuzzTarget:
    """LLVMFuzzerTestOneInput in C, the units linked with it, and the inputs that libFuzzer mutates.

    seeds: tree -> first inputs. dictionary: a file of the tree with the words of its language.
    linked: more units, whose objects are those of the tests, so that their edges are not counted.
    """

    harness: str
    sources: tuple[str, ...]
    seeds: Callable[[Path], Iterable[bytes]]
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    dictionary: str = ""
    linked: tuple[str, ...] = ()
    name: str = "libFuzzer"


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


Fuzzed = tuple[FuzzTarget | FuzzCorpus, ...]


def keep_whole(run: TestRun, tests: Sequence[str]) -> TestRun:  # noqa: ARG001
    """The run itself: of a project whose runs cannot be narrowed."""
    return run


@dataclass(frozen=True)
class CProject:
    """An adapter's description of one tree.

    runs: the test runs that were chosen. suite_runs: how many its whole test suite has.
    edited: only functions of files for which it is true are given to models.
    parse:  (test run, its stdout) -> {test: passed}. narrow: (test run, some of its tests) -> the
    run with these only.
    """

    name: str
    tree: Path
    units: tuple[Unit, ...]
    programs: tuple[ProjectProgram, ...]
    runs: tuple[TestRun, ...]
    edited: Callable[[str], bool]
    parse: Callable[[str, str], dict[str, bool]]
    version: str = ""
    fuzz: Fuzzed = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    leaks: bool = False  # do its test programs free all at their end, so that leaks say something?
    memory_mb: int = 512
    disk_mb: int = 128
    suite_runs: int = 0
    markers: Sequence[str] = ()
    narrow: Callable[[TestRun, Sequence[str]], TestRun] = keep_whole

    def affected_units(self, path: str, readers: tuple[str, ...]) -> tuple[Unit, ...]:
        """What a change of `path` recompiles: its own unit, and all that include it."""
        return tuple(u for u in self.units if u.source in (path, *readers))

    def test_programs(self) -> tuple[ProjectProgram, ...]:
        """The programs that the test suite starts."""
        names = {run.program for run in self.runs}
        return tuple(program for program in self.programs if program.name in names)

    def unit(self, source: str) -> Unit:
        return next(u for u in self.units if u.source == source)


class Adapter(ABC):
    """How one C project is built and tested.

    package: its source in Debian's archive, as recorded runs use it. tree: that source, or a
    checkout; `units` and all below it find in its folder kit-generated what `configure` left.
    """

    name: ClassVar[str]
    package: ClassVar[Package]
    markers: ClassVar[Sequence[str]] = ()  # by which a function's text tells its project
    environment: ClassVar[Mapping[str, str]] = {}
    leaks: ClassVar[bool] = False
    memory_mb: ClassVar[int] = 512
    disk_mb: ClassVar[int] = 128

    def __init__(self, tree: Path) -> None:
        self.tree = tree

    @classmethod
    def package_of(cls, version: str) -> Package:
        """Another version's source in the archive, where its name may differ from package's."""
        return Package(cls.package.name, version)

    def configure(self) -> str:
        """A shell script, run once in a box: the tree is /mnt, and all that it leaves is kept."""
        return ""

    @abstractmethod
    def units(self) -> Sequence[Unit]:
        """Every compilation, in the order of linking."""

    @abstractmethod
    def programs(self) -> Sequence[ProjectProgram]:
        """What is linked of the units."""

    @abstractmethod
    def tests(self) -> Mapping[str, Sequence[TestRun]]:
        """Test runs by the name of a choice: "all", and "quick" where that would take too long."""

    @abstractmethod
    def is_edited(self, path: str) -> bool:
        """Are functions of this file given to models? None of tests or of generated files are."""

    def read_results(self, run: str, stdout: str) -> dict[str, bool]:  # noqa: ARG002
        """Test -> passed, as a test run printed it; not asked of runs that are one test whole."""
        raise KitError(
            f"{type(self).__name__} says nothing of what {run} prints. Write read_results, or say "
            "whole=True in its TestRun."
        )

    def narrow(self, run: TestRun, tests: Sequence[str]) -> TestRun:
        """The run with these of its tests only, named as read_results names them; else itself."""
        return keep_whole(run, tests)

    def fuzz(self) -> Fuzzed:
        """What is fuzzed, if anything is; inputs are shared out equally."""
        return ()


def open_adapter(name: str) -> type[Adapter]:
    """The adapter of a known project, or of a folder with a project.py, whose code is executed."""
    if name in NAMES:
        module = import_module(f"{__package__}.{name}")
        adapter: type[Adapter] = getattr(module, NAMES[name])
        return adapter
    file = Path(name).resolve() / "project.py"
    if not file.is_file():
        known = ", ".join(NAMES)
        raise KitError(f"Unknown project {name!r}. Use {known}, or a folder with a project.py.")
    with explain_failure(file):
        adapter = load_only_class(file, Adapter)
        adapter(file.parent)  # abstract where a method is missing
    return adapter


def open_project(
    name: str, *, checkout: Path | None = None, version: str = "", tests: str = "quick"
) -> CProject:
    """The project as the recorded runs used it, in another of Debian's versions, or a checkout.

    tests: quick, all, another choice of the adapter, or a pattern of the names of test runs.
    """
    adapter = open_adapter(name)
    package = adapter.package
    if version not in ("", package.version):
        package = adapter.package_of(version)
    tree = checkout_copy(checkout) if checkout else unpack_package(package)
    actual = tree.name if checkout else tree.name.removeprefix(f"{package.name}-")
    script = adapter(tree).configure()
    if script:
        tree = _generate_sources(script, tree)
    return describe(adapter(tree), version=actual, tests=tests)


def describe(adapter: Adapter, *, version: str = "", tests: str = "quick") -> CProject:
    """All that an adapter says of its tree, with the chosen tests."""
    choices = adapter.tests()
    return CProject(
        adapter.name,
        adapter.tree,
        tuple(adapter.units()),
        tuple(adapter.programs()),
        _choose_runs(choices, tests),
        adapter.is_edited,
        adapter.read_results,
        version,
        adapter.fuzz(),
        adapter.environment,
        adapter.leaks,
        adapter.memory_mb,
        adapter.disk_mb,
        len(choices["all"]),
        adapter.markers,
        adapter.narrow,
    )


def _choose_runs(choices: Mapping[str, Sequence[TestRun]], wanted: str) -> tuple[TestRun, ...]:
    every = choices["all"]
    if wanted in {*choices, "quick"}:
        return tuple(choices.get(wanted, every))
    chosen = tuple(run for run in every if fnmatch(run.name, wanted))
    if not chosen:
        names = ", ".join(run.name for run in every[:5])
        raise KitError(
            f"No test run matches {wanted!r}. Use one of {', '.join(choices)}, or a pattern of "
            f"names such as {names}."
        )
    return chosen


def pinned_package(name: str) -> Package:
    """The source that the recorded runs of a project used."""
    return open_adapter(name).package


def _generate_sources(script: str, tree: Path) -> Path:
    """A second tree beside the first: the same, and what the project's own scripts generate."""
    full = tree.with_name(f"{tree.name}-{content_key(script)[:8]}")
    if full.exists():
        return full
    with open_sandbox("bwrap", LIMITS) as box:
        evidence = box.run(["sh", "-ec", script], observe=False, mounts={MOUNT: tree})
    if evidence.status != Status.COMPLETED or evidence.exit_code:
        raise KitError(f"Configuring {tree.name} failed: {evidence.note} {evidence.err[-300:]}")
    with whole_folder(full) as part:
        shutil.copytree(tree, part, symlinks=True)
        for name, data in evidence.files.items():
            target = part / GENERATED / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return full
