"""Compiles a Java repository once; each sample needs one class and one test run.

What a build shows of a sample is its compilation, and then which tests and attacks pass. What a
machine needs for that is made once: a test launcher, archives for a fast start.
"""

import hashlib
import io
import json
import re
import secrets
import shlex
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.paths import cache_root, make_readable, whole_folder
from kit.core.records import Evidence, Observed, Outcome, Reason, Status, Verdict, content_key
from kit.harness import box_files, cases, decoys
from kit.harness.decoys import Entry
from kit.sandbox import Limits, Sandbox
from kit.systems.realsec import similarity
from kit.systems.realsec.instance import Instance, replace_method
from kit.systems.realsec.maven import BROUGHT, JARS
from kit.systems.realsec.repository import PARTS, Repository

OPT = "/opt"  # where a box finds the toolbox
OWN = f"{OPT}/jars/*"  # and in it the jars of the repository
TREE = f"{OPT}/tree"  # and its files
DEEPEST = 6  # classes of tests above each other
AGENT = ("org.jacoco.agent.jar", "jacocoagent.jar", "org.jacoco.agent.rt.jar")  # in it, its classes
COVERAGE = ("org.jacoco.core.jar", "asm.jar", "asm-commons.jar", "asm-tree.jar", "asm-analysis.jar")
PACKAGES = "openjdk-17-jdk-headless junit5 junit4 libjacoco-java libxerial-sqlite-jdbc-java"
COPIES = {"annotated": "KitCopy.class", "test case": "KitCase.class"}  # the kind of its tests -> it
LAUNCHER = Path(__file__).with_name("Launch.java")
WARM = Path(__file__).with_name("Warm.java")  # what the archive of classes is made with
# the templates of what runs a test, or a decoy of it
TURNS = tuple(map(Path(__file__).with_name, ("KitCopy.java", "KitCase.java")))
SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx512m")
REPORTS = ("sh", "-c", 'exec "$0" "$@" 1>&"$KIT_CHANNEL"')  # Java knows no other descriptors
# tests find the files of their project by relative paths, and write beside them
IN_TREE = (
    "sh",
    "-c",
    "mkdir /box/tree; cd /box/tree; ln -s /opt/tree/* .; "
    "[ -e target ] || { mkdir target; cp -rs /mnt/resources target/test-classes 2>/dev/null; }; "
    '"$0" "$@" 1>&"$KIT_CHANNEL"; code=$?; cd /; rm -rf /box/tree; exit $code',
)
LIBRARY_PATH = "-Djava.library.path=/usr/lib/x86_64-linux-gnu/jni:/usr/lib/jni"

LIMITS = Limits(
    wall_s=120,
    cpu_s=100,
    memory_mb=1400,
    processes=96,
    file_mb=64,
    disk_mb=192,
    output_kb=512,
    artefact_mb=160,
)
# of the compilation of a whole repository, which is done once
WHOLE = replace(
    LIMITS, wall_s=900, cpu_s=600, memory_mb=2400, disk_mb=512, artefacts=30_000, artefact_mb=400
)
WIDE = "-J-Xmx1200m"
BUILT, PATCH = "/mnt", "/box/patch"  # the repository as it was compiled, the sample's classes
RANGE = re.compile(r"(\d+)-(\d+)")


class Toolbox:
    """Made once below `home` and kept; `run` starts a command in the sandbox.

    folder: to be mounted at /opt. identity: the JVM's version and the jars', for content keys.
    """

    def __init__(self, run: Callable[..., Evidence], home: Path) -> None:
        lacking = [j for j in (*BROUGHT, *COVERAGE, *AGENT[::2]) if not (JARS / j).exists()]
        if lacking:
            raise KitError(f"{', '.join(lacking)} not found; type: apt-get install {PACKAGES}")
        self.run = run
        jars = [JARS / name for name in (*BROUGHT, *COVERAGE)]
        digests = tuple(hashlib.sha256(jar.read_bytes()).hexdigest() for jar in jars)
        version = run(["java", "-version"]).err.strip()
        self.identity = content_key(version, digests, SMALL)
        key = content_key(self.identity, *map(Path.read_text, (LAUNCHER, WARM, *TURNS)))[:16]
        self.folder = home / f"toolbox-{key}"
        for place in ("jars", "tree"):  # a repository's own are mounted there
            make_readable(self.folder / place)
        if not (self.folder / "tools").exists():
            keep_files(self.folder / "tools", self._build_tools())
        if not (self.folder / "archive").exists():
            keep_files(self.folder / "archive", self._build_archive())

    def javac_command(self, words: Sequence[str] = ()) -> list[str]:
        """The compiler's command without files and class path. words: the repository's own."""
        options = [f"-J{o}" for o in (*SMALL, *_archive_options("tools/javac.jsa"))]
        return ["javac", *options, "-nowarn", "-g", "-encoding", "UTF-8", *words]

    def launcher(
        self, folders: list[str], *, cover: str = "", trace: str = "", words: Sequence[str] = ()
    ) -> list[str]:
        """The command of the test launcher, with these folders on the class path.

        cover: the binary name of the class whose executed lines it is to report, or "".
        trace: the prefix of the classes of which it is to report what each test executed, or "".
        words: the repository's own for the JVM.
        """
        line = [*IN_TREE, "java", *SMALL, *_archive_options("archive/tests.jsa"), LIBRARY_PATH]
        line += words
        if cover or trace:
            included = f"{cover or trace}*"
            line += [f"-javaagent:{OPT}/tools/{AGENT[1]}=output=none,includes={included}"]
        line += ["-cp", ":".join([*_class_path(), *folders]), "Launch"]
        if cover:
            line.append(f"--cover={cover.replace('.', '/')}")
        if trace:
            line.append("--trace")
        return line

    def copy(self, kind: str, tests: str, name: str, *, turn: bool) -> bytes:
        """The class `name`, which runs the tests of another class; `turn`: and fails each.

        kind: of COPIES.
        """
        words = [secrets.token_hex(8)] * 2
        if turn:
            words[1] = secrets.token_hex(8)
        place = COPIES[kind]
        data = (self.folder / "tools" / place).read_bytes()
        own_name = place.removesuffix(".class")
        template = ("KitTests", own_name, "kitEnd", "KitWord", "KitOther")
        binary = [place.replace(".", "/") for place in (tests, name)]
        for old, new in zip(template, [*binary, f"t{secrets.token_hex(8)}", *words], strict=True):
            data = data.replace(_encode_constant(old), _encode_constant(new))
        return data

    def _build_tools(self) -> dict[str, bytes]:
        """The launcher, JaCoCo's agent, and the archive of what javac loads at every start."""
        texts = {path.name: path.read_bytes() for path in (LAUNCHER, WARM, *TURNS)}
        options = [f"-J{o}" for o in (*SMALL, "-XX:ArchiveClassesAtExit=javac.jsa")]
        jars = ":".join(str(JARS / name) for name in (*BROUGHT, *COVERAGE, AGENT[2]))
        built = self.run(["javac", *options, "-cp", jars, "-d", "out", *texts], files=texts)
        if built.exit_code or "javac.jsa" not in built.files:
            raise KitError(f"The test launcher does not compile: {built.err or built.note}")
        jar = io.BytesIO()
        with zipfile.ZipFile(jar, "w") as file:
            for name, data in sorted(built.files.items()):
                if name.startswith("out/"):
                    file.writestr(name[4:], data)
        with zipfile.ZipFile(JARS / AGENT[0]) as around:
            agent = around.read(AGENT[1])
        files = {"javac.jsa": built.files["javac.jsa"]}
        files |= {name: built.files[f"out/{name}"] for name in COPIES.values()}
        return {"launch.jar": jar.getvalue(), AGENT[1]: agent, **files}

    def _build_archive(self) -> dict[str, bytes]:
        """The archive of what JUnit loads, made where the class path is as it will be."""
        line = [*REPORTS, "java", *SMALL, "-XX:ArchiveClassesAtExit=tests.jsa"]
        line += ["-cp", ":".join(_class_path()), "Launch", "Warm#asserts"]
        warm = self.run(line, mounts={OPT: self.folder})
        if "tests.jsa" not in warm.files:
            raise KitError(f"The JVM made no class-data archive: {warm.err or warm.note}")
        return {"tests.jsa": warm.files["tests.jsa"]}


def _encode_constant(text: str) -> bytes:
    """A text in the pool of constants of a compiled class."""
    return b"\1" + len(text.encode()).to_bytes(2, "big") + text.encode()


def keep_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """All of the files or none; the sandbox's user may read them."""
    with whole_folder(folder) as part:
        for name, data in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)


def _class_path() -> list[str]:
    jars = [str(JARS / name) for name in (*BROUGHT, *COVERAGE)]
    return [*jars, f"{OPT}/tools/launch.jar"]


def _archive_options(archive: str) -> list[str]:
    """A class-data archive; a JVM that cannot use it starts without and is only slower."""
    return ["-Xshare:auto", f"-XX:SharedArchiveFile={OPT}/{archive}", "-Xlog:disable"]


@dataclass(frozen=True)
class CompiledClasses:
    """How a compilation ended. classes: path below the class path -> bytes; log: the compiler's."""

    ok: bool
    log: str = ""
    classes: Mapping[str, bytes] = field(default_factory=dict)
    whole: bool = False  # classes are all of the repository's, not only the changed ones


@dataclass(frozen=True)
class Tested:
    """What became of each test: "pass", "fail", "none" (no such test), "missing" (no report).

    messages: of tests that did not pass. lines: of the class asked for, as JaCoCo saw them.
    decoys: of each copy that must fail, whether it passed, for the channel.
    """

    outcomes: Mapping[str, str]
    messages: Mapping[str, str]
    lines: frozenset[int]
    evidence: Evidence
    decoys: Sequence[Mapping[str, Any]]


class Builder:
    """javac and JUnit in the bwrap sandbox; compiled repositories are kept under their digest.

    A failure of the sandbox itself is a KitError; a failure of compiler or test is a result.
    """

    def __init__(self, box: Sandbox) -> None:
        if box.name != "bwrap":
            raise KitError(f"Java repositories are built in the bwrap sandbox, not in {box.name}.")
        self.box, self.home = box, cache_root() / "javarepo"
        self.tools = Toolbox(self._run_command, self.home)

    def classes(self, repository: Repository) -> Path:
        """The folder with stubs/, main/, test/ and resources/ of the repository, compiled once.

        Raises KitError with the compiler's words where it does not compile.
        """
        key = content_key(repository.digest, self.tools.identity)[:24]
        folder = self.home / f"classes-{key}"
        if not folder.exists():
            built = self._compile_everything(repository, {})
            if not built.ok:
                raise KitError(f"{repository.name} does not compile: {built.log}")
            resources = repository.read_resources() or {"resources/.none": b""}
            keep_files(folder, {**built.classes, **resources})
        return folder

    def compile(
        self, repository: Repository, file: str, source: str, *, same_interface: bool = True
    ) -> CompiledClasses:
        """The classes of one file (path below the repository) that has this text now.

        A changed interface of the method may break its callers: then everything is compiled.
        """
        if not same_interface:
            return self._compile_everything(repository, {file: source})
        name, path = Path(file).name, f"{BUILT}/stubs:{BUILT}/main:{OWN}"
        words = ["-proc:none", *repository.recipe.words["javac"]]
        evidence = self._run_command(
            [*self.tools.javac_command(words), "-d", "out", "-cp", path, name],
            files={name: source.encode()},
            mounts={**self._toolbox_mounts(repository), BUILT: self.classes(repository)},
        )
        return _read_compilation(evidence)

    def test(
        self,
        repository: Repository,
        compiled: CompiledClasses,
        tests: Sequence[str],
        *,
        cover: str = "",
    ) -> Tested:
        """Run "pkg.Class#method" tests in one box, in the order given; each has its own report.

        Each runs as a class of its own with a random name, and so do decoys among them. A test
        whose class cannot be extended runs as it is, and has no decoy.
        cover: the binary name of the class whose executed lines are wanted.
        """
        kinds = {test: kind_of_copy(test.partition("#")[0], repository) for test in tests}
        started = {test: Entry(test) for test, kind in kinds.items() if not kind}
        files = dict(compiled.classes)
        for entry in decoys.draw_entries([test for test in tests if kinds[test]]):
            name, _, method = entry.test.partition("#")
            copy = f"{name.rpartition('.')[0]}.T{secrets.token_hex(8)}".removeprefix(".")
            started[f"{copy}#{method}"] = entry
            files[f"{copy.replace('.', '/')}.class"] = self.tools.copy(
                kinds[entry.test], name, copy, turn=entry.decoy
            )
        folders = self._class_path(is_whole=compiled.whole)
        words = repository.recipe.words["java"]
        evidence = self._run_command(
            [*self.tools.launcher(folders, cover=cover, words=words), *started],
            files={f"{Path(PATCH).name}/{name}": data for name, data in files.items()},
            mounts=self._test_mounts(repository),
        )
        return _read_reports(evidence, started)

    def trace(
        self,
        repository: Repository,
        tests: Sequence[str],
        *,
        prefix: str,
        limits: Limits = WHOLE,
    ) -> Evidence:
        """On the channel: what each of the tests executes of the classes whose names begin so.

        tests: "pkg.Class#method", or "pkg.Class" for all that JUnit finds in it.
        """
        words = repository.recipe.words["java"]
        folders = self._class_path(is_whole=False)
        return self._run_command(
            [*self.tools.launcher(folders, trace=prefix, words=words), *tests],
            limits=limits,
            mounts=self._test_mounts(repository),
        )

    def _compile_everything(
        self, repository: Repository, overlays: Mapping[str, str]
    ) -> CompiledClasses:
        """Stubs, then sources, then tests; nothing from before."""
        script = ["mkdir -p out/stubs out/main out/test"]
        files: dict[str, bytes] = {}
        jars = [str(JARS / name) for name in BROUGHT]
        path = ":".join(["out/stubs:out/main", *jars, OWN])
        own_words = repository.recipe.words
        for part in PARTS:
            names = []
            for file, text in repository.read_sources(part).items():
                files[file] = overlays.get(file, text).encode()
                names.append(f'"{file}"')
            files[f"{part}.txt"] = "\n".join(names).encode()
            words = [WIDE, "-proc:none", *own_words["javac"]]
            if part == "main" and own_words["processors"]:
                words[1:2] = ["-processor", ",".join(own_words["processors"])]
            if names:
                options = ["-d", f"out/{part}", "-cp", path, f"@{part}.txt"]
                script.append(shlex.join([*self.tools.javac_command(words), *options]))
        evidence = self._run_command(
            ["sh", "-c", " && ".join(script)],
            files=files,
            limits=WHOLE,
            mounts=self._toolbox_mounts(repository),
        )
        return replace(_read_compilation(evidence), whole=True)

    def _class_path(self, *, is_whole: bool) -> list[str]:
        """The folders behind the launcher's own; is_whole: the sample's classes are all of them."""
        top = PATCH if is_whole else BUILT
        classes = [f"{top}/{part}" for part in ("main", "test", "stubs")]
        return [PATCH, *classes, f"{BUILT}/resources", OWN]

    def _test_mounts(self, repository: Repository) -> dict[str, Path]:
        """Those of the toolbox, the compiled classes, and the tree for the working folder."""
        mounts = self._toolbox_mounts(repository)
        return {**mounts, TREE: repository.work, BUILT: self.classes(repository)}

    def _toolbox_mounts(self, repository: Repository) -> dict[str, Path]:
        """The toolbox, and in it the repository's own jars."""
        mounts = {OPT: self.tools.folder}
        if repository.jars:
            folder = self.home / f"jars-{content_key(*repository.jars.values())[:24]}"
            if not folder.exists():
                keep_files(folder, {path.name: path.read_bytes() for path in repository.jars})
            mounts[OWN[:-2]] = folder
        return mounts

    def _run_command(self, argv: list[str], limits: Limits = LIMITS, **inputs: Any) -> Evidence:
        """The command with these files, mounts and stdin."""
        evidence = self.box.run(argv, limits=limits, observe=False, **inputs)
        if evidence.status == Status.INFRA_ERROR:
            raise KitError(f"The sandbox failed while building: {evidence.note}")
        return evidence


def _read_compilation(evidence: Evidence) -> CompiledClasses:
    classes = {}
    ok = evidence.status == Status.COMPLETED and evidence.exit_code == 0
    if ok:
        for name, data in evidence.files.items():
            if name.startswith("out/"):
                classes[name[4:]] = data
    return CompiledClasses(ok, evidence.err or evidence.note, classes)


def kind_of_copy(name: str, repository: Repository) -> str:
    """Which of COPIES can run the tests of a class, as its text shows; "" for none.

    A class with another runner, with a constructor that takes something, or whose tests are
    inherited from a library, runs as it is.
    """
    for _ in range(DEEPEST):
        text = repository.find_test_source(name)
        short = name.rpartition(".")[2]
        closed = rf"@RunWith\b|\bfinal\s[^;{{]*class\s+{short}\b|\b{short}\s*\(\s*[^)\s]"
        head = re.search(rf"\bclass\s+{short}\b\s*(?:extends\s+([\w.]+))?", text)
        if head is None or "$" in short or re.search(closed, text):
            return ""
        above = head[1]
        if not above:
            return "annotated"
        if above.rpartition(".")[2] == "TestCase":
            return "test case"
        imported = re.search(rf"^import\s+([\w.]+\.{above})\s*;", text, re.MULTILINE)
        beside = f"{name.rpartition('.')[0]}.{above}".removeprefix(".")
        name = imported[1] if imported else beside
    return ""


def read_lines(ranges: str) -> frozenset[int]:
    """Line numbers from "3-5,9-9"."""
    lines: set[int] = set()
    for first, last in RANGE.findall(ranges):
        lines.update(range(int(first), int(last) + 1))
    return frozenset(lines)


def _read_reports(evidence: Evidence, started: Mapping[str, Entry]) -> Tested:
    """The first report of each test that was started counts."""
    outcomes: dict[Entry, str] = {}
    messages: dict[str, str] = {}
    lines: frozenset[int] = frozenset()
    for line in evidence.channel.decode("utf-8", "replace").split("\n"):
        parts = line.split("\t")
        entry = started.get(parts[1]) if parts[0] == "test" and len(parts) >= 4 else None
        if entry is not None and entry not in outcomes:
            outcomes[entry] = parts[2]
            if not entry.decoy:
                messages[entry.test] = parts[3]
        elif parts[0] == "lines" and len(parts) >= 3:
            lines = read_lines(parts[2])  # the last report of lines counts
    for entry in started.values():
        if entry not in outcomes:
            outcomes[entry] = "missing"
            messages.setdefault(entry.test, evidence.err[-300:])
    results = {}
    copies = []
    for entry, outcome in outcomes.items():
        if entry.decoy:
            copies.append({"decoy": entry.test, "passed": _has_passed(outcome)})
        else:
            results[entry.test] = outcome
    return Tested(results, messages, lines, evidence, copies)


def _has_passed(outcome: str) -> bool | None:
    """None where the test left no report."""
    return None if outcome == "missing" else outcome == "pass"


def run_tests(builder: Builder, instance: Instance, code: str) -> Evidence:
    """The outcome of every test function on the channel, as JSON; which lines of the answer ran.

    What does not parse or does not compile is a compile_error. Raises KitError where we failed.
    """
    replaced = replace_method(instance.source, *instance.place, code)
    if replaced.method is None:
        return Evidence(
            Status.COMPILE_ERROR, note=f"The answer is no such method: {replaced.error}."
        )
    likeness = {similarity.LIKENESS: similarity.compare_code(code, instance.method.text)}
    repository = instance.repository
    file = str(instance.data["file"])
    built = builder.compile(
        repository, file, replaced.source, same_interface=replaced.same_interface
    )
    if not built.ok:
        errors = built.log.encode()
        observed = Observed("output", likeness)
        return Evidence(
            Status.COMPILE_ERROR, stderr=errors, note="javac refused the class.", observed=observed
        )
    names = [*instance.data["test_functions"], *instance.data["exploit_functions"]]
    tested = builder.test(repository, built, names, cover=instance.place[0])
    method_lines = range(replaced.method.first_line, replaced.method.last_line + 1)
    shift = replaced.answer_line - replaced.method.first_line
    results = {"outcomes": dict(tested.outcomes), "messages": dict(tested.messages)}
    channel = "\n".join(map(json.dumps, [results, *tested.decoys])).encode()
    lines = tuple(line + shift for line in sorted(tested.lines.intersection(method_lines)))
    observed = Observed("output", likeness, lines=lines)
    return replace(tested.evidence, channel=channel, files={}, modes={}, observed=observed)


run_tests.__test__ = False  # type: ignore[attr-defined]


def judge_evidence(name: str, functions: Sequence[str], evidence: Evidence) -> Verdict:
    """pass if every one of the test functions passed; nothing that was not seen to pass passes."""
    if evidence.status is Status.COMPILE_ERROR:
        sentence = f"{evidence.note} {evidence.err.strip()[:300]}".strip()
        broken = replace(evidence, note=sentence)
        return cases.judge_results(name, "junit", broken, (), rests_on=("status",))
    if not functions:
        sentence = f"This instance has no {name} test; --security sast or adjudicated decides."
        return Verdict(name, Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, "junit", ())
    report = box_files.read_answers(evidence.channel).last("outcomes")
    if not report:
        sentence = f"The tests left no report ({evidence.status.value})."
        return Verdict(name, Outcome.FAIL, Reason.RUN_ENDED_EARLY, sentence, "junit", ("status",))
    results = []
    unknown = []
    for function in dict.fromkeys(functions):
        outcome = report["outcomes"].get(function, "missing")
        message = report["messages"].get(function, "")
        results.append(cases.Result(function, _has_passed(outcome), message))
        if outcome == "none":
            unknown.append(function)
    decided = cases.judge_results(name, "junit", evidence, results)
    if unknown and decided.reason is not Reason.FORGED:
        sentence = f"JUnit knows no test {', '.join(unknown)}."
        return Verdict(name, Outcome.UNKNOWN, Reason.ORACLE_FAILED, sentence, "junit", ("channel",))
    if decided.outcome is not Outcome.PASS:
        return decided
    if not evidence.observed.lines:
        sentence = "The tests passed without reaching the method."
        return Verdict(name, Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, "junit", ("coverage",))
    return replace(decided, rests_on=("channel", "coverage"))
