"""A C project as the kit sees it: its compilations, its programs, its test runs, its log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SWITCHED_OFF = ("no_sanitize_address", "__no_sanitize_address__", "no_sanitize_undefined",
                "__no_sanitize_undefined__", "no_sanitize(x)", "__no_sanitize__(x)",
                "no_address_safety_analysis", "__no_address_safety_analysis__")  # fmt: skip
SANITIZE = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
            *(f"-D{attribute}=unused" for attribute in SWITCHED_OFF))  # fmt: skip
LIBFUZZER = "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a"
MOUNT = "/mnt"  # where the tree stands inside a box


@dataclass(frozen=True)
class Package:
    """A Debian source package, pinned by its version and by the SHA-256 of each of its files."""

    name: str
    version: str
    files: Mapping[str, str]


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
class Program:
    """What the linker makes: objects by the sources of their units, and libraries."""

    name: str
    sources: tuple[str, ...]
    libraries: tuple[str, ...] = ()  # and other words for the linker


@dataclass(frozen=True)
class TestRun:
    """One start of a program by the test suite, in a fresh folder.

    files: place in that folder -> file or folder of the tree, of which it gets a copy.
    """

    __test__ = False

    name: str
    program: str
    argv: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    wall_s: float = 10.0


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

    program: Program
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
    programs: tuple[Program, ...]
    runs: tuple[TestRun, ...]
    edited: Callable[[str], bool]
    parse: Callable[[str, str], dict[str, bool]]
    version: str = ""
    fuzz: FuzzTarget | FuzzCorpus | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    leaks: bool = False  # do its test programs free all at their end, so that leaks say something?
    memory_mb: int = 512
    disk_mb: int = 128

    def touched(self, path: str, readers: tuple[str, ...]) -> tuple[Unit, ...]:
        """What a change of `path` recompiles: its own unit, or for a header all its readers."""
        own = tuple(u for u in self.units if u.source == path)
        return own or tuple(u for u in self.units if u.source in readers)

    def tested(self) -> tuple[Program, ...]:
        """The programs that the test suite starts."""
        names = {r.program for r in self.runs}
        return tuple(p for p in self.programs if p.name in names)

    def unit(self, source: str) -> Unit:
        return next(u for u in self.units if u.source == source)
