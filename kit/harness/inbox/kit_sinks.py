"""In the box: records what reaches dangerous sinks of this interpreter, where a test asks for it.

What audit events tell comes from a hook that no program can take away; the rest is wrapped, and
has to be so at the end. Each record bears a number, and a word drawn before the program ran.
"""

import atexit
import os
import sys
from _io import BufferedWriter, FileIO, TextIOWrapper
from _thread import RLock, get_ident

from kit_channel import FOLDER, Caught

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kit_channel import Channel

SINKS = (
    "sql",
    "shell",
    "code",
    "template",
    "yaml",
    "path",
    "xml",
    "xpath",
    "pickle",
    "hash",
    "random",
)
MOST, LONGEST, WHOLE = 400, 8000, 300_000  # records, characters of one text, of all
_RANDOM = "random randint randrange choice choices sample shuffle uniform getrandbits randbytes"
_HASHES = "md5 sha1 sha224 sha256 sha384 sha512 new pbkdf2_hmac"
_PARSERS = "fromstring XML parse iterparse parseString"
# What has no audit event: the sink of functions of a module, or of methods of its classes.
WRAPPED = {
    "jinja2.environment": {"template": "Environment._parse"},
    "django.template.base": {"template": "Template.__init__"},
    "yaml": {"yaml": "load load_all"},
    "xml.etree.ElementPath": {"xpath": "find findall findtext iterfind"},
    "xml.etree.ElementTree": {"xml": _PARSERS},
    "xml.dom.minidom": {"xml": _PARSERS},
    "lxml.etree": {"xml": _PARSERS},
    "hashlib": {"hash": _HASHES},
    "random": {"random": f"{_RANDOM} Random.__init__"},
    "numpy.random": {"random": "default_rng RandomState rand randint random choice bytes"},
    "sqlite3.dbapi2": {},
    "subprocess": {},
}
SCRIPTED = ("sh", "bash", "dash", "zsh", "ksh", "sqlite3")  # read scripts from standard input
_PATHS = "os.listdir os.scandir os.remove os.mkdir os.rmdir os.rename os.link os.symlink \
os.truncate os.chmod os.chdir shutil.rmtree shutil.copyfile shutil.move"
_BEYOND = "ctypes.dlsym ctypes.dlsym/handle ctypes.cdata gc.get_objects gc.get_referrers"

_QUIET = [
    os.path.join(os.path.dirname(os.__file__), n) for n in ("collections/__init__.py", "typing.py")
]


def start(channel: "Channel") -> None:
    """From here on every sink is watched, in modules that are loaded later too."""
    recorder = Recorder(channel)
    recorder.note("begin", "", *SINKS)
    recorder.wrap_loaded()
    atexit.register(recorder.end)
    watches = recorder.watches()

    def hook(event: str, args: "tuple[Any, ...]") -> None:
        if watch := watches.get(event):
            with Caught():
                watch(*args)

    sys.addaudithook(hook)


def text_of(value: "Any") -> str:
    """A text as it is, bytes decoded, anything else in its own words."""
    if isinstance(value, (bytes, bytearray)):
        return value.decode(errors="replace")
    return str.__str__(value) if isinstance(value, str) else str(value)


def read_ahead(number: int) -> str:
    """What a started program is to read from a file; "" for a pipe, of which nobody knows."""
    try:
        return text_of(os.pread(number, LONGEST + 1, os.lseek(number, 0, os.SEEK_CUR)))
    except OSError:
        return ""


class Written(FileIO):
    """The end of a pipe, by whose other end a started program is fed; it is noted when closed."""

    def __init__(self, recorder: "Recorder", pipe: "Any", words: "list[str]") -> None:
        super().__init__(os.dup(pipe.fileno()), "wb")
        self.recorder, self.words = recorder, words
        self.texts: list[str] = []
        recorder.open_pipes.append(self)

    def write(self, data: "Any") -> "Any":
        count = super().write(data)
        self.texts.append(text_of(bytes(data)[:count]))
        return count

    def fileno(self) -> int:
        caller = sys._getframe(1).f_code.co_filename
        self.recorder.beyond(not caller.startswith(("/usr/", "<frozen", FOLDER)))
        return super().fileno()

    def close(self) -> None:
        if self in self.recorder.open_pipes:
            self.recorder.open_pipes.remove(self)
            self.recorder.note("shell", "".join(self.texts), *self.words)
        super().close()


def rewritten(pipe: "Any", raw: Written) -> "Any":
    """The pipe as the program expects it, buffered or as text, over another end."""
    pipe.flush()
    buffer = BufferedWriter(raw) if hasattr(getattr(pipe, "buffer", pipe), "raw") else raw
    if not hasattr(pipe, "encoding"):
        pipe.close()
        return buffer
    encoding = {"encoding": pipe.encoding, "errors": pipe.errors}
    pipe.close()
    return TextIOWrapper(buffer, line_buffering=pipe.line_buffering, write_through=True, **encoding)


class Recorder:
    def __init__(self, channel: "Channel") -> None:
        self.channel = channel
        self.word = os.urandom(8).hex()
        self.lock = RLock()
        self.number = self.size = 0
        self.known: set[tuple[str, ...]] = set()
        self.wrappers: dict[tuple[Any, str], Any] = {}
        self.modules: set[str] = set()
        self.loading: set[str] = set()
        self.files: set[Any] = set()  # of these modules
        self.texts: dict[str, str] = {}  # compiled, and not yet executed, by file name
        self.link: Any = ()  # the class of the connections to databases that are watched
        self.parsed = ""  # what was compiled last
        self.tree = ""  # of which a tree was compiled
        self.open_pipes: list[Written] = []
        self.busy: set[int] = set()  # threads in a wrapped method of SQL

    def note(self, sink: str, text: "Any" = "", *words: "Any") -> None:
        """One record, once; what is beyond the bounds leaves one that says so."""
        whole = [text_of(part) for part in (text, *words)]
        parts = [part[:LONGEST] for part in whole]
        key = (sink, *parts)
        with self.lock:
            if key in self.known and sink != "shell":
                return  # programs that are started are counted
            is_full = self.number >= MOST or self.size > WHOLE
            is_dropped = is_full and sink not in ("cut", "end")
            if not is_dropped:
                self.known.add(key)
                self.size += sum(map(len, parts))
                record = {"sink": sink, "word": self.word, "n": self.number}
                self.channel.write({**record, "text": parts[0], "words": parts[1:]})
                self.number += 1
        if is_dropped or parts != whole:
            self.note("cut")

    def end(self) -> None:
        """The last record, unless a wrapper is gone or a module came in without its wrappers."""
        for pipe in list(self.open_pipes):
            with Caught():
                pipe.close()
        for (owner, name), wrapper in self.wrappers.items():
            if getattr(owner, name, None) is not wrapper:
                return
        loaded = {name for name in WRAPPED if name in sys.modules}
        if loaded <= self.modules:
            self.note("end")

    # What audit events tell.

    def watches(self) -> "dict[str, Callable[..., None]]":
        """What is done at which event, with its arguments."""

        def note_start(_path: "Any", argv: "Any", *_: "Any") -> None:
            self.note("shell", "", *argv)

        def distrust_own(*_: "Any") -> None:
            self.beyond(self.is_own())

        def distrust_code(_owner: "Any", name: str, *_: "Any") -> None:
            self.beyond(name == "__code__" and self.is_own())

        return {
            **dict.fromkeys(_PATHS.split(), self.path),
            "open": lambda path, *_: self.path(path),
            **dict.fromkeys(_BEYOND.split(), lambda *_: self.beyond(True)),
            **dict.fromkeys(("os.fork", "os.forkpty"), lambda *_: self.note("fork")),
            "os.system": lambda line: self.note("shell", "", "/bin/sh", "-c", line),
            **dict.fromkeys(("subprocess.Popen", "os.exec", "os.posix_spawn"), note_start),
            "pickle.find_class": lambda *names: self.note("pickle", ".".join(names)),
            "object.__setattr__": distrust_code,
            "sqlite3.connect/handle": lambda link: self.beyond(not isinstance(link, self.link)),
            "import": self.wrap_import,
            **dict.fromkeys(("code.__new__", "function.__new__", "marshal.loads"), distrust_own),
            "compile": self.compiled,
            "exec": self.note_execution,
        }

    def beyond(self, is_so: bool) -> None:
        """A record that nobody vouches for the others, where `is_so`."""
        if is_so:
            self.note("beyond")

    def is_own(self) -> bool:
        """Whether the program, and no library, called what a hook was told of.

        Below this function are the watch and the hook.
        """
        return not sys._getframe(3).f_code.co_filename.startswith(("/usr/", "<frozen"))

    def path(self, *paths: "Any") -> None:
        """Paths of one call; without what the interpreter and its libraries read for themselves."""
        for path in paths:
            text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
            if text and (not text.startswith("/usr/") or ".." in text):
                self.note("path", text)

    def compiled(self, source: "Any", name: "Any") -> None:
        """eval and exec run what they compile; what others compile is kept until it is run."""
        caller = sys._getframe(2).f_code  # below it are the hook and this function
        is_library = str(name).startswith(("/usr/", "<frozen"))
        self.beyond(is_library and not caller.co_filename.startswith(("/usr/", "<frozen")))
        if not isinstance(source, (str, bytes)):  # a tree, whose text was parsed before
            self.tree = self.parsed
        elif caller.co_filename in _QUIET:
            return
        elif name == "<string>" and "compile" not in caller.co_names:
            self.note("code", source)
        elif caller.co_name != "_call_with_frames_removed" or not is_library:
            self.texts[name] = self.parsed = text_of(source)

    def note_execution(self, code: "Any") -> None:
        self.wrap_loaded()
        name = code.co_filename
        self.beyond(name in self.files)  # a second copy of a module, without wrappers
        if name in self.texts:
            self.note("code", self.texts.pop(name))
        elif self.tree and not name.startswith(("/usr/", "<frozen")):
            self.note("code", self.tree)
            self.tree = ""

    # What is wrapped.

    def wrap_import(self, name: str, *_: "Any") -> None:
        """A module of WRAPPED is loaded and wrapped before the import that asks for it goes on."""
        if name in WRAPPED and name not in self.loading:
            self.loading.add(name)
            with Caught():
                __import__(name)
        self.wrap_loaded()

    def wrap_loaded(self) -> None:
        for name in WRAPPED:
            if name in sys.modules and name not in self.modules:
                if not getattr(sys.modules[name].__spec__, "_initializing", False):
                    self.wrap_module(name)

    def wrap_module(self, name: str) -> None:
        module = sys.modules[name]
        self.modules.add(name)
        self.files.add(getattr(module, "__file__", None))
        for sink, paths in WRAPPED[name].items():
            for path in paths.split():
                kind, _, function = path.rpartition(".")
                owner = getattr(module, kind) if kind else module
                if hasattr(owner, function):
                    is_method = bool(kind) or sink == "xpath"
                    self.wrap(owner, function, self.by_call(sink, function, is_method))
        if name == "sqlite3.dbapi2":
            self.wrap_sqlite(module)
        if name == "lxml.etree":
            self.wrap_lxml(module)
        if name == "subprocess":
            self.wrap_subprocess(module)

    def by_call(self, sink: str, name: str, method: bool) -> "Callable[..., None]":
        """What a wrapped function notes of its arguments."""

        def watch(*args: "Any", **named: "Any") -> None:
            values = [*args[method:], *named.values(), ""]
            first = values[0]
            if sink == "yaml":
                loader = named.get("Loader") or args[1]
                is_unsafe = any(k.__name__ == "UnsafeConstructor" for k in loader.__mro__)
                self.note(sink, first, loader.__name__, "objects" if is_unsafe else "plain")
            elif sink not in ("hash", "random"):
                self.note(sink, first)
            elif name == "__init__" and type(args[0]).__name__ == "SystemRandom":
                return  # which asks the system
            elif not sys._getframe(2).f_code.co_filename.startswith("/usr/"):
                takes_hash = sink == "hash" and name in ("new", "pbkdf2_hmac")
                self.note(sink, first if takes_hash else name)

        return watch

    def wrap(
        self, owner: "Any", name: str, watch: "Callable[..., None]", sql: bool = False
    ) -> None:
        """The function of this name notes its arguments first, and then does what it did."""
        original = getattr(owner, name)

        def wrapper(*args: "Any", **named: "Any") -> "Any":
            with Caught():
                watch(*args, **named)
            thread = get_ident()
            if not sql or thread in self.busy:
                return original(*args, **named)
            self.busy.add(thread)
            try:
                return original(*args, **named)
            finally:
                self.busy.discard(thread)

        wrapper.__name__ = name
        wrapper.__doc__ = original.__doc__
        setattr(owner, name, wrapper)
        self.wrappers[owner, name] = wrapper

    def wrap_subprocess(self, module: "Any") -> None:
        """The standard input of what runs scripts is recorded, as far as this process writes it."""
        start = module.Popen._execute_child
        send = module.Popen._communicate

        def _execute_child(process: "Any", args: "Any", *rest: "Any") -> None:
            shell, source, sink = rest[8:11]
            argv = [args] if isinstance(args, (str, bytes)) else args
            words = [text_of(os.fspath(word)) for word in argv]
            reads_script = not shell and os.path.basename(words[0]) in SCRIPTED
            if reads_script and sink == -1:
                self.note("shell", read_ahead(max(source, 0)), *words)
            start(process, args, *rest)
            if reads_script and sink != -1:
                process.stdin = rewritten(process.stdin, Written(self, process.stdin, words))

        def _communicate(process: "Any", given: "Any", *rest: "Any") -> "Any":
            raw = getattr(getattr(process.stdin, "buffer", process.stdin), "raw", None)
            if given and isinstance(raw, Written):
                raw.texts.append(text_of(given))
            return send(process, given, *rest)

        for wrapper in (_execute_child, _communicate):
            setattr(module.Popen, wrapper.__name__, wrapper)
            self.wrappers[module.Popen, wrapper.__name__] = wrapper

    def wrap_lxml(self, module: "Any") -> None:
        """Elements are of a class of ours, which parsers make; trees and HTML cannot be."""

        class Element(module.ElementBase):  # type: ignore[misc]
            def xpath(self, path: "Any", **named: "Any") -> "Any":
                recorder.note("xpath", path)
                return super().xpath(path, **named)

        recorder = self
        parser: Any = module.XMLParser
        lookup = module.ElementDefaultClassLookup(element=Element)

        class XMLParser(parser):  # type: ignore[misc]
            def __init__(self, *args: "Any", **named: "Any") -> None:
                super().__init__(*args, **named)
                self.set_element_class_lookup(lookup)

        module.XMLParser = XMLParser
        module.set_default_parser(XMLParser())
        self.wrap(module, "XPath", lambda path, **_: self.note("xpath", path))
        for name in ("parse", "ElementTree", "HTML", "HTMLParser"):
            self.wrap(module, name, lambda *_, **__: self.note("unseen", "xpath"))

    def wrap_sqlite(self, module: "Any") -> None:
        """Connections and cursors are of classes of ours; what runs past these is traced."""
        base: Any = module.Connection

        def note_statement(statement: str) -> None:
            is_of_the_module = statement.startswith(("BEGIN", "COMMIT", "ROLLBACK"))
            if get_ident() not in self.busy and not is_of_the_module:
                self.note("sql", statement)

        class Connection(base):  # type: ignore[misc]
            def __init__(self, *args: "Any", **named: "Any") -> None:
                super().__init__(*args, **named)
                base.set_trace_callback(self, note_statement)

            def cursor(self, factory: "Any" = None) -> "Any":
                return super().cursor(factory or module.Cursor)

        module.Cursor = type("Cursor", (module.Cursor,), {})
        for owner in (Connection, module.Cursor):
            for name in ("execute", "executemany", "executescript"):
                self.wrap(owner, name, self.statement, sql=True)
        self.wrap(Connection, "set_trace_callback", lambda *_: self.note("beyond"))
        original = module.connect

        def connect(*args: "Any", **named: "Any") -> "Any":
            if len(args) <= 5:  # else the sixth is a factory
                named.setdefault("factory", Connection)
            return original(*args, **named)

        self.link = module.Connection = Connection
        module.connect = connect
        self.wrappers[module, "connect"] = connect
        self.wrappers[module, "Connection"] = Connection

    def statement(self, _cursor: "Any", text: "Any", given: "Any" = ()) -> None:
        values = list(given.values()) if isinstance(given, dict) else given
        if not isinstance(values, (list, tuple)):
            values = ()
        self.note("sql", text, *values[:50])
