"""Tools for notebooks: explore failures, code their causes, review tasks, calibrate oracles."""

from kit.study.calibration import component_rates, corrected, corrections, levels, simulated_judge
from kit.study.explore import Explorer
from kit.study.failures import FailureAudit
from kit.study.review import ReviewForm
from kit.study.run_from_notebook import arms, recorded_scores, stages

__all__ = [
    "Explorer", "FailureAudit", "ReviewForm", "arms", "component_rates", "corrected",
    "corrections", "levels", "recorded_scores", "simulated_judge", "stages",
]  # fmt: skip
