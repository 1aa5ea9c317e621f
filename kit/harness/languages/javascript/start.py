"""Starts a JavaScript program once, the way its plan says."""

import re
from collections.abc import Mapping
from functools import lru_cache

from kit import harness
from kit.harness import box_files, calls
from kit.harness.calls import Call
from kit.harness.languages.facts import Facts
from kit.harness.languages.javascript import read
from kit.harness.plan import Plan
from kit.languages import LANGUAGES, Language
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

(NODE,) = LANGUAGES["javascript"].command
LIBRARIES = "/usr/share/nodejs:/usr/lib/nodejs:/usr/lib/x86_64-linux-gnu/nodejs"
ENVIRONMENT = {"NODE_PATH": LIBRARIES, "NODE_NO_WARNINGS": "1"}
MISSING = [
    NODE, "-e", "const gone = process.argv.slice(1).filter(n => { try { require.resolve(n); "
    "return false } catch { return true } }); console.log(JSON.stringify(gone))",
]  # fmt: skip
_CALL = ("kit_call.cjs", "kit_channel.cjs", "kit_encode.cjs", "kit_page.cjs")
_SCRIPT = ("kit_script.cjs", "kit_channel.cjs")
_DRIVE = ("kit_drive.py", "kit_channel.py", "kit_child.py", *_SCRIPT)
_SINKS = "kit_sinks.cjs"
_AT = re.compile(r"main\.m?js:(\d+)\n")
_SAID = re.compile(r"^((?:Syntax|Range)Error: .*)$", re.MULTILINE)


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    if error := _refused(box_files.Key(box), code, language):
        return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=error)
    return harness.started(box, task, test, code, language, read=read, start=_start)


@lru_cache(maxsize=256)
def _refused(key: box_files.Key, code: str, language: Language) -> str:
    """Why Node does not compile the program, in a sentence, or ""."""
    try:
        name = _name(read(code), language)
    except SyntaxError as error:
        return f"The program does not compile: {error.msg}."
    files = {name: code.encode(errors="replace")}
    result = key.box.run([NODE, "--check", name], files=files, env=ENVIRONMENT, observe=False)
    if result.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(result.note)
    if result.exit_code == 0:
        return ""
    message, line = _SAID.search(result.err), _AT.search(result.err)
    if result.status is Status.COMPLETED and not message:
        raise box_files.BoxFailed(f"Node did not run: {result.err.strip()[:200]}")
    where = f" in line {line[1]}" if line else ""
    return f"The program does not compile{where}: {message[1] if message else result.status}."


def _name(facts: Facts, language: Language) -> str:
    """What the program is called in the box: Node tells an ES module by its name."""
    return "main.mjs" if facts.modules else language.program


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    facts = chosen.facts
    name = _name(facts, language)
    job = {**call.job, "program": name, "via": facts.modules, "lines": code.count("\n") + 1}
    if call.entry_kind == "call":
        target = call.job["target"][0]
        shared = target in facts.exports  # else it is looked for in the script's own scope
        job["exported"] = facts.exports.get(target, target)
        job["via"] = facts.modules or ("require" if shared else "scope")
        job |= calls.positional(chosen, call.job)
        if facts.modules and not shared:
            code = f"{code}\nexport {{ {target} }};\n"
        job |= _page(chosen, call)
    elif call.job.get("app"):
        app = call.job["app"]
        job["app"] = {**app, "exported": facts.exports.get(app["name"], "")}
    runner = f"{box_files.FOLDER}/kit_script.cjs"
    if call.entry_kind == "serve":
        job["command"] = [NODE, runner, "{sink}", "{port}"]
    names = {"call": _CALL, "script": _SCRIPT, "serve": _DRIVE}[call.entry_kind]
    names = (*names, _SINKS) if job.get("sinks") else names
    command = [NODE, f"{box_files.FOLDER}/{names[0]}"]
    if call.entry_kind == "serve":
        command = box_files.argv(names[0])
    files = {
        **call.files,
        name: code.encode(),
        **box_files.placed(names, job, folders=call.folders),
    }
    command = [*call.environment.before, *command]
    return box.run(
        command, files=files, stdin=call.stdin, env=ENVIRONMENT, **call.environment.options
    )


def _page(chosen: Plan, call: Call) -> dict[str, str]:
    """The page for a function that takes no text of its own where the input is a page's text."""
    function, value = chosen.function, call.value
    asked = isinstance(value, Mapping) and isinstance(value.get("html"), str)
    if not asked or function is None or any("html" in p.lower() for p in function.params):
        return {}
    return {"page": value["html"]}
