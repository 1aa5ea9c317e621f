"""Python: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pydantic import TypeAdapter

from kit import harness
from kit.core.languages import LANGUAGES, Language, parse_python
from kit.core.records import Evidence, Task, Test
from kit.harness import box_files, looking
from kit.harness.calls import Call
from kit.harness.facts import Facts, Look, Route
from kit.harness.plan import Plan
from kit.harness.shape import VERBS, may_take
from kit.sandbox.base import Sandbox

LARGEST = 300_000  # characters; a longer program is no answer to a task of a page
# Names of what serves HTTP: full, or the last part of them.
_SERVERS = frozenset(
    "flask.Flask bottle.Bottle fastapi.FastAPI starlette.applications.Starlette quart.Quart "
    "uvicorn.run wsgiref.simple_server.make_server waitress.serve serve_forever handle_request "
    "run_app run_simple BaseHTTPRequestHandler SimpleHTTPRequestHandler CGIHTTPRequestHandler "
    "start_response".split()
)
_VERBS = {*map(str.lower, VERBS)}
_STDIN = {"input", "fileinput.input"}
_ARGV = frozenset("argparse click optparse getopt typer fire docopt".split())
_UPLOAD = re.compile(r"""\.files(?:\[|\.\w+\()\s*['"]([^'"]+)""")  # keys of uploaded files
_OPTION_CALLS = {"add_argument", "option", "add_option"}
_FRAMEWORKS = {
    "django": "django",
    "starlette": "starlette",
    "fastapi": "starlette",
    "flask": "flask",
    "werkzeug": "flask",
    "functions_framework": "flask",
}
_REQUEST_READS = frozenset(
    "json get_json form args values data get_data files GET POST body query_params".split()
)
_CAUGHT = re.compile(r"\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b")
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_QUIET = (*_DEFS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_COMPUTED = (ast.Call, ast.Name, ast.Attribute, ast.Lambda)
# What a text says of itself that it reaches past the recorder of sinks; no list of forbidden names.
BEYOND = re.compile(
    r"\.\s*(?:__closure__|cell_contents|__self__|meta_path|set_trace_callback|f_back|f_locals)\b"
    r"|[\"'](?:cell_contents|set_trace_callback|meta_path)[\"']|\b_posixsubprocess\b|\bkit_sinks\b"
)
LOOK = "kit_look.py"
RUNNERS = {"call": "kit_call.py", "script": "kit_script.py", "serve": "kit_drive.py"}
ANSWER = TypeAdapter(Look)
SERVE = [*box_files.runner_command(RUNNERS["script"], "-u"), "{sink}", "{port}"]
ENVIRONMENT: dict[str, str] = {}
MISSING = [
    box_files.PYTHON,
    "-c",
    "import importlib.util as u, json, sys; "
    "print(json.dumps([n for n in sys.argv[1:] if u.find_spec(n) is None]))",
]
# With these and with packages a program may notice what the module site does beyond the search path
# and the builtins: it runs lines of installed packages, which load importlib.util among others.
_NOTICED = "concurrent distutils importlib multiprocessing pkgutil runpy site"
_PLAIN = sys.stdlib_module_names - {*_NOTICED.split()}


@lru_cache(maxsize=256)
def read(code: str) -> Facts:
    """The facts of a program; raises SyntaxError (also for what only the compiler refuses)."""
    return _PythonReader(parse_program(code)).read_facts(code)


def parse_program(code: str) -> ast.Module:
    """The tree of a program that compiles, in silence; raises SyntaxError for any other."""
    if len(code) > LARGEST:
        raise SyntaxError(f"the program has {len(code)} characters, more than {LARGEST}")
    try:
        return parse_python(code, compiles=True)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"not compilable: {str(error) or type(error).__name__}") from error


class _PythonReader:
    def __init__(self, tree: ast.Module) -> None:
        self.body = tree.body
        self.nodes = list(ast.walk(tree))
        self.meaning: dict[str, str] = {}  # of each name that an import gives
        self.own: dict[str, str] = {}  # without those of imports that are relative
        for node in self.nodes:
            meaning = dict(_read_import(node))
            self.meaning |= meaning
            if not getattr(node, "level", 0):
                self.own |= meaning
        self.heads = frozenset(map(_cut_head, self.meaning.values()))
        self.calls: list[ast.Call] = []
        self.called = set[str]()
        self.named: list[ast.expr] = []
        self.names = set[str]()
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self.calls.append(node)
                self.called.add(self.resolve(node.func))
            elif isinstance(node, (ast.Attribute, ast.Name)):
                self.named.append(node)
                self.names.add(self.resolve(node))
        self.texts = frozenset(_read_texts(self.nodes))

    def resolve(self, node: ast.AST) -> str:
        """The full dotted name of an expression, imports resolved; "?" for what has no name."""
        head, dot, rest = _spell_dotted_name(node).partition(".")
        return self.meaning.get(head, head) + dot + rest

    def read_facts(self, code: str) -> Facts:
        reads = frozenset(self.find_request_reads())
        return Facts(
            imports=self.heads,
            routes=tuple(self.find_routes()),
            options=tuple(self.find_options()),
            request_reads=reads,
            framework=self.find_framework() or ("flask" if reads else ""),
            upload_names=tuple(_UPLOAD.findall(code)),
            texts=self.texts,
            serves=self.find_server(),
            reads_stdin="sys.stdin" in self.names or bool(_STDIN & self.called),
            reads_argv="sys.argv" in self.names or bool(_ARGV & {*map(_cut_head, self.names)}),
            examples=self.find_examples(),
            runs=any(map(_has_effect, self.body)),
            binds=any(map(_is_computed_assignment, self.body)),
            bound=frozenset(self.find_words(read=False)),
            takes=may_take(self.find_words(read=True)),
            needs=frozenset(self.find_needs() - sys.stdlib_module_names - {"__main__"}),
            interfaces=self.find_interfaces,
        )

    def find_framework(self) -> str:
        for module, framework in _FRAMEWORKS.items():
            if module in self.heads:
                return framework
        return ""

    def find_server(self) -> str:
        used = set(self.called)
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                used |= {*map(self.resolve, node.bases)}
        tails = {name.rpartition(".")[2] for name in used}
        if _SERVERS & (used | tails):
            return "http"
        accepts = "accept" in tails and bool(tails & {"listen", "create_server"})
        accepts |= "asyncio.start_server" in used or any("socketserver" in name for name in used)
        if not accepts:
            return ""
        return "http" if any("HTTP/1" in text for text in self.texts) else "socket"

    def find_needs(self) -> set[str]:
        """The modules of all imports but those that the program guards, and its own."""
        guarded = set[ast.AST]()
        for node in self.nodes:
            for statement in _find_guarded(node):
                guarded |= {*ast.walk(statement)}
        needs = set()
        for node in self.nodes:
            if node not in guarded and not getattr(node, "level", 0):
                needs |= {_cut_head(meaning) for _, meaning in _read_import(node)}
        return needs

    def find_words(self, *, read: bool) -> Iterator[str]:
        """The names of the program, and texts that could be; `read`: also what it only reads."""
        for node in self.nodes:
            if read or not isinstance(getattr(node, "ctx", None), ast.Load):
                for value in vars(node).values():
                    if isinstance(value, str) and value.isidentifier():
                        yield value

    def find_interfaces(self) -> Iterator[str]:
        yield from self.own.values()
        for node in self.named:
            head, _, rest = _spell_dotted_name(node).partition(".")
            if head in self.own and rest:
                yield self.resolve(node)
            elif head in ("eval", "exec", "compile", "__import__"):
                yield head

    def find_request_reads(self) -> Iterator[str]:
        for name in self.names:
            owner, _, part = name.rpartition(".")
            if part in _REQUEST_READS and owner.rpartition(".")[2] in ("request", "req"):
                yield part

    def find_examples(self) -> dict[str, list[tuple[int, int]]]:
        """Statements of the module that call a function of it, and that no function rests on."""
        examples: dict[str, list[tuple[int, int]]] = {}
        for node in self.body:
            if isinstance(node, _DEFS):
                examples[node.name] = []
        inside = self.find_names_in_definitions()
        for node in self.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            used = inside.intersection(map(ast.unparse, targets))
            if isinstance(node, (ast.Expr, ast.Assign)) and not used:
                calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
                for name in {self.resolve(call.func) for call in calls} & examples.keys():
                    examples[name].append((node.lineno, node.end_lineno or node.lineno))
        return examples

    def find_names_in_definitions(self) -> set[str]:
        names = set[str]()
        for definition in self.nodes:
            if isinstance(definition, (*_DEFS, ast.ClassDef)):
                for node in ast.walk(definition):
                    if isinstance(node, ast.Name):
                        names.add(node.id)
        return names

    def find_routes(self) -> Iterator[Route]:
        for node in self.nodes:
            if isinstance(node, _DEFS):
                for mark in node.decorator_list:
                    yield from _read_route(mark, node.name)
            elif isinstance(node, ast.Expr):
                yield from _read_route(node.value, "")

    def find_options(self) -> Iterator[str]:
        for call in self.calls:
            if _spell_dotted_name(call.func).rpartition(".")[2] in _OPTION_CALLS:
                yield from _read_texts(call.args)


def _cut_head(name: str) -> str:
    return name.partition(".")[0]


def _spell_dotted_name(node: ast.AST) -> str:
    """The dotted name of an expression as it is written; "?" for what has no name."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "?", *reversed(parts)])


def _read_texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Constant(str(text)):
                yield text
            case ast.Constant(bytes(data)):
                yield data.decode("latin-1")


def _read_route(mark: ast.expr, handler: str) -> Iterator[Route]:
    """The route of a decorator, or of a call of add_url_rule."""
    if not isinstance(mark, ast.Call) or not isinstance(mark.func, ast.Attribute):
        return
    verb = mark.func.attr
    for path in _read_texts(mark.args[:1]):
        if verb not in _VERBS | {"route" if handler else "add_url_rule"}:
            return
        methods: list[str] = []
        for keyword in mark.keywords:
            if keyword.arg == "methods":
                methods += map(str.upper, _read_texts(ast.walk(keyword.value)))
        usual = verb.upper() if verb in _VERBS else "GET"
        yield Route(path, tuple(methods or [usual]), handler)


def _has_effect(node: ast.stmt) -> bool:
    """Whether a statement does something; a docstring does not."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return not is_text and not isinstance(node, _QUIET)


def _is_computed_assignment(node: ast.stmt) -> bool:
    """Whether a statement gives a name to what is no literal."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return False
    return any(isinstance(part, _COMPUTED) for part in ast.walk(node.value))


def _read_import(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that an import gives, and what it stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            meaning = alias.name if alias.asname else _cut_head(alias.name)
            yield alias.asname or meaning, meaning
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _find_guarded(node: ast.AST) -> list[ast.stmt]:
    """What stands where the program goes on if an import fails: try, or `with suppress()`."""
    caught: list[str] = []
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            caught.append(ast.unparse(handler.type) if handler.type else "Exception")
    elif isinstance(node, ast.With):
        for item in node.items:
            if "suppress" in ast.dump(item):
                caught.append(ast.unparse(item.context_expr))
    else:
        return []
    return node.body if _CAUGHT.search(" ".join(caught)) else []


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    return harness.plan_and_run_test(
        box, task, test, code, language, read=read, start=_start_program, look=look
    )


def look(box: Sandbox, task: Task, code: str, text: Facts) -> Facts:
    files = box_files.job(box, LOOK, looking.build_job(task, text))
    files[LANGUAGES["python"].program] = code.encode()
    command = box_files.runner_command(LOOK)
    return looking.add_callables(box, task, text, command, files, read=ANSWER.validate_python)


def _start_program(
    box: Sandbox, chosen: Plan, call: Call, code: str, language: Language
) -> Evidence:
    runner = RUNNERS[call.entry_kind]
    serves = call.entry_kind == "serve"
    job = {**call.job, "command": SERVE} if serves else call.job
    is_plain = serves or chosen.facts.imports <= _PLAIN
    ours = box_files.job(box, runner, job)
    files = {**call.files, language.program: code.encode(), **ours}
    flags = ["-S"] if is_plain else []
    command = [*call.environment.before, *box_files.runner_command(runner, *flags)]
    return box.run(command, files=files, stdin=call.stdin, **call.environment.options)
