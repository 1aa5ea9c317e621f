"""cJSON: one library of two files, and a test program for each of its parts (Unity)."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from kit.core.trees import Package
from kit.systems.ossbench.project import (
    MOUNT,
    Adapter,
    Fuzzed,
    FuzzTarget,
    ProjectProgram,
    TestRun,
    Unit,
)

PACKAGE = Package.of(
    "cjson",
    "1.7.15-1+deb12u4",
    {
        "dsc": "764c2de141d680f4fb4cada30c526dacaa30ead061b9b9c34f2b81e2df0f8439",
        "orig.tar.gz": "5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2",
        "debian.tar.xz": "afd19a970966cf534ff1e9ec077d710a5e7e78eb4ec9b499c8bdc32e55da12cb",
    },
)
LIBRARY = ("cJSON.c", "cJSON_Utils.c")
UNITY = "tests/unity/src/unity.c"
DEMO = "test.c"  # ends with 1 where it does not print into a buffer what it prints elsewhere
WITH_UTILS = ("json_patch_tests", "old_utils_tests", "misc_utils_tests")
SHARED = ("-shared", "-Wl,-z,defs", "-lm")
FLAGS = (
    "-std=c89",
    "-fPIC",
    "-fvisibility=hidden",
    "-DCJSON_EXPORT_SYMBOLS",
    "-DCJSON_API_VISIBILITY",
    "-fstack-protector-strong",
)
WARNINGS = (
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wstrict-prototypes",
    "-Wwrite-strings",
    "-Wshadow",
    "-Winit-self",
    "-Wcast-align",
    "-Wformat=2",
    "-Wmissing-prototypes",
    "-Wstrict-overflow=2",
    "-Wcast-qual",
    "-Wundef",
    "-Wswitch-default",
    "-Wconversion",
    "-Wc++-compat",
    "-Wdouble-promotion",
    "-Wparentheses",
    "-Wformat-overflow",
    "-Wunused-macros",
    "-Wswitch-enum",
)
FIXTURES = {name: f"tests/{name}" for name in ("inputs", "json-patch-tests")}
DEEDS = 12  # of cjson_fuzz.c, chosen by an input's first byte
OF_TWO = (3, 5, 6, 8, 9, 10, 11)  # those that want a second text
PATCHES = ("cjson-utils-tests.json", "spec_tests.json", "tests.json")
RESULT = re.compile(r"^\S+?:\d+:(\w+):(PASS|FAIL|IGNORE)", re.MULTILINE)
SUMMARY = re.compile(r"^(\d+) Tests (\d+) Failures (\d+) Ignored", re.MULTILINE)


class CJson(Adapter):
    """An unpacked source of cJSON 1.7."""

    name = "cjson"
    package = PACKAGE
    leaks = True

    def units(self) -> Sequence[Unit]:
        sources = [*LIBRARY, *(f"tests/{name}.c" for name in self._test_names()), DEMO]
        units = [Unit(source, FLAGS, WARNINGS) for source in sources]
        return [*units, Unit(UNITY, ("-fvisibility=default",))]

    def programs(self) -> Sequence[ProjectProgram]:
        programs = [
            ProjectProgram("libcjson.so", LIBRARY, SHARED),
            ProjectProgram("test", (DEMO, LIBRARY[0]), ("-lm",)),
        ]
        for name in self._test_names():
            # every test includes cJSON.c itself, so the library's object is not linked beside it
            utils = LIBRARY[1:] if name in WITH_UTILS else ()
            programs.append(ProjectProgram(name, (f"tests/{name}.c", UNITY, *utils), ("-lm",)))
        return programs

    def tests(self) -> Mapping[str, Sequence[TestRun]]:
        runs = [TestRun(name, name, files=FIXTURES) for name in self._test_names()]
        return {"all": [*runs, TestRun("test", "test", whole=True)]}

    def _test_names(self) -> list[str]:
        names = {path.stem for path in (self.tree / "tests").glob("*.c")}
        return sorted(names - {"unity_setup"})

    def is_edited(self, path: str) -> bool:
        return path in LIBRARY

    def fuzz(self) -> Fuzzed:
        harness = Path(__file__).with_name("cjson_fuzz.c").read_text()
        flags = (*FLAGS, f"-I{MOUNT}")
        words = "fuzzing/json.dict"
        return (FuzzTarget(harness, LIBRARY, read_seeds, flags, ("-lm",), words),)

    def read_results(self, run: str, stdout: str) -> dict[str, bool]:
        """Unity's lines `file:line:test:PASS`; an ignored test is none.

        A test that is told twice passed if both say so; where the program's own count is not there
        once, or contradicts the lines, none did.
        """
        results = RESULT.findall(stdout)
        words = [word for _, word in results]
        counted = (len(words), words.count("FAIL"), words.count("IGNORE"))
        sound = [tuple(map(int, counts)) for counts in SUMMARY.findall(stdout)] == [counted]
        passed: dict[str, bool] = {}
        for test, word in results:
            if word != "IGNORE":
                name = f"{run}/{test}"
                passed[name] = passed.get(name, True) and word == "PASS" and sound
        return passed


def read_seeds(tree: Path) -> list[bytes]:
    """The inputs of the project's own tests under each deed that they suit."""
    alone = {path.read_bytes() for path in (tree / "tests/inputs").iterdir() if not path.suffix}
    paired = set()
    for name in PATCHES:
        for case in json.loads((tree / "tests/json-patch-tests" / name).read_text()):
            texts = [json.dumps(case[key]).encode() for key in ("doc", "patch") if key in case]
            paired.add(b"\0".join(texts))
    seeds = []
    for deed in range(DEEDS):
        seeds += [bytes([deed]) + text for text in sorted(alone)]
    for deed in OF_TWO:
        seeds += [bytes([deed]) + text for text in sorted(paired)]
    return seeds
