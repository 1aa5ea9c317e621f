"""The harness's files in a sandbox: what it places, what starts them, and how results return."""

import json
import marshal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import ROOT
from kit.core.records import Status
from kit.core.versions import version_of
from kit.sandbox.base import Limits, Sandbox

(PYTHON,) = LANGUAGES["python"].command
FOLDER = ".kit"
INBOX = "kit/harness/inbox"
LANGUAGE_FOLDERS = "kit/harness/languages"
MARSHAL = 4  # the format of marshal that every Python since 3.4 reads
_COMPILE = f"""
import compileall, json, sys
compileall.compile_dir("{FOLDER}", ddir="/box/{FOLDER}", legacy=True, quiet=2)
print(json.dumps([path for path in sys.path if path.endswith("-packages")]))
"""
NOT_INSTALLED = "which is not installed in the box"
DEPTH = 100  # of a message that is read
_NO_NUMBERS = {  # what stands for the numbers that JSON has not
    "NaN": {"__float__": "nan"},
    "Infinity": {"__float__": "inf"},
    "-Infinity": {"__float__": "-inf"},
}
SINKS = (
    "sql",
    "shell",
    "code",
    "template",
    "yaml",
    "path",
    "xml",
    "xpath",
    "pickle",
    "hash",
    "random",
)
_DOUBTS = {
    "cut": "more reached its sinks than is kept",
    "fork": "it went on in a second process or thread that nobody vouches for",
    "beyond": "it reached into the interpreter, past the recorder",
}


def runner_command(runner: str, *options: str) -> list[str]:
    """The command that starts a runner."""
    return [PYTHON, *options, f"{FOLDER}/{runner}"]


def job(box: Sandbox, runner: str, content: Mapping[str, Any]) -> dict[str, bytes]:
    """The runner's files, compiled, and its job; expected outputs never come here.

    Raises BoxFailed where the box could not compile them.
    """
    started = {runner}
    modules = {"kit_channel.py", "kit_encode.py"}
    if runner == "kit_drive.py":
        started.add("kit_script.py")
        modules.add("kit_child.py")
    if content.get("view"):
        modules.add("kit_request.py")
    if content.get("sinks"):
        modules.add("kit_sinks.py")
    bytecode, packages = compile_runners(Key(box))
    # What is started keeps its name: Python knows compiled text by its first bytes.
    files = {f"{FOLDER}/{name}": bytecode[name] for name in started}
    files |= {f"{FOLDER}/{name}c": bytecode[name] for name in modules}
    return files | {f"{FOLDER}/job": pack_job({**content, "packages": packages})}


def prepare_files_and_job(names: Iterable[str], content: Mapping[str, Any]) -> dict[str, bytes]:
    """The named files of the harness and a job, as they lie in the box."""
    files = {f"{FOLDER}/{name}": read_source(name) for name in sorted(names)}
    if any(name.endswith(".py") for name in files):
        files[f"{FOLDER}/job"] = pack_job(content)
    return {**files, f"{FOLDER}/job.json": json.dumps(content).encode()}


def pack_job(content: Any) -> bytes:
    """A job for Python, which would take longer to load the reader of JSON than to do its work."""
    return marshal.dumps(json.loads(json.dumps(content)), MARSHAL)


@lru_cache
def compile_runners(key: "Key") -> tuple[dict[str, bytes], list[str]]:
    """Our Python files compiled by the interpreter of the box, and where it looks for packages."""
    names = sorted(path.name for path in (ROOT / INBOX).glob("kit_*.py"))
    files = {f"{FOLDER}/{name}": read_source(name) for name in names}
    evidence = key.box.run([PYTHON, "-c", _COMPILE], files=files, limits=Limits(), observe=False)
    bytecode = {}
    for name in names:
        compiled = evidence.files.get(f"{FOLDER}/{name}c")
        if compiled is not None:
            bytecode[name] = compiled
    if evidence.status is not Status.COMPLETED or len(bytecode) < len(names):
        reason = evidence.note or evidence.err or evidence.status
        raise BoxFailed(f"Our files were not compiled in the box: {reason}")
    return bytecode, json.loads(evidence.out)


@cache
def read_source(name: str) -> bytes:
    """The text of one of the files that go into a box."""
    paths = [ROOT / folder / name for folder in list_inboxes()]
    (path,) = [path for path in paths if path.exists()]
    return path.read_bytes()


@cache
def list_inboxes() -> tuple[str, ...]:
    """The folders with files that go into a box: our runners, and what each language brings."""
    folders = [INBOX]
    for path in sorted((ROOT / LANGUAGE_FOLDERS).iterdir()):
        if path.is_dir() and path.name[0] != "_":
            folders.append(f"{LANGUAGE_FOLDERS}/{path.name}")
    return tuple(folders)


def hash_module_sources(module: str) -> str:
    """A hash over what a module of the harness uses: a changed harness meets no old result."""
    return version_of(module, within=("kit.harness", "kit.core.languages"), placed=list_inboxes())


class BoxFailed(KitError):
    """Our own box did not run; raised so that a cache does not remember the failure."""


class Key:
    """A sandbox as a cache key: equal tiers give equal results."""

    def __init__(self, box: Sandbox) -> None:
        self.box = box

    def __hash__(self) -> int:
        return hash(self.box.identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.box.identity == self.box.identity


def not_installed(name: str, verb: str = "imports") -> str:
    """The sentence about a library that a program needs and the box does not have."""
    return f"The program {verb} {name}, {NOT_INSTALLED}."


@dataclass(frozen=True)
class Answers:
    """What came: covered lines in order, and every object that could be read."""

    lines: tuple[int, ...] = ()
    objects: tuple[Mapping[str, Any], ...] = ()

    def part(self, key: str) -> Mapping[str, Any]:
        """The object under `key` in the last object that has it; empty if it is none."""
        part = self.last(key).get(key)
        return part if isinstance(part, dict) else {}

    def last(self, key: str) -> Mapping[str, Any]:
        """The last complete object that has `key`; empty if none has."""
        for message in self.objects[::-1]:
            if key in message:
                return message
        return {}


def read_answers(data: bytes) -> Answers:
    """Whatever can be read of a channel; a broken, cut or too deep line is left out."""
    lines = set[int]()
    objects = []
    for message in _parse_messages(data):
        if isinstance(message, dict):
            objects.append(message)
        elif type(message) is int and 0 < message < 1_000_000:  # no bool
            lines.add(message)
    return Answers(tuple(sorted(lines)), tuple(objects))


def _parse_messages(data: bytes) -> Iterator[Any]:
    for line in data.decode(errors="replace").split("\n"):
        try:
            message = json.loads(line, parse_constant=_NO_NUMBERS.get)
        except (ValueError, RecursionError):
            continue
        if not _is_too_deep(message):
            yield message


def _is_too_deep(value: Any, depth: int = 0) -> bool:
    if depth >= DEPTH:
        return True
    if isinstance(value, dict):
        return any(_is_too_deep(part, depth + 1) for part in value.values())
    return isinstance(value, list) and any(_is_too_deep(part, depth + 1) for part in value)


def read_exception(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an Observed that describe an exception; empty texts where there is none."""
    bases = answer.get("bases", ())
    return {
        "exception": str(answer.get("exception", "")),
        "bases": tuple(map(str, bases)) if isinstance(bases, (list, tuple)) else (),
        "message": str(answer.get("message", "")),
        "own": answer.get("own") is True,
    }


def reached_sinks(objects: Sequence[Mapping[str, Any]], *, served: bool) -> dict[str, Any]:
    """{"recorded": sinks, "unseen": sinks, "reached": [[sink, text, words], ...], "doubts": [...]}.

    objects: of the channel. The first record was written before the program ran and holds a word
    that all records of the recorder bear. served: the program is a server, whose driver adds a
    record once it has passed on everything and stopped it. unseen: sinks that are recorded in part.
    doubts: reasons for which something that reached a sink may be missing.
    """
    records = [record for record in objects if "sink" in record]
    own_records = _list_own_records(records)
    if not own_records:
        doubts = ["the recorder did not begin"]
        return {"recorded": [], "unseen": [], "reached": [], "doubts": doubts}
    recorded = own_records[0]["words"]  # "memory": what sanitizers report
    unseen = []
    reached = []
    for record in own_records:
        if record["sink"] == "unseen":
            unseen.append(record["text"])
        if record["sink"] in recorded:
            reached.append([record["sink"], record["text"], record["words"]])
    names = {record["sink"] for record in own_records}
    stopped = served and {"sink": "stopped"} in records
    doubts = [sentence for name, sentence in _DOUBTS.items() if name in names]
    if len(own_records) + stopped < len(records):
        doubts.append("records of another hand are among them")
    numbers = sorted(record["n"] for record in own_records)  # processes of one program may mix
    if numbers != list(range(len(own_records))):
        doubts.append("records are missing")
    if "end" not in names and not stopped:
        doubts.append("the records break off, or the recorder was changed")
    return {"recorded": recorded, "unseen": unseen, "reached": reached, "doubts": doubts}


def _list_own_records(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The complete records that bear the word of the first one, which must tell the beginning."""
    if not records or records[0]["sink"] != "begin" or records[0].get("word") is None:
        return []
    own_records = []
    for record in records:
        words = record.get("words")
        has_word = record.get("word") == records[0]["word"]
        if has_word and isinstance(record.get("n"), int) and isinstance(words, list):
            texts = (record["sink"], record.get("text"), *words)
            if all(isinstance(text, str) for text in texts):
                own_records.append(record)
    return own_records


def list_receipts(objects: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What the servers of a box told, in order, up to where one is missing.

    The first was told before the program began; all that bear its word are the servers' own.
    """
    word = None
    receipts: list[Mapping[str, Any]] = []
    for message in objects:
        if "receipt" in message and word is None:
            word = message.get("word", "")
        if word and message.get("word") == word and message.get("n") == len(receipts):
            receipts.append(message)
    return receipts
