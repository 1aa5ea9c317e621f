"""The facts of a program that planning needs, in the same form for every language."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Typed:
    """A function of C or C++: its full name, its parameters and their types as they are written.

    generic: how many types a template of it leaves open; is_object: a variable that can be called;
    is_defined: not only declared.
    """

    name: str = ""
    types: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    defaults: int = 0
    generic: int = 0
    is_object: bool = False
    is_defined: bool = True


@dataclass(frozen=True)
class Function:
    """A callable's name and parameters (self left out). `required`: how many have no default."""

    name: str
    params: tuple[str, ...] = ()
    required: int = 0
    keyword_only: tuple[str, ...] = ()
    positional_only: int = 0
    many: bool = False  # *args
    others: bool = False  # **kwargs
    reads_stdin: bool = False
    calls: frozenset[str] = frozenset()
    packed: tuple[str, ...] = ()  # parameters that are properties of one object argument
    typed: tuple[Typed, ...] = ()  # C and C++: one for each overload


@dataclass(frozen=True)
class Class:
    """A class of the program; its methods include those inherited from other classes of it."""

    name: str
    init: Function
    methods: Mapping[str, Function]
    bases: tuple[str, ...] = ()
    full: str = ""  # C++: with its namespaces, and <T> of a template


@dataclass(frozen=True)
class Route:
    path: str
    methods: tuple[str, ...]
    handler: str


@dataclass(frozen=True)
class Facts:
    """Everything that planning rests on.

    examples: by function, first and last line of statements that only show how it is called.
    """

    functions: Mapping[str, Function]
    classes: Mapping[str, Class]
    imports: frozenset[str]  # top-level names of imported modules
    apps: tuple[tuple[str, str], ...] = ()  # (kind, name): wsgi, asgi, factory, handler, start
    routes: tuple[Route, ...] = ()
    options: tuple[str, ...] = ()  # as declared: "--name", "file"
    request_reads: frozenset[str] = frozenset()
    views: bool = False  # whether a function alone may take a request, as in Python's frameworks
    upload_names: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    starts_server: bool = False
    is_http: bool = False
    raw_socket: bool = False
    reads_stdin: bool = False
    reads_argv: bool = False
    exports: Mapping[str, str] = field(default_factory=dict)  # name -> as exported; "": whole
    modules: str = ""  # "import": an ES module
    structs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # full name -> fields
    examples: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()  # words that no method of the language can be called
    runs: bool = False  # does something when it is run as a program
    defines: bool = False  # a function, method or class, at any depth and in any style
    binds: bool = False  # a name of the program stands for what is no literal
    bound: frozenset[str] = frozenset()  # every name that may be given to something, in any style
    takes: bool = False  # something in it may take what a test gives
    needs: frozenset[str] = frozenset()  # libraries without which it does not load
    # what it imports and what it calls of that, qualified, in the order of the text
    interfaces: Callable[[], Iterable[str]] = field(default=tuple, repr=False, compare=False)
