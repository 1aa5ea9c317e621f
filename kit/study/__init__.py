"""Tools for notebooks: explore the samples of a run, compare two runs, run a sweep."""

from kit.study.explore import Explorer
from kit.study.run_from_notebook import arms, recorded_scores, stages

__all__ = ["Explorer", "arms", "recorded_scores", "stages"]
