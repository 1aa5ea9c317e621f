"""A C project as the kit sees it: its compilations, its programs, its test runs, its log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SWITCHED_OFF = ("no_sanitize_address", "__no_sanitize_address__", "no_sanitize_undefined",
                "__no_sanitize_undefined__", "no_sanitize(x)", "__no_sanitize__(x)",
                "no_address_safety_analysis", "__no_address_safety_analysis__")  # fmt: skip
SANITIZE = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
            *(f"-D{attribute}=unused" for attribute in SWITCHED_OFF))  # fmt: skip
MOUNT = "/mnt"  # where the tree stands inside a box
GENERATED = "kit-generated"  # the folder of the tree that holds what a build generates


def place_of(word: str) -> str:
    """The path in the tree of a source that a build's log names."""
    inside = f"{MOUNT}/"
    return word.removeprefix(inside) if word.startswith(inside) else f"{GENERATED}/{word}"


@dataclass(frozen=True)
class Package:
    """A release of a project as Debian packs its source, named by the SHA-256 of its files.

    version: upstream's and, behind the last dash, Debian's. release: of Debian, that has it.
    """

    name: str
    version: str
    files: Mapping[str, str] = field(default_factory=dict)
    release: str = "bookworm"

    @classmethod
    def of(cls, name: str, version: str, hashes: Mapping[str, str]) -> "Package":
        """hashes: of the files by what their names end in, behind the version."""
        upstream = version.rpartition("-")[0]
        return cls(name, version, {
            f"{name}_{upstream if end.startswith('orig') else version}.{end}": known
            for end, known in hashes.items()
        })  # fmt: skip

    @property
    def upstream(self) -> dict[str, str]:
        """What every Debian revision of this release is made of."""
        return {name: known for name, known in self.files.items() if ".orig" in name}


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
        """What a change of `path` recompiles: its own unit, and all that include it."""
        return tuple(u for u in self.units if u.source in (path, *readers))

    def tested(self) -> tuple[Program, ...]:
        """The programs that the test suite starts."""
        names = {r.program for r in self.runs}
        return tuple(p for p in self.programs if p.name in names)

    def unit(self, source: str) -> Unit:
        return next(u for u in self.units if u.source == source)
