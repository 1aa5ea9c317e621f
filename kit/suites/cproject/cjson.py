"""cJSON: one library of two files, and a test program for each of its parts (Unity)."""

import itertools
import re
from pathlib import Path

from kit.suites.cproject.project import CProject, FuzzTarget, Package, Program, TestRun, Unit

PACKAGE = Package(
    "cjson",
    "1.7.15-1+deb12u4",
    {
        "cjson_1.7.15-1+deb12u4.dsc": (
            "764c2de141d680f4fb4cada30c526dacaa30ead061b9b9c34f2b81e2df0f8439"
        ),
        "cjson_1.7.15.orig.tar.gz": (
            "5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2"
        ),
        "cjson_1.7.15-1+deb12u4.debian.tar.xz": (
            "afd19a970966cf534ff1e9ec077d710a5e7e78eb4ec9b499c8bdc32e55da12cb"
        ),
    },
)
PREPARE = ""  # nothing is generated before a build
LIBRARY = ("cJSON.c", "cJSON_Utils.c")
UNITY = "tests/unity/src/unity.c"
WITH_UTILS = ("json_patch_tests", "old_utils_tests", "misc_utils_tests")
SHARED = ("-shared", "-Wl,-z,defs", "-lm")
FLAGS = ("-std=c89", "-fPIC", "-fvisibility=hidden", "-DCJSON_EXPORT_SYMBOLS",
         "-DCJSON_API_VISIBILITY", "-fstack-protector-strong")  # fmt: skip
WARNINGS = ("-pedantic", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-Wwrite-strings",
            "-Wshadow", "-Winit-self", "-Wcast-align", "-Wformat=2", "-Wmissing-prototypes",
            "-Wstrict-overflow=2", "-Wcast-qual", "-Wundef", "-Wswitch-default", "-Wconversion",
            "-Wc++-compat", "-Wdouble-promotion", "-Wparentheses", "-Wformat-overflow",
            "-Wunused-macros", "-Wswitch-enum")  # fmt: skip
FIXTURES = {name: f"tests/{name}" for name in ("inputs", "json-patch-tests")}
FUZZ = FuzzTarget(
    Unit("fuzzing/cjson_read_fuzzer.c", FLAGS),
    ("cJSON.c",),
    "tests/inputs",
    tuple("".join(bits).encode() for bits in itertools.product("01", repeat=4)),
    b"\0",
    ("-lm",),
)
RESULT = re.compile(r"^\S+?:\d+:(\w+):(PASS|FAIL|IGNORE)", re.MULTILINE)


def describe(tree: Path) -> CProject:
    """The project in `tree`, an unpacked source of cJSON 1.7."""
    names = sorted(p.stem for p in (tree / "tests").glob("*.c") if p.stem != "unity_setup")
    tests = [Unit(f"tests/{name}.c", FLAGS, WARNINGS) for name in names]
    library = [Unit(source, FLAGS, WARNINGS) for source in LIBRARY]
    units = (*library, *tests, Unit(UNITY, ("-fvisibility=default",)))
    runs = [TestRun(n, n, files=FIXTURES) for n in names]
    return CProject(
        "cjson",
        tree,
        units,
        (Program("libcjson.so", LIBRARY, SHARED), *map(_program, names)),
        tuple(runs),
        edited=LIBRARY.__contains__,
        parse=parse,
        leaks=True,
        fuzz=FUZZ,
    )


def _program(name: str) -> Program:
    """Every test includes cJSON.c itself, so the library's object must not be linked beside it."""
    more = ("cJSON_Utils.c",) if name in WITH_UTILS else ()
    return Program(name, (f"tests/{name}.c", UNITY, *more), ("-lm",))


def parse(run: str, stdout: str) -> dict[str, bool]:
    """Unity's lines `file:line:test:PASS`; an ignored test is none."""
    found = RESULT.findall(stdout)
    return {f"{run}/{test}": said == "PASS" for test, said in found if said != "IGNORE"}
