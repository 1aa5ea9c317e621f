"""Tools for notebooks: explore the samples of a run, compare two runs, run a sweep."""

from kit.study.explore import Explorer
from kit.study.run_from_notebook import arms, known, listed, recorded_scores, stages, told_apart

__all__ = ["Explorer", "arms", "known", "listed", "recorded_scores", "stages", "told_apart"]
