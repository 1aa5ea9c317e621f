"""What building Java needs once for a machine: jars, a test launcher, archives for a fast start."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from kit.errors import KitError
from kit.paths import whole_folder
from kit.records import Evidence, content_key

OPT = "/opt"  # where a box finds the toolbox
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


class Toolbox:
    """Made once below `home` and kept; `run` starts a command in the sandbox.

    folder: to be mounted at /opt. identity: the JVM's version and the jars', for content keys.
    """

    def __init__(self, run: Callable[..., Evidence], home: Path) -> None:
        lacking = [j for j in (*LIBRARIES, *COVERAGE, *AGENT[::2]) if not (JARS / j).exists()]
        if lacking:
            raise KitError(f"{', '.join(lacking)} not found; type: apt-get install {PACKAGES}")
        self.run = run
        self.identity = content_key(run(["java", "-version"]).err.strip(), _stamps(), SMALL)
        key = content_key(self.identity, LAUNCHER.read_text(), WARM)[:16]
        self.folder = home / f"toolbox-{key}"
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "tools").exists():
            keep(self.folder / "tools", self._tools())
        if not (self.folder / "archive").exists():
            keep(self.folder / "archive", self._archive())

    def javac(self) -> list[str]:
        """The compiler's command without files and class path."""
        options = [f"-J{o}" for o in (*SMALL, *_shared("tools/javac.jsa"))]
        return ["javac", *options, "-proc:none", "-nowarn", "-g", "-encoding", "UTF-8"]

    def launcher(self, folders: list[str], cover: str) -> list[str]:
        """The command of the test launcher, with these folders on the class path.

        cover: the binary name of the class whose executed lines it is to report, or "".
        """
        line = [*REPORTS, "java", *SMALL, *_shared("archive/tests.jsa"), LIBRARY_PATH]
        if cover:
            line += [f"-javaagent:{OPT}/tools/{AGENT[1]}=output=none,includes={cover}*"]
        line += ["-cp", ":".join([*_path(), *folders]), "Launch"]
        return [*line, f"--cover={cover.replace('.', '/')}"] if cover else line

    def _tools(self) -> dict[str, bytes]:
        """The launcher, JaCoCo's agent, and the archive of what javac loads at every start."""
        texts = {"Launch.java": LAUNCHER.read_bytes(), "Warm.java": WARM.encode()}
        line = ["javac", *(f"-J{o}" for o in SMALL), "-J-XX:ArchiveClassesAtExit=javac.jsa"]
        jars = ":".join(str(JARS / j) for j in (*LIBRARIES, *COVERAGE, AGENT[2]))
        built = self.run([*line, "-cp", jars, "-d", "out", *texts], files=texts)
        if "javac.jsa" not in built.files:
            raise KitError(f"The test launcher does not compile: {built.err or built.note}")
        jar = io.BytesIO()
        with zipfile.ZipFile(jar, "w") as file:
            for name, data in sorted(built.files.items()):
                if name.startswith("out/"):
                    file.writestr(name[4:], data)
        with zipfile.ZipFile(JARS / AGENT[0]) as around:
            agent = around.read(AGENT[1])
        return {
            "launch.jar": jar.getvalue(),
            AGENT[1]: agent,
            "javac.jsa": built.files["javac.jsa"],
        }

    def _archive(self) -> dict[str, bytes]:
        """The archive of what JUnit loads, made where the class path is as it will be."""
        line = [*REPORTS, "java", *SMALL, "-XX:ArchiveClassesAtExit=tests.jsa"]
        line += ["-cp", ":".join(_path()), "Launch", "Warm#asserts"]
        warm = self.run(line, mounts={OPT: self.folder}, stdin=b"word\n")
        if "tests.jsa" not in warm.files:
            raise KitError(f"The JVM made no class-data archive: {warm.err or warm.note}")
        return {"tests.jsa": warm.files["tests.jsa"]}


def keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """All of the files or none; the sandbox's user may read them."""
    with whole_folder(folder) as part:
        for name, data in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)


def _path() -> list[str]:
    return [*(str(JARS / j) for j in (*LIBRARIES, *COVERAGE)), f"{OPT}/tools/launch.jar"]


def _shared(archive: str) -> list[str]:
    """A class-data archive; a JVM that cannot use it starts without and is only slower."""
    return ["-Xshare:auto", f"-XX:SharedArchiveFile={OPT}/{archive}", "-Xlog:disable"]


@lru_cache
def _stamps() -> tuple[str, ...]:
    """What the jars on the class path are."""
    jars = [JARS / j for j in (*LIBRARIES, *COVERAGE)]
    return tuple(hashlib.sha256(j.read_bytes()).hexdigest() for j in jars)
