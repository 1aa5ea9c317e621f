"""Figures and printed tables: forest, sweep, dumbbell, heat; save and show."""

from kit.explore.figures import dumbbell, forest, sweep
from kit.explore.heat import heat
from kit.explore.style import COLOURS, STYLE, colour, save
from kit.explore.tables import show

__all__ = ["COLOURS", "STYLE", "colour", "dumbbell", "forest", "heat", "save", "show", "sweep"]
