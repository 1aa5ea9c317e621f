"""JavaScript: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from tree_sitter import Node

from kit import harness
from kit.core.languages import LANGUAGES, Language
from kit.core.records import Evidence, Status, Task, Test
from kit.harness import box_files, calls, looking
from kit.harness.calls import Call
from kit.harness.facts import Class, Facts, Function, Look, Route
from kit.harness.languages import tree
from kit.harness.languages.javascript.nodes import (
    BUILTIN,
    CLASSES,
    FUNCTIONS,
    LITERALS,
    WORDS,
    find_library,
    first_argument,
    is_guarded,
    list_bound,
    list_declared,
    read_callee,
    read_constructor,
    read_function,
    read_string,
)
from kit.harness.languages.tree import field_text, node_text, select_nodes, walk
from kit.harness.plan import Plan, Unmappable
from kit.harness.shape import OPTION, VERBS, may_take
from kit.sandbox.base import Sandbox

LARGEST = 1_000_000  # characters
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
_QUIET = frozenset(
    "comment hash_bang_line import_statement export_statement empty_statement".split()
) | (FUNCTIONS | CLASSES | _VARIABLES)
_APPS = frozenset({"express", "Koa", "koa", "fastify", "Fastify", "http.createServer"})
_HANDLES = re.compile(r"\(\s*req(uest)?\s*,\s*res(ponse)?\b")
_VERBS = {*map(str.lower, VERBS), "all"}
_REQUIRED = re.compile(r"""require\(\s*['"`]([^'"`]+)['"`]\s*\)""")
_IMPORT = re.compile(
    r"""(?:import\s([^'"`;]{1,400})\sfrom|([\w$]+|\{[^}]{1,400}\})\s*=\s*require\()"""
    r"""\s*['"`]([^'"`]+)"""
)
_IMPORTED = re.compile(r"([\w$*]+)(?:\s*(?::|\bas\b)\s*([\w$]+))?")  # a name, and its new one
_PACKAGE = re.compile(r"@[\w.-]+/[\w.-]+|(?:node:)?[\w.-]+")
_ARGV = frozenset({"commander", "yargs", "minimist", "meow", "optimist", "parseArgs"})
(NODE,) = LANGUAGES["javascript"].command
LIBRARIES = "/usr/share/nodejs:/usr/lib/nodejs:/usr/lib/x86_64-linux-gnu/nodejs"
ENVIRONMENT = {"NODE_PATH": LIBRARIES, "NODE_NO_WARNINGS": "1"}
MISSING = [
    NODE,
    "-e",
    "const gone = process.argv.slice(1).filter(n => { try { require.resolve(n); "
    "return false } catch { return true } }); console.log(JSON.stringify(gone))",
]
BEYOND = re.compile(r"process\s*(?:\.\s*(?:_linkedB|b)inding|\[)|internalBinding")  # past recorders
_DRIVER = ("kit_drive.py", "kit_channel.py", "kit_child.py")
_CHANNEL, _LOAD = "kit_channel.cjs", "kit_load.cjs"
_PARTS = {  # of the one file that Node is started with, in their order
    "look": (_CHANNEL, _LOAD, "kit_look.cjs"),
    "call": (_CHANNEL, _LOAD, "kit_encode.cjs", "kit_call.cjs"),
    "script": (_CHANNEL, "kit_script.cjs"),
    "serve": (_CHANNEL, "kit_script.cjs"),
}
_OPTIONAL_PARTS = {"page": "kit_page.cjs", "sinks": "kit_sinks.cjs"}  # what a job may ask for
_STARTED = f"{box_files.FOLDER}/kit_start.cjs"
_LOADED = frozenset({"fs", "path", "util", "events", "url", "os"})  # before a program begins
# Behind the text of a program: who loads it can ask what the names of its top level stand for.
_LISTEN = "\n;globalThis[Symbol.for('kit.scope')]?.((kitName) => eval(kitName));\n"
_LINE = re.compile(r"main\.m?js:(\d+)\n")
_MESSAGE = re.compile(r"^((?:Syntax|Range)Error: .*)$", re.MULTILINE)


@lru_cache(maxsize=256)
def read(code: str) -> Facts:
    """The facts of a program; what the grammar does not know is passed over."""
    if len(code) > LARGEST:
        raise SyntaxError(f"the program has {len(code)} characters, more than {LARGEST}")
    return _JavaScriptReader(tree.parse(code, "javascript")).read_facts()


class _JavaScriptReader:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.top = root.named_children
        self.nodes = list(walk(root))
        self.calls = select_nodes(self.nodes, "call_expression", "new_expression")
        self.called = set(map(read_callee, self.calls))
        self.tails = {name.rpartition(".")[2] for name in self.called}
        self.texts = frozenset(map(node_text, select_nodes(self.nodes, "string_fragment")))
        self.members = select_nodes(self.nodes, "member_expression")
        short = (n for n in self.members if n.end_byte - n.start_byte < 100)  # no long chains
        self.dotted = set(map(node_text, short))
        self.modules = set[str]()  # libraries that it imports
        self.needs = set[str]()  # packages of those that it does not go on without
        for node in self.nodes:
            if name := find_library(node):
                self.modules.add(name)
                package = _PACKAGE.match(name)
                if package and name not in BUILTIN and not is_guarded(node):
                    self.needs.add(package[0])

    def read_facts(self) -> Facts:
        modules = frozenset(self.modules)
        tops = [node.child_by_field_name("declaration") or node for node in self.top]
        words = select_nodes(self.nodes, *WORDS)
        return Facts(
            imports=modules - BUILTIN,
            routes=tuple(self.find_routes()),
            options=tuple(filter(OPTION.fullmatch, sorted(self.texts))),
            request_reads=frozenset(self.find_request_reads()),
            upload_names=tuple(self.find_uploads()),
            texts=self.texts,
            serves=self.find_server(),
            reads_stdin=self.reads_stdin(),
            reads_argv=bool({"process.argv"} & self.dotted or _ARGV & (modules | self.tails)),
            declared=frozenset(chain.from_iterable(map(list_declared, tops))),
            modules="import" if self.is_module() else "",
            runs=any(map(_has_effect, self.top)),
            binds=any(map(_binds_values, tops)),
            bound=frozenset(list_bound(words)),
            takes=may_take(map(node_text, words)),
            needs=frozenset(self.needs),
            interfaces=self.find_interfaces,
        )

    def find_server(self) -> str:
        if _APPS & self.called:
            return "http"
        if any(_HANDLES.match(field_text(node, "parameters")) for node in self.nodes):
            return "http"
        if not any(name.endswith(".listen") for name in self.called):
            return ""
        is_raw = bool({"net.createServer", "net.Server"} & self.called)
        speaks_http = any("HTTP/1" in text for text in self.texts)
        return "socket" if is_raw and not speaks_http else "http"

    def find_interfaces(self) -> Iterator[str]:
        meaning: dict[str, str] = {}
        for match in _IMPORT.finditer(node_text(self.root)):
            module = match[3]
            clause = match[1] or match[2]
            for name, alias in _IMPORTED.findall(clause):
                meaning[alias or name] = f"{module}.{name}" if "{" in clause else module
            yield module
        for path in map(read_callee, self.calls):
            head, dot, rest = path.partition(".")
            if head in meaning and re.fullmatch(r"[\w$.]+", path):
                yield meaning[head] + dot + rest

    def is_module(self) -> bool:
        """ES module: import, export, or await outside of functions."""
        if select_nodes(self.top, "import_statement", "export_statement"):
            return True
        waits = select_nodes(self.nodes, "await_expression")
        return not all(tree.has_ancestor(node, FUNCTIONS) for node in waits)

    def find_routes(self) -> Iterator[Route]:
        for call in self.calls:
            verb = field_text(call.child_by_field_name("function"), "property")
            path = read_string(first_argument(call))
            if verb in _VERBS and path.startswith("/"):
                methods = ("GET", "POST") if verb == "all" else (verb.upper(),)
                yield Route(path, methods, "")

    def find_request_reads(self) -> Iterator[str]:
        searched = any(field_text(member, "property") == "searchParams" for member in self.members)
        if searched or {"req.query", "request.query"} & self.dotted:
            yield "args"
        bodies = {"req.body", "request.body", "ctx.request.body"} & self.dotted
        if bodies or "JSON.parse" in self.called:
            yield "form" if "urlencoded" in self.tails and "json" not in self.tails else "json"

    def find_uploads(self) -> Iterator[str]:
        """Names of fields in which multer expects files."""
        for call in self.calls:
            name = read_string(first_argument(call))
            if name and read_callee(call).endswith((".single", ".array")):
                yield name

    def reads_stdin(self) -> bool:
        if "process.stdin" in self.dotted or "/dev/stdin" in self.texts:
            return True
        for call in self.calls:
            if read_callee(call).endswith(("readFileSync", "readSync")):
                if node_text(first_argument(call)) in ("0", "process.stdin.fd"):
                    return True
        return False


def _binds_values(statement: Node) -> bool:
    """Whether a statement of the top level gives a name to what is no literal."""
    for declarator in statement.named_children:
        value = declarator.child_by_field_name("value")
        if value is not None and value.type not in LITERALS:
            return True
    return False


def _has_effect(node: Node) -> bool:
    """Whether a statement of the top level does something but declare and export."""
    if node.type in _QUIET:
        return False
    if node.type != "expression_statement" or not node.named_children:
        return True
    inner = node.named_children[0]
    target = field_text(inner, "left")
    is_quiet = target.startswith(("module.exports", "exports.")) or ".prototype." in target
    return inner.type != "string" and not is_quiet


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    if error := _find_compile_error(box_files.Key(box), code):
        return Evidence(Status.COMPILE_ERROR, isolation=box.name, note=error)
    return harness.plan_and_run_test(
        box, task, test, code, language, read=read, start=_start_program, look=look
    )


def look(box: Sandbox, task: Task, code: str, text: Facts) -> Facts:
    files = _prepare_files("look", code, text, looking.build_job(task, text), scoped=True)
    command = [NODE, _STARTED]
    return looking.add_callables(box, task, text, command, files, read=_parse_look, env=ENVIRONMENT)


def _parse_look(answer: Mapping[str, Any]) -> Look:
    """What the box saw: JavaScript tells the parameters of a function by its text alone.

    A program may have written the answer: whatever it names is a text.
    """

    def parse_function(one: Mapping[str, Any], path: Iterable[str] | None) -> Function:
        return read_function(str(one["name"]), path, str(one["text"]))

    functions = [parse_function(one, map(str, one["path"])) for one in answer["functions"]]
    classes = []
    for one in answer["classes"]:
        name = str(one["name"])
        path = tuple(map(str, one["path"]))
        init = read_constructor(name, path, map(str, one["texts"]))
        methods = {str(method["name"]): parse_function(method, None) for method in one["methods"]}
        classes.append(Class(name, init, methods, path=path))
    scoped = frozenset(map(str, answer["scoped"]))
    return Look(tuple(functions), tuple(classes), str(answer["ended"]), scoped)


@lru_cache(maxsize=256)
def _find_compile_error(key: box_files.Key, code: str) -> str:
    """Why Node does not compile the program, in a sentence, or ""."""
    try:
        name = _program_file_name(read(code))
    except SyntaxError as error:
        return f"The program does not compile: {error.msg}."
    files = {name: code.encode(errors="replace")}
    result = key.box.run([NODE, "--check", name], files=files, env=ENVIRONMENT, observe=False)
    if result.status is Status.INFRA_ERROR:
        raise box_files.BoxFailed(result.note)
    if result.exit_code == 0:
        return ""
    message = _MESSAGE.search(result.err)
    if result.status is Status.COMPLETED and not message:
        raise box_files.BoxFailed(f"Node did not run: {result.err.strip()[:200]}")
    line = _LINE.search(result.err)
    where = f" in line {line[1]}" if line else ""
    return f"The program does not compile{where}: {message[1] if message else result.status}."


def _program_file_name(facts: Facts) -> str:
    """What the program is called in the box: Node tells an ES module by its name."""
    return "main.mjs" if facts.modules else LANGUAGES["javascript"].program


def _start_program(
    box: Sandbox, chosen: Plan, call: Call, code: str, _language: Language
) -> Evidence:
    facts = chosen.facts
    job = dict(call.job)
    scoped = False
    if call.entry_kind == "call":
        job |= calls.order_arguments(chosen, call.job) | _find_page_text(chosen, call)
        for number in _large_integers([job["init"], job["calls"]]):
            raise Unmappable(f"The test gives {number}, and JavaScript has no such number.")
        scoped = facts.look is not None and {*call.job["target"][:1]} <= facts.look.scoped
    command = [NODE, _STARTED]
    if call.entry_kind == "serve":
        job["command"] = [*command, "{sink}", "{port}"]
        command = box_files.runner_command(_DRIVER[0])
    elif not facts.modules and "sinks" not in job and _LOADED.issuperset(_REQUIRED.findall(code)):
        # Names keep the hashes that they have in Node's own snapshot. With an unusual flag Node
        # compiles what it loads later anew, so that only who loads nothing starts sooner by this.
        command.insert(1, "--no-rehash-snapshot")
    files = {**call.files, **_prepare_files(call.entry_kind, code, facts, job, scoped=scoped)}
    return box.run(
        [*call.environment.before, *command],
        files=files,
        stdin=call.stdin,
        env=ENVIRONMENT,
        **call.environment.options,
    )


def _large_integers(value: Any) -> Iterator[int]:
    """Integers that would become others, at any depth."""
    if isinstance(value, int) and int(float(value)) != value:
        yield value
    elif isinstance(value, Mapping):
        yield from _large_integers(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _large_integers(part)


def _prepare_files(
    entry_kind: str, code: str, facts: Facts, job: Mapping[str, Any], *, scoped: bool
) -> dict[str, bytes]:
    """The program and our files. scoped: whether the names of its top level are asked for."""
    first, *others = _PARTS[entry_kind]
    optional = [part for key, part in _OPTIONAL_PARTS.items() if key in job]
    started = b"".join(map(box_files.read_source, [first, *optional, *others]))
    name = _program_file_name(facts)
    text = code
    listen = _LISTEN if scoped else ""
    if facts.modules:  # which Node reads from their file
        text += listen
        listen = ""
    additions = {
        "program": name,
        "via": facts.modules,
        "lines": code.count("\n") + 1,
        "listen": listen,
    }
    files = {name: text.encode(), _STARTED: started}
    drivers = _DRIVER if entry_kind == "serve" else ()
    return files | box_files.prepare_files_and_job(drivers, {**job, **additions})


def _find_page_text(chosen: Plan, call: Call) -> dict[str, str]:
    """The page for a function that takes no text of its own where the input is a page's text."""
    page = call.value.get("html") if isinstance(call.value, Mapping) else None
    if not isinstance(page, str) or chosen.function is None:
        return {}
    takes_page = any("html" in name.lower() for name in chosen.function.params)
    return {} if takes_page else {"page": page}
