"""Reads the facts of a C or C++ program from its syntax tree: names, and no types.

Where macros or conditions stand around a function's head, the preprocessor's text is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Node

from kit.core.languages import LANGUAGES
from kit.core.records import Status
from kit.harness import box_files
from kit.harness.facts import Class, Facts, Function, Typed
from kit.harness.languages import tree
from kit.harness.languages.cpp import build
from kit.harness.languages.tree import (
    field_text,
    field_text_tail,
    list_field,
    node_text,
    select_nodes,
    walk,
)
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
    files = {row.program: _INCLUDE.sub("", code).encode(errors="replace")}
    result = build.run_compiler(key.box, [*row.command, "-E", "-P", row.program], files)
    if result.status is not Status.COMPLETED or result.exit_code != 0:
        return code
    return "\n".join([*_INCLUDE.findall(code), *_MACRO.findall(code), result.out])


class _CppReader:
    def __init__(self, root: Node, language: str) -> None:
        self.root = root
        self.language = language
        self.nodes = list(walk(root))
        self.included: list[str] = []
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.structs: dict[str, tuple[str, ...]] = {}
        self.defined = set[tuple[str, int]]()  # what has a body: name and number of parameters
        for node in self.nodes:
            if node.type == "preproc_include":
                self.included.append(field_text(node, "path").strip('<>"'))
            elif node.type == "function_definition":
                head = _find_declarator(node)
                count = len(_read_parameters(head, node).params)
                self.defined.add((_cut_scope(field_text(head, "declarator")), count))
        self.functors: dict[str, tuple[Typed, ...]] = {}  # how objects of a class are called

    def read_facts(self) -> Facts:
        self.enter_room(self.root, "")
        main = self.functions.get("main", Function(""))
        texts = frozenset(map(node_text, select_nodes(self.nodes, "string_content")))
        words = set(map(node_text, select_nodes(self.nodes, *_WORDS)))
        return Facts(
            functions=self.functions,
            classes=self.classes,
            imports=frozenset(self.included),
            options=tuple(filter(OPTION.fullmatch, sorted(texts))),
            texts=texts,
            serves=self.find_server(texts),
            reads_stdin=bool(words & _INPUT),
            reads_argv=len(main.params) > 1,
            structs=self.structs,
            reserved=RESERVED,
            runs="main" in self.functions,
            bound=frozenset(self.find_bound()),
            takes=may_take(words),
            interfaces=self.find_interfaces,
        )

    def find_server(self, texts: Iterable[str]) -> str:
        if any("httplib" in path for path in self.included):
            return "http"
        for callee in _list_callees(self.nodes):
            if callee.rpartition("::")[2] in _SERVE:
                return "http" if any("HTTP/1" in text for text in texts) else "socket"
        return ""

    def find_bound(self) -> Iterator[str]:
        """Words of the program but functions that are only called or declared."""
        for node in select_nodes(self.nodes, *_WORDS):
            owner = node.parent
            if owner is None or owner.type == "call_expression":
                continue
            is_head = owner.type == "function_declarator"
            if is_head and owner.parent is not None and owner.parent.type == "declaration":
                continue
            yield node_text(node)

    def find_interfaces(self) -> Iterator[str]:
        heads = select_nodes(self.nodes, "function_declarator")
        declared = {field_text(head, "declarator") for head in heads}
        yield from self.included
        for node in self.nodes:
            name = field_text_tail(node)
            if name not in declared and re.fullmatch(r"[\w:]+", name):
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
        is_deleted = bool(select_nodes(node.children, "delete_method_clause"))
        earlier = table[name].typed if name in table else ()
        is_named = _NAME.fullmatch(name) or name == _CALL
        if declarator is None or is_deleted or not is_named or len(earlier) == OVERLOADS:
            return
        typed = _read_parameters(declarator, node)
        if aliases:
            opened = [_open_aliases(kind, aliases) for kind in typed.types]
            typed = replace(typed, types=tuple(opened))
        has_body = node.type == "function_definition"
        signature = (_cut_scope(space + name), len(typed.params))
        typed = replace(
            typed,
            name=space + name,
            generic=typed.generic + len(parameters),
            is_defined=has_body or signature in self.defined,
        )
        table[name] = _join_overloads(name, (*earlier, typed), node)

    def read_callables(self, node: Node, space: str) -> Iterator[Typed]:
        """Variables that can be called: lambdas, pointers to functions, objects, std::function."""
        kind = node.child_by_field_name("type") if node.type == "declaration" else None
        if kind is None:
            return
        inside = _find_node(kind, "abstract_function_declarator")
        functor = self.functors.get(node_text(kind).rpartition("::")[2], ())
        for declarator in node.children_by_field_name("declarator"):
            value = declarator.child_by_field_name("value")
            is_lambda = value is not None and value.type == "lambda_expression"
            alike = self.functions.get(node_text(value).removeprefix("&"), Function("")).typed
            head = _find_declarator(value if is_lambda and value else declarator) or inside
            if overloads := functor or alike:
                typed = overloads[0]
            elif is_lambda or inside or (head and value is not None):
                typed = _read_parameters(head, node)
            else:
                continue
            name = node_text(_find_node(declarator, "identifier"))
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
        full = f"{space}{name}"
        if parameters:
            full += f"<{', '.join(parameters)}>"
        public = list(_list_public(record, body))
        aliases = dict(_read_types(body.named_children, f"::{space}{name}"))
        parents: list[str] = []
        for clause in select_nodes(record.named_children, "base_class_clause"):
            bases = [base for base in clause.named_children if "identifier" in base.type]
            parents += map(node_text, bases)
        inherited = [self.classes[parent] for parent in parents if parent in self.classes]
        fields: list[str] = []
        for parent in inherited:
            fields += self.structs.get(parent.full, ())
        methods: dict[str, Function] = {}
        for member in public:
            fields += _list_fields(member)
            self.enter_function(methods, member, f"{space}{name}::", aliases)
        init = methods.pop(name, None) or self.find_inherited_constructor(body)
        if init is None:
            # Where nobody says what it is made of, the compiler accepts what is given or does not.
            init = Function(name, tuple(fields), many=not fields, others=not fields)
        if _CALL in methods:
            self.functors[name] = methods.pop(_CALL).typed
        for parent in inherited:
            methods = {**parent.methods, **methods}
        if fields and _find_node(body, "bitfield_clause") is None:
            is_tag = self.language == "c" and not alias
            self.structs[f"struct {name}" if is_tag else full] = tuple(fields)
        self.classes[name] = Class(name, init, methods, tuple(parents), full)
        for inner in public if depth < DEEPEST else ():
            if inner.type in _RECORDS or inner.child_by_field_name("type") is not None:
                self.enter_record(inner, f"{space}{name}::", depth + 1)

    def find_inherited_constructor(self, body: Node) -> Function | None:
        for parent in _INHERITED.findall(node_text(body)):
            if parent in self.classes:
                return self.classes[parent].init
        return None


def _find_node(root: Node, kind: str) -> Node | None:
    """The first node of this kind, in the order of the text."""
    for node in walk(root):
        if node.type == kind:
            return node
    return None


def _list_callees(nodes: Iterable[Node]) -> Iterator[str]:
    return map(field_text_tail, select_nodes(nodes, "call_expression"))


def _open_template(node: Node) -> tuple[Node, tuple[str, ...]]:
    """What a template declares, and its parameters that are types to be chosen; or what is none."""
    names: list[str] = []
    while node.type == "template_declaration":
        parameters = list_field(node, "parameters")
        kinds = ("type_parameter_declaration", "parameter_declaration")
        for one in select_nodes(parameters, *kinds):
            names.append(node_text(one).split()[-1])
        names = names or ["T"]
        node = node.named_children[-1]
    return node, tuple(names)


def _cut_scope(name: str) -> str:
    """Class::method, however it is qualified."""
    return "::".join(re.sub(r"<[^<>]*>", "", name).split("::")[-2:])


def _open_aliases(kind: str, aliases: Mapping[str, str]) -> str:
    """A type with what the aliases in it stand for, which may be of aliases again."""

    def open_alias(name: re.Match[str]) -> str:
        if name[0] not in aliases:
            return name[0]
        return f"std::type_identity_t<{aliases[name[0]]}>"

    for _ in range(_ALIASES_DEEP):
        kind = _TYPE_NAME.sub(open_alias, kind)
    return kind


def _read_types(members: Iterable[Node], full: str) -> Iterator[tuple[str, str]]:
    """What the names of types inside a class stand for."""
    for node in members:
        kind = node.child_by_field_name("type")
        if node.type in _RECORDS or node.type == "enum_specifier":
            kind = node
        if node.type in _ALIASES:
            yield field_text(node, _ALIASES[node.type]), field_text(node, "type")
        elif kind is not None and kind.child_by_field_name("body") is not None:
            yield field_text(kind, "name"), f"{full}::{field_text(kind, 'name')}"


def _list_public(record: Node, body: Node) -> Iterator[Node]:
    """The public members."""
    is_public = record.type == "struct_specifier"
    for node in body.named_children:
        if node.type == "access_specifier":
            is_public = node_text(node) == "public"
        elif is_public:
            yield node


def _list_fields(node: Node) -> Iterator[str]:
    if node.type == "field_declaration" and not node_text(node).startswith("static"):
        for declarator in node.children_by_field_name("declarator"):
            name = _find_node(declarator, "field_identifier")
            if name and _find_node(declarator, "function_declarator") is None:
                yield node_text(name)


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
    types: list[str] = []
    names: list[str] = []
    types_behind: dict[str, str] = {}
    defaults = generic = 0
    for declaration in select_nodes(node.children, "declaration"):
        for kind, name in _read_variables(declaration):
            types_behind[name] = kind
    for item in list_field(declarator, "parameters"):
        if item.type == "identifier":
            name = node_text(item)
            kind = types_behind.get(name, "int")
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
        name = _find_node(declarator, "identifier")
        if name is None:
            continue
        has_name = True
        whole = declarator.text or b""
        start = name.start_byte - declarator.start_byte
        behind = whole[start + len(name.text or b"") :].decode(errors="replace")
        if not whole.startswith(b"("):
            behind = _OPEN.sub("(*)", behind)
        kind = _ATTRIBUTE.sub("", (before + whole[:start]).decode(errors="replace") + behind)
        yield " ".join(kind.split()), node_text(name)
    if not has_name:
        yield " ".join(node_text(node).partition("=")[0].split()), ""


def _join_overloads(name: str, typed: tuple[Typed, ...], node: Node) -> Function:
    """The overload with most parameters stands for all; the one with fewest says what is needed."""
    widest = max(typed, key=lambda one: len(one.params))
    packs = sum("..." in kind for kind in widest.types)  # one takes as many as there are
    callees = set(_list_callees(walk(node)))
    if "cin" in map(node_text, select_nodes(walk(node), "identifier")):
        callees.add("cin")
    return Function(
        name=name,
        params=widest.params[: len(widest.params) - packs],
        required=min(len(one.params) - one.defaults for one in typed) - packs,
        many=packs > 0,
        others=packs > 0,
        calls=frozenset(callees),
        typed=typed,
    )
