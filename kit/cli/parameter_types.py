"""What the value of an option may be, where click itself has no such type."""

import math
import os
from dataclasses import Field
from pathlib import Path
from typing import Any

import click

from kit.core.errors import KitError


class Target(click.Path):
    """A file to write, whose folder must exist before the command begins."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        target = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not target.absolute().parent.is_dir():
            raise KitError(f"No folder {target.parent}. Create it first, or name another file.")
        return target


class FiniteRange(click.FloatRange):
    """A number within bounds; NaN is always out of bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def choose_type(field: Field[Any]) -> Any:
    """click's type for a field: a number within its bounds, or one of its choices."""
    choices = field.metadata.get("choices")
    if choices:
        return click.Choice(choices)
    least = field.metadata.get("least")
    most = field.metadata.get("most")
    kind = str(getattr(field.type, "__name__", field.type)).partition(" ")[0]
    if kind == "float":
        return FiniteRange(least, most)
    if kind == "int" and (least is not None or most is not None):
        return click.IntRange(least, most)
    return {"int": int, "bool": bool}.get(kind, str)
