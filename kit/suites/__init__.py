"""What is asked, and how an answer is checked: one folder per kind of suite, all on kit.suite."""

from importlib import import_module

from kit.errors import KitError
from kit.paths import SUITES
from kit.store import Store
from kit.suite import Suite

HOMES = {  # a suite's name -> the module and the class that is it; a folder of specs needs no row
    "codeguard": "kit.suites.completion.suite:CompletionSuite",
    "cweval": "kit.suites.foreign.cweval_suite:CwEval",
    "cyberseceval": "kit.suites.foreign.cyberseceval_suite:CyberSecEval",
    "ossbench": "kit.suites.cproject.suite:CProjectSuite",
    "seccodeplt": "kit.suites.foreign.seccodeplt_suite:SecCodePlt",
    "securityeval": "kit.suites.foreign.securityeval_suite:SecurityEval",
    "realsec": "kit.suites.javarepo.suite:JavaRepoSuite",
}


def open_suite(name: str) -> Suite:
    """The suite of this name: one of ours, a folder of data/suites, or MODULE:CLASS of yours.

    Raises KitError for a name that stands for none of them.
    """
    home = HOMES.get(name, name)
    if ":" in home:
        module, _, kind = home.partition(":")
        try:
            suite: Suite = getattr(import_module(module), kind)()
        except (ImportError, AttributeError) as error:
            raise KitError(
                f"The suite {name!r} cannot be loaded: {error}. Give MODULE:CLASS of a class of "
                "kit.suite.Suite that Python can import."
            ) from None
        return suite
    from kit.suites.spec.suite import SpecSuite

    return SpecSuite(name)


def names() -> list[str]:
    """The suites that are here."""
    folders = {p.parent.parent.name for p in SUITES.glob("*/*/tests.json")}
    return sorted(folders | set(HOMES))


def of_run(store: Store) -> Suite:
    """The suite that a run is of, as its meta says; a run without one is of DualGauge's kind."""
    meta = store.meta()
    suite = open_suite(meta.get("suite", "dualgauge"))
    settings = suite.Settings(**meta.get("settings", {}))
    return suite.configured(settings)
