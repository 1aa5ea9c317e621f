"""PHP: the interpreter with the extensions that cannot be left out, and run-tests.php."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from kit.core.errors import KitError
from kit.core.trees import Package
from kit.systems.ossbench.project import (
    GENERATED,
    MOUNT,
    Adapter,
    ProjectProgram,
    TestRun,
    Unit,
    place_of,
)

PACKAGE = Package.of(
    "php8.2",
    "8.2.32-1~deb12u1",
    {
        "dsc": "2dd58aea6324c0d6bd3da32bb1b6e2c10a9cf201c2587a7f6dd1acff7cef52fe",
        "orig.tar.xz": "e02aa173c236c12791696254d607da680e6d5516f8f5c2339642de7c4f944bd2",
        "debian.tar.xz": "33294e7f23f986126dd9e0ff35f461ff41c33d1616edca70085ccf9326f79e80",
    },
)
PREPARE = """
export TMPDIR=/box
export ax_cv_have_func_attribute_ifunc=no ax_cv_have_func_attribute_target=no
sh /mnt/configure --disable-all --disable-cgi --disable-phpdbg --disable-opcache \
  --without-pcre-jit --disable-gcc-global-regs CFLAGS= > configure.log
make -n cli > make.log
rm -rf config.* libtool Makefile* libs modules scripts pear
"""
ASSEMBLY = re.compile(r"--mode=compile cc .*? -c (\S+\.S) ")
COMPILE = re.compile(r"--mode=compile cc (?P<words>.*?) -c (?P<source>\S+\.c) ")
LINK = re.compile(r"--mode=link cc .*? (?P<libraries>(?:-l\S+ +)*)-o sapi/cli/php\b")
HEAVY = re.compile(r"(?:zend_vm_\w+|zend_language_\w+|zend_ini_\w+|\w+_scanner|parse_\w+)\.[ch]$")
# of the tree's tests, those that an iteration runs
FOLDERS = ("ext/json/tests", "tests/func", "tests/strings", "Zend/tests/try")
RUNNER = "run-tests.php"  # writes beside itself, so each run has its own
WORDS = (
    "-n",
    RUNNER,
    "-P",
    "-q",
    "-x",
    "--offline",
    "--asan",
    "--no-progress",
    "--no-color",
    "--show-out",
    "--set-timeout",
    "20",
)
WORD = "PASS|FAIL|WARN|LEAK|BORK|SKIP|XFAIL|XLEAK"
RESULT = re.compile(
    rf"^(?P<said>(?:{WORD})(?:&(?:{WORD}))*) .*\[(?P<path>[^\]\s]+)\.phpt\]", re.MULTILINE
)
SUMMARY = re.compile(r"^Tests passed +: +(\d+)", re.MULTILINE)
NONE = ("SKIP", "XFAIL", "XLEAK")  # said of a test that cannot pass here


class Php(Adapter):
    """A source of PHP 8 whose make.log stands in kit-generated."""

    name = "php"
    package = PACKAGE
    environment: ClassVar[Mapping[str, str]] = {"USE_ZEND_ALLOC": "0"}
    memory_mb = 1500
    disk_mb = 256

    def configure(self) -> str:
        return PREPARE

    @cached_property
    def make_log(self) -> str:
        return (self.tree / GENERATED / "make.log").read_text()

    def units(self) -> Sequence[Unit]:
        units = []
        for line in COMPILE.finditer(self.make_log):
            units.append(Unit(place_of(line["source"]), _select_flags(line["words"])))
        return units

    def programs(self) -> Sequence[ProjectProgram]:
        link = LINK.search(self.make_log)
        if link is None:
            raise KitError(f"{self.tree.name}'s make.log names no link of php. Configure it anew.")
        words = ("-rdynamic", *link["libraries"].split(), *ASSEMBLY.findall(self.make_log))
        return [ProjectProgram("php", tuple(unit.source for unit in self.units()), words)]

    def tests(self) -> Mapping[str, Sequence[TestRun]]:
        runs = []
        for folder in FOLDERS:
            files = {RUNNER: RUNNER, folder: folder}
            runs.append(TestRun(folder, "php", (*WORDS, folder), files, wall_s=900.0))
        return {"all": runs}

    def is_edited(self, path: str) -> bool:
        """Functions of the engine and of its extensions; none that a generator wrote."""
        return path.startswith(("Zend/", "main/", "ext/", "sapi/")) and not HEAVY.search(path)

    def read_results(self, run: str, stdout: str) -> dict[str, bool]:
        """The lines `PASS title [path.phpt]` of run-tests.php; a skipped test is none.

        Where its own count is not there once, or is below the lines, none passed.
        """
        passed: dict[str, bool] = {}
        count = 0
        for line in RESULT.finditer(stdout):
            word = line["said"]
            if word == "PASS":
                count += 1
            if word not in NONE:
                name = line["path"].rpartition("/")[2]
                passed[f"{run}/{name}"] = word == "PASS"
        counts = SUMMARY.findall(stdout)
        if len(counts) != 1 or count > int(counts[0]):
            return dict.fromkeys(passed, False)
        return passed


def _select_flags(words: str) -> tuple[str, ...]:
    """Definitions, folders and what changes the code; /box is where the build was configured."""
    flags = [w for w in shlex.split(words) if w.startswith(("-D", "-I", "-f", "-std"))]
    built = f"{MOUNT}/{GENERATED}"
    for n, word in enumerate(flags):
        if word.startswith("-I"):
            path = word.removeprefix("-I").rstrip("/").replace("/box", built, 1)
            flags[n] = f"-I{path}" if path.startswith("/") else f"-I{built}/{path}"
    # gcc and libclang cannot read each other's intrinsics
    return (*dict.fromkeys(flags), "-U__SSE2__")
