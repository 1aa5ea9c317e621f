"""Python: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from kit import harness
from kit.harness import box_files
from kit.harness.calls import Call
from kit.harness.facts import Class, Facts, Function, Route
from kit.harness.plan import Plan
from kit.harness.shape import may_take
from kit.languages import Language, syntax
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

LARGEST = 300_000  # characters; a longer program is no answer to a task of a page
_APPS = {"flask.Flask": "wsgi", "bottle.Bottle": "wsgi", "fastapi.FastAPI": "asgi",
         "starlette.applications.Starlette": "asgi", "quart.Quart": "asgi"}  # fmt: skip
_STARTS = {"serve_forever", "handle_request", "run_app", "run_simple"}
_START_CALLS = {"uvicorn.run", "wsgiref.simple_server.make_server", "waitress.serve"}
_HANDLERS = {"BaseHTTPRequestHandler", "SimpleHTTPRequestHandler", "CGIHTTPRequestHandler"}
_VERBS = {"get", "post", "put", "patch", "delete", "head", "options"}
_ARGV = {"argparse", "click", "optparse", "getopt", "typer", "fire", "docopt"}
_OPTION_CALLS = {"add_argument", "option", "add_option"}
_REQUEST_READS = {"json", "get_json", "form", "args", "values", "data", "get_data", "files",
                  "GET", "POST", "body", "query_params"}  # fmt: skip


@lru_cache(maxsize=256)
def read(code: str) -> Facts:
    """The facts of a program; raises SyntaxError (also for what only the compiler refuses)."""
    return _Reader(parse(code)).facts()


def parse(code: str) -> ast.Module:
    """The tree of a program that compiles, in silence; raises SyntaxError for any other."""
    if len(code) > LARGEST:
        raise SyntaxError(f"the program has {len(code)} characters, more than {LARGEST}")
    try:
        return syntax(code, compiles=True)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"not compilable: {str(error) or type(error).__name__}") from error


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.nodes = list(ast.walk(tree))
        self.imports = list(_imports(self.nodes))
        self.aliases = {name: meaning for _, name, meaning in self.imports}
        self.called = self.calls(tree)
        self.texts = frozenset(
            n.value for n in self.nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )

    def written(self, node: ast.AST) -> str:
        """The dotted name of an expression as it is written; "?" for what has no name."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        return ".".join([node.id if isinstance(node, ast.Name) else "?", *reversed(parts)])

    def dotted(self, node: ast.AST) -> str:
        """The full dotted name of an expression, imports resolved; "?" for what has no name."""
        head, dot, rest = self.written(node).partition(".")
        return self.aliases.get(head, head) + dot + rest

    def facts(self) -> Facts:
        functions = {f.name: self.function(f) for f in self.defs(self.tree.body)}
        classes = self.classes()
        apps = tuple(self.apps(functions, classes))
        tails = {name.rpartition(".")[2] for name in self.called}
        app_runs = any(f"{name}.run" in self.called for _, name in apps)
        starts = bool(tails & _STARTS or self.called & _START_CALLS or app_runs)
        raw = (
            ("accept" in tails and bool(tails & {"listen", "create_server"}))
            or "asyncio.start_server" in self.called
            or any("socketserver" in b for c in classes.values() for b in c.bases)
        )
        speaks = bool(apps) or any("HTTP/1" in text for text in self.texts)
        has_docstring = ast.get_docstring(self.tree, clean=False) is not None
        return Facts(
            functions=functions,
            classes=classes,
            imports=frozenset(whole.partition(".")[0] for whole in self.aliases.values()),
            apps=apps,
            routes=tuple(self.routes()),
            options=tuple(self.options()),
            request_reads=frozenset(self.request_reads()),
            views=True,
            upload_names=tuple(self.uploads()),
            texts=self.texts,
            starts_server=starts,
            is_http=speaks or starts,
            raw_socket=raw and not speaks,
            reads_stdin=self.reads_stdin(self.tree),
            reads_argv=self.reads_argv(),
            examples=self.examples(),
            runs=any(not isinstance(n, _QUIET) for n in self.tree.body[has_docstring:]),
            defines=any(isinstance(n, (*_DEFS, ast.ClassDef, ast.Lambda)) for n in self.nodes),
            binds=any(map(_binds, self.tree.body)),
            bound=frozenset(self.bound()),
            takes=may_take(self.words()),
            needs=frozenset(self.needs() - sys.stdlib_module_names - {"__main__"}),
            interfaces=self.interfaces,
        )

    def needs(self) -> set[str]:
        """The modules of all imports but those that the program guards, and its own."""
        guarded = {
            id(inner)
            for node in self.nodes
            if _catches_import(node)
            for statement in node.body
            for inner in ast.walk(statement)
        }
        outer = (m for n, _, m in self.imports if id(n) not in guarded and not _is_relative(n))
        return {meaning.partition(".")[0] for meaning in outer}

    def words(self) -> Iterator[str]:
        yield from self.bound()
        for node in self.nodes:
            if isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Name):
                yield node.id

    def bound(self) -> Iterator[str]:
        yield from self.aliases
        yield from filter(str.isidentifier, self.texts)
        for node in self.nodes:
            if isinstance(node, (*_DEFS, ast.ClassDef)):
                yield node.name
            elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                yield node.id if isinstance(node, ast.Name) else node.attr

    def interfaces(self) -> Iterator[str]:
        own = {name: meaning for node, name, meaning in self.imports if not _is_relative(node)}
        yield from own.values()
        for node in self.nodes:
            if isinstance(node, (ast.Attribute, ast.Name)):
                head, _, rest = self.written(node).partition(".")
                if head in own and rest:
                    yield f"{own[head]}.{rest}"
                elif head in ("eval", "exec", "compile", "__import__"):
                    yield head

    def request_reads(self) -> Iterator[str]:
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and node.attr in _REQUEST_READS:
                if self.dotted(node.value).rpartition(".")[2] in ("request", "req"):
                    yield node.attr

    def defs(self, body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node
            elif isinstance(node, (ast.If, ast.Try)) and not _is_guard(node):
                yield from self.defs([*node.body, *node.orelse])

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, *, skip: int = 0) -> Function:
        spec = node.args
        params = [a.arg for a in [*spec.posonlyargs, *spec.args]]
        return Function(
            name=node.name,
            params=tuple(params[skip:]),
            required=max(0, len(params) - len(spec.defaults) - skip),
            keyword_only=tuple(a.arg for a in spec.kwonlyargs),
            positional_only=max(0, len(spec.posonlyargs) - skip),
            many=spec.vararg is not None,
            others=spec.kwarg is not None,
            reads_stdin=self.reads_stdin(node),
            calls=self.calls(node),
        )

    def calls(self, node: ast.AST) -> frozenset[str]:
        """The dotted names of all that is called below a node."""
        return frozenset(self.dotted(n.func) for n in ast.walk(node) if isinstance(n, ast.Call))

    def classes(self) -> dict[str, Class]:
        classes: dict[str, Class] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = self.class_(node, classes)
        return classes

    def class_(self, node: ast.ClassDef, known: Mapping[str, Class]) -> Class:
        bases = tuple(self.dotted(b) for b in node.bases)
        methods: dict[str, Function] = {}
        for base in bases:
            if base in known:
                methods |= known[base].methods
        for item in self.defs(node.body):
            marks = {self.dotted(d) for d in item.decorator_list}
            methods[item.name] = self.function(item, skip=int("staticmethod" not in marks))
        return Class(node.name, methods.get("__init__") or self.fields(node), methods, bases)

    def fields(self, node: ast.ClassDef) -> Function:
        """What a dataclass's constructor takes; nothing for any other class without __init__."""
        marks = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if not any(self.dotted(mark).endswith("dataclass") for mark in marks):
            return Function("__init__")
        rows = [n for n in node.body if isinstance(n, ast.AnnAssign)]
        names = tuple(n.target.id for n in rows if isinstance(n.target, ast.Name))
        return Function("__init__", names, sum(n.value is None for n in rows))

    def apps(
        self, functions: Mapping[str, Function], classes: Mapping[str, Class]
    ) -> Iterator[Any]:
        """(kind, name) of what could be served, the most explicit first."""
        outside = [n for n in self.tree.body if not isinstance(n, (*_DEFS, ast.ClassDef))]
        for node in ast.walk(ast.Module(outside, [])):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                kind = _APPS.get(self.dotted(node.value.func))
                yield from ((kind, t.id) for t in node.targets if kind and isinstance(t, ast.Name))
        for name, f in functions.items():
            if f.calls & _APPS.keys() and not f.required:
                yield "factory", name
            if len(f.params) == 2 and f.params[1] == "start_response":
                yield "wsgi", name
        for name, c in classes.items():
            if {b.rpartition(".")[2] for b in c.bases} & _HANDLERS:
                yield "handler", name
        for name, f in functions.items():
            tails = {called.rpartition(".")[2] for called in f.calls}
            if tails & _STARTS or f.calls & _START_CALLS:
                yield "start", name

    def examples(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Statements of the module that call a function of it, and that no function rests on."""
        names = {n.name for n in self.defs(self.tree.body)}
        definitions = [n for n in self.nodes if isinstance(n, (*_DEFS, ast.ClassDef))]
        inside = {n.id for d in definitions for n in ast.walk(d) if isinstance(n, ast.Name)}
        examples: dict[str, list[tuple[int, int]]] = {}
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            used = inside & {ast.unparse(target) for target in targets}
            if isinstance(node, (ast.Expr, ast.Assign)) and not used:
                lines = (node.lineno, node.end_lineno or node.lineno)
                for name in self.calls(node) & names:
                    examples.setdefault(name, []).append(lines)
        return {name: tuple(lines) for name, lines in examples.items()}

    def routes(self) -> Iterator[Route]:
        for node in self.nodes:
            if isinstance(node, _DEFS):
                for mark in node.decorator_list:
                    yield from self.route(mark, node.name)
            elif isinstance(node, ast.Call) and self.dotted(node.func).endswith(".add_url_rule"):
                yield from self.route(node, "")

    def route(self, mark: ast.expr, handler: str) -> Iterator[Route]:
        if not isinstance(mark, ast.Call) or not isinstance(mark.func, ast.Attribute):
            return
        verb = mark.func.attr
        if verb not in _VERBS | {"route", "add_url_rule"} or not mark.args:
            return
        first = mark.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            named = [n for k in mark.keywords if k.arg == "methods" for n in ast.walk(k.value)]
            texts = (n.value for n in named if isinstance(n, ast.Constant))
            listed = [text.upper() for text in texts if isinstance(text, str)]
            own = [verb.upper()] if verb in _VERBS else ["GET"]
            yield Route(first.value, tuple(listed or own), handler)

    def options(self) -> Iterator[str]:
        for node in (n for n in self.nodes if isinstance(n, ast.Call)):
            if self.dotted(node.func).rpartition(".")[2] in _OPTION_CALLS:
                yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))

    def uploads(self) -> Iterator[str]:
        """The literal keys under which the program looks for uploaded files."""
        for node in self.nodes:
            holder, key = None, None
            if isinstance(node, ast.Subscript):
                holder, key = node.value, node.slice
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                holder, key = node.func.value, node.args[0]
            if isinstance(holder, ast.Attribute) and holder.attr == "files":
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value

    def reads_stdin(self, tree: ast.AST) -> bool:
        return any(
            (isinstance(n, ast.Call) and self.dotted(n.func) in ("input", "fileinput.input"))
            or (isinstance(n, (ast.Attribute, ast.Name)) and self.dotted(n) == "sys.stdin")
            for n in ast.walk(tree)
        )

    def reads_argv(self) -> bool:
        names = {self.dotted(n) for n in self.nodes if isinstance(n, (ast.Attribute, ast.Name))}
        return "sys.argv" in names or bool(_ARGV & {a.partition(".")[0] for a in names})


_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_QUIET = (*_DEFS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)


def _binds(node: ast.stmt) -> bool:
    """Whether a statement gives a name to what is no literal."""
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    made = (ast.Call, ast.Name, ast.Attribute, ast.Lambda)
    return value is not None and any(isinstance(n, made) for n in ast.walk(value))


def _is_guard(node: ast.stmt) -> bool:
    """Whether this is `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and any(
        isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test)
    )


def _imports(nodes: list[ast.AST]) -> Iterator[tuple[ast.Import | ast.ImportFrom, str, str]]:
    """(statement, name in the program, what it stands for) of every import."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                meaning = alias.name if alias.asname else alias.name.partition(".")[0]
                yield node, alias.asname or meaning, meaning
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node, alias.asname or alias.name, f"{node.module}.{alias.name}"


def _is_relative(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and bool(node.level)


def _catches_import(node: ast.AST) -> TypeGuard[ast.Try | ast.With]:
    """Whether a statement goes on where an import in its body fails: try, or `with suppress()`."""
    heads: list[ast.AST | None] = []
    if isinstance(node, ast.Try):
        heads = [handler.type for handler in node.handlers]
    elif isinstance(node, ast.With):
        heads = [item.context_expr for item in node.items if "suppress" in ast.dump(item)]
    caught = " ".join(ast.unparse(head) if head else "Exception" for head in heads)
    return bool(re.search(r"\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b", caught))


# What a text says of itself that it reaches past the recorder of sinks; no list of forbidden names.
BEYOND = re.compile(
    r"\.\s*(?:__closure__|cell_contents|__self__|meta_path|set_trace_callback|f_back|f_locals)\b"
    r"|[\"'](?:cell_contents|set_trace_callback|meta_path)[\"']|\b_posixsubprocess\b|\bkit_sinks\b"
)
RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
SERVE = [*box_files.argv(RUNNERS["script"], "-u"), "{sink}", "{port}"]
ENVIRONMENT: dict[str, str] = {}
MISSING = [
    box_files.PYTHON, "-c", "import importlib.util as u, json, sys; "
    "print(json.dumps([n for n in sys.argv[1:] if u.find_spec(n) is None]))",
]  # fmt: skip
# With these and with packages a program may notice what the module site does beyond the search path
# and the builtins: it runs lines of installed packages, which load importlib.util among others.
_NOTICED = {"concurrent", "distutils", "importlib", "multiprocessing", "pkgutil", "runpy", "site"}
_PLAIN = sys.stdlib_module_names - _NOTICED


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    return harness.started(box, task, test, code, language, read=read, start=_start)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    runner = RUNNERS[call.entry_kind]
    serves = call.entry_kind == "serve"
    job = {**call.job, "command": SERVE} if serves else call.job
    plain = serves or chosen.facts.imports <= _PLAIN
    ours = box_files.job(box, runner, job)
    files = {**call.files, language.program: code.encode(), **ours}
    command = [*call.environment.before, *box_files.argv(runner, *["-S"] * plain)]
    return box.run(command, files=files, stdin=call.stdin, **call.environment.options)
