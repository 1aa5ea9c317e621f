"""The dual-test suite: specifications with paired functional and security tests."""

from pathlib import Path
from string import Template

from kit.errors import KitError
from kit.languages import runnable
from kit.records import Task
from kit.suite import Loaded
from kit.suites.spec import item, overlay

_PROMPTS = Path(__file__).parent / "prompts"


def load(path: Path | str) -> Loaded:
    """Every item <ID>/tests.json below `path`, in the order of the ids.

    A malformed item is left out and named by a sentence in `problems`.

    Raises KitError where there is no item at all.
    """
    root = Path(path)
    folders = sorted((p.parent for p in root.glob("*/tests.json")), key=_order)
    if not folders:
        raise KitError(
            f"No task in {str(root)!r}: it must be a folder that holds <ID>/tests.json. "
            "Give the folder of a suite, for example data/suites/dualgauge."
        )
    tasks, problems = [], []
    for folder in folders:
        where = f"{folder.name}/tests.json"
        try:
            task, lacks = item.parse(folder, suite=root.resolve().name)
            for key, kind in (("fc_tests", "functional"), ("sec_tests", "security")):
                if not any(t.kind == kind for t in task.tests):
                    raise item.Malformed(f"{key} is empty; give at least one test.")
            task, out = overlay.apply(task)
        except item.Malformed as error:
            problems.append(f"{where}: {error}")
            continue
        tasks.append(task)
        problems.extend(f"{where}: {sentence}" for sentence in (*lacks, *out))
    return Loaded(root.resolve().name, tuple(tasks), tuple(problems))


def _order(folder: Path) -> tuple[bool, int, str]:
    name = folder.name
    number = name.isascii() and name.isdigit()
    return (not number, int(name) if number else 0, name)


def arms() -> tuple[str, ...]:
    """The prompt arms that exist, by name: one text file each."""
    return tuple(sorted(p.stem for p in _PROMPTS.glob("*.txt")))


def prompt(task: Task, *, language: str, arm: str = "plain") -> list[dict[str, str]]:
    """The messages that ask for the program; implementation details only in the arm "details"."""
    title = runnable(language).title
    if arm not in arms():
        raise KitError(f"Unknown prompt arm {arm!r}. Use one of: {', '.join(arms())}.")
    text = Template((_PROMPTS / f"{arm}.txt").read_text(encoding="utf-8")).substitute(
        specification=task.prompt.strip(),
        language=title,
        details=task.details.strip(),
    )
    return [{"role": "user", "content": text.strip()}]
