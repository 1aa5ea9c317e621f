"""Compilers and linkers run in the sandbox; objects and programs are kept under what made them."""

import hashlib
import json
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.errors import KitError
from kit.records import Evidence, Status, content_key
from kit.sandbox import Limits, Sandbox
from kit.suites.cproject.fetch import cache
from kit.suites.cproject.project import MOUNT, SANITIZE, CProject, Program, Unit

LIMITS = Limits(wall_s=900, cpu_s=880, memory_mb=3000, processes=64, file_mb=256, disk_mb=1024,
                artefact_mb=512)  # fmt: skip
STRAIGHT = ("-fmax-errors=20", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never")
CHECK, TEST = "check", "test"


@dataclass(frozen=True)
class Compiled:
    """How one compilation ended. symbols: (letter, name) as nm gives them."""

    ok: bool
    log: str
    object: bytes = b""
    symbols: frozenset[tuple[str, str]] = frozenset()


class Workshop:
    """Builds of one project. Overlays (path -> text) stand in for files of the tree, which stays.

    A failure of the sandbox itself is a KitError; a failure of the compiler is a result.
    """

    def __init__(self, box: Sandbox, project: CProject) -> None:
        if box.name != "bwrap":
            raise KitError(f"OSS-Bench builds in the bwrap sandbox only, not in {box.name!r}.")
        self.box, self.project = box, project
        self.tree = str(project.tree)
        self.home = cache() / "builds" / f"{project.name}-{project.version}"
        self.home.mkdir(parents=True, exist_ok=True)
        self._made = tempfile.TemporaryDirectory(prefix="kit-oss-")
        self._texts = Path(self._made.name)
        self._texts.chmod(0o755)
        self.compiler = self._run(["gcc", "--version"]).out.split("\n")[0]

    def close(self) -> None:
        self._made.cleanup()

    def __enter__(self) -> "Workshop":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _run(self, argv: list[str], **options: object) -> Evidence:
        env = {"TMPDIR": "/box", "LC_ALL": "C"}
        seen = self.box.run(argv, limits=LIMITS, observe=False, env=env, **options)
        if seen.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed while building: {seen.note}")
        return seen

    def _mounts(self, overlays: Mapping[str, str]) -> dict[str, Path]:
        out = {MOUNT: self.project.tree}
        for path, text in overlays.items():
            data = text.encode("utf-8", "surrogateescape")
            file = self._texts / hashlib.sha256(data).hexdigest()
            if not file.exists():
                file.write_bytes(data)
                file.chmod(0o644)
            out[f"{MOUNT}/{path}"] = file
        return out

    def check(self, unit: Unit, overlays: Mapping[str, str]) -> Compiled:
        """Syntax first, then the object and its symbols; with the project's own flags."""
        line = ["gcc", *unit.flags, *unit.strict, *STRAIGHT, f"{MOUNT}/{unit.source}"]
        kept = self.home / f"{content_key(line, overlays, self.compiler, self.tree)}.json"
        if kept.exists():
            ok, log, symbols = json.loads(kept.read_text())
            return Compiled(ok, log, symbols=frozenset(map(tuple, symbols)))
        script = " && ".join(
            [
                shlex.join([*line, "-fsyntax-only"]),
                shlex.join([*line, "-c", "-o", "o.o"]),
                "nm o.o",
                "rm o.o",
            ]
        )
        seen = self._run(["sh", "-c", script], mounts=self._mounts(overlays))
        done = Compiled(seen.exit_code == 0, seen.err, symbols=_symbols(seen.out))
        _keep(kept, json.dumps([done.ok, done.log, sorted(done.symbols)]).encode())
        return done

    def compile(self, unit: Unit, overlays: Mapping[str, str]) -> Compiled:
        """The object with sanitizers, from the cache where the same text was compiled before."""
        line = ["gcc", *unit.flags, *SANITIZE, *STRAIGHT, f"{MOUNT}/{unit.source}"]
        key = content_key(line, overlays, self.compiler, self.tree)
        kept = self.home / f"{key}.o"
        if kept.exists():
            return Compiled(True, "", kept.read_bytes())
        seen = self._run([*line, "-c", "-o", "o.o"], mounts=self._mounts(overlays))
        if seen.exit_code != 0:
            return Compiled(False, seen.err)
        _keep(kept, seen.files["o.o"])
        return Compiled(True, seen.err, seen.files["o.o"])

    def compile_text(self, name: str, text: str) -> bytes:
        """The object of a file of our own, without sanitizers."""
        seen = self._run(["gcc", "-O1", "-c", name, "-o", "o.o"], files={name: text.encode()})
        if seen.exit_code != 0:
            raise KitError(f"{name} does not compile: {seen.err}")
        return seen.files["o.o"]

    def link(self, program: Program, objects: Mapping[str, bytes]) -> tuple[Path | None, str]:
        """The program made of these objects (by source), or None and what the linker said."""
        files = {f"{n}.o": objects[s] for n, s in enumerate(sorted(objects))}
        line = ["gcc", *SANITIZE, *sorted(files), *program.libraries, "-o", "program"]
        hashes = [hashlib.sha256(files[n]).hexdigest() for n in sorted(files)]
        kept = self.home / f"{content_key(line, hashes, self.compiler)}.program"
        if kept.exists():
            return kept, ""
        seen = self._run(line, files=files)
        if seen.exit_code != 0:
            return None, seen.err
        _keep(kept, seen.files["program"])
        return kept, seen.err

    def rebuild(self, overlays: Mapping[str, str]) -> tuple[bool, str]:
        """Everything from nothing, in one box: every unit, then every program. Slow and obvious."""
        lines = []
        for unit in self.project.units:
            line = ["gcc", *unit.flags, *unit.strict, *STRAIGHT, "-c", f"{MOUNT}/{unit.source}"]
            lines.append(shlex.join([*line, "-o", unit.object]))
        for program in self.project.programs:
            objects = [self.project.unit(s).object for s in program.sources]
            lines.append(shlex.join(["gcc", *objects, *program.libraries, "-o", "program"]))
        script = " && ".join([*lines, "rm -f program *.o"])
        files = {"build.sh": script.encode()}  # longer than one argument may be
        seen = self._run(["sh", "build.sh"], files=files, mounts=self._mounts(overlays))
        return seen.exit_code == 0, seen.err

    def exported(self, program: Program) -> frozenset[str]:
        """What the program's libraries define, the C library's included."""
        script = (
            f"echo 'int main(void){{return 0;}}' > m.c && gcc m.c -Wl,--no-as-needed "
            f"{shlex.join(w for w in program.libraries if w.startswith('-l'))} -o m && "
            "ldd m | grep -o '/[^ ]*' | xargs -n1 nm -D --defined-only"
        )
        seen = self._run(["sh", "-c", script])
        names = (line.split()[-1] for line in seen.out.splitlines() if line.count(" ") >= 2)
        return frozenset(name.partition("@")[0] for name in names)


def _keep(path: Path, data: bytes) -> None:
    """Whole or not at all; the sandbox's user may read and start it."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.chmod(0o755)
    part.replace(path)


def _symbols(listing: str) -> frozenset[tuple[str, str]]:
    rows = (line.split() for line in listing.splitlines())
    return frozenset((row[-2], row[-1]) for row in rows if len(row) >= 2)
