"""Opens a suite by its name, lists the known suites, and finds the suite of a run."""

import difflib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from kit import rings
from kit.errors import KitError
from kit.generation.base import Messages
from kit.paths import SUITES
from kit.records import Sample, Task
from kit.store import Store
from kit.suite import Suite


def open_suite(name: str) -> Suite:
    """The suite of this name: one of the kit's, a folder of data/suites, or your own MODULE:CLASS.

    Raises KitError for any other name.
    """
    entry = rings.announced("kit.suites").get(name)
    home = entry.value if entry else name
    if ":" in home:
        module, _, kind = home.partition(":")
        try:
            suite: Suite = getattr(import_module(module), kind)()
            if not isinstance(suite, Suite):
                raise TypeError(f"{kind} is not a Suite")
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise KitError(
                f"The suite {name!r} cannot be loaded: {error}. Give MODULE:CLASS of a class of "
                "kit.suite.Suite that Python can import."
            ) from None
        return suite
    from kit.suites.spec.suite import SpecSuite

    return SpecSuite(name)


def home_of(name: str) -> Path:
    """The folder of one of the kit's suites; KitError, which names the suites, for another name."""
    if name in (known := names()):
        return SUITES / name
    close = [f"Do you mean {n}? " for n in difflib.get_close_matches(name, known, 1)]
    raise KitError(
        f"Unknown suite {name!r}. {''.join(close)}Use one of: {', '.join(known)}; "
        "MODULE:CLASS of a suite of your own; or --data DIR with items of your own."
    )


def about() -> dict[str, str]:
    """The first sentence on each suite's class: what its tasks are."""
    texts = {name: type(open_suite(name)).__doc__ or "" for name in names()}
    return {name: text.split(". ")[0].split("\n")[0].rstrip(".") for name, text in texts.items()}


def names() -> list[str]:
    """The names of the suites that are installed."""
    folders = {p.parent.parent.name for p in SUITES.glob("*/*/tests.json")}
    return sorted(folders | set(rings.announced("kit.suites")))


def of_run(store: Store) -> Suite:
    """The suite of a run, by its meta; that of DualGauge if the meta names none."""
    meta = store.meta()
    suite = open_suite(meta.get("suite", "dualgauge"))
    settings = suite.Settings(**suite.recorded(meta))
    return suite.configured(settings)


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
    listed = store.tasks(prompt="") if sample.arm.get("hint") == "list" else []
    try:
        return suite.question(task, sample, [t.cwe for other in listed for t in other.tests])
    except (KitError, LookupError):  # its sources are not here
        return [{"role": "user", "content": task.prompt}]
