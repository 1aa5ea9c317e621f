"""A lab in a notebook: its exercises, and a check of the cells that answer them."""

import importlib
from dataclasses import dataclass
from typing import Any

from kit.course import answers
from kit.course.exercise import Exercise, Setting
from kit.errors import KitError
from kit.sandbox import open_sandbox

LABS = ("lab_01", "lab_02", "lab_03", "lab_04", "lab_05", "lab_06", "capstone")


@dataclass(frozen=True)
class Lab:
    """A lab's exercises, and the variant that this student works on."""

    name: str
    exercises: tuple[Exercise, ...]
    variant: int = 0

    def check(self, id: str) -> None:
        """Run the cell with the answer to exercise `id`, alone, in the sandbox; say what is off.

        The cell is the one that was executed last of those that define the answer's name. A mark
        rests on further cases, which do not exist yet.
        """
        exercise = self.exercise(id)
        code = answers.last_binding(_executed(), exercise.name)
        with open_sandbox("bwrap") as box:
            found = exercise.found(code, Setting(box, self.variant))
        print(f"{id} {exercise.title}. {exercise.changed(self.variant)}")
        for one in found:
            print(f"  {'ok ' if one.ok else 'OFF'} {one.text}")

    def exercise(self, id: str) -> Exercise:
        known = {e.id: e for e in self.exercises}
        if id not in known:
            raise KitError(f"{self.name} has no exercise {id!r}. Use one of: {', '.join(known)}.")
        return known[id]


def open_lab(name: str, variant: int = 0) -> Lab:
    """A lab by the name of its notebook."""
    if name not in LABS:
        raise KitError(f"Unknown lab {name!r}. Use one of: {', '.join(LABS)}.")
    exercises = importlib.import_module(f"kit.course.labs.{name}").EXERCISES
    return Lab(name, exercises, variant)


def _executed() -> list[str]:
    """The cells that this kernel has executed, in order."""
    try:
        shell: Any = get_ipython()  # type: ignore[name-defined]
    except NameError:
        raise KitError("check() reads a notebook's cells. Call it in Jupyter.") from None
    return list(shell.user_ns["In"])
