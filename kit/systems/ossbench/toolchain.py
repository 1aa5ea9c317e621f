"""Runs compilers and linkers in the sandbox; caches objects and programs by their inputs.

Is an edit compilable? Only what it touches is compiled, and the link is proved by symbols. A test
program that includes the edited file is only parsed: its object would hold the same symbols.
"""

import contextlib
import copy
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.paths import cache_root, make_readable
from kit.core.records import Evidence, Status, content_key
from kit.sandbox import Limits, Sandbox
from kit.systems.ossbench.project import MOUNT, SANITIZE, CProject, ProjectProgram, Unit
from kit.systems.ossbench.source import Edit, apply_edits, codec_of, text_of

LIMITS = Limits(
    wall_s=900, cpu_s=880, memory_mb=3000, processes=64, file_mb=256, disk_mb=1024, artefact_mb=512
)
STRAIGHT = ("-fmax-errors=20", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never")
CORES = os.cpu_count() or 1
WRAPPED = (
    "main",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "dlsym",
    "__sanitizer_set_report_path",
    "__sanitizer_set_report_fd",
    "__asan_set_error_report_callback",
    "__lsan_disable",
    "pthread_create",
    "thrd_create",
    "timer_create",
    "clone",
)
WRAPS = tuple(f"-Wl,--wrap={name}" for name in WRAPPED)  # what runtime.c stands in for
PART = ".part-"  # begins the names of what is not finished; the process's number follows
STRONG = frozenset("TDBRSGC")  # letters of nm: defined for others to use, and once only
WEAK = frozenset("WVui")
UNDEFINED = frozenset("U")
LINKER = {
    "_GLOBAL_OFFSET_TABLE_",
    "__stack_chk_fail",
    "__tls_get_addr",
    "_DYNAMIC",
    "__dso_handle",
    "_end",
    "_edata",
    "__bss_start",
    "__ehdr_start",
    "__executable_start",
}

Symbols = frozenset[tuple[str, str]]  # (letter, name) as nm gives them


@dataclass(frozen=True)
class CompiledUnit:
    """How one compilation ended."""

    ok: bool
    log: str
    object: bytes = b""
    symbols: Symbols = frozenset()


def builds_folder(project: CProject) -> Path:
    """Where the objects, programs and records of a release are kept."""
    return cache_root() / "builds" / f"{project.name}-{project.version}"


class Workshop:
    """Builds of one project. Overlays (path -> text) stand in for files of the tree, which stays.

    A failure of the sandbox itself is a KitError; a failure of the compiler is a result.
    spent: CPU seconds of every box so far. secret: a word that no edit can know; it stays the same,
    so that what was built with it is found again.
    """

    def __init__(self, box: Sandbox, project: CProject) -> None:
        if "mounts" not in box.capabilities:
            raise KitError(f"C projects are built in a bwrap sandbox, not in {box.name!r}.")
        self.box = box
        self.project = project
        self.tree = str(project.tree)
        self.home = builds_folder(project)
        make_readable(self.home)
        self.shared = self.home
        self.spent = [0.0]
        _remove_leftovers(self.home.parent)
        self.secret = _load_secret(self.home.parent / ".secret")
        self.compiler = self._run_command(["gcc", "--version"]).out.split("\n")[0]

    @contextlib.contextmanager
    def open_scratch(self) -> Iterator["Workshop"]:
        """The same workshop with a temporary cache above the lasting one."""
        with _temporary_folder(self.shared.parent) as home:
            other = copy.copy(self)
            other.home = home
            yield other

    def _find_cached(self, name: str) -> Path:
        """The path of a cached file: where it is, or where it is to be written."""
        path = self.shared / name
        return path if path.exists() else self.home / name

    def _run_command(self, argv: list[str], **inputs: Any) -> Evidence:
        """The command with these files and mounts."""
        env = {"TMPDIR": "/box", "LC_ALL": "C"}
        evidence = self.box.run(argv, limits=LIMITS, observe=False, env=env, **inputs)
        if evidence.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed while building: {evidence.note}")
        self.spent.append(evidence.cpu_s)
        return evidence

    @contextlib.contextmanager
    def _overlay_mounts(self, overlays: Mapping[str, str]) -> Iterator[dict[str, Path]]:
        """The tree with these texts in the place of its files."""
        with _temporary_folder(self.shared.parent) as folder:
            mounts = {MOUNT: self.project.tree}
            for number, (path, text) in enumerate(overlays.items()):
                file = folder / str(number)
                file.write_bytes(text.encode(codec_of(self.project.tree / path), "replace"))
                file.chmod(0o644)
                mounts[f"{MOUNT}/{path}"] = file
            yield mounts

    def check(self, unit: Unit, overlays: Mapping[str, str]) -> CompiledUnit:
        """Syntax first, then the object and its symbols; with the project's own flags."""
        line = _compile_command(unit)
        parts = [[*line, "-fsyntax-only"], [*line, "-c", "-o", "o.o"], ["nm", "o.o"], ["rm", "o.o"]]
        return self._run_checks(parts, overlays)

    def parse(self, units: Iterable[Unit], overlays: Mapping[str, str]) -> CompiledUnit:
        """The syntax of all of these, with the project's own flags."""
        return self._run_checks(
            [[*_compile_command(unit), "-fsyntax-only"] for unit in units], overlays
        )

    def _run_checks(self, parts: list[list[str]], overlays: Mapping[str, str]) -> CompiledUnit:
        key = content_key(parts, overlays, self.compiler, self.tree)
        cached = self._find_cached(f"{key}.json")
        if cached.exists():
            ok, log, symbols = json.loads(cached.read_text())
            return CompiledUnit(ok, log, symbols=frozenset(map(tuple, symbols)))
        script = " && ".join(map(shlex.join, parts))
        with self._overlay_mounts(overlays) as mounts:
            evidence = self._run_command(["sh", "-c", script], mounts=mounts)
        table = set()
        for line in evidence.out.splitlines():
            words = line.split()
            if len(words) >= 2:
                table.add((words[-2], words[-1]))
        ok, log = evidence.exit_code == 0, evidence.err
        _write_atomically(cached, json.dumps([ok, log, sorted(table)]).encode())
        return CompiledUnit(ok, log, symbols=frozenset(table))

    def compile(self, unit: Unit, overlays: Mapping[str, str]) -> CompiledUnit:
        """The object with sanitizers, from the cache where the same text was compiled before."""
        line = ["gcc", *unit.flags, *SANITIZE, *STRAIGHT, f"{MOUNT}/{unit.source}"]
        key = content_key(line, overlays, self.compiler, self.tree)
        path, log = self._make_file(f"{key}.o", [*line, "-c", "-o", "o.o"], {}, overlays)
        if path is None:
            return CompiledUnit(False, log)
        return CompiledUnit(True, log, path.read_bytes())

    def compile_text(self, name: str, text: str) -> bytes:
        """The object of a file of our own, without sanitizers."""
        evidence = self._run_command(
            ["gcc", "-O1", "-c", name, "-o", "o.o"], files={name: text.encode()}
        )
        if evidence.exit_code != 0:
            raise KitError(f"{name} does not compile: {evidence.err}")
        return evidence.files["o.o"]

    def link(
        self, program: ProjectProgram, objects: Mapping[str, bytes]
    ) -> tuple[Path | None, str]:
        """The program made of these objects (by source), or None and what the linker said."""
        files = {f"{n}.o": objects[s] for n, s in enumerate(sorted(objects))}
        words = [*sorted(files), *program.libraries, *WRAPS]
        line = ["gcc", *SANITIZE, *words, "-o", "program"]
        return self.make_program(line, files=files, overlays={})

    def make_program(
        self, line: list[str], *, files: Mapping[str, bytes], overlays: Mapping[str, str]
    ) -> tuple[Path | None, str]:
        """The `program` that a compiler's command makes of these files and of the tree."""
        texts = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        key = content_key(line, texts, overlays, self.compiler, self.tree)
        return self._make_file(f"{key}/program", line, files, overlays)

    def _make_file(
        self, name: str, line: list[str], files: Mapping[str, bytes], overlays: Mapping[str, str]
    ) -> tuple[Path | None, str]:
        """The file that ends the command, cached by this name; else None and why there is none."""
        path = self._find_cached(name)
        if path.exists():
            return path, ""
        with self._overlay_mounts(overlays) as mounts:
            evidence = self._run_command(line, files=files, mounts=mounts)
        if evidence.exit_code != 0 or line[-1] not in evidence.files:
            return None, evidence.err or evidence.note
        _write_atomically(path, evidence.files[line[-1]])
        return path, evidence.err

    def rebuild(self, overlays: Mapping[str, str]) -> tuple[bool, str]:
        """Everything from nothing, in one box: every unit, then every program. Slow and obvious."""
        lines = []
        for unit in self.project.units:
            lines.append(shlex.join([*_compile_command(unit), "-c", "-o", unit.object]))
        for program in self.project.programs:
            objects = [self.project.unit(s).object for s in program.sources]
            lines.append(shlex.join(["gcc", *objects, *program.libraries, "-o", "program"]))
        script = " && ".join([*lines, "rm -f program *.o"])
        files = {"build.sh": script.encode()}  # longer than one argument may be
        with self._overlay_mounts(overlays) as mounts:
            evidence = self._run_command(["sh", "build.sh"], files=files, mounts=mounts)
        return evidence.exit_code == 0, evidence.err

    def list_library_symbols(self, program: ProjectProgram) -> frozenset[str]:
        """What the program's libraries define, the C library's and assembly's included."""
        assembly = shlex.join(word for word in program.libraries if word.endswith(".S"))
        libraries = shlex.join(word for word in program.libraries if word.startswith("-l"))
        script = (
            f"for s in {assembly}; do gcc -c $s -o s.o && nm --defined-only s.o; done; "
            f"echo 'int main(void){{return 0;}}' > m.c && gcc m.c -Wl,--no-as-needed "
            f"{libraries} -o m && ldd m | grep -o '/[^ ]*' | xargs -n1 nm -D --defined-only"
        )
        evidence = self._run_command(["sh", "-c", script], mounts={MOUNT: self.project.tree})
        names = set()
        for line in evidence.out.splitlines():
            if line.count(" ") >= 2:
                versioned_name = line.split()[-1]
                names.add(versioned_name.partition("@")[0])
        return frozenset(names)


def runtime_source(secret: str, last: int, *, marked: bool = False) -> str:
    """The source that is linked into every tested program, for edits with numbers up to `last`.

    marked: for the original in which every function says when it runs first.
    """
    folder = Path(__file__).parent
    text = (folder / "runtime.c").read_text()
    if marked:
        text += (folder / "reach.c").read_text()
    return f"#define KIT_LAST {last}\n#define KIT(name) kit_{secret}_##name\n{text}"


def _compile_command(unit: Unit) -> list[str]:
    """The compiler's command for a unit as its project builds it."""
    return ["gcc", *unit.flags, *unit.strict, *STRAIGHT, f"{MOUNT}/{unit.source}"]


def _write_atomically(path: Path, data: bytes) -> None:
    """Write the file atomically, readable and executable for the sandbox's user."""
    make_readable(path.parent)
    with _temporary_folder(path.parent) as folder:
        part = folder / "part"
        part.write_bytes(data)
        part.chmod(0o755)
        part.replace(path)


@contextlib.contextmanager
def _temporary_folder(parent: Path) -> Iterator[Path]:
    """A temporary folder that the sandbox's user can enter."""
    with tempfile.TemporaryDirectory(prefix=f"{PART}{os.getpid()}-", dir=parent) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def _load_secret(path: Path) -> str:
    """Sixteen random digits, made once; whichever of two processes is first made them."""
    if not path.exists():
        with contextlib.suppress(FileExistsError), _temporary_folder(path.parent) as folder:
            (folder / "secret").write_text(secrets.token_hex(8))
            path.hardlink_to(folder / "secret")
    return path.read_text()


def _remove_leftovers(parent: Path) -> None:
    """Remove the unfinished files of processes that were killed."""
    leftovers: list[Path] = []
    for depth in ("", "*/", "*/*/"):
        # a folder of another process may end while it is listed
        with contextlib.suppress(FileNotFoundError):
            leftovers += parent.glob(f"{depth}{PART}*")
    for leftover in leftovers:
        pid = re.match(rf"{PART}(\d+)-", leftover.name)
        if pid and not Path("/proc", pid[1]).exists():
            shutil.rmtree(leftover, ignore_errors=True)  # others may sweep at the same time
            with contextlib.suppress(OSError):
                leftover.unlink()


class Build(StrEnum):
    """What an edit did to the build."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class Checked:
    """The result for one edit, and the sentence of the compiler or of the link that decided it."""

    build: Build
    reason: str = ""


def names_in(symbols: Symbols, kinds: frozenset[str]) -> set[str]:
    """The names of the symbols whose letter is one of these."""
    return {name for kind, name in symbols if kind in kinds}


class Checker:
    """The baseline's symbols, made once, and the check of edits against them."""

    def __init__(self, shop: Workshop, readers: Mapping[str, tuple[str, ...]]) -> None:
        self.shop, self.project, self.readers = shop, shop.project, readers

    @cached_property
    def baseline(self) -> dict[str, Symbols]:
        """Symbols of every unit of the original. An original that does not compile is an error."""
        symbols = {}
        for unit in self.project.units:
            compiled = self.shop.check(unit, {})
            if not compiled.ok:
                error = first_error(compiled.log)
                raise KitError(f"The original {unit.source} does not compile: {error}")
            symbols[unit.source] = compiled.symbols
        return symbols

    @cached_property
    def libraries(self) -> dict[tuple[str, ...], frozenset[str]]:
        """What each set of libraries defines, by the linker's words for it."""
        programs = {program.libraries: program for program in self.project.programs}
        return {
            words: self.shop.list_library_symbols(program) for words, program in programs.items()
        }

    def check(self, edit: Edit, *, full: bool = False) -> Checked:
        """Success, or failure with its first error; a file outside the build is unrelated.

        full: the paper's way, in which everything is built again.
        """
        units = self.project.affected_units(edit.path, self.readers.get(edit.path, ()))
        if not units:
            return Checked(Build.UNRELATED, "No compilation of the build reads this function.")
        texts = {edit.path: apply_edits(text_of(self.project.tree / edit.path), [edit])}
        if full:
            ok, log = self.shop.rebuild(texts)
            return Checked(Build.SUCCESS) if ok else Checked(Build.FAILURE, first_error(log))
        own = [unit for unit in units if unit.source == edit.path] or units
        symbols = {}
        for unit in own:
            compiled = self.shop.check(unit, texts)
            if not compiled.ok:
                return Checked(Build.FAILURE, first_error(compiled.log))
            symbols[unit.source] = compiled.symbols
        including = [unit for unit in units if unit not in own]
        if including:
            parsed = self.shop.parse(including, texts)
            if not parsed.ok:
                return Checked(Build.FAILURE, first_error(parsed.log))
        reason = self.link_error(symbols)
        return Checked(Build.FAILURE, reason) if reason else Checked(Build.SUCCESS)

    def link_error(self, fresh: Mapping[str, Symbols]) -> str:
        """What a linker would refuse in the programs that hold these new objects, or ""."""
        changed = {path for path, symbols in fresh.items() if symbols != self.baseline[path]}
        for program in self.project.programs:
            if changed.intersection(program.sources):
                reason = self._program_link_error(program, fresh)
                if reason:
                    return reason
        return ""

    def _program_link_error(self, program: ProjectProgram, fresh: Mapping[str, Symbols]) -> str:
        objects = {path: fresh.get(path, self.baseline[path]) for path in program.sources}
        defined = LINKER.union(self.libraries[program.libraries])
        for symbols in objects.values():
            defined |= names_in(symbols, STRONG | WEAK)
        for path, symbols in objects.items():
            missing = names_in(symbols, UNDEFINED) - defined
            if missing:
                return f"undefined reference to `{min(missing)}' in {path}"
        owner: dict[str, str] = {}
        for path, symbols in objects.items():
            for name in sorted(names_in(symbols, STRONG)):
                if owner.setdefault(name, path) != path:
                    return f"multiple definition of `{name}' in {owner[name]} and {path}"
        return ""


def first_error(log: str) -> str:
    """The first line of a compiler's output that says error, without the folder of the tree."""
    lines = [line for line in log.splitlines() if "error" in line or "undefined" in line]
    return (lines or log.splitlines() or ["no word"])[0].replace("/mnt/", "")[:300]


def units_by_path(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """path -> units, from the table's columns path and units (JSON)."""
    return {path: tuple(json.loads(units)) for path, units in rows if path}
