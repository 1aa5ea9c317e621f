"""JavaScript: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Node

from kit import harness
from kit.harness import box_files, calls
from kit.harness.calls import Call
from kit.harness.facts import Class, Facts, Function, Route
from kit.harness.languages import tree
from kit.harness.languages.javascript.nodes import (
    BUILTIN,
    CLASSES,
    FUNCTIONS,
    LITERALS,
    WORDS,
    argument,
    bound,
    callee,
    function,
    imported,
    is_guarded,
    last,
    loaded,
    reads_stdin,
    returned,
    string,
)
from kit.harness.languages.tree import named, part, text, walk
from kit.harness.plan import Plan
from kit.harness.shape import may_take
from kit.languages import LANGUAGES, Language
from kit.records import Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

LARGEST = 1_000_000  # characters
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
_QUIET = frozenset(
    "comment hash_bang_line import_statement export_statement empty_statement".split()
) | (FUNCTIONS | CLASSES | _VARIABLES)  # fmt: skip
_APPS = frozenset({"express", "Koa", "koa", "fastify", "Fastify", "http.createServer"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "all"})
_REQUIRED = re.compile(r"""require\(\s*['"`]([^'"`]+)['"`]\s*\)""")
_PACKAGE = re.compile(r"@[\w.-]+/[\w.-]+|(?:node:)?[\w.-]+")
_ARGV = frozenset({"commander", "yargs", "minimist", "meow", "optimist"})
WHOLE = "module.exports"  # the name of what is exported without one


@lru_cache(maxsize=256)
def read(code: str) -> Facts:
    """The facts of a program; what the grammar does not know is passed over."""
    if len(code) > LARGEST:
        raise SyntaxError(f"the program has {len(code)} characters, more than {LARGEST}")
    return _Reader(tree.parse(code, "javascript")).facts()


class _Reader:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.nodes = list(walk(root))
        self.call_nodes = [n for n in self.nodes if n.type == "call_expression"]
        self.called = {named(n) for n in self.call_nodes}
        self.texts = frozenset(text(n) for n in self.nodes if n.type == "string_fragment")
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.exports: dict[str, str] = {}
        self.held: dict[str, Node] = {}  # top-level names and the expressions they stand for

    def facts(self) -> Facts:
        for read_statement in (self.top, self.export):
            for node in self.root.named_children:
                read_statement(node)
        self.prototypes()
        loads = [(node, name) for node in self.nodes if (name := loaded(node))]
        modules = frozenset(name for _, name in loads)
        packages = modules - BUILTIN
        needed = {name for node, name in loads if not is_guarded(node)} & packages
        heard = any(name.endswith(".listen") for name in self.called)
        tails = {name.rpartition(".")[2] for name in self.called}
        raw = bool({"net.createServer", "net.Server"} & self.called)
        speaks = any("HTTP/1" in t for t in self.texts)
        apps = tuple(self.apps())
        members = [n for n in self.nodes if n.type == "member_expression"]
        dotted = {text(n) for n in members if n.end_byte - n.start_byte < 100}  # no long chains
        searched = any(part(n, "property") == "searchParams" for n in members)
        return Facts(
            functions=self.functions,
            classes=self.classes,
            imports=packages,
            apps=apps,
            routes=tuple(self.routes()),
            options=tuple(sorted(t for t in self.texts if re.fullmatch(r"--?\w[\w-]*", t))),
            request_reads=frozenset(self.request_reads(tails, dotted, searched)),
            upload_names=tuple(self.uploads()),
            texts=self.texts,
            starts_server=heard and not raw,
            is_http=bool(apps) or (heard and not raw) or speaks,
            raw_socket=raw and heard and not speaks,
            reads_stdin=reads_stdin(self.root),
            reads_argv=bool("process.argv" in dotted or modules & _ARGV or "parseArgs" in tails),
            exports=self.exports,
            modules="import" if self.is_module() else "",
            runs=any(self.acts(n) for n in self.root.named_children),
            defines=any(n.type in FUNCTIONS | CLASSES for n in self.nodes),
            binds=any(n.type not in LITERALS for n in self.held.values()),
            bound=frozenset(bound(self.nodes)),
            takes=may_take(text(n) for n in self.nodes if n.type in WORDS),
            needs=frozenset(m[0] for name in needed if (m := _PACKAGE.match(name))),
            interfaces=self.interfaces,
        )

    def interfaces(self) -> Iterator[str]:
        own: dict[str, str] = {}
        for node in self.nodes:
            target, module = None, ""
            if node.type == "import_statement":
                target, module = node, part(node, "source").strip("'\"`")
            elif node.type == "variable_declarator":
                match = _REQUIRED.match(part(node, "value"))
                target, module = node.child_by_field_name("name"), match[1] if match else ""
            if target is not None and (module or target is node):
                own |= dict(imported(target, module))
                yield module
        for node in self.nodes:
            if node.type in ("call_expression", "new_expression"):
                path = callee(node)
                head, _, rest = path.partition(".")
                if head in own and re.fullmatch(r"[\w$.]+", path):
                    yield f"{own[head]}.{rest}" if rest else own[head]

    def is_module(self) -> bool:
        """ES module: import, export, or await outside of functions."""
        kinds = {n.type for n in self.root.named_children}
        if kinds & {"import_statement", "export_statement"}:
            return True
        waits = (n for n in self.nodes if n.type == "await_expression")
        return any(not tree.inside(n, FUNCTIONS) for n in waits)

    def top(self, node: Node) -> None:
        """A declaration of the top level: what it names can be called."""
        if node.type == "export_statement":
            inner = node.child_by_field_name("declaration")
            if inner is not None:
                self.top(inner)
        elif node.type in FUNCTIONS | CLASSES and node.type.endswith("_declaration"):
            self.name(part(node, "name"), node)
        elif node.type in _VARIABLES:
            for declarator in node.named_children:
                value = declarator.child_by_field_name("value")
                name = declarator.child_by_field_name("name")
                if value is not None and name is not None and name.type == "identifier":
                    self.name(text(name), value)

    def name(self, name: str, node: Node) -> None:
        self.held[name] = node
        node = returned(node)
        if node.type in FUNCTIONS:
            self.functions[name] = function(name, node)
        elif node.type in CLASSES:
            self.classes[name] = self.class_(name, node)

    def export(self, node: Node) -> None:
        if node.type == "export_statement":
            self.export_statement(node)
        elif node.type == "expression_statement":
            expression = node.named_children[0] if node.named_children else node
            value = last(expression)
            while expression.type == "assignment_expression":
                self.assigned(named(expression, "left"), value)
                expression = expression.child_by_field_name("right") or node

    def export_statement(self, node: Node) -> None:
        default = any(c.type == "default" for c in node.children)
        value = node.child_by_field_name("value") or node.child_by_field_name("declaration")
        if default and value is not None:
            name = part(value, "name") or text(value)
            name = name if name in self.held else "default"
            self.shared(name, "default", value)
        elif value is not None:
            for item in value.named_children if value.type in _VARIABLES else [value]:
                self.exports[part(item, "name")] = part(item, "name")
        for item in (n for n in walk(node) if n.type == "export_specifier"):
            inner = part(item, "name")
            self.exports[inner] = outer = part(item, "alias") or inner
            self.renamed(inner, outer)

    def assigned(self, left: str, value: Node) -> None:
        """`module.exports = ...` or `exports.name = ...`."""
        if left == "module.exports":
            if value.type == "object":
                self.object(value)
            else:
                named_node = value.child_by_field_name("constructor") or value
                name = part(named_node, "name") or text(named_node)
                self.shared(name if name in self.held or name.isidentifier() else WHOLE, "", value)
        elif match := re.fullmatch(r"(?:module\.)?exports\.([\w$]+)", left):
            self.shared(match[1], match[1], value)

    def object(self, value: Node) -> None:
        for item in value.named_children:
            if item.type == "shorthand_property_identifier":
                self.exports[text(item)] = text(item)
            elif item.type in ("pair", "method_definition"):
                key = part(item, "key").strip("'\"") or part(item, "name")
                self.shared(key, key, item.child_by_field_name("value") or item)

    def shared(self, name: str, exported: str, value: Node) -> None:
        """A value that is exported, under the name by which tests may ask for it."""
        inner = text(value)
        if value.type == "identifier" and inner in self.held:
            self.exports[inner] = exported
            self.renamed(inner, exported)
        else:
            self.exports[name] = exported
            if name not in self.held:
                self.name(name, value)

    def renamed(self, inner: str, outer: str) -> None:
        if not outer or outer in ("default", inner) or outer in self.held:
            return
        self.exports[outer] = outer
        if inner in self.functions:
            self.functions[outer] = replace(self.functions.pop(inner), name=outer)
        if inner in self.classes:
            self.classes[outer] = replace(self.classes.pop(inner), name=outer)

    def class_(self, name: str, node: Node) -> Class:
        heritage = next((c for c in node.named_children if c.type == "class_heritage"), None)
        base = text(heritage.named_children[0]) if heritage and heritage.named_children else ""
        parent = self.classes.get(base)
        methods = dict(parent.methods) if parent else {}
        init = parent.init if parent else Function("constructor")
        body = node.child_by_field_name("body")
        for item in body.named_children if body is not None else ():
            method = item if item.type == "method_definition" else item.child_by_field_name("value")
            key = item.child_by_field_name("name") or item.child_by_field_name("property")
            named = text(key)
            if method is None or method.type not in FUNCTIONS or named.startswith("#"):
                continue
            methods[named] = function(named, method)
        init = methods.pop("constructor", init)
        return Class(name, init, methods, (base,) if base else ())

    def prototypes(self) -> None:
        """`Name.prototype.method = function ...` makes a class of the function Name."""
        for node in self.nodes:
            left = part(node, "left") if "assign" in node.type else ""
            match = re.fullmatch(r"([\w$]+)\.prototype\.([\w$]+)", left)
            value = node.child_by_field_name("right")
            if match and value is not None and value.type in FUNCTIONS:
                owner, name = match[1], match[2]
                if owner in self.functions:
                    self.classes[owner] = Class(owner, self.functions.pop(owner), {})
                if owner in self.classes:
                    old = self.classes[owner]
                    methods = {**old.methods, name: function(name, value)}
                    self.classes[owner] = replace(old, methods=methods)

    def apps(self) -> Iterator[tuple[str, str]]:
        """(kind, name) of what is exported and could be served, the most explicit first."""
        for name, value in self.held.items():
            if name in self.exports and callee(value) in _APPS:
                yield "listen", name
        for name, f in self.functions.items():
            if name in self.exports and f.params[:2] in (("req", "res"), ("request", "response")):
                yield "handler", name
            if name in self.exports and any(c.endswith(".listen") for c in f.calls):
                yield "start", name

    def routes(self) -> Iterator[Route]:
        for node in self.call_nodes:
            verb = part(node.child_by_field_name("function"), "property")
            path = string(argument(node, 0))
            if verb in _VERBS and path.startswith("/"):
                methods = ("GET", "POST") if verb == "all" else (verb.upper(),)
                yield Route(path, methods, "")

    def request_reads(self, tails: set[str], dotted: set[str], searched: bool) -> Iterator[str]:
        if searched or {"req.query", "request.query"} & dotted:
            yield "args"
        if {"req.body", "request.body", "ctx.request.body"} & dotted or "JSON.parse" in self.called:
            yield "form" if "urlencoded" in tails and "json" not in tails else "json"

    def uploads(self) -> Iterator[str]:
        for node in self.call_nodes:
            if named(node).endswith((".single", ".array")) and (name := string(argument(node, 0))):
                yield name

    def acts(self, node: Node) -> bool:
        """Whether a statement of the top level does something but declare and export."""
        if node.type in _QUIET:
            return False
        if node.type != "expression_statement" or not node.named_children:
            return True
        inner = node.named_children[0]
        left = part(inner, "left")
        quiet = left.startswith(("module.exports", "exports.")) or ".prototype." in left
        return inner.type != "string" and not quiet


(NODE,) = LANGUAGES["javascript"].command
LIBRARIES = "/usr/share/nodejs:/usr/lib/nodejs:/usr/lib/x86_64-linux-gnu/nodejs"
ENVIRONMENT = {"NODE_PATH": LIBRARIES, "NODE_NO_WARNINGS": "1"}
MISSING = [
    NODE, "-e", "const gone = process.argv.slice(1).filter(n => { try { require.resolve(n); "
    "return false } catch { return true } }); console.log(JSON.stringify(gone))",
]  # fmt: skip
BEYOND = re.compile(r"process\s*(?:\.\s*(?:_linkedB|b)inding|\[)|internalBinding")  # past recorders
_SCRIPT = ("kit_script.cjs", "kit_channel.cjs")
_FILES = {  # what goes into the box for each kind of entry; the first is started
    "call": ("kit_call.cjs", "kit_channel.cjs", "kit_encode.cjs", "kit_page.cjs"),
    "script": _SCRIPT,
    "serve": ("kit_drive.py", "kit_channel.py", "kit_child.py", *_SCRIPT),
}
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
    names = _FILES[call.entry_kind]
    command = [NODE, f"{box_files.FOLDER}/{names[0]}"]
    if call.entry_kind == "serve":
        command = box_files.argv(names[0])
        job["command"] = [NODE, f"{box_files.FOLDER}/{_SCRIPT[0]}", "{sink}", "{port}"]
    names = (*names, "kit_sinks.cjs") if job.get("sinks") else names
    ours = box_files.placed(names, job)
    files = {**call.files, name: code.encode(), **ours}
    result = box.run([*call.environment.before, *command], files=files, stdin=call.stdin,
                     env=ENVIRONMENT, **call.environment.options)  # fmt: skip
    absent = box_files.answers(result.channel).last("absent").get("absent", "")
    lacked = facts.needs & harness.not_found(box_files.Key(box), language.name, facts.needs)
    if result.status is not Status.COMPLETED or absent not in lacked:
        return result
    return replace(result, status=Status.HARNESS_ERROR, note=box_files.not_installed(absent))


def _page(chosen: Plan, call: Call) -> dict[str, str]:
    """The page for a function that takes no text of its own where the input is a page's text."""
    function, value = chosen.function, call.value
    asked = isinstance(value, Mapping) and isinstance(value.get("html"), str)
    if not asked or function is None or any("html" in p.lower() for p in function.params):
        return {}
    return {"page": value["html"]}
