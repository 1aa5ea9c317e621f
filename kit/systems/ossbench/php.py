"""PHP: the interpreter with the extensions that cannot be left out, run-tests.php, and fuzzers.

`php_whole` is the same with the extensions that Debian's libraries allow.
"""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

from kit.core.errors import KitError
from kit.core.trees import Package
from kit.sandbox.base import ENVIRONMENT
from kit.systems.ossbench import phpt
from kit.systems.ossbench.project import (
    GENERATED,
    MOUNT,
    Adapter,
    FuzzCorpus,
    Fuzzed,
    FuzzTarget,
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
sh %s --disable-all --disable-cgi --disable-phpdbg --disable-opcache \
  --without-pcre-jit --disable-gcc-global-regs %sCFLAGS= > configure.log
make -n cli > make.log
rm -rf config.* libtool Makefile* libs modules scripts pear
"""
RELEASED = ("configure", "Zend/zend_language_parser.c")  # what a release has and Git has not
GENERATORS = ("autoconf", "bison", "re2c")  # commands, each in Debian's package of its name
OPCACHE_SWITCH = "PHP_ARG_ENABLE([opcache],"  # where opcache can be left out
# PHP's own scripts generate what a release brings, in a copy because the tree is read-only. What is
# new there goes where a build outside of the tree has its files, and searches for headers first.
GENERATE = r"""
mkdir copy
tar -C /mnt --exclude=tests -cf - . | tar -C copy -xf -
touch begun
cd copy
sh buildconf --force > /dev/null
sh scripts/dev/genfiles > /dev/null
find . -newer ../begun -name '*.[ch]' -printf '%P\n' > ../made
cp --parents configure main/php_config.h.in $(cat ../made) ..
cd ..
rm -rf copy begun
"""
# make has the rules of a release, by which generated sources stand in the tree
FORGET = r"""
for source in $(cat made)
do sed -i "s# -c /mnt/$source # -c $source #" make.log
done
rm configure main/php_config.h.in made
"""
ASSEMBLY = re.compile(r"--mode=compile cc .*? -c (\S+\.S) ")
COMPILE = re.compile(r"--mode=compile cc (?P<words>.*?) -c (?P<source>\S+\.c) ")
LINK = re.compile(r"--mode=link cc .*? (?P<libraries>(?:-l\S+ +)*)-o sapi/cli/php\b")
HEAVY = re.compile(r"(?:zend_vm_\w+|zend_language_\w+|zend_ini_\w+|\w+_scanner|parse_\w+)\.[ch]$")
QUICK = ("ext/json/tests", "tests/func", "tests/strings", "Zend/tests/try")
ENGINE = ("Zend/tests", "sapi/cli/tests", "tests")  # test folders that belong to no extension
# what tests of one folder include from another
INCLUDED = (
    "ext/pdo/tests",
    "ext/openssl/tests/ServerClientTestCase.inc",
    "ext/standard/tests/http/server.inc",
    "sapi/cli/tests/php_cli_server.inc",
)
WORKERS = ("-j2",)  # of run-tests.php; a number of its own, so that every machine runs the same
RUNNER = "run-tests.php"  # writes beside itself, so each run has its own
SHOW_OUTPUT = "--show-out"
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
    SHOW_OUTPUT,
    "--set-timeout",
    "20",
)
LONGEST = 150_000  # bytes of paths that a narrowed run names; a box takes a little more
WORD = "PASS|FAIL|WARN|LEAK|BORK|SKIP|XFAIL|XLEAK"
RESULT = re.compile(
    rf"^(?P<said>(?:{WORD})(?:&(?:{WORD}))*) .*\[(?P<path>[^\]\s]+)\.phpt\]", re.MULTILINE
)
SUMMARY = re.compile(r"^Tests passed +: +(\d+)", re.MULTILINE)
EXTENSION = re.compile(r"ext/\w+")
HARNESS = '#include "sapi/fuzzer/fuzzer-{}.c"\n#include "sapi/fuzzer/fuzzer-sapi.c"\n'
# fuzzer of sapi/fuzzer -> the files whose coverage it follows, its first inputs, its dictionary.
# Those of the compiler to machine code are not among them: they need opcache.
FUZZERS = {
    "json": (r"ext/json/", "sapi/fuzzer/corpus/json", "sapi/fuzzer/json.dict"),
    "unserialize": (r"ext/standard/var", "sapi/fuzzer/corpus/unserialize", ""),
    "parser": (r"Zend/zend_(?:language_|ast|compile)", "", "sapi/fuzzer/dict/parser"),
    "execute": (r"Zend/zend_(?:hash|operators|string|objects|closures|generators)", "", ""),
    "exif": (r"ext/exif/", "sapi/fuzzer/corpus/exif", ""),
    "mbstring": (r"ext/mbstring/\w+\.c", "", ""),
}
NONE = ("SKIP", "XFAIL", "XLEAK")  # said of a test that cannot pass here


class Php(Adapter):
    """A source of PHP 8 whose make.log stands in kit-generated."""

    name = "php"
    package = PACKAGE
    markers = ("zval", "zend")
    environment: ClassVar[Mapping[str, str]] = {"USE_ZEND_ALLOC": "0"}
    memory_mb = 1500
    disk_mb = 256

    extensions: ClassVar[Sequence[str]] = ()  # words for configure

    @classmethod
    def package_of(cls, version: str) -> Package:
        """Debian has a source package for each minor version: php8.2, php8.4."""
        minor = ".".join(version.split(".")[:2])
        return Package(f"php{minor}", version)

    def configure(self) -> str:
        """A release has its configure script; a Git checkout's is generated first, in the box."""
        lacking = self.list_missing_packages()
        if lacking:
            raise KitError(
                "This PHP is configured with tools or libraries that are not on this machine. "
                f"Type: apt-get install {' '.join(lacking)}"
            )
        words = "".join(f"{word} " for word in self._list_words())
        if self.is_release:
            return PREPARE % ("/mnt/configure", words)
        return GENERATE + PREPARE % ("configure --srcdir=/mnt", words) + FORGET

    def _list_words(self) -> list[str]:
        """From PHP 8.5 on opcache is in the interpreter; its compiler to machine code is left out.

        The sources of that compiler are generated by programs that a build compiles first.
        """
        words = [*self.extensions]
        opcache = self.tree / "ext/opcache/config.m4"
        if opcache.exists() and OPCACHE_SWITCH not in opcache.read_text():
            words.append("--disable-opcache-jit")
        return words

    @property
    def is_release(self) -> bool:
        return all((self.tree / path).exists() for path in RELEASED)

    def list_missing_packages(self) -> list[str]:
        """The Debian packages that configuring the tree needs and this machine lacks."""
        lacking: list[str] = []
        if self.is_release:
            return lacking
        for name in GENERATORS:
            # the box has the machine's own tools, but not all of the machine's search path
            if shutil.which(name, path=ENVIRONMENT["PATH"]) is None:
                lacking.append(name)
        return lacking

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
        """A run a module: the engine's parts and every extension that is built."""
        built = {unit.source.rpartition("/")[0] for unit in self.units()}
        folders = [*ENGINE, *sorted(f"{f}/tests" for f in built if EXTENSION.fullmatch(f))]
        there = [folder for folder in folders if (self.tree / folder).is_dir()]
        return {
            "quick": [self._plan_run(folder, ()) for folder in QUICK],
            "all": [self._plan_run(folder, WORKERS) for folder in there],
        }

    def _plan_run(self, folder: str, words: Sequence[str]) -> TestRun:
        """The tests of a folder, called by the module that it belongs to."""
        included = [path for path in INCLUDED if words and (self.tree / path).exists()]
        files = {path: path for path in (RUNNER, *included, folder)}
        count = sum(1 for _ in (self.tree / folder).rglob("*.phpt"))
        name = folder.removesuffix("/tests").rpartition("/")[2]
        argv = (*WORDS, *words, folder)
        serial = (*(word for word in WORDS if word != SHOW_OUTPUT), folder)
        return TestRun(name, "php", argv, files, wall_s=900.0 + count, serial=serial)

    def narrow(self, run: TestRun, tests: Sequence[str]) -> TestRun:
        """The run with the files of these tests; whole where that is not said in few words.

        A test of another folder to which a test redirects has no file here.
        """
        *words, folder = run.argv
        paths = [f"{folder}/{test.removeprefix(f'{run.name}/')}.phpt" for test in tests]
        are_files = all((self.tree / path).is_file() for path in paths)
        if not are_files or sum(map(len, paths)) + len(paths) > LONGEST:
            return run
        return replace(run, argv=(*words, *paths))

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
                # a module has files of one name in several folders
                name = re.sub(rf"^(?:.*?/)?{run}/(?:tests/)?", "", line["path"])
                passed[f"{run}/{name}"] = word == "PASS"
        counts = SUMMARY.findall(stdout)
        if len(counts) != 1 or count > int(counts[0]):
            return dict.fromkeys(passed, False)
        return passed

    def fuzz(self) -> Fuzzed:
        """The tree's own fuzzers, and scripts that are fused of two tests each.

        Coverage leads a fuzzer through the files that it is about; all others are the tests' own.
        """
        units = {unit.source: unit for unit in self.units()}
        program = self.programs()[0]
        fuzzers: list[FuzzTarget | FuzzCorpus] = []
        for name, (about, corpus, dictionary) in FUZZERS.items():
            sources = tuple(source for source in units if re.match(about, source))
            if sources:
                rest = {*units}.difference(sources)
                fuzzers.append(
                    FuzzTarget(
                        HARNESS.format(name),
                        sources,
                        partial(read_seeds, corpus),
                        units[sources[0]].flags,
                        program.libraries,
                        dictionary,
                        tuple(sorted(s for s in rest if not s.startswith("sapi/cli/"))),
                        name,
                    )
                )
        # the scripts' driver ends early only where its time is over, so each end counts as slow
        fused = FuzzCorpus(program, (), phpt.fuse_tests, phpt.run_scripts, r"^input ", slow="")
        return (*fuzzers, fused)


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


def read_seeds(corpus: str, tree: Path) -> list[bytes]:
    """The files of a fuzzer's own folder; the scripts of the engine's tests where it has none."""
    if corpus:
        return [path.read_bytes() for path in sorted((tree / corpus).iterdir())]
    scripts = [phpt.read_script(path) for path in sorted((tree / "Zend/tests").glob("*.phpt"))]
    return [script.encode("utf-8", "surrogateescape") for script in scripts if script]
