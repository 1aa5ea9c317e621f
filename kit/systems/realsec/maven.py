"""A Maven project for javac: its source folders, their encoding and its jars, without a network.

Of pom.xml are read: coordinates, parent, properties, managed versions, modules and dependencies.
Plugins and profiles are not, and nothing of the project is executed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from kit.core.errors import KitError

DEBIAN, JARS = Path("/usr/share/maven-repo"), Path("/usr/share/java")
LAYOUT = {"main": "src/main/java", "test": "src/test/java"}
PROPERTY = re.compile(r"\$\{([^${}]+)\}")
LONGEST = 1000  # characters of a value: properties may name each other


@dataclass(frozen=True)
class Artifact:
    """A dependency. version: "" for any. passed_on: whoever depends on its owner needs it too."""

    key: str  # group:name
    version: str
    classifier: str = ""
    passed_on: bool = True

    @property
    def name(self) -> str:
        return self.key.partition(":")[2]

    def file(self, ending: str, homes: Sequence[Path]) -> Path | None:
        """The first of it in local Maven repositories or folders of jars.

        Debian's has one version, which stands for each.
        """
        end = f"-{self.classifier}{ending}" if self.classifier else ending
        for home in homes:
            folder = home.joinpath(*re.split("[.](?=.*:)|:", self.key))
            anyone = home == DEBIAN or not self.version
            others = sorted((p.name for p in folder.glob("*")), reverse=True) if anyone else []
            places = [folder / v / f"{self.name}-{v}{end}" for v in (self.version, *others)]
            places += [home / f"{self.name}-{self.version}{end}", home / f"{self.name}{end}"]
            for path in places:
                if path.is_file():
                    return path
        return None


@dataclass(frozen=True)
class Pom:
    """A pom.xml with all that it inherits. managed: key -> version."""

    path: Path
    root: ElementTree.Element
    properties: Mapping[str, str]
    managed: Mapping[str, str]
    inherited: tuple[Artifact, ...] = ()

    def value(self, node: ElementTree.Element, name: str) -> str:
        """The text of a child, properties written out; "" where one is unknown."""
        text = node.findtext(f"{{*}}{name}", "")
        for _ in range(9):
            if len(text) > LONGEST:
                return ""
            text = PROPERTY.sub(lambda m: self.properties.get(m[1].strip(), m[0]), text)
        return "" if "${" in text else text.strip()

    def key(self, node: ElementTree.Element) -> str:
        """group:name of a <dependency> or <parent>, or of the project itself."""
        group = self.value(node, "groupId") or self.properties["project.groupId"]
        return f"{group}:{self.value(node, 'artifactId')}"

    def read_artifact(self, node: ElementTree.Element) -> Artifact:
        """A <dependency> or <parent>; a range of versions is any version."""
        key, kind = self.key(node), self.value(node, "type")
        version = self.value(node, "version") or self.managed.get(key, "")
        classifier = "tests" if kind == "test-jar" else self.value(node, "classifier")
        scope, optional = self.value(node, "scope"), self.value(node, "optional")
        return Artifact(
            key,
            "" if version[:1] in ("[", "(") else version,
            classifier,
            scope in ("", "compile", "runtime") and optional != "true",
        )

    @property
    def dependencies(self) -> tuple[Artifact, ...]:
        """The parents' and its own."""
        nodes = self.root.iterfind("{*}dependencies/{*}dependency")
        own = (self.read_artifact(n) for n in nodes if self.value(n, "type") != "pom")
        return (*self.inherited, *own)


def read_pom(path: Path, homes: Sequence[Path], top: Path, below: tuple[Path, ...] = ()) -> Pom:
    """The pom.xml at a path. Parents lie below `top` or in `homes`; others leave nothing.

    Raises KitError where it is no XML, or its own ancestor.
    """
    data = path.read_bytes()
    if path in below or b"<!DOCTYPE" in data:
        raise KitError(f"{path} declares a document type, or is its own parent. Fix it.")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise KitError(f"{path} is not XML: {error}. Fix it.") from None
    parent, above, below = root.find("{*}parent"), None, (*below, path)
    own = {n.tag.rpartition("}")[2]: n.text or "" for n in root.iterfind("{*}properties/*")}
    for name in ("groupId", "artifactId", "version"):
        inherited = "" if parent is None else parent.findtext(f"{{*}}{name}", "")
        own[f"project.{name}"] = root.findtext(f"{{*}}{name}", inherited)
        own[f"project.parent.{name}"] = inherited
    pom = Pom(path, root, own, {})
    if parent is not None:
        near = (path.parent / parent.findtext("{*}relativePath", "../pom.xml")).resolve()
        near = near / "pom.xml" if near.is_dir() else near
        inside = near.is_file() and near.is_relative_to(top.resolve()) and near != path.resolve()
        place = near if inside else pom.read_artifact(parent).file(".pom", homes)
        above = read_pom(place, homes, top, below) if place else None
    if above:
        pom = replace(pom, properties={**above.properties, **own}, inherited=above.dependencies)
    managed = dict(above.managed) if above else {}
    for node in root.iterfind("{*}dependencyManagement/{*}dependencies/{*}dependency"):
        entry = pom.read_artifact(node)
        managed[entry.key] = entry.version
        if pom.value(node, "scope") == "import" and (bom := entry.file(".pom", homes)):
            managed |= read_pom(bom, homes, top, below).managed
    return replace(pom, managed=managed)


def read_poms(repository: Path, homes: Sequence[Path] = ()) -> Iterator[Pom]:
    """The project's pom.xml and those of its modules, in order; none where it has none."""
    waiting, top = [repository.resolve() / "pom.xml"], repository.resolve()
    for path in waiting:  # which grows
        if path.is_file():
            yield (pom := read_pom(path, homes, top))
            names = (n.text or "" for n in pom.root.iterfind("{*}modules/{*}module"))
            places = ((path.parent / name.strip() / "pom.xml").resolve() for name in names)
            waiting += [p for p in places if p.is_relative_to(top) and p not in waiting]


def source_folders(repository: Path, part: str) -> list[Path]:
    """Where the sources of each module are. part: "main" or "test"."""
    modules = [pom.path.parent for pom in read_poms(repository)] or [repository.resolve()]
    return [module / LAYOUT[part] for module in modules]


def source_encoding(repository: Path) -> str:
    """The encoding of the sources: the one that pom.xml states, or UTF-8."""
    pom = next(read_poms(repository), None)
    stated = pom.properties.get("project.build.sourceEncoding", "") if pom else ""
    return stated.strip() or "UTF-8"


def read_source(path: Path, code: str) -> str:
    """The text of a source; KitError where it is in another encoding."""
    try:
        return path.read_text(code)
    except (UnicodeDecodeError, LookupError) as error:
        raise KitError(
            f"{path} is not {code} ({error}). Give project.build.sourceEncoding in "
            "the properties of pom.xml."
        ) from None


def find_jars(repository: Path, given: Path | None, brought: Sequence[str]) -> list[Path]:
    """The jars that the project and its tests need; of a folder of jars, all that are in it.

    given: a local Maven repository or a folder of jars, asked before Debian's. brought: names of
    files that are on the class path already. Raises KitError where a dependency is nowhere; what
    a dependency itself needs is taken where it is.
    """
    homes = [home for home in (given, DEBIAN, JARS) if home]
    projects = list(read_poms(repository, homes))
    known = {pom.key(pom.root) for pom in projects}
    out = {p.name: p for p in sorted(given.glob("*.jar"))} if given and projects else {}
    direct = [d for pom in projects for d in pom.dependencies]
    waiting, missing = list(direct), []
    for wanted in waiting:  # which grows
        if wanted.key in known or f"{wanted.name}.jar" in brought:
            continue
        known.add(wanted.key)
        if path := wanted.file(".jar", homes):
            out[path.name] = path
            if place := replace(wanted, classifier="").file(".pom", homes):
                more = read_pom(place, homes, place.parent).dependencies
                waiting += [d for d in more if d.passed_on]
        elif wanted in direct:
            missing.append(f"{wanted.key}:{wanted.version}".rstrip(":"))
    if missing:
        raise KitError(
            f"{repository.name} needs {', '.join(missing)}, which is neither in --jars "
            f"nor in {DEBIAN} or {JARS}. Copy it into a folder; name that with --jars."
        )  # noqa: E501
    return list(out.values())
