"""Reads the facts of a C or C++ program from its syntax tree: names, and no types.

Where macros or conditions stand around a function's head, the preprocessor's text is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from kit.core.languages import LANGUAGES
from kit.core.records import Status
from kit.harness import box_files
from kit.harness.facts import Class, Facts, Function, Typed
from kit.harness.languages import tree
from kit.harness.languages.cpp import build
from kit.harness.languages.tree import field_text, field_text_tail, node_text, walk
from kit.harness.shape import OPTION, may_take

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
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(define[ \t]+\w+[( \t]|if)", re.MULTILINE)
_ATTRIBUTE = re.compile(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPEN = re.compile(r"^\s*\[(?!\s*\d+\s*\])[^\]]*\]")  # of no fixed size
_INHERITED = re.compile(r"using\s+(?:\w+::)*(\w+)::\1\s*;")  # constructors
_ALIASES = {"alias_declaration": "name", "type_definition": "declarator"}  # -> field with the name
_ALIASES_DEEP = 4  # aliases of aliases that are followed
_TYPE_NAME = re.compile(r"(?<![\w:])[A-Za-z_]\w*")
BEYOND = re.compile(r"\b__(?:real|wrap)_|\bkit_s|##")  # leads past what records sinks, or may
_SERVE = frozenset({"accept", "accept4"})
_CALL = "operator()"
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
    return _CppReader(tree.parse(code, language), language).read_facts()


@lru_cache(maxsize=64)
def preprocess(key: box_files.Key, code: str, language: str) -> str:
    """The program, or what the preprocessor makes of it where heads may depend on that."""
    if len(code) > LARGEST or not _CONDITIONAL.search(code):
        return code
    row = LANGUAGES[language]
    own = {row.program: _INCLUDE.sub("", code).encode(errors="replace")}
    result = build.run_compiler(key.box, [*row.command, "-E", "-P", row.program], own)
    if result.status is not Status.COMPLETED or result.exit_code != 0:
        return code
    return "\n".join([*_INCLUDE.findall(code), *_MACRO.findall(code), result.out])


class _CppReader:
    def __init__(self, root: Node, language: str) -> None:
        self.root, self.language = root, language
        self.nodes = list(walk(root))
        included = (field_text(n, "path") for n in self.nodes if n.type == "preproc_include")
        self.included = [path.strip('<>"') for path in included]
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.structs: dict[str, tuple[str, ...]] = {}
        self.defined = set[tuple[str, int]]()  # what has a body: name and number of parameters
        for node in self.nodes:
            if node.type == "function_definition":
                head = _find_declarator(node)
                count = len(_read_parameters(head, node).params)
                self.defined.add((_cut_scope(field_text(head, "declarator")), count))
        self.functors: dict[str, tuple[Typed, ...]] = {}  # how objects of a class are called

    def read_facts(self) -> Facts:
        self.enter_room(self.root, "")
        main = self.functions.get("main", Function(""))
        texts = frozenset(node_text(n) for n in self.nodes if n.type == "string_content")
        called = {
            field_text_tail(n).rpartition("::")[2]
            for n in self.nodes
            if n.type == "call_expression"
        }
        uses_library = any("httplib" in name for name in self.included)
        is_http = uses_library or any("HTTP/1" in t for t in texts)
        serves = uses_library or bool(called & _SERVE)
        words = {node_text(n) for n in self.nodes if n.type in _WORDS}
        return Facts(
            functions=self.functions,
            classes=self.classes,
            imports=frozenset(self.included),
            options=tuple(filter(OPTION.fullmatch, sorted(texts))),
            texts=texts,
            serves=("http" if is_http else "socket") * serves,
            reads_stdin=bool(words & _INPUT),
            reads_argv=len(main.params) > 1,
            structs=self.structs,
            reserved=RESERVED,
            runs="main" in self.functions,
            bound=frozenset(self.find_bound()),
            takes=may_take(words),
            interfaces=self.find_interfaces,
        )

    def find_bound(self) -> Iterator[str]:
        """Words of the program but functions that are only called or declared."""
        for node in self.nodes:
            owner = node.parent if node.type in _WORDS else None
            if owner is None or owner.type == "call_expression":
                continue
            declared = owner.parent if owner.type == "function_declarator" else None
            if declared is None or declared.type != "declaration":
                yield node_text(node)

    def find_interfaces(self) -> Iterator[str]:
        heads = (n for n in self.nodes if n.type == "function_declarator")
        own = {field_text(head, "declarator") for head in heads}
        yield from self.included
        for node in self.nodes:
            if (name := field_text_tail(node)) not in own and re.fullmatch(r"[\w:]+", name):
                yield name

    def enter_room(self, node: Node, space: str, depth: int = 0) -> None:
        """Declarations of a file, a namespace or what a condition includes; none too far inside."""
        for item in node.named_children if depth < DEEPEST else ():
            inner, _ = _open_template(item)
            if item.type == "namespace_definition":
                name = field_text(item, "name")
                body = item.child_by_field_name("body")
                if body is not None:
                    self.enter_room(body, f"{space}{name}::" if name else space, depth + 1)
            elif item.type in _ROOMS:
                self.enter_room(item, space, depth + 1)
            elif inner.type == "function_definition":
                self.enter_function(self.functions, item, space, {})
            elif inner.type in _RECORDS or inner.child_by_field_name("type") is not None:
                self.enter_record(item, space)
                for variable in self.read_callables(item, space):
                    name = variable.name.removeprefix(space)
                    self.functions.setdefault(name, _join_overloads(name, (variable,), item))

    def enter_function(
        self, table: dict[str, Function], node: Node, space: str, aliases: Mapping[str, str]
    ) -> None:
        """Enters what a definition defines into a table; overloads of a name stand together.
        Parameters get what the aliases of its class stand for: no text outside can name these."""
        node, parameters = _open_template(node)
        declarator = _find_declarator(node)
        name = field_text(declarator, "declarator")
        deleted = any(child.type == "delete_method_clause" for child in node.children)
        earlier = table[name].typed if name in table else ()
        is_named = _NAME.fullmatch(name) or name == _CALL
        if declarator is None or deleted or not is_named or len(earlier) == OVERLOADS:
            return
        typed = _read_parameters(declarator, node)
        for _ in range(_ALIASES_DEEP if aliases else 0):
            types = (_TYPE_NAME.sub(partial(_open_alias, aliases), kind) for kind in typed.types)
            typed = replace(typed, types=tuple(types))
        is_body = node.type == "function_definition"
        typed = replace(
            typed,
            name=space + name,
            generic=typed.generic + len(parameters),
            is_defined=is_body or (_cut_scope(space + name), len(typed.params)) in self.defined,
        )
        table[name] = _join_overloads(name, (*earlier, typed), node)

    def read_callables(self, node: Node, space: str) -> Iterator[Typed]:
        """Variables that can be called: lambdas, pointers to functions, objects, std::function."""
        kind = node.child_by_field_name("type") if node.type == "declaration" else None
        if kind is None:
            return
        inside = [n for n in walk(kind) if n.type == "abstract_function_declarator"]
        functor = self.functors.get(node_text(kind).rpartition("::")[2], ())
        for declarator in node.children_by_field_name("declarator"):
            value = declarator.child_by_field_name("value")
            is_lambda = value is not None and value.type == "lambda_expression"
            alike = self.functions.get(node_text(value).removeprefix("&"), Function("")).typed
            heads = [
                *filter(None, [_find_declarator(value if is_lambda and value else declarator)])
            ]
            heads += inside
            if known := functor or alike:
                typed = known[0]
            elif is_lambda or inside or (heads and value is not None):
                typed = _read_parameters(next(iter(heads), None), node)
            else:
                continue
            name = next(node_text(n) for n in walk(declarator) if n.type == "identifier")
            yield replace(typed, name=space + name, is_object=True)

    def enter_record(self, node: Node, space: str, depth: int = 0) -> None:
        """A class or struct; also one that a typedef names."""
        node, parameters = _open_template(node)
        record = node if node.type in _RECORDS else node.child_by_field_name("type")
        if record is None or record.type not in _RECORDS:
            return
        body = record.child_by_field_name("body")
        alias = node.child_by_field_name("declarator") if node.type == "type_definition" else None
        name = node_text(alias) or field_text(record, "name")
        if body is None or not _NAME.fullmatch(name):
            return
        full = f"{space}{name}" + (f"<{', '.join(parameters)}>" if parameters else "")
        members = list(_list_members(record, body))
        public = [n for n, is_public in members if is_public]
        aliases = dict(_read_types(members, f"::{space}{name}"))
        bases = (n for n in record.named_children if n.type == "base_class_clause")
        parents = tuple(
            node_text(n) for b in bases for n in b.named_children if "identifier" in n.type
        )
        inherited = [self.classes[p] for p in parents if p in self.classes]
        fields = [f for p in inherited for f in self.structs.get(p.full, ())]
        fields += [f for n in public for f in _list_fields(n)]
        methods: dict[str, Function] = {}
        for member in public:
            self.enter_function(methods, member, f"{space}{name}::", aliases)
        # Where nobody says what it is made of, the compiler accepts what is given or does not.
        unsaid = Function(name, tuple(fields), many=not fields, others=not fields)
        used = [
            self.classes[p].init for p in _INHERITED.findall(node_text(body)) if p in self.classes
        ]
        init = methods.pop(name, *used[:1] or [unsaid])
        if _CALL in methods:
            self.functors[name] = methods.pop(_CALL).typed
        for parent in inherited:
            methods = {**parent.methods, **methods}
        if fields and not any(n.type == "bitfield_clause" for n in walk(body)):
            is_tag = self.language == "c" and not alias
            self.structs[f"struct {name}" if is_tag else full] = tuple(fields)
        self.classes[name] = Class(name, init, methods, parents, full)
        for inner in public if depth < DEEPEST else ():
            if inner.type in _RECORDS or inner.child_by_field_name("type") is not None:
                self.enter_record(inner, f"{space}{name}::", depth + 1)


def _open_template(node: Node) -> tuple[Node, tuple[str, ...]]:
    """What a template declares, and its parameters that are types to be chosen; or what is none."""
    names: list[str] = []
    while node.type == "template_declaration":
        parameters = node.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else ():
            if one.type in ("type_parameter_declaration", "parameter_declaration"):
                names.append(node_text(one).split()[-1])
        names = names or ["T"]
        node = node.named_children[-1]
    return node, tuple(names)


def _cut_scope(name: str) -> str:
    """Class::method, however it is qualified."""
    return "::".join(re.sub(r"<[^<>]*>", "", name).split("::")[-2:])


def _open_alias(aliases: Mapping[str, str], name: re.Match[str]) -> str:
    return f"std::type_identity_t<{aliases[name[0]]}>" if name[0] in aliases else name[0]


def _read_types(members: Iterable[tuple[Node, bool]], full: str) -> Iterator[tuple[str, str]]:
    """What the names of types inside a class stand for."""
    for node, _ in members:
        is_type = node.type in _RECORDS or node.type == "enum_specifier"
        kind = node if is_type else node.child_by_field_name("type")
        if node.type in _ALIASES:
            yield field_text(node, _ALIASES[node.type]), field_text(node, "type")
        elif kind is not None and kind.child_by_field_name("body") is not None:
            yield field_text(kind, "name"), f"{full}::{field_text(kind, 'name')}"


def _list_members(record: Node, body: Node) -> Iterator[tuple[Node, bool]]:
    """(member, whether it is public)."""
    public = record.type == "struct_specifier"
    for node in body.named_children:
        if node.type == "access_specifier":
            public = node_text(node) == "public"
        else:
            yield node, public


def _list_fields(node: Node) -> Iterator[str]:
    if node.type == "field_declaration" and not node_text(node).startswith("static"):
        for declarator in node.children_by_field_name("declarator"):
            names = [n for n in walk(declarator) if n.type == "field_identifier"]
            if names and not any(n.type == "function_declarator" for n in walk(declarator)):
                yield node_text(names[0])


def _find_declarator(node: Node) -> Node | None:
    """The function declarator below pointers and references."""
    at = node.child_by_field_name("declarator")
    while at is not None and "function_declarator" not in at.type:
        inner = at.child_by_field_name("declarator")
        if inner is None and at.type == "reference_declarator":
            inner = at.named_children[0]
        at = inner
    return at


def _read_parameters(declarator: Node | None, node: Node) -> Typed:
    """The parameters of what is declared; before C89 their types stand behind the names."""
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    types: list[str] = []
    names: list[str] = []
    behind: dict[str, str] = {}
    defaults = generic = 0
    for child in node.children:
        if child.type == "declaration":
            behind |= {name: kind for kind, name in _read_variables(child)}
    for item in parameters.named_children if parameters is not None else ():
        if item.type == "identifier":
            kind, name = behind.get(node_text(item), "int"), node_text(item)
        elif "parameter_declaration" in item.type and node_text(item) != "void":
            kind, name = next(_read_variables(item))
            defaults += item.type == "optional_parameter_declaration"
            generic += field_text(item, "type").endswith("auto")
        else:
            continue
        types.append(kind)
        names.append(name or f"arg{len(names)}")
    return Typed("", tuple(types), tuple(names), defaults, generic)


def _read_variables(node: Node) -> Iterator[tuple[str, str]]:
    """(type, name) of each variable of a declaration; an array is a pointer."""
    declarators = node.children_by_field_name("declarator")
    first = declarators[0].start_byte - node.start_byte if declarators else None
    before = (node.text or b"")[:first]
    has_name = False
    for declarator in declarators:
        whole = declarator.text or b""
        for name in (n for n in walk(declarator) if n.type == "identifier"):
            has_name, start = True, name.start_byte - declarator.start_byte
            behind = whole[start + len(name.text or b"") :].decode(errors="replace")
            if not whole.startswith(b"("):
                behind = _OPEN.sub("(*)", behind)
            kind = _ATTRIBUTE.sub("", (before + whole[:start]).decode(errors="replace") + behind)
            yield " ".join(kind.split()), node_text(name)
            break
    if not has_name:
        yield " ".join(node_text(node).partition("=")[0].split()), ""


def _join_overloads(name: str, typed: tuple[Typed, ...], node: Node) -> Function:
    """The overload with most parameters stands for all; the one with fewest says what is needed."""
    widest = max(typed, key=lambda t: len(t.params))
    packed = sum("..." in kind for kind in widest.types)  # takes as many as there are
    calls = {field_text_tail(n) for n in walk(node) if n.type == "call_expression"}
    calls |= {"cin"} & {node_text(n) for n in walk(node) if n.type == "identifier"}
    return Function(
        name=name,
        params=widest.params[: len(widest.params) - packed],
        required=min(len(t.params) - t.defaults for t in typed) - packed,
        many=packed > 0,
        others=packed > 0,
        calls=frozenset(calls),
        typed=typed,
    )
