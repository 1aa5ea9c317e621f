"""Figures and printed tables: forest, sweep, dumbbell, heat; save and show."""

from kit.explore.figures import dumbbell, forest, heat, sweep
from kit.explore.style import COLOURS, STYLE, colour, save
from kit.explore.tables import show

__all__ = ["COLOURS", "STYLE", "colour", "dumbbell", "forest", "heat", "save", "show", "sweep"]
