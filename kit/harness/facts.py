"""The facts of a program that planning needs, in the same form for every language.

C and C++ read all of them from the text; of Python and JavaScript what can be called is seen in a
box that has loaded the program: see Look.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """A callable's name and parameters (self left out). `required`: how many have no default.

    path: where it is in the module, if that is not its name alone. by_position: how many parameters
    are better given by position.
    """

    name: str
    params: tuple[str, ...] = ()
    required: int = 0
    keyword_only: tuple[str, ...] = ()
    by_position: int = 0
    many: bool = False  # *args
    others: bool = False  # **kwargs
    calls: frozenset[str] = frozenset()  # and what of the standard input it names
    more: bool = False  # JavaScript: further arguments are no error
    packed: tuple[str, ...] = ()  # parameters that are properties of one object argument
    typed: tuple[Typed, ...] = ()  # C and C++: one for each overload
    path: tuple[str, ...] | None = None

    @property
    def all_parameters(self) -> tuple[str, ...]:
        """All parameters, those given by name alone last."""
        return (*self.params, *self.keyword_only)

    @property
    def required_parameters(self) -> tuple[str, ...]:
        """Those in order that have no default."""
        return self.params[: self.required]


def path_in_module(item: "Function | Class") -> tuple[str, ...]:
    """The names that lead to it from the module."""
    return (item.name,) if item.path is None else item.path


ANY = Function("", many=True, others=True)  # of which nothing is known but its name


@dataclass(frozen=True)
class Class:
    """A class of the program; its methods include those inherited from other classes of it."""

    name: str
    init: Function = ANY
    methods: Mapping[str, Function] = field(default_factory=dict)
    bases: tuple[str, ...] = ()
    full: str = ""  # C++: with its namespaces, and <T> of a template
    path: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Look:
    """What can be called in a program that was loaded. ended: what ended the load, "" if nothing.

    A function at the path () is the whole module; one without a name goes by any.
    """

    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    ended: str
    scoped: frozenset[str] = frozenset()  # JavaScript: names that it does not export


@dataclass(frozen=True)
class Route:
    """A path that a server answers, with the name of the function that does."""

    path: str
    methods: tuple[str, ...]
    handler: str


@dataclass(frozen=True)
class Facts:
    """Everything that planning rests on.

    examples: by function, first and last line of statements that only show how it is called.
    """

    functions: Mapping[str, Function] = field(default_factory=dict)
    classes: Mapping[str, Class] = field(default_factory=dict)
    imports: frozenset[str] = frozenset()  # top-level names of imported modules
    look: Look | None = None  # where functions and classes are from the loaded program
    routes: tuple[Route, ...] = ()
    options: tuple[str, ...] = ()  # as declared: "--name", "file"
    request_reads: frozenset[str] = frozenset()
    framework: str = ""  # Python: whose requests a function alone may take
    upload_names: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    serves: str = ""  # "http", or "socket" for another protocol
    reads_stdin: bool = False
    reads_argv: bool = False
    modules: str = ""  # "import": an ES module
    declared: frozenset[str] = frozenset()  # JavaScript: names of the top level, exported or not
    structs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # full name -> fields
    examples: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()  # words that no method of the language can be called
    runs: bool = False  # does something when it is run as a program
    binds: bool = False  # a name of the program stands for what is no literal
    bound: frozenset[str] = frozenset()  # every name that may be given to something, in any style
    takes: bool = False  # something in it may take what a test gives
    needs: frozenset[str] = frozenset()  # libraries without which it does not load
    # what it imports and what it calls of that, qualified, in the order of the text
    interfaces: Callable[[], Iterable[str]] = field(default=tuple, repr=False, compare=False)

    @property
    def methods(self) -> list[Function]:
        """Those of all classes."""
        methods: list[Function] = []
        for owner in self.classes.values():
            methods += owner.methods.values()
        return methods
