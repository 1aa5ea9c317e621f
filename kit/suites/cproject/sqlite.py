"""SQLite: the library file by file (no amalgamation), in testfixture, which runs its TCL suite."""

import re
import shlex
from pathlib import Path

from kit.errors import KitError
from kit.suites.cproject import sqlite_fuzz
from kit.suites.cproject.project import MOUNT, CProject, Package, Program, TestRun, Unit

PACKAGE = Package(
    "sqlite3",
    "3.40.1-2+deb12u2",
    {
        "sqlite3_3.40.1-2+deb12u2.dsc": (
            "ee3459ae9d00939741c7708fc1b8ce1bde12d8c3fb1dfa005bbbc8651d884e23"
        ),
        "sqlite3_3.40.1.orig-www.tar.xz": (
            "a5e95a18d1b59729278860559ded78751b9163ffb5bb906c5cd24c015f71d5fd"
        ),
        "sqlite3_3.40.1.orig.tar.xz": (
            "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655"
        ),
        "sqlite3_3.40.1-2+deb12u2.debian.tar.xz": (
            "0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca"
        ),
    },
)
GENERATED = "kit-generated"
PREPARE = """
export TMPDIR=/box
sh /mnt/configure --disable-amalgamation --disable-readline --enable-all CFLAGS= > configure.log
make sqlite3.h parse.c opcodes.c opcodes.h keywordhash.h fts5.c > /dev/null
make -n testfixture > make.log
rm -rf conf* libtool config.* lemon mkkeywordhash .libs parse.out fts5parse.out *.sql mksourceid
"""
COMPILE = re.compile(r"^\./libtool --mode=compile .*? -c (\S+\.c)\b", re.MULTILINE)
LINK = re.compile(
    r"^\./libtool --mode=link gcc (?P<flags>.*?)\s-o testfixture (?P<rest>.*)$", re.MULTILINE
)
CASE = re.compile(r"^(?:[\w.-]+:\s*)?(?P<name>[\w.-]+)\.\.\.[^\n]*?(?P<ok> Ok)?$", re.MULTILINE)
QUICK = """select1 select2 select3 select4 expr func insert insert2 update delete delete2 index
index2 join join2 trigger1 trigger2 view where where2 alter autoinc between blob cast check coalesce
collate1 conflict date default descidx1 distinct in intpkey json101 like limit lookaside main
minmax misc1 null orderby1 pragma printf quote rowid savepoint subquery types
unionvtab unique upsert1 vacuum vtab1 wal window1 fts3aa fts4aa rtree1""".split()


def describe(tree: Path, scripts: tuple[str, ...] = tuple(QUICK)) -> CProject:
    """The project in `tree`, a source of SQLite 3 whose make.log stands in kit-generated.

    scripts: names of test/*.test that an iteration runs; those that the tree lacks are left out.
    """
    log = (tree / GENERATED / "make.log").read_text().replace("\\\n", " ")
    link = LINK.search(log)
    if link is None:
        raise KitError(f"{tree.name}'s make.log names no link of testfixture. Configure it anew.")
    flags = tuple(_flag(w) for w in shlex.split(link["flags"]) if w.startswith(("-D", "-I")))
    words = shlex.split(link["rest"])
    named = [*COMPILE.findall(log), *(w for w in words if w.endswith(".c"))]
    sources = sorted({_place(w) for w in named} - {"src/tclsqlite.c"}) + ["src/tclsqlite.c"]
    libraries = tuple(w for w in words if w.startswith("-l"))
    return CProject(
        "sqlite",
        tree,
        tuple(Unit(source, flags) for source in sources),
        (Program("testfixture", tuple(sources), (*libraries, "-lpthread", "-ldl")),),
        tuple(_run(tree, name) for name in scripts if _script(tree, name)),
        edited=edited,
        parse=parse,
        fuzz=sqlite_fuzz.corpus(sources, flags, (*libraries, "-lpthread", "-ldl")),
        leaks=True,
        memory_mb=1500,
        disk_mb=256,
    )


def edited(path: str) -> bool:
    """Functions of the library and its extensions; none of the test suite or of a generator."""
    return path.startswith(("src/", "ext/")) and "test" not in path and path != "src/tclsqlite.c"


def _place(word: str) -> str:
    inside = f"{MOUNT}/"
    return word.removeprefix(inside) if word.startswith(inside) else f"{GENERATED}/{word}"


def _flag(word: str) -> str:
    return f"-I{MOUNT}/{GENERATED}" if word == "-I." else word


def _script(tree: Path, name: str) -> str:
    """The script's path in the tree: the suite has some in the folders of its extensions."""
    folders = ("test", "ext/rtree", "ext/fts3")
    found = [f"{f}/{name}.test" for f in folders if (tree / f / f"{name}.test").is_file()]
    return found[0] if found else ""


def _run(tree: Path, name: str) -> TestRun:
    script = f"{MOUNT}/{_script(tree, name)}"
    return TestRun(name, "testfixture", (script,), wall_s=60.0)


def parse(run: str, stdout: str) -> dict[str, bool]:
    """The suite's lines `name... Ok`; a test with the same name twice passed if both did."""
    out: dict[str, bool] = {}
    for found in CASE.finditer(stdout):
        name = f"{run}/{found['name']}"
        out[name] = out.get(name, True) and found["ok"] is not None
    return out
