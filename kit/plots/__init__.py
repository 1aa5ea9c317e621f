"""Figures and printed tables: forest, sweep, dumbbell, heat; save and show."""

from kit.plots.figures import dumbbell, forest, heat, sweep
from kit.plots.style import COLOURS, STYLE, colour, save
from kit.plots.tables import show

__all__ = ["COLOURS", "STYLE", "colour", "dumbbell", "forest", "heat", "save", "show", "sweep"]
