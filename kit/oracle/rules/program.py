"""Which calls of a program take something for a language of its own."""

from kit.harness.languages import READERS
from kit.harness.languages.facts import BUILT, CONSTANT, Called


def calls(code: str, language: str) -> tuple[Called, ...] | None:
    """Every call of a Python or JavaScript program; None for what is not read here."""
    if not code.strip() or language not in READERS:
        return None
    try:
        return READERS[language](code).calls
    except SyntaxError:
        return None


INTERPRETERS = frozenset(
    "eval exec compile __import__ os.system os.popen pickle.loads pickle.load marshal.loads "
    "shelve.open dill.loads jsonpickle.decode yaml.load yaml.unsafe_load yaml.full_load "
    "importlib.import_module flask.render_template_string jinja2.Template string.Template "
    "Function setTimeout setInterval document.write insertAdjacentHTML".split()
)
_MODULES = ("subprocess.", "child_process.", "vm.", "vm2.", "os.exec", "os.spawn", "code.")
_TAILS = frozenset({"execute", "executescript", "executemany", "from_string", "xpath", "query"})


def interpreters(code: str, language: str) -> tuple[Called, ...] | None:
    """Calls that take something that is no constant for a language of its own; None: not read."""
    found = calls(code, language)
    if found is None:
        return None
    return tuple(c for c in found if _interprets(c) and set(c.kinds[:1]) != {CONSTANT})


def _interprets(call: Called) -> bool:
    if call.name in ("setTimeout", "setInterval"):
        return call.kinds[:1] == (BUILT,)
    return (
        call.name in INTERPRETERS or call.name.startswith(_MODULES)
        or (call.tail in _TAILS and "." in call.name)
    )  # fmt: skip
