"""Python: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeGuard

from pydantic import TypeAdapter

from kit import harness
from kit.harness import box_files, looking
from kit.harness.calls import Call
from kit.harness.facts import Facts, Look, Route
from kit.harness.plan import Plan
from kit.harness.shape import may_take
from kit.languages import LANGUAGES, Language, syntax
from kit.records import Evidence, Task, Test
from kit.sandbox.base import Sandbox

LARGEST = 300_000  # characters; a longer program is no answer to a task of a page
_APPS = {"flask.Flask", "bottle.Bottle", "fastapi.FastAPI", "starlette.applications.Starlette",
         "quart.Quart"}  # fmt: skip
_STARTS = {"serve_forever", "handle_request", "run_app", "run_simple"}
_START_CALLS = {"uvicorn.run", "wsgiref.simple_server.make_server", "waitress.serve"}
_HANDLERS = {"BaseHTTPRequestHandler", "SimpleHTTPRequestHandler", "CGIHTTPRequestHandler"}
_VERBS = {"get", "post", "put", "patch", "delete", "head", "options"}
_ARGV = {"argparse", "click", "optparse", "getopt", "typer", "fire", "docopt"}
_UPLOAD = re.compile(r"""\.files(?:\[|\.\w+\()\s*['"]([^'"]+)""")  # keys of uploaded files
_OPTION_CALLS = {"add_argument", "option", "add_option"}
FRAMEWORKS = {"django": "django", "starlette": "starlette", "fastapi": "starlette",
              "flask": "flask", "werkzeug": "flask", "functions_framework": "flask"}  # fmt: skip
_REQUEST_READS = {"json", "get_json", "form", "args", "values", "data", "get_data", "files",
                  "GET", "POST", "body", "query_params"}  # fmt: skip


@lru_cache(maxsize=256)
def read(code: str) -> Facts:
    """The facts of a program; raises SyntaxError (also for what only the compiler refuses)."""
    return _Reader(parse(code)).facts(code)


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
        constants = (n.value for n in self.nodes if isinstance(n, ast.Constant))
        texts = (v.decode("latin-1") if isinstance(v, bytes) else v for v in constants)
        self.texts = frozenset(text for text in texts if isinstance(text, str))

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

    def facts(self, code: str) -> Facts:
        tails = {name.rpartition(".")[2] for name in self.called}
        bases = {self.dotted(b) for n in self.nodes if isinstance(n, ast.ClassDef) for b in n.bases}
        handles = bool({base.rpartition(".")[2] for base in bases} & _HANDLERS)
        calls = any(isinstance(n, ast.arg) and n.arg == "start_response" for n in self.nodes)
        apps = handles or calls or bool(self.called & _APPS)
        starts = apps or bool(tails & _STARTS or self.called & _START_CALLS)
        raw = (
            ("accept" in tails and bool(tails & {"listen", "create_server"}))
            or "asyncio.start_server" in self.called
            or any("socketserver" in base for base in bases)
        )
        speaks = apps or any("HTTP/1" in text for text in self.texts)
        has_docstring = ast.get_docstring(self.tree, clean=False) is not None
        return Facts(
            imports=frozenset(whole.partition(".")[0] for whole in self.aliases.values()),
            routes=tuple(self.routes()),
            options=tuple(self.options()),
            request_reads=frozenset(self.request_reads()),
            framework=self.find_framework(),
            upload_names=tuple(_UPLOAD.findall(code)),
            texts=self.texts,
            starts_server=starts or (raw and speaks),
            is_http=speaks or starts,
            raw_socket=raw and not speaks,
            reads_stdin=self.reads_stdin(self.tree),
            reads_argv=self.reads_argv(),
            examples=self.examples(),
            runs=any(not isinstance(n, _QUIET) for n in self.tree.body[has_docstring:]),
            binds=any(map(_binds, self.tree.body)),
            bound=frozenset(self.words(read=False)),
            takes=may_take(self.words(read=True)),
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

    def words(self, *, read: bool) -> Iterator[str]:
        """The names of the program, and texts that could be; `read`: also what it only reads."""
        for node in self.nodes:
            if read or not isinstance(getattr(node, "ctx", None), ast.Load):
                texts = (v for v in vars(node).values() if isinstance(v, str))
                yield from filter(str.isidentifier, texts)

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

    def find_framework(self) -> str:
        """The framework whose requests a function alone may take: Flask where none is named."""
        heads = {whole.partition(".")[0] for whole in self.aliases.values()}
        brought = [FRAMEWORKS[name] for name in FRAMEWORKS if name in heads]
        brought += ["flask"] * any(self.request_reads())
        return next(iter(brought), "")

    def calls(self, node: ast.AST) -> frozenset[str]:
        """The dotted names of all that is called below a node."""
        return frozenset(self.dotted(n.func) for n in ast.walk(node) if isinstance(n, ast.Call))

    def examples(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Statements of the module that call a function of it, and that no function rests on."""
        names = {n.name for n in self.tree.body if isinstance(n, _DEFS)}
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
RUNNERS = {
    "look": "kit_look.py",
    "call": "kit_call.py",
    "script": "kit_script.py",
    "serve": "kit_drive.py",
}
ANSWER = TypeAdapter(Look)
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
    return harness.started(box, task, test, code, language, read=read, start=_start, look=look)


def look(box: Sandbox, task: Task, code: str, text: Facts) -> Facts:
    files = box_files.job(box, RUNNERS["look"], looking.job(task, text))
    files[LANGUAGES["python"].program] = code.encode()
    command = box_files.argv(RUNNERS["look"])
    return looking.looked(box, task, text, command, files, read=ANSWER.validate_python)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    runner = RUNNERS[call.entry_kind]
    serves = call.entry_kind == "serve"
    job = {**call.job, "command": SERVE} if serves else call.job
    plain = serves or chosen.facts.imports <= _PLAIN
    ours = box_files.job(box, runner, job)
    files = {**call.files, language.program: code.encode(), **ours}
    command = [*call.environment.before, *box_files.argv(runner, *["-S"] * plain)]
    return box.run(command, files=files, stdin=call.stdin, **call.environment.options)
