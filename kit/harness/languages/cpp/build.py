"""C and C++ programs are compiled in a box of their own, once for each text; and their coverage."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from kit.core.languages import LANGUAGES
from kit.core.paths import cache_root, make_readable, replace_whole
from kit.core.records import Evidence, Status
from kit.harness import box_files
from kit.harness.languages.cpp import sanitized
from kit.sandbox.base import Limits, Sandbox

FLAGS = (  # unoptimised, a program that hashes in many rounds takes five times as long
    "-Og",
    "-fwrapv",
    "-g1",
    "-pipe",
    "-w",
    "-pthread",
    "-I.",
    "-I.kit",
    "-I/usr/include/libxml2",
)
COVERAGE = (
    "-fprofile-arcs",
    "-ftest-coverage",
    "-fprofile-info-section=kit_gcov",
    r"-fprofile-filter-files=main\.cpp$;main\.c$",
)
SANITIZED = (*sanitized.FLAGS, *sanitized.ALIKE, "-O0", "-fno-wrapv", "-fsanitize-recover=address")
LIMITS = Limits(
    wall_s=240, cpu_s=60, memory_mb=768, file_mb=64, disk_mb=160, output_kb=256, artefact_mb=64
)
# what a program includes -> what it is linked with, if it includes it
LIBRARIES = {
    "sqlite3.h": "-lsqlite3",
    "openssl/": "-lssl -lcrypto",
    "yaml-cpp/": "-lyaml-cpp",
    "yaml.h": "-lyaml",
    "libxml/": "-lxml2",
    "expat.h": "-lexpat",
    "unicode/": "-licui18n -licuuc -licudata",
    "httplib.h": "-lcpp-httplib",
    "archive": "-larchive",
    "jwt.h": "-ljwt",
    "curl/": "-lcurl",
    "zlib.h": "-lz",
    "crypt.h": "-lcrypt",
    "dlfcn.h": "-ldl",
}
RUNTIMES = {
    "kit_runtime.o": "kit_runtime.c",
    "kit_sinks.o": "kit_sinks.c",
    "kit_types.o": "kit_types.c",
    "kit_start": "kit_start.c",
}
LOADER = "/lib64/ld-linux-x86-64.so.2"  # starts a file that is not marked as a program
KEPT_MB = 200  # of the cache on disk
_WRAPPED = re.compile(r"^(?:WRAP\([^,]+, |EXEC\w*\()(\w+),", re.MULTILINE)
_ERROR = re.compile(
    r"^(?:\./)?main\.(?:cpp|c):(\d+):\d+: (?:fatal error|error|sorry, unimplemented): (.*)$",
    re.MULTILINE,
)
LACKING = re.compile(r"^[^\s:]+:\d+:\d+: fatal error: ([^:\n]+): No such file or directory", re.M)
_POISON = re.compile(r"^[ \t]*(?:#|%:)[ \t]*pragma[ \t]+GCC[ \t]+poison\b.*", re.M)
_OURS = re.compile(r"\bkit_\w|\bKIT_|_Pragma *\( *\"GCC poison")  # what only our half minds
_ANY = re.compile(r"^.*(?:error|undefined reference).*$", re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """A program, or why there is none: its own fault (compile error) or ours (harness error)."""

    program: bytes = b""
    notes: bytes = b""  # gcov's description of the program
    status: Status = Status.COMPLETED
    why: str = ""  # of a program that was made: why sanitizers do not see all that it does


@lru_cache(maxsize=32)
def compile_with_glue(
    key: box_files.Key,
    language: str,
    code: str,
    glue: str,
    includes: frozenset[str],
    records: str = "",
) -> Built:
    """The program of this text and glue, from memory, from disk, or from the compiler.

    records: what reaches its sinks ("sinks"), and what sanitizers report as well ("memory").
    """
    place = place_of(key, language, code, glue, records)
    if built := load_result(place):
        return built
    if records == "memory":
        require_sanitizers(key)
    compiler = LANGUAGES[language].command
    program = LANGUAGES[language].program
    program_files = {program: code.encode(errors="replace")}
    line_alone = [*compiler, *FLAGS, "-fsyntax-only", program]
    permissive = _POISON.sub("", code)
    if permissive != code:  # our half may use what the program forbids itself
        alone = run_compiler(key.box, line_alone, program_files)
        if alone.exit_code != 0:
            return _attribute_failure(alone, alone, code)
        program_files = {program: permissive.encode(errors="replace")}
    files = dict(program_files)
    for name in ("kit_runtime.h", "kit_call.h", "kit_value.hpp"):
        files[f".kit/{name}"] = box_files.read_source(name)
    objects = _list_objects(language, records)
    files |= {name: compile_runtime(key, name) for name in objects}
    glue_file = program.replace("main", "glue")
    files[glue_file] = glue.encode(errors="replace")
    line = [*compiler, *FLAGS, *COVERAGE, glue_file, *objects, *_list_flags(records)]
    libraries = _list_libraries(includes)
    result = run_compiler(key.box, [*line, "-o", "main", *libraries, "-lm", "-lgcov"], files)
    rest_s = LIMITS.cpu_s - result.cpu_s  # one budget for both
    if result.exit_code == 0 and "main" in result.files:
        doubt = find_unseen(key, line, files, program, result.err) if records == "memory" else ""
        notes = [data for name, data in result.files.items() if name.endswith(".gcno")]
        built = Built(result.files["main"], notes[0] if notes else b"", why=doubt)
    elif result.status is Status.TIMEOUT or rest_s < 1 or "CPU time limit" in result.err:
        built = Built(status=Status.COMPILE_ERROR, why="The program takes too long to compile.")
    else:
        alone = run_compiler(key.box, line_alone, program_files, replace(LIMITS, cpu_s=rest_s))
        built = _attribute_failure(result, alone, code)
    if built.status is not Status.HARNESS_ERROR:  # which may not last
        store_result(place, built)
    return built


def _list_objects(language: str, records: str) -> list[str]:
    """The parts of our half that a program is linked with."""
    objects = ["kit_runtime.o"]
    if records:
        objects.append("kit_sinks.o")
    if language == "c":
        objects.append("kit_types.o")
    return objects


def _list_flags(records: str) -> list[str]:
    """What the compiler is told for the records that are asked for."""
    if not records:
        return []
    source = box_files.read_source("kit_sinks.c").decode()
    flags = [f"-Wl,--wrap={name}" for name in _WRAPPED.findall(source)]
    flags.append("-fno-builtin")  # else the compiler replaces calls that are watched
    if records == "memory":
        flags += SANITIZED
    return flags


def _list_libraries(includes: frozenset[str]) -> list[str]:
    libraries: list[str] = []
    for head, options in LIBRARIES.items():
        if any(name.startswith(head) for name in includes):
            libraries += options.split()
    return libraries


def run_compiler(
    box: Sandbox, line: list[str], files: Mapping[str, bytes], limits: Limits = LIMITS
) -> Evidence:
    """A run of the compiler in a box of its own; BoxFailed where the box itself failed.

    So it is where the machine was too busy to give the compiler its time.
    """
    result = box.run(line, files=files, limits=limits, observe=False)
    if result.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(result.note)
    if result.status is Status.TIMEOUT and result.wall_s >= limits.wall_s:
        raise box_files.BoxFailed(
            f"The compiler got {result.cpu_s:.0f} s of {result.wall_s:.0f} s."
        )
    return result


def find_unseen(
    key: box_files.Key, line: list[str], files: Mapping[str, bytes], program: str, linked: str
) -> str:
    """Why the sanitizers may not see all of a program that this line compiles, or ""."""
    result = run_compiler(key.box, [*line, "-E", "-o", "expanded"], files)
    expanded = result.files.get("expanded", b"").decode(errors="replace")
    return sanitized.find_escape(program, files[program].decode(errors="replace"), expanded, linked)


@lru_cache(maxsize=4)
def require_sanitizers(key: box_files.Key) -> list[tuple[str, str, str]]:
    """Kind, target and mode of what the sanitizers' runtime does for itself in an empty program.

    BoxFailed, with the mend, where not even that starts.
    """
    text = b"""int main(void) { return 0; }
const char *__asan_default_options(void) { return "detect_leaks=0"; }"""
    line = [*LANGUAGES["c"].command, *sanitized.FLAGS, "main.c", "-o", "main"]
    result = run_compiler(key.box, line, {"main.c": text})
    if program := result.files.get("main"):
        result = key.box.run([LOADER, "/box/main"], files={"main": program}, limits=LIMITS)
    if result.exit_code != 0:
        reason = result.err.partition("\n")[0]
        raise box_files.BoxFailed(
            f"AddressSanitizer does not start in the sandbox: {reason}. Lift limits on the address "
            "space (ulimit -v unlimited; sysctl vm.overcommit_memory=0)."
        )
    events = [event for event in result.events if event.kind == "exec" or event.mode == "r"]
    return [(event.kind, event.target, event.mode) for event in events]


def _attribute_failure(whole: Evidence, alone: Evidence, code: str) -> Built:
    """Whose fault it is: the program's if it does not compile or link by itself."""
    if lacking := LACKING.search(alone.err):
        reason = box_files.not_installed(lacking[1], "includes")
        return Built(status=Status.HARNESS_ERROR, why=reason)
    by_compiler = "main." in alone.err or "internal compiler error" in alone.err
    if alone.status is Status.COMPLETED and alone.exit_code and not by_compiler:
        raise box_files.BoxFailed(f"The compiler did not run: {alone.err.strip()[:200]}")
    if alone.exit_code != 0:
        return Built(status=Status.COMPILE_ERROR, why=_describe_error(alone))
    if "undefined reference" in whole.err or "multiple definition" in whole.err:
        return Built(status=Status.COMPILE_ERROR, why=_describe_error(whole))
    if _OURS.search(code):
        reason = "The program does not compile beside a caller: it takes its names (kit_...)."
        return Built(status=Status.COMPILE_ERROR, why=reason)
    reason = f"The call could not be compiled: {_find_error(whole)}"
    return Built(status=Status.HARNESS_ERROR, why=reason[:300])


def _describe_error(result: Evidence) -> str:
    if error := _ERROR.search(result.err):
        return f"The program does not compile in line {error[1]}: {error[2]}."
    return f"The program does not compile: {_find_error(result)[:200]}."


def _find_error(result: Evidence) -> str:
    first = _ANY.search(result.err)
    return first[0] if first else str(result.status)


@lru_cache(maxsize=4)
def compile_runtime(key: box_files.Key, name: str) -> bytes:
    """What is the same for all programs: *.o, a part of them; kit_start, which starts them."""
    place = place_of(key, name, "", "")
    if built := load_result(place):
        return built.program
    source = RUNTIMES[name]
    sources = (source, "kit_runtime.h", "kit_call.h")
    files = {part: box_files.read_source(part) for part in sources}
    output = ["-c"] if name.endswith(".o") else ["-o", name]
    result = run_compiler(key.box, [*LANGUAGES["c"].command, "-O1", source, *output], files)
    if name not in result.files:
        raise box_files.BoxFailed(f"The harness's own C did not compile: {result.err[:200]}")
    store_result(place, Built(result.files[name]))
    return result.files[name]


@lru_cache(maxsize=32)
def find_covered_lines(key: box_files.Key, notes: bytes, counters: bytes) -> tuple[int, ...]:
    """The lines of the program that ran, by gcov in a box."""
    files = {"glue.gcno": notes, "glue.gcda": counters}
    line = ["/usr/bin/gcov", "--relative-only", "--json-format", "--stdout", "glue.gcda"]
    limits = Limits(wall_s=10, output_kb=8192)
    result = key.box.run(line, files=files, limits=limits, observe=False)
    try:
        sources = json.loads(result.stdout)["files"]
    except (ValueError, KeyError, RecursionError):
        return ()
    covered = set[int]()
    for source in sources:
        if source["file"] in ("main.cpp", "main.c"):
            for entry in source["lines"]:
                if entry["count"] > 0:
                    covered.add(entry["line_number"])
    return tuple(sorted(covered))


def place_of(key: box_files.Key, *parts: str) -> Path:
    """Where on disk the result of these texts is kept, or would be."""
    text = "\0".join([key.box.identity, box_files.hash_module_sources(__name__), *parts])
    return cache_root() / "compiled" / hashlib.sha256(text.encode(errors="replace")).hexdigest()


def load_result(place: Path) -> Built | None:
    """A result on disk: a line of JSON, then the program, then gcov's notes."""
    try:
        head, _, rest = place.read_bytes().partition(b"\n")
        facts = json.loads(head)
        cut = facts["size"]
    except (OSError, ValueError, KeyError):
        return None
    place.touch()
    return Built(rest[:cut], rest[cut:], Status(facts["status"]), facts["why"])


def store_result(place: Path, built: Built) -> None:
    """Written beside and renamed, so that nobody reads a half; a cache that cannot be is none."""
    head = {"size": len(built.program), "status": built.status, "why": built.why}
    try:
        make_readable(place.parent)
        _trim_cache(place.parent)
        replace_whole(place, json.dumps(head).encode() + b"\n" + built.program + built.notes)
    except OSError:
        return


def _trim_cache(folder: Path) -> None:
    """The oldest results go once the cache is full."""
    entries = sorted((p.stat().st_mtime, p.stat().st_size, p) for p in folder.iterdir())
    excess = sum(size for _, size, _ in entries) - (KEPT_MB << 20)
    for _, size, path in entries:
        if excess <= 0:
            return
        path.unlink(missing_ok=True)
        excess -= size
