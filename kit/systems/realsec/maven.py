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
# on every class path, in the order in which the archive of classes was made
BROUGHT = (
    "junit-jupiter-api.jar",
    "junit-jupiter-engine.jar",
    "junit-platform-commons.jar",
    "junit-platform-engine.jar",
    "junit-platform-launcher.jar",
    "opentest4j.jar",
    "apiguardian-api.jar",
    "sqlite-jdbc.jar",
    "junit-jupiter-params.jar",
    "junit-vintage-engine.jar",
    "junit4.jar",
    "hamcrest.jar",
)
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
            versions = [self.version]
            if home == DEBIAN or not self.version:
                versions += sorted((p.name for p in folder.glob("*")), reverse=True)
            places = [folder / v / f"{self.name}-{v}{end}" for v in versions]
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
        key = self.key(node)
        version = self.value(node, "version") or self.managed.get(key, "")
        if version.startswith(("[", "(")):
            version = ""
        classifier = self.value(node, "classifier")
        if self.value(node, "type") == "test-jar":
            classifier = "tests"
        is_needed = self.value(node, "scope") in ("", "compile", "runtime")
        is_optional = self.value(node, "optional") == "true"
        return Artifact(key, version, classifier, is_needed and not is_optional)

    @property
    def dependencies(self) -> tuple[Artifact, ...]:
        """The parents' and its own."""
        artifacts = list(self.inherited)
        for node in self.root.iterfind("{*}dependencies/{*}dependency"):
            if self.value(node, "type") != "pom":
                artifacts.append(self.read_artifact(node))
        return tuple(artifacts)


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
    parent = root.find("{*}parent")
    descent = (*below, path)
    properties = {}
    for node in root.iterfind("{*}properties/*"):
        properties[node.tag.rpartition("}")[2]] = node.text or ""
    for name in ("groupId", "artifactId", "version"):
        inherited = "" if parent is None else parent.findtext(f"{{*}}{name}", "")
        properties[f"project.{name}"] = root.findtext(f"{{*}}{name}", inherited)
        properties[f"project.parent.{name}"] = inherited
    pom = Pom(path, root, properties, {})
    managed: dict[str, str] = {}
    place = None if parent is None else _locate_parent(pom, parent, homes, top)
    if place:
        above = read_pom(place, homes, top, descent)
        merged = {**above.properties, **properties}
        pom = replace(pom, properties=merged, inherited=above.dependencies)
        managed |= above.managed
    for node in root.iterfind("{*}dependencyManagement/{*}dependencies/{*}dependency"):
        artifact = pom.read_artifact(node)
        managed[artifact.key] = artifact.version
        if pom.value(node, "scope") == "import":
            bom = artifact.file(".pom", homes)
            if bom:
                managed |= read_pom(bom, homes, top, descent).managed
    return replace(pom, managed=managed)


def _locate_parent(
    pom: Pom, parent: ElementTree.Element, homes: Sequence[Path], top: Path
) -> Path | None:
    """The file of the <parent>: its relativePath, if that is below `top`; else of `homes`."""
    near = (pom.path.parent / parent.findtext("{*}relativePath", "../pom.xml")).resolve()
    if near.is_dir():
        near /= "pom.xml"
    if near.is_file() and near.is_relative_to(top.resolve()) and near != pom.path.resolve():
        return near
    return pom.read_artifact(parent).file(".pom", homes)


def read_poms(repository: Path, homes: Sequence[Path] = ()) -> Iterator[Pom]:
    """The project's pom.xml and those of its modules, in order; none where it has none."""
    top = repository.resolve()
    waiting = [top / "pom.xml"]
    for path in waiting:  # which grows
        if not path.is_file():
            continue
        pom = read_pom(path, homes, top)
        yield pom
        modules = []
        for node in pom.root.iterfind("{*}modules/{*}module"):
            module = (path.parent / (node.text or "").strip() / "pom.xml").resolve()
            if module.is_relative_to(top) and module not in waiting:
                modules.append(module)
        waiting += modules


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


def _is_brought(artifact: Artifact) -> bool:
    """Whether it is on every class path already; JUnit 4 and Hamcrest have several artifacts."""
    is_old_junit = artifact.key == "junit:junit" or artifact.key.startswith("org.hamcrest:")
    return is_old_junit or f"{artifact.name}.jar" in BROUGHT


def find_jars(repository: Path, local: Path | None) -> list[Path]:
    """The jars that the project and its tests need; of a folder of jars, all that are in it.

    local: a Maven repository or a folder of jars, asked before Debian's. What is BROUGHT is left
    out. Raises KitError where a dependency is nowhere; what a dependency itself needs is taken
    where it is.
    """
    homes = [home for home in (local, DEBIAN, JARS) if home]
    projects = list(read_poms(repository, homes))
    resolved = {pom.key(pom.root) for pom in projects}
    jars: dict[str, Path] = {}
    if local and projects:
        jars = {path.name: path for path in sorted(local.glob("*.jar"))}
    direct: list[Artifact] = []
    for pom in projects:
        direct += pom.dependencies
    waiting = list(direct)
    missing = []
    for artifact in waiting:  # which grows
        if artifact.key in resolved or _is_brought(artifact):
            continue
        resolved.add(artifact.key)
        path = artifact.file(".jar", homes)
        if path:
            jars[path.name] = path
            place = replace(artifact, classifier="").file(".pom", homes)
            if place:
                indirect = read_pom(place, homes, place.parent).dependencies
                waiting += [d for d in indirect if d.passed_on]
        elif artifact in direct:
            missing.append(f"{artifact.key}:{artifact.version}".rstrip(":"))
    if missing:
        raise KitError(
            f"{repository.name} needs {', '.join(missing)}, which is neither in --jars "
            f"nor in {DEBIAN} or {JARS}. Copy it into a folder; name that with --jars."
        )
    return list(jars.values())
