"""A Java repository for javac and JUnit: its sources, its resources, its jars, its own words.

A folder in Maven's layout is one as it is; pom.xml names what it needs. A folder with a recipe.toml
names what pom.xml would have to be executed for; with an `archive` in it the sources themselves
come from Debian's archive by their hash, and beside the recipe lie stubs/ and exploits/ alone.
Nothing of a project is executed here.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from kit.core import trees
from kit.core.errors import KitError
from kit.core.records import content_key
from kit.systems.realsec import maven

RECIPE = "recipe.toml"
PARTS = ("stubs", "main", "test")  # in the order of their compilation
BUILT_BY_MAVEN = ("target",)
EXPLOITS = "exploits"  # tests of ours, beside a recipe
PLACES = {"main": "sources", "test": "tests"}  # the recipe's words for parts
WORDS = {
    "sources": [maven.LAYOUT["main"]],
    "tests": [maven.LAYOUT["test"]],
    "resources": ["src/main/resources", "src/test/resources"],
    "javac": [],
    "java": [],
    "processors": [],
    "left_out": [],
    "jars": [],
}
TEXTS = ("name", "version", "licence", "home", "archive", "sha256", "module", "encoding")


@dataclass(frozen=True)
class Recipe:
    """A recipe.toml, read; `words` has every list of WORDS. An empty one is Maven's layout."""

    texts: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, list[Any]] = field(default_factory=lambda: dict(WORDS))


def read_recipe(folder: Path) -> Recipe:
    """The recipe in a repository's folder; KitError that names what it lacks or does not know."""
    path = folder / RECIPE
    if not path.is_file():
        return Recipe()
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KitError(f"{path} is not TOML: {error}. Fix the file.") from None
    unknown = sorted(set(data) - set(WORDS) - set(TEXTS))
    if unknown:
        known = ", ".join([*TEXTS, *WORDS])
        raise KitError(f"{path} has an unknown key {unknown[0]!r}. Known keys: {known}.")
    texts = {name: str(data[name]) for name in TEXTS if name in data}
    words = {name: data.get(name, default) for name, default in WORDS.items()}
    for name, value in words.items():
        if not isinstance(value, list):
            raise KitError(f"{path}: {name} is no list. Write {name} = [...].")
    if texts.get("archive") and "sha256" not in texts:
        raise KitError(f"{path} has an archive without its sha256. Add it.")
    return Recipe(texts, words)


@dataclass(frozen=True, eq=False)
class Repository:
    """The repository in a folder; its sources are fetched where a recipe says so, when first read.

    local_jars: a Maven repository or a folder of jars, for what pom.xml names.
    """

    folder: Path
    local_jars: Path | None = None

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def recipe(self) -> Recipe:
        return read_recipe(self.folder)

    @cached_property
    def is_released(self) -> bool:
        """Whether the sources are those of Debian's archive, and not in the folder."""
        return bool(self.recipe.texts.get("archive"))

    @cached_property
    def tree(self) -> Path:
        """The folder where the project's own paths begin."""
        module = self.recipe.texts.get("module", "")
        if not self.is_released:
            return self.folder.resolve() / module
        patterns: list[str] = []
        for entry in self.recipe.words["left_out"]:
            patterns += [f"{module}/{pattern}".strip("/") for pattern in entry["files"]]
        texts = self.recipe.texts
        return trees.unpack_release(texts["archive"], texts["sha256"], patterns) / module

    @cached_property
    def work(self) -> Path:
        """A copy of the tree that everybody can read, as the working folder of its tests."""
        return self.tree if self.is_released else trees.checkout_copy(self.tree, BUILT_BY_MAVEN)

    @cached_property
    def encoding(self) -> str:
        return self.recipe.texts.get("encoding") or maven.source_encoding(self.tree)

    @property
    def java_release(self) -> str:
        """The release of Java that the recipe compiles for; "" for the machine's own."""
        words = self.recipe.words["javac"]
        return words[words.index("--release") + 1] if "--release" in words else ""

    def list_folders(self, part: str) -> list[Path]:
        """Where the sources of a part are. A suite's stubs/ belong to each of its repositories."""
        folder = self.folder.resolve()
        if part == "stubs":
            stubs = [folder / "stubs"]
            if folder.parent.name == "repositories":
                stubs.insert(0, folder.parents[1] / "stubs")
            return stubs
        if not (folder / RECIPE).is_file():
            return maven.source_folders(self.tree, part)
        folders = [self.tree / place for place in self.recipe.words[PLACES[part]]]
        if part == "test":
            folders.append(folder / EXPLOITS)
        return folders

    def read_sources(self, *parts: str) -> dict[str, str]:
        """Every Java file of these parts (all PARTS by default), by path, in order.

        There are no modules of Java's own: all is on one class path.
        """
        sources = {}
        for part in parts or PARTS:
            for folder in self.list_folders(part):
                is_of_project = folder.is_relative_to(self.tree)
                above = self.tree if is_of_project else folder.parent
                encoding = self.encoding if is_of_project else "UTF-8"
                for path in folder.rglob("*.java"):
                    if path.name != "module-info.java":
                        name = path.relative_to(above).as_posix()
                        sources[name] = maven.read_source(path, encoding)
        if not any(folder.is_dir() for folder in self.list_folders("main")):
            raise KitError(f"{self.folder} has no {maven.LAYOUT['main']}; give a Maven layout.")
        return dict(sorted(sources.items()))

    def read_file(self, path: str) -> str:
        """The text of one of the project's own sources, by its path."""
        return maven.read_source(self.tree / path, self.encoding)

    def find_test_source(self, class_name: str) -> str:
        """The text of the file that declares a class of tests; "" where there is none."""
        top = class_name.partition("$")[0].replace(".", "/") + ".java"
        for folder in self.list_folders("test"):
            path = folder / top
            if path.is_file():
                is_of_project = folder.is_relative_to(self.tree)
                return maven.read_source(path, self.encoding if is_of_project else "UTF-8")
        return ""

    def read_resources(self) -> dict[str, bytes]:
        """What the programs of the repository find on their class path, below resources/."""
        if (self.folder / RECIPE).is_file():
            folders = [self.tree / place for place in self.recipe.words["resources"]]
        else:
            folders = []
            for part in PLACES:
                sources = maven.source_folders(self.tree, part)
                folders += [folder.with_name("resources") for folder in sources]
        resources = {}
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.suffix != ".java":
                    name = path.relative_to(folder).as_posix()
                    resources[f"resources/{name}"] = path.read_bytes()
        return resources

    @cached_property
    def jars(self) -> dict[Path, str]:
        """The jars beside JUnit's with their SHA-256. Raises KitError where one cannot be had."""
        paths = []
        for package in self.recipe.words["jars"]:
            files = trees.unpack_package_files(package["package"], package["sha256"])
            for name in package["jars"]:
                path = (files / "usr/share/java" / name).resolve()
                if not path.is_file():
                    raise KitError(f"{package['package']} has no usr/share/java/{name}.")
                paths.append(path)
        if not self.is_released:
            paths += maven.find_jars(self.tree, self.local_jars)
        return {path: _hash_file(path, path.stat().st_mtime_ns) for path in paths}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over sources, resources, words and jars: equal ones build equal classes."""
        return content_key(
            self.read_sources(), self.read_resources(), self.recipe.words, *self.jars.values()
        )


@lru_cache(maxsize=1024)
def _hash_file(path: Path, changed: int) -> str:  # noqa: ARG001
    return hashlib.sha256(path.read_bytes()).hexdigest()
