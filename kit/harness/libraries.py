"""Finds libraries that programs import and the sandbox lacks; installs a user's own libraries once.

A user's own come from outside the box, and nothing of them runs before a program in the box imports
it: only wheels, and npm's packages without their scripts; a box compiles native modules. What names
anything but a library and its version is refused, for pip would build it here.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache as once
from pathlib import Path

from kit import harness, sandbox
from kit.core.errors import KitError
from kit.core.languages import ALIASES, LANGUAGES
from kit.core.paths import cache_root
from kit.core.records import content_key
from kit.harness import box_files, wheels
from kit.harness.languages import READERS
from kit.sandbox.base import INSTALLED, PACKAGE_PATHS, Sandbox

LIST = Path(sandbox.__file__).with_name("images") / "languages.txt"
PYPI_NAMES = Path(__file__).with_name("pypi_names.txt")
_VERSION = r"[<>=!~]{1,3}\s*[\w.*+!-]+"
_REQUIREMENT = re.compile(
    rf"[A-Za-z0-9][\w.-]*\s*(\[[\w\s,.-]*\])?\s*({_VERSION}(\s*,\s*{_VERSION})*)?\s*"
    r"(;((?!--)[^@/\\:])*)?(\s*--hash=\w+:[0-9a-f]+)*"
)
_SOURCE = re.compile(r"--(no-index|(find-links|index-url|extra-index-url)[ =]\s*\S+)\s*")
_RANGE = re.compile(r"[\w\s.^~<>=*|-]*")


@once
def debian_packages(language: str) -> dict[str, str]:
    """What programs import, require or include -> the Debian package that brings it.

    The box installs nothing itself: both tiers have what LIST names, once it is installed.
    """
    language_of = {row.debian: row.name for row in LANGUAGES.values()}
    packages: dict[str, str] = {}
    for line in LIST.read_text().splitlines():
        if line.startswith("#"):
            continue
        package, *names = line.split()
        if language_of.get(package.partition("-")[0], "cpp") == language:
            packages |= dict.fromkeys(names, package)
    return packages


@once
def _pypi_packages() -> dict[str, str]:
    """What programs import -> the package of PyPI, where their names differ."""
    rows = [line.split() for line in PYPI_NAMES.read_text().splitlines() if line[0] != "#"]
    return {module: package for module, package in rows}


def package_of(language: str, name: str) -> str:
    """The package of the language's registry that brings what a program imports by this name."""
    return _pypi_packages().get(name, name) if language == "python" else name


def find_needed_libraries(code: str, language: str) -> frozenset[str]:
    """Names of the libraries that a program needs to load, by parsing alone.

    An import that the program itself guards (try ... except ImportError), its own modules and what
    the language brings are none. Empty for a program that does not parse, and for C and C++, whose
    compiler names what is missing.
    """
    if language not in READERS:
        return frozenset()
    try:
        return READERS[language](code).needs
    except SyntaxError:
        return frozenset()


def count_absent(box: Sandbox, programs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """(language, name) -> how many of these (code, language) need it, where the box lacks it."""
    needed = Counter[tuple[str, str]]()
    for code, language in programs:
        for name in find_needed_libraries(code, language):
            needed[language, name] += 1
    absent = {}
    for language in {language for language, _ in needed}:
        names = frozenset(name for other, name in needed if other == language)
        with suppress(box_files.BoxFailed):  # the runs themselves will say so
            for name in harness.not_found(box_files.Key(box), language, names) & names:
                absent[language, name] = needed[language, name]
    return dict(sorted(absent.items(), key=lambda item: (-item[1], item[0])))


def line_for(language: str, name: str) -> str:
    """What to type so that programs find this library."""
    language = ALIASES.get(language, language)
    if name.startswith("node:"):
        return "kit doctor --install, which brings a newer Node.js"
    package = debian_packages(language).get(name)
    if package:
        return f"apt-get install {package}"
    file = LANGUAGES[language].requirements
    if file.endswith(".json"):
        write = f"write {name} into a {file}"
    else:
        write = f"echo {package_of(language, name)} >> {file}"
    return f"{write}, and add --requirements {file}; or add --install"


def describe_absent(gone: Mapping[tuple[str, str], int]) -> list[str]:
    """One line for each library that is lacking, with the line to type."""
    lines = []
    for (language, name), count in gone.items():
        programs = "1 program imports" if count == 1 else f"{count} programs import"
        lines.append(f"{programs} {name}, which the box lacks. Type: {line_for(language, name)}")
    return lines


def install_requirements(file: Path) -> Path:
    """The folder with what a requirements.txt or package.json names, made at the first time.

    A file of the same text and the same Python or Node.js in the box share it; remove it to install
    anew.
    KitError, in a sentence, for a line that is none of the allowed, or where pip or npm fails.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(
            f"{file} cannot be read as text: {error}. Give --requirements FILE."
        ) from None
    bring = _npm if file.suffix == ".json" else _pip
    of_box = wheels.node_version() if bring is _npm else wheels.python_version()
    key = content_key(text, of_box, bring.__name__)
    place = cache_root() / "libraries" / key[:16]
    if (place / INSTALLED).exists():
        return place

    def fill_folder(folder: Path) -> None:
        bring(file, text, folder)
        (folder / INSTALLED).write_text(hash_packages(folder) + "\n")

    return wheels.make_whole_folder(place, fill_folder)


def _pip(file: Path, text: str, folder: Path) -> None:
    for line in text.replace("\\\n", " ").splitlines():
        requirement = re.sub(r"(^|\s)#.*$", "", line).strip()
        if requirement and not (
            _REQUIREMENT.fullmatch(requirement) or _SOURCE.fullmatch(requirement)
        ):
            raise KitError(
                f"{file} has the line {requirement!r}. Use only NAME==VERSION, and --index-url, "
                "--extra-index-url, --find-links or --no-index: of other sources code would run "
                "outside the sandbox."
            )
    target = folder / PACKAGE_PATHS["PYTHONPATH"]  # no requirement names a file in an empty folder
    wheels.install_with_pip(target, "--no-compile", "-r", str(file.resolve()), cwd=folder)


def _npm(file: Path, text: str, folder: Path) -> None:
    try:
        versions = dict(json.loads(text)["dependencies"])
    except (ValueError, KeyError, TypeError):
        raise KitError(
            f'{file} has no object "dependencies". Use {{"dependencies": {{...}}}}.'
        ) from None
    for name, version in versions.items():
        if not _RANGE.fullmatch(str(version)):
            raise KitError(
                f"{file} asks for {name} by something else than its version. Use a version."
            )
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": versions}))
    wheels.install_with_npm(folder)
    try:
        wheels.build_native_modules(folder)
    except wheels.Unavailable as error:
        # A program would find it, and fail at its first use: that is not the program's fault.
        raise KitError(
            f"{error}. Leave it out of {file}: programs that need it stay undecided."
        ) from None


def hash_packages(folder: Path) -> str:
    """A digest over what is there: the hashes that wheels bring, the lock file of npm."""
    parts = [*folder.glob("python/*.dist-info/RECORD"), *folder.glob("package-lock.json")]
    digest = hashlib.sha256()
    for path in sorted(parts):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
