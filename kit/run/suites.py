"""Opens a suite by its name or folder, lists the known suites, and finds the suite of a run."""

import difflib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from kit.core.errors import KitError
from kit.core.paths import REFERENCES, SUITES, read_text
from kit.core.records import Sample, Task, content_key
from kit.core.store import Store
from kit.core.versions import version_of_folder
from kit.generation.base import Messages
from kit.run.suite import Suite

DECIDE = (
    "kit.harness",
    "kit.oracle",
    "kit.run.cases",
    "kit.run.clones",
)  # rooms on which verdicts of a suite.py rest


def open_suite(name: str) -> Suite:
    """The suite of a name, of a folder, or of your own MODULE:CLASS; KitError for anything else.

    name: one of `list_suites`, or the path of a folder with a suite.py. Its code runs with your
    rights.
    """
    folder = find_folder(name)
    if folder:
        return open_folder(folder)
    entry = find_announced_suites().get(name)
    home = entry.value if entry else name
    if ":" in home:
        module, _, kind = home.partition(":")
        try:
            suite: Suite = getattr(import_module(module), kind)()
            if not isinstance(suite, Suite):
                raise TypeError(f"{kind} is not a Suite")
            if not hasattr(suite, "name"):
                type(suite).name = home
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise KitError(
                f"The suite {name!r} cannot be loaded: {error}. Give MODULE:CLASS of a class of "
                "kit.run.suite.Suite that Python can import."
            ) from None
        return suite
    specified: Suite = find_announced_suites()["dualgauge"].load()(name)
    return specified


@cache
def find_announced_suites() -> dict[str, EntryPoint]:
    """Name -> entry point of the group kit.suites: the class of Suite that it is; not imported."""
    return {entry.name: entry for entry in entry_points(group="kit.suites")}


def find_folder(name: str) -> Path | None:
    """The folder with a suite.py that a name means; None if it means a suite of another kind.

    A path is what is written as one, or is a folder here and none of the known names.
    """
    path = Path(name).expanduser()
    if os.sep in name or (name not in list_suites() and path.is_dir()):
        return path
    return SUITES / name if (SUITES / name / "suite.py").is_file() else None


def open_folder(folder: Path) -> Suite:
    """The suite of the one class in the folder's suite.py; KitError says what is wrong with it."""
    from kit.harness.box_files import list_inboxes

    folder = folder.resolve()
    file = folder / "suite.py"
    if not folder.is_dir():
        raise KitError(f"The folder {folder} does not exist. Name one with a suite.py.")
    if not file.is_file():
        raise KitError(
            f"{folder} has no suite.py. Write one, as data/suites/README.md "
            f"shows it, or open a folder of tests.json files with `dualgauge --data {folder}`."
        )
    with explain_failure(file):
        sources = version_of_folder(folder, within=DECIDE, placed=list_inboxes())
        return load_class(folder, sources)()


@contextmanager
def explain_failure(file: Path) -> Iterator[None]:
    """Turn what fails while a user's file is loaded into a KitError that names its line."""
    try:
        yield
    except KitError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(file)]
        last = lines[-1] if lines else 1
        line = getattr(error, "lineno", None) or last
        raise KitError(
            f"{file} cannot be loaded: {type(error).__name__} in line {line}: {error}. "
            "Correct the file; modules beside it are imported as `from .name import ...`."
        ) from error


@cache
def load_class(folder: Path, sources: str) -> type[Suite]:
    """Execute the folder's suite.py, once for each version of its sources; the class in it."""
    suite: type[Suite] = load_only_class(folder / "suite.py", Suite)
    suite.name = folder.name if folder.parent == SUITES else str(folder)
    suite.sources = sources
    if suite.labels == REFERENCES:
        suite.labels = folder
    return suite


def load_only_class(file: Path, kind: type) -> type[Any]:
    """Execute the file, with your rights, as a module of a package of its folder; its one class.

    kind: what the class is derived from.
    """
    package = f"kit_benchmark_{content_key(str(file.parent))[:16]}"
    for module_name in [*sys.modules]:
        if module_name.partition(".")[0] == package:
            del sys.modules[module_name]
    sys.modules[package] = ModuleType(package)
    sys.modules[package].__path__ = [str(file.parent)]
    spec = spec_from_file_location(f"{package}.{file.stem}", file)
    assert spec
    module = sys.modules[spec.name] = module_from_spec(spec)
    # Python's own loader would take compiled code for it that may be a second old.
    exec(compile(read_text(file), str(file), "exec"), vars(module))
    classes = set()
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, kind) and value.__module__ == spec.name:
            classes.add(value)
    if len(classes) != 1:
        listed = ", ".join(sorted(found.__name__ for found in classes)) or "none"
        raise KitError(
            f"{file} must define one class of {kind.__module__}.{kind.__name__}, and it defines "
            f"{len(classes)} ({listed}). Leave one there; others may stand in a module beside it."
        )
    return classes.pop()


def home_of(name: str) -> Path:
    """The folder of one of the kit's suites; KitError, which names the suites, for another name."""
    names = list_suites()
    if name in names:
        return SUITES / name
    matches = difflib.get_close_matches(name, names, 1)
    guess = f"Do you mean {matches[0]}? " if matches else ""
    raise KitError(
        f"Unknown suite {name!r}. {guess}Use one of: {', '.join(names)}; "
        "a folder with a suite.py; MODULE:CLASS of a suite of your own; or --data DIR with items "
        "of your own."
    )


def describe_suites() -> dict[str, str]:
    """The first sentence on each suite's class: what its tasks are."""
    sentences = {}
    for name in list_suites():
        text = type(open_suite(name)).__doc__ or ""
        sentences[name] = text.split(". ")[0].split("\n")[0].rstrip(".")
    return sentences


def list_suites() -> list[str]:
    """The names of the suites that are installed."""
    folders = {p.parent.parent.name for p in SUITES.glob("*/*/tests.json")}
    folders |= {p.parent.name for p in SUITES.glob("*/suite.py")}
    return sorted(folders | set(find_announced_suites()))


def of_run(store: Store) -> Suite:
    """The suite of a run, by its meta; that of DualGauge if the meta names none."""
    meta = store.meta()
    suite = open_suite(meta.get("suite", "dualgauge"))
    settings = suite.Settings(**suite.read_settings(meta))
    opened = suite.with_settings(settings)
    if "data" in meta:
        opened.data = Path(meta["data"])
    return opened


def tasks_of(
    store: Store, folder: Path | None = None, suite: Suite | None = None
) -> Sequence[Task]:
    """The tasks of a run: those of its suite, or of `folder`, loaded into `suite`.

    A stored run opens everywhere: if this machine cannot load the suite (a library, the sources or
    the folder are missing), the tasks are those of the run's file, without prompts.
    """
    try:
        return (suite or of_run(store)).load(folder).tasks
    except KitError as error:
        if folder is not None:
            raise
        return store.tasks(prompt=f"The text of this task cannot be shown here. {error}")


def question_of(store: Store, suite: Suite, task: Task, sample: Sample) -> Messages:
    """What was asked for an answer of a run; the task's text if the suite cannot say it here."""
    every: list[str] = []
    if sample.arm.get("hint") == "list":
        for other in store.tasks(prompt=""):
            every += [test.cwe for test in other.tests]
    try:
        return suite.question(task, sample, every)
    except (KitError, LookupError):  # its sources are not here
        return [{"role": "user", "content": task.prompt}]
