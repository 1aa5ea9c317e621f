"""SQLite: the library file by file (no amalgamation), in testfixture, which runs its TCL suite.

Its own fuzzcheck tries the SQL and the database files that fuzzers found over the years.
"""

import re
import shlex
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from kit.core.errors import KitError
from kit.core.trees import Package
from kit.systems.ossbench.project import (
    GENERATED,
    MOUNT,
    Adapter,
    FuzzCorpus,
    Fuzzed,
    ProjectProgram,
    TestRun,
    Unit,
    place_of,
)

PACKAGE = Package.of(
    "sqlite3",
    "3.40.1-2+deb12u2",
    {
        "dsc": "ee3459ae9d00939741c7708fc1b8ce1bde12d8c3fb1dfa005bbbc8651d884e23",
        "orig-www.tar.xz": "a5e95a18d1b59729278860559ded78751b9163ffb5bb906c5cd24c015f71d5fd",
        "orig.tar.xz": "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655",
        "debian.tar.xz": "0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca",
    },
)
PREPARE = r"""
export TMPDIR=/box
sh /mnt/configure --disable-amalgamation --disable-readline --enable-all CFLAGS= > configure.log
make sqlite3.h parse.c opcodes.c opcodes.h keywordhash.h fts5.c > /dev/null
for made in ctime.c pragma.h tclsqlite-ex.c .tclenv.sh
do make $made > /dev/null 2>&1 || true  # newer releases generate these as well
done
make -n testfixture > make.log
if [ -f .tclenv.sh ]
then
    . ./.tclenv.sh
    sed -i "s#\$TCL_INCLUDE_SPEC#$TCL_INCLUDE_SPEC#; s#\$TCL_LIB_SPEC#$TCL_LIB_SPEC#" make.log
fi
cat > list.tcl << 'END'
proc unknown args {}  ;# the commands of testfixture, which is not built yet
rename source read_file
proc source args {}
set argv0 /mnt/test/list.tcl
catch {read_file /mnt/test/permutations.test}
foreach name [lsort [array names testspec]] {
    array set options $testspec($name)
    foreach file [lsort $options(-files)] { puts "$name [file tail $file]" }
}
END
tclsh list.tcl > permutations
rm -rf conf* libtool config.* lemon mkkeywordhash .libs parse.out fts5parse.out *.sql mksourceid
rm -f jimsh list.tcl .tclenv.sh
"""
COMPILE = re.compile(r"^.*\bg?cc .* -c (\S+\.c)\b", re.MULTILINE)
LINK = re.compile(r"^.*\bg?cc (?P<flags>.*?)\s-o testfixture (?P<rest>.*)$", re.MULTILINE)
CASE = re.compile(r"^(?:[\w.-]+:\s*)?(?P<name>[\w.-]+)\.\.\.[^\n]*?(?P<ok> Ok)?$", re.MULTILINE)
SUMMARY = re.compile(r"^.*errors out of (\d+) tests\b", re.MULTILINE)
QUICK = """select1 select2 select3 select4 expr func insert insert2 update delete delete2 index
index2 join join2 trigger1 trigger2 view where where2 alter autoinc between blob cast check coalesce
collate1 conflict date default descidx1 distinct in instr intpkey json101 like limit lookaside main
minmax misc1 null orderby1 pragma printf quote rowid savepoint subquery substr types
unionvtab unique upsert1 vacuum vtab1 wal window1 fts3aa fts4aa rtree1""".split()
FOLDERS = ("test", "ext/rtree", "ext/fts3")  # that tests stand in
MAIN = re.compile(r"/tclsqlite(-ex)?\.c$")  # of testfixture; it is linked last
FUZZED = ("test/fuzzcheck.c", "test/fuzzinvariants.c", "test/ossfuzz.c", "test/vt02.c")
FUZZ_FLAGS = (f"-I{MOUNT}/test", f"-I{MOUNT}/ext/recover", "-DSQLITE_OSS_FUZZ")
OF_TESTS = re.compile(r"/(?:test\w*|\w+_test\w*|fts5_tcl|tclsqlite)\.c$")
KEYS = {"db": "dbid", "xsql": "sqlid"}  # of the tables of a corpus: databases, scripts
WORDS = ("--native-malloc", "--verbose", "--timeout", "3000")


class SqliteAdapter(Adapter):
    """A source of SQLite 3 whose make.log stands in kit-generated."""

    name = "sqlite"
    package = PACKAGE
    markers = ("vdbe",)
    leaks = True
    memory_mb = 1500
    disk_mb = 256

    def configure(self) -> str:
        return PREPARE

    @cached_property
    def link(self) -> re.Match[str]:
        """The command that links testfixture, and compiles what is in no library."""
        link = LINK.search(self.make_log)
        if link is None:
            name = self.tree.name
            raise KitError(f"{name}'s make.log names no link of testfixture. Configure it anew.")
        return link

    @cached_property
    def make_log(self) -> str:
        return (self.tree / GENERATED / "make.log").read_text().replace("\\\n", " ")

    @cached_property
    def flags(self) -> tuple[str, ...]:
        flags = []
        for word in shlex.split(f"{self.link['flags']} {self.link['rest']}"):
            if word == "-I.":
                flags.append(f"-I{MOUNT}/{GENERATED}")
            elif word.startswith(("-D", "-I")):
                flags.append(word)
        return tuple(flags)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        compiled = COMPILE.findall(self.make_log)
        compiled += [word for word in shlex.split(self.link["rest"]) if word.endswith(".c")]
        sources = sorted({place_of(word) for word in compiled})
        return tuple(sorted(sources, key=lambda source: MAIN.search(source) is not None))

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        words = [word for word in shlex.split(self.link["rest"]) if word.startswith("-l")]
        return (*words, "-lpthread", "-ldl")

    def units(self) -> Sequence[Unit]:
        return [Unit(source, self.flags) for source in self.sources]

    def programs(self) -> Sequence[ProjectProgram]:
        return [ProjectProgram("testfixture", self.sources, self.libraries)]

    def tests(self) -> Mapping[str, Sequence[TestRun]]:
        """QUICK, and every permutation of the test suite's own; all is its veryquick."""
        choices: dict[str, list[TestRun]] = {}
        for line in (self.tree / GENERATED / "permutations").read_text().splitlines():
            permutation, script = line.split()
            argv = (f"{MOUNT}/test/permutations.test", permutation, script)
            run = TestRun(script.removesuffix(".test"), "testfixture", argv, wall_s=300.0)
            choices.setdefault(permutation, []).append(run)
        quick = []
        for name in QUICK:
            for folder in FOLDERS:
                path = f"{folder}/{name}.test"
                if (self.tree / path).is_file():
                    quick.append(TestRun(name, "testfixture", (f"{MOUNT}/{path}",), wall_s=60.0))
                    break
        return {**choices, "quick": quick, "all": choices["veryquick"]}

    def is_edited(self, path: str) -> bool:
        """Functions of the library and its extensions; none of the test suite or of a generator."""
        return path.startswith(("src/", "ext/")) and "test" not in path and not MAIN.search(path)

    def fuzz(self) -> Fuzzed:
        library = [source for source in self.sources if not OF_TESTS.search(source)]
        corpus = FuzzCorpus(
            ProjectProgram("fuzzcheck", (*FUZZED, *library), self.libraries),
            tuple(Unit(source, (*self.flags, *FUZZ_FLAGS)) for source in FUZZED),
            select_inputs,
            build_arguments,
            trying=r"^sqlid=\d+",
            slow=r"\): timeout$",
        )
        return (corpus,)

    def read_results(self, run: str, stdout: str) -> dict[str, bool]:
        """The suite's lines `name... Ok`; a test with the same name twice passed if both did.

        Where the suite's own count is not there once, or is below the lines, none passed.
        """
        passed: dict[str, bool] = {}
        cases = list(CASE.finditer(stdout))
        counts = SUMMARY.findall(stdout)
        sound = len(counts) == 1 and len(cases) <= int(counts[0])
        for case in cases:
            name = f"{run}/{case['name']}"
            passed[name] = passed.get(name, True) and case["ok"] is not None and sound
        return passed


def build_arguments(files: Sequence[str], skip: int) -> list[str]:
    """The arguments of fuzzcheck: these corpora, without the first `skip` inputs."""
    return [*WORDS, "--skip", str(skip), *files]


def select_inputs(tree: Path, count: int) -> dict[str, bytes]:
    """About `count` of the recorded inputs, spread evenly over all corpora in test/fuzzdata*.db.

    An input is a script, or a damaged database where a corpus has those.
    """
    files = sorted((tree / "test").glob("fuzzdata*.db"))
    corpora = [(file, *kind_and_ids(file)) for file in files]
    total = sum(len(ids) for _, _, ids in corpora)
    wanted = {n * total // count for n in range(count)}
    inputs = {}
    first = 0
    for file, kind, ids in corpora:
        chosen = [number for place, number in enumerate(ids, first) if place in wanted]
        first += len(ids)
        if chosen:
            inputs[file.name] = part_of(file, kind, chosen)
    return inputs


def kind_and_ids(file: Path) -> tuple[str, list[int]]:
    """("db" or "xsql", ids of its inputs) of one corpus."""
    ids: dict[str, list[int]] = {}
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        for kind, key in KEYS.items():
            rows = db.execute(f"SELECT {key} FROM {kind} ORDER BY 1")
            ids[kind] = [number for (number,) in rows]
    db.close()
    if ids["db"]:
        return "db", ids["db"]
    return "xsql", ids["xsql"]


def part_of(file: Path, kind: str, kept: list[int]) -> bytes:
    """A copy of the corpus with these inputs only."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, file.name)
        path.write_bytes(file.read_bytes())
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("CREATE TEMP TABLE kept(id)")
        db.executemany("INSERT INTO kept VALUES (?)", [(i,) for i in kept])
        db.execute(f"DELETE FROM {kind} WHERE {KEYS[kind]} NOT IN (SELECT id FROM kept)")
        db.execute("VACUUM")
        db.close()
        return path.read_bytes()
