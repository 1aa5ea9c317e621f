"""A Java repository is compiled once; a sample costs one class and one start of the tests."""

import contextlib
import hashlib
import io
import re
import secrets
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kit.errors import KitError
from kit.records import Evidence, Status, content_key
from kit.sandbox import Limits
from kit.sandbox.bwrap import Bwrap
from kit.suites.cproject.fetch import cache

LIMITS = Limits(wall_s=120, cpu_s=100, memory_mb=1400, processes=96, file_mb=64, disk_mb=192,
                output_kb=512, artefact_mb=160)  # fmt: skip
HOME, PATCH = "/opt", "/box/patch"  # what was built before, the sample's classes
JARS = Path("/usr/share/java")
LIBRARIES = (  # the order is the order of the class path, which the archive was made with
    "junit-jupiter-api.jar",
    "junit-jupiter-engine.jar",
    "junit-platform-commons.jar",
    "junit-platform-engine.jar",
    "junit-platform-launcher.jar",
    "opentest4j.jar",
    "apiguardian-api.jar",
    "sqlite-jdbc.jar",
)
AGENT = ("org.jacoco.agent.jar", "jacocoagent.jar", "org.jacoco.agent.rt.jar")  # in it, its classes
COVERAGE = ("org.jacoco.core.jar", "asm.jar", "asm-commons.jar",
            "asm-tree.jar", "asm-analysis.jar")  # fmt: skip
PACKAGES = "openjdk-17-jdk-headless junit5 libjacoco-java libxerial-sqlite-jdbc-java"
LAUNCHER = Path(__file__).with_name("Launch.java")
SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx512m")
REPORTS = ("sh", "-c", 'exec "$0" "$@" 1>&"$KIT_CHANNEL"')  # Java knows no other descriptors
LIBRARY_PATH = "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni:/usr/lib/jni"
RANGE = re.compile(r"(\d+)-(\d+)")


@dataclass(frozen=True)
class Compiled:
    """How a compilation ended. classes: path below the class path -> bytes; log: the compiler's."""

    ok: bool
    log: str = ""
    classes: Mapping[str, bytes] = field(default_factory=dict)
    whole: bool = False  # classes are all of the repository's, not only the changed ones


@dataclass(frozen=True)
class Tested:
    """What became of each test: "pass", "fail", "none" (no such test), "missing" (no report).

    messages: of tests that did not pass. lines: of the class asked for, as JaCoCo saw them.
    """

    outcomes: Mapping[str, str]
    messages: Mapping[str, str]
    lines: frozenset[int]
    evidence: Evidence


class Builder:
    """javac and JUnit in the bwrap sandbox; compiled repositories are kept under their digest.

    A failure of the sandbox itself is a KitError; a failure of compiler or test is a result.
    """

    def __init__(self, box: Bwrap) -> None:
        if box.name != "bwrap":
            raise KitError(f"Java repositories are built in the bwrap sandbox, not in {box.name}.")
        lacking = [j for j in (*LIBRARIES, *COVERAGE, *AGENT[::2]) if not (JARS / j).exists()]
        if lacking:
            raise KitError(f"{', '.join(lacking)} not found; type: apt-get install {PACKAGES}")
        self.box = box
        self.java = self._run(["java", "-version"]).err.strip()
        self.home = cache() / "javarepo"
        self.home.mkdir(parents=True, exist_ok=True)
        self.tools = self._tools()
        self.archive = self._archive()

    def classes(self, repository: Path) -> Path:
        """The folder with stubs/, main/, test/ and resources/ of the repository, compiled once.

        Raises KitError with the compiler's words where it does not compile.
        """
        folder = self.home / f"classes-{self._key(repository)}"
        if not folder.exists():
            built = self._whole(repository, {})
            if not built.ok:
                raise KitError(f"{repository.name} does not compile: {built.log}")
            _keep(folder, {**built.classes, **resources(repository)})
        return folder

    def compile(
        self, repository: Path, file: str, source: str, *, same_interface: bool = True
    ) -> Compiled:
        """The classes of one file (path below the repository) that has this text now.

        A changed interface of the method may break its callers: then everything is compiled.
        """
        if not same_interface:
            return self._whole(repository, {file: source})
        folder = self.classes(repository)
        path = f"{HOME}/{folder.name}/stubs:{HOME}/{folder.name}/main"
        line = ["javac", *self._javac(), "-d", "out", "-cp", path]
        seen = self._run(
            [*line, Path(file).name],
            files={Path(file).name: source.encode()},
            mounts={HOME: self.home},
        )
        return _compiled(seen)

    def test(
        self,
        repository: Path,
        compiled: Compiled,
        tests: Sequence[str],
        *,
        cover: str = "",
        limits: Limits = LIMITS,
    ) -> Tested:
        """Run "pkg.Class#method" tests in one box, in the order given; each has its own report.

        cover: the binary name of the class whose executed lines are wanted.
        """
        folder, word = self.classes(repository), secrets.token_hex(16)
        built = PATCH if compiled.whole else f"{HOME}/{folder.name}"
        own = [PATCH, *(f"{built}/{n}" for n in ("main", "test", "stubs"))]
        path = ":".join([*self._path(), *own, f"{HOME}/{folder.name}/resources"])
        line = [*REPORTS, "java", *SMALL, *_shared(self.archive), LIBRARY_PATH]
        if cover:
            agent = f"{HOME}/{self.tools}/{AGENT[1]}"
            line += [f"-javaagent:{agent}=output=none,includes={cover}*"]
        line += ["-cp", path, "Launch"]
        line += [f"--cover={cover.replace('.', '/')}"] if cover else []
        seen = self._run(
            [*line, *tests],
            files={f"{Path(PATCH).name}/{n}": data for n, data in compiled.classes.items()},
            mounts={HOME: self.home},
            stdin=f"{word}\n".encode(),
            limits=limits,
        )
        return _tested(seen, word, tests)

    def _whole(self, repository: Path, overlays: Mapping[str, str]) -> Compiled:
        """Stubs, then sources, then tests; nothing from before."""
        files = {path: text.encode() for path, text in sources(repository).items()}
        files |= {path: text.encode() for path, text in overlays.items()}
        script = ["mkdir -p out/stubs out/main out/test"]
        path = ":".join(str(JARS / j) for j in LIBRARIES)
        for name, root in (("stubs", "stubs"), ("main", "src/main"), ("test", "src/test")):
            listed = [p for p in files if p.startswith(root + "/")]
            files[f"{name}.txt"] = "\n".join(listed).encode()
            line = " ".join(["javac", *self._javac(), "-d", f"out/{name}"])
            script += [f"{line} -cp out/stubs:out/main:{path} @{name}.txt"] if listed else []
        mounts = {HOME: self.home}
        seen = self._run(["sh", "-c", " && ".join(script)], files=files, mounts=mounts)
        done = _compiled(seen)
        return Compiled(done.ok, done.log, done.classes, whole=True)

    def _javac(self) -> list[str]:
        options = [f"-J{o}" for o in (*SMALL, *_shared(f"{self.tools}/javac.jsa"))]
        return [*options, "-proc:none", "-nowarn", "-g", "-encoding", "UTF-8"]


    def _path(self) -> list[str]:
        jars = [str(JARS / j) for j in (*LIBRARIES, *COVERAGE)]
        return [*jars, f"{HOME}/{self.tools}/launch.jar"]

    def _tools(self) -> str:
        """The folder of the launcher and of the archive of what javac loads at every start."""
        key = content_key(self.java, LAUNCHER.read_text(), WARM, _stamps(), SMALL)[:16]
        folder = self.home / f"tools-{key}"
        if not folder.exists():
            texts = {"Launch.java": LAUNCHER.read_bytes(), "Warm.java": WARM.encode()}
            line = ["javac", *(f"-J{o}" for o in SMALL), "-J-XX:ArchiveClassesAtExit=javac.jsa"]
            jars = ":".join(str(JARS / j) for j in (*LIBRARIES, *COVERAGE, AGENT[2]))
            built = self._run([*line, "-cp", jars, "-d", "out", *texts], files=texts)
            if "javac.jsa" not in built.files:
                raise KitError(f"The test launcher does not compile: {built.err or built.note}")
            jar = _jar({n[4:]: b for n, b in built.files.items() if n.startswith("out/")})
            agent = zipfile.ZipFile(JARS / AGENT[0]).read(AGENT[1])
            made = {"launch.jar": jar, AGENT[1]: agent, "javac.jsa": built.files["javac.jsa"]}
            _keep(folder, made)
        return folder.name

    def _archive(self) -> str:
        """The archive of what JUnit loads, made where the class path is as it will be."""
        folder = self.home / self.tools.replace("tools", "archive")
        if not folder.exists():
            line = [*REPORTS, "java", *SMALL, "-XX:ArchiveClassesAtExit=tests.jsa", "-cp"]
            line += [":".join(self._path()), "Launch", "Warm#asserts"]
            warm = self._run(line, mounts={HOME: self.home}, stdin=b"word\n")
            if "tests.jsa" not in warm.files:
                raise KitError(f"The JVM made no class-data archive: {warm.err or warm.note}")
            _keep(folder, {"tests.jsa": warm.files["tests.jsa"]})
        return f"{folder.name}/tests.jsa"

    def _key(self, repository: Path) -> str:
        return content_key(digest(repository), self.java, _stamps())[:24]

    def _run(
        self,
        argv: list[str],
        *,
        files: Mapping[str, bytes] | None = None,
        mounts: Mapping[str, Path] | None = None,
        stdin: bytes = b"",
        limits: Limits = LIMITS,
    ) -> Evidence:
        seen = self.box.run(
            argv, files=files, mounts=mounts, stdin=stdin, limits=limits, observe=False
        )
        if seen.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed while building: {seen.note}")
        return seen



WARM = """
import static org.junit.jupiter.api.Assertions.*;
class Warm {
    @org.junit.jupiter.api.Test void asserts() throws Exception {
        assertEquals(java.util.List.of("a"), java.util.stream.Stream.of("a").toList());
        assertThrows(IllegalStateException.class, () -> { throw new IllegalStateException(); });
        assertTimeoutPreemptively(java.time.Duration.ofSeconds(5), () -> "b".concat("c"));
    }
}
"""


def sources(repository: Path) -> dict[str, str]:
    """Every Java file below stubs/ and src/, by path, in order."""
    found = sorted(p for top in ("stubs", "src") for p in (repository / top).rglob("*.java"))
    if not found:
        raise KitError(f"{repository} has no Java file below src/ or stubs/; give a Maven layout.")
    return {p.relative_to(repository).as_posix(): p.read_text("utf-8") for p in found}


def resources(repository: Path) -> dict[str, bytes]:
    """What the programs of the repository find on their class path, by path below resources/."""
    top = repository / "src" / "main" / "resources"
    found = sorted(p for p in top.rglob("*") if p.is_file())
    return {f"resources/{p.relative_to(top).as_posix()}": p.read_bytes() for p in found}


def digest(repository: Path) -> str:
    """SHA-256 over sources and resources: equal repositories build equal classes."""
    return content_key(sources(repository), resources(repository))


def _shared(archive: str) -> list[str]:
    """A class-data archive; a JVM that cannot use it starts without and is only slower."""
    return ["-Xshare:auto", f"-XX:SharedArchiveFile={HOME}/{archive}", "-Xlog:disable"]


@lru_cache
def _stamps() -> tuple[str, ...]:
    """What the jars on the class path are."""
    jars = [JARS / j for j in (*LIBRARIES, *COVERAGE)]
    return tuple(hashlib.sha256(j.read_bytes()).hexdigest() for j in jars)


def _compiled(seen: Evidence) -> Compiled:
    classes = {n[4:]: b for n, b in seen.files.items() if n.startswith("out/")}
    ok = seen.status == Status.COMPLETED and seen.exit_code == 0
    return Compiled(ok, seen.err or seen.note, classes if ok else {})


def _tested(seen: Evidence, word: str, tests: Sequence[str]) -> Tested:
    """Reports that begin with the word; the first one of a test counts."""
    outcomes: dict[str, str] = {}
    messages: dict[str, str] = {}
    lines: frozenset[int] = frozenset()
    for line in seen.channel.decode("utf-8", "replace").split("\n"):
        parts = line.split("\t")
        if len(parts) < 5 or parts[0] != word:
            continue
        if parts[1] == "test" and parts[2] in tests and parts[2] not in outcomes:
            outcomes[parts[2]], messages[parts[2]] = parts[3], parts[4]
        elif parts[1] == "lines":
            pairs = (map(int, m) for m in RANGE.findall(parts[3]))
            lines = frozenset(n for first, last in pairs for n in range(first, last + 1))
    for test in tests:
        if test not in outcomes:
            outcomes[test] = "missing"
            messages[test] = f"the run ended before ({seen.status.value}): {seen.err[-300:]}"
    return Tested(outcomes, messages, lines, seen)


def _jar(classes: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as jar:
        for name, data in sorted(classes.items()):
            jar.writestr(name, data)
    return out.getvalue()


def _keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """All of the files or none; the sandbox's user may read them."""
    with _folder(folder.parent) as part:
        for name, data in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)
        _place(part, folder)


def _place(part: Path, folder: Path) -> None:
    """The finished folder under its name; another process may have been first."""
    for path in (part, *part.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with contextlib.suppress(OSError):
        part.rename(folder)
    if not folder.exists():
        raise KitError(f"{folder} cannot be written; give another folder with KIT_CACHE.")


@contextlib.contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".part-", dir=parent, ignore_cleanup_errors=True) as n:
        Path(n).chmod(0o755)  # the sandbox's user passes through
        yield Path(n)
