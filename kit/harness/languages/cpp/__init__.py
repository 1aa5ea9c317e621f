"""C and C++: reads the facts of a program from its syntax tree, and starts it as its plan says."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from kit import harness
from kit.harness import box_files, calls
from kit.harness.calls import Call
from kit.harness.facts import Class, Facts, Function, Typed
from kit.harness.languages import tree
from kit.harness.languages.cpp import build, fits, glue
from kit.harness.languages.tree import named, part, text, walk
from kit.harness.plan import Plan, plan
from kit.harness.shape import may_take
from kit.languages import Language
from kit.records import Event, Evidence, Status, Task, Test
from kit.sandbox.base import Sandbox

LARGEST = 1_000_000  # characters
DEEPEST = 50  # namespaces or classes inside one another; what lies deeper is passed over
OVERLOADS = 50  # of one function; further ones are passed over
_ROOMS = frozenset(
    "translation_unit namespace_definition declaration_list linkage_specification preproc_if "
    "preproc_ifdef preproc_else preproc_elif".split()
)
_RECORDS = frozenset({"class_specifier", "struct_specifier"})
_INPUT = frozenset("stdin cin getchar scanf getline fgets STDIN_FILENO std::cin gets".split())
_WORDS = frozenset("identifier qualified_identifier type_identifier".split())
_DEFINED = _RECORDS | {"lambda_expression", "template_declaration"}
_NAME = re.compile(r"[A-Za-z_]\w*")
_ALIASES = {"alias_declaration": "name", "type_definition": "declarator"}  # -> field with the name
_ALIASES_DEEP = 4  # aliases of aliases that are followed
_TYPE_NAME = re.compile(r"(?<![\w:])[A-Za-z_]\w*")
BEYOND = re.compile(r"\b__(?:real|wrap)_|\bkit_s|##")  # leads past what records sinks, or may
_SERVE = frozenset({"accept", "accept4"})
RESERVED = frozenset(  # no method can be called so, though a specification may ask for it
    "auto break case catch class const continue default delete do else enum explicit export extern "
    "for friend if inline namespace new operator private protected public register requires return "
    "signed static struct switch template throw try typedef union unsigned using virtual void "
    "volatile while".split()
)


@lru_cache(maxsize=256)
def read(code: str, *, language: str) -> Facts:
    """The facts of a program; what the grammar does not know is passed over."""
    if len(code) > LARGEST:
        raise SyntaxError(f"the program has {len(code)} characters, more than {LARGEST}")
    return _Reader(tree.parse(code, language)).facts()


class _Reader:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.nodes = list(walk(root))
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.structs: dict[str, tuple[str, ...]] = {}

    def facts(self) -> Facts:
        self.room(self.root, "")
        main = self.functions.get("main")
        texts = frozenset(text(n) for n in self.nodes if n.type == "string_content")
        called = {named(n).rpartition("::")[2] for n in self.nodes if n.type == "call_expression"}
        included = frozenset(self.included())
        library = any("httplib" in name for name in included)
        listens = bool(called & _SERVE) or library
        speaks = library or any("HTTP/1" in t for t in texts)
        words = {text(n) for n in self.nodes if n.type in _WORDS}
        return Facts(
            functions=self.functions,
            classes=self.classes,
            imports=included,
            options=tuple(sorted(t for t in texts if re.fullmatch(r"--?\w[\w-]*", t))),
            texts=texts,
            starts_server=listens and speaks,
            is_http=listens and speaks,
            raw_socket=listens and not speaks,
            reads_stdin=bool(words & _INPUT),
            reads_argv=main is not None and len(main.params) > 1,
            structs=self.structs,
            reserved=RESERVED,
            runs=main is not None,
            defines=any(n.type in _DEFINED for n in self.nodes) or len(self.functions) > bool(main),
            bound=frozenset(self.bound()),
            takes=may_take(words),
            interfaces=self.interfaces,
        )

    def bound(self) -> Iterator[str]:
        """Words of the program but functions that are only called or declared."""
        for node in (n for n in self.nodes if n.type in _WORDS):
            owner = node.parent
            declared = owner and owner.type == "function_declarator" and owner.parent
            if owner and owner.type != "call_expression":
                if not declared or declared.type != "declaration":
                    yield text(node)

    def interfaces(self) -> Iterator[str]:
        own = {part(n, "declarator")
               for n in self.nodes if n.type == "function_declarator"}  # fmt: skip
        yield from self.included()
        for node in self.nodes:
            name = part(node, "function") if node.type == "call_expression" else ""
            if name not in own and re.fullmatch(r"[\w:]+", name):
                yield name

    def included(self) -> Iterator[str]:
        return (part(n, "path").strip('<>"') for n in self.nodes if n.type == "preproc_include")

    def room(self, node: Node, space: str, depth: int = 0) -> None:
        """Declarations of a file, a namespace or what a condition includes; none too far inside."""
        for item in node.named_children if depth < DEEPEST else ():
            if item.type == "namespace_definition":
                name = part(item, "name")
                body = item.child_by_field_name("body")
                if body is not None:
                    self.room(body, f"{space}{name}::" if name else space, depth + 1)
            elif item.type in _ROOMS:
                self.room(item, space, depth + 1)
            elif item.type == "function_definition":
                _define(self.functions, item, space, {})
            elif item.type in _RECORDS or item.child_by_field_name("type") is not None:
                self.record(item, space)

    def record(self, node: Node, space: str, depth: int = 0) -> None:
        """A class or struct; also one that a typedef names."""
        record = node if node.type in _RECORDS else node.child_by_field_name("type")
        if record is None or record.type not in _RECORDS:
            return
        body = record.child_by_field_name("body")
        alias = node.child_by_field_name("declarator") if node.type == "type_definition" else None
        name = text(alias) or part(record, "name")
        if body is None or not _NAME.fullmatch(name):
            return
        members = list(_members(record, body))
        public = [n for n, is_public in members if is_public]
        aliases = {
            part(n, _ALIASES[n.type]): part(n, "type") for n, _ in members if n.type in _ALIASES
        }
        fields = tuple(f for n in public for f in _fields(n))
        methods: dict[str, Function] = {}
        for member in public:
            if all(c.type != "delete_method_clause" for c in member.children):
                _define(methods, member, f"{space}{name}::", aliases)
        inits = methods.pop(name, None)
        bases = (n for n in record.named_children if n.type == "base_class_clause")
        parents = tuple(text(n) for b in bases for n in b.named_children if "identifier" in n.type)
        for parent in (self.classes[p] for p in parents if p in self.classes):
            methods = {**parent.methods, **methods}
        if fields:
            self.structs[space + name] = fields
        self.classes[name] = Class(name, inits or Function(name), methods, parents, space + name)
        for inner in public if depth < DEEPEST else ():
            if inner.type in _RECORDS or inner.child_by_field_name("type") is not None:
                self.record(inner, f"{space}{name}::", depth + 1)


def _define(table: dict[str, Function], node: Node, space: str, aliases: Mapping[str, str]) -> None:
    """Enters what a definition defines into a table; overloads of a name stand together.
    Parameters get what the aliases of its class stand for: no text outside can name these."""
    declarator = _declarator(node)
    name = part(declarator, "declarator")
    if declarator is None or not _NAME.fullmatch(name):
        return
    earlier = table[name].typed if name in table else ()
    if len(earlier) < OVERLOADS:
        typed = _typed(node, declarator, space + name)
        for _ in range(_ALIASES_DEEP if aliases else 0):
            types = (_TYPE_NAME.sub(partial(_spelled, aliases), kind) for kind in typed.types)
            typed = replace(typed, types=tuple(types))
        table[name] = _function(name, (*earlier, typed), node)


def _spelled(aliases: Mapping[str, str], name: re.Match[str]) -> str:
    return f"std::type_identity_t<{aliases[name[0]]}>" if name[0] in aliases else name[0]


def _members(record: Node, body: Node) -> Iterator[tuple[Node, bool]]:
    """(member, whether it is public)."""
    public = record.type == "struct_specifier"
    for node in body.named_children:
        if node.type == "access_specifier":
            public = text(node) == "public"
        else:
            yield node, public


def _fields(node: Node) -> Iterator[str]:
    if node.type == "field_declaration" and not text(node).startswith("static"):
        for declarator in node.children_by_field_name("declarator"):
            names = [n for n in walk(declarator) if n.type == "field_identifier"]
            if names and not any(n.type == "function_declarator" for n in walk(declarator)):
                yield text(names[0])


def _declarator(node: Node) -> Node | None:
    """The function declarator below pointers and references."""
    at = node.child_by_field_name("declarator")
    while at is not None and at.type != "function_declarator":
        inner = at.child_by_field_name("declarator")
        if inner is None and at.type == "reference_declarator":
            inner = at.named_children[0]
        at = inner
    return at


def _typed(node: Node, declarator: Node, full: str) -> Typed:
    params = declarator.child_by_field_name("parameters")
    nodes = params.named_children if params else []
    items = [n for n in nodes if "parameter_declaration" in n.type]
    pairs = [_parameter(n) for n in items]
    pairs = [] if pairs == [("void", "")] else pairs
    before = text(node)[: declarator.start_byte - node.start_byte]
    returns = re.sub(r"\b(static|inline|extern|virtual|explicit|constexpr|friend)\b", "", before)
    return Typed(
        name=full,
        types=tuple(kind for kind, _ in pairs),
        params=tuple(name or f"arg{n}" for n, (_, name) in enumerate(pairs)),
        returns=" ".join(re.sub(r"\[\[.*?\]\]", "", returns).split()),
        defaults=sum(n.type == "optional_parameter_declaration" for n in items),
    )


def _parameter(node: Node) -> tuple[str, str]:
    """(type, name) of a parameter; an array is a pointer."""
    whole = text(node)
    default = node.child_by_field_name("default_value")
    if default is not None:
        whole = whole[: default.start_byte - node.start_byte].rstrip().removesuffix("=")
    declarator = node.child_by_field_name("declarator")
    nodes = walk(declarator) if declarator is not None else ()
    names = [n for n in nodes if n.type == "identifier"]
    if not names:
        return " ".join(whole.split()), ""
    name = names[0]
    at = len(text(node).encode()[: name.start_byte - node.start_byte].decode(errors="replace"))
    rest = whole[at + len(text(name)) :]
    kind = whole[:at] + ("*" if "[" in rest else "")
    return " ".join(kind.split()), text(name)


def _function(name: str, typed: tuple[Typed, ...], node: Node) -> Function:
    """The overload with most parameters stands for all; the one with fewest says what is needed."""
    widest = max(typed, key=lambda t: len(t.params))
    words = {text(n) for n in walk(node) if "identifier" in n.type}
    return Function(
        name=name,
        params=widest.params,
        required=min(len(t.params) - t.defaults for t in typed),
        reads_stdin=bool(words & _INPUT),
        calls=frozenset(named(n) for n in walk(node) if n.type == "call_expression"),
        typed=typed,
    )


STARTER = "kit_start"
_DRIVE = ("kit_drive.py", "kit_channel.py", "kit_child.py")


def run(box: Sandbox, task: Task, test: Test, code: str, language: Language) -> Evidence:
    """The evidence of one test; what the candidate does never raises here."""
    reader = partial(read, language=language.name)
    if plan(code, reader, task).reason:  # nothing could be called: does it compile at all?
        idle = glue.nothing(language.name)
        alone = build.build(box_files.Key(box), language.name, code, idle, frozenset())
        if alone.status is Status.COMPILE_ERROR:
            return Evidence(alone.status, isolation=box.name, note=alone.why)
    return harness.started(box, task, test, code, language, read=reader, start=_start)


def _start(box: Sandbox, chosen: Plan, call: Call, code: str, language: Language) -> Evidence:
    facts, key = chosen.facts, box_files.Key(box)
    name, is_call = language.name, call.entry_kind == "call"
    half = glue.call(chosen, name, code) if is_call else glue.program(name)
    records = call.job.get("sinks", "")
    built = build.build(key, name, code, half, facts.imports, records)
    if built.status is not Status.COMPLETED:
        return Evidence(built.status, isolation=box.name, note=built.why)
    job = {**call.job, **(calls.positional(chosen, call.job, gap=None) if is_call else {})}
    starter = f"{box_files.FOLDER}/{STARTER}"
    main = [build.LOADER, f"/box/{starter}", *job["folders"], "--", build.LOADER, "/box/main"]
    command, names = [*main, *call.job.get("argv", ())], tuple[str, ...]()
    if call.entry_kind == "serve":
        job["command"] = ["/usr/bin/env", "KIT_CHANNEL={sink}", *main]
        command, names = box_files.argv(_DRIVE[0]), _DRIVE
    files = {
        **call.files,
        "main": built.program,
        starter: build.runtime(key, STARTER),
        **box_files.placed(names, job),
    }
    command = [*call.environment.before, *command]
    result = box.run(command, files=files, stdin=call.stdin, **call.environment.options)
    if records == "memory":
        events = tuple(_without_runtime(result.events, list(build.require_sanitizers(key))))
        result = replace(result, events=events, lost=(*result.lost, *filter(None, [built.why])))
    if is_call and result.status is Status.COMPLETED and not fits.are_sure(chosen, job):
        answer = box_files.answers(result.channel).last("kind")
        if answer.get("kind") == "unfit":
            return replace(result, status=Status.HARNESS_ERROR, note=str(answer.get("why")))
    return _read(key, built, result)


def _without_runtime(events: Iterable[Event], own: list[tuple[str, str, str]]) -> Iterator[Event]:
    """The events without as many as the sanitizers' runtime makes; what a program adds stays."""
    for event in events:
        if (action := (event.kind, event.target, event.mode)) in own:
            own.remove(action)
        else:
            yield event


def _read(key: box_files.Key, built: build.Built, result: Evidence) -> Evidence:
    """The channel with lines in the place of gcov's counters."""
    answers = box_files.answers(result.channel)
    counters = answers.last("gcda").get("gcda", "")
    try:
        data = bytes.fromhex(counters)
    except (ValueError, TypeError):
        return result
    lines = build.covered(key, built.notes, data) if data and built.notes else ()
    channel = result.channel + b"".join(b"\n%d" % n for n in lines) + b"\n"
    return replace(result, channel=channel)
