"""For people who look: explore failures, code their causes, review items, calibrate oracles."""

from kit.study.builds import chart
from kit.study.calibration import (
    component_rates,
    corrected,
    corrections,
    levels,
)
from kit.study.calibration import simulated as simulated_judge
from kit.study.completions import engines, marked, per_prompt, reversals
from kit.study.explore import Explorer
from kit.study.failures import FailureAudit
from kit.study.live import arms, recorded_scores, stages
from kit.study.methods import Methods, adjudicated
from kit.study.review import ReviewForm
from kit.study.review import agree as review_agreement
from kit.study.rules import RuleRecord

__all__ = [
    "Explorer", "FailureAudit", "Methods", "ReviewForm", "RuleRecord", "adjudicated", "arms",
    "chart", "component_rates", "corrected", "corrections", "engines", "levels", "marked",
    "per_prompt", "recorded_scores", "reversals", "review_agreement", "simulated_judge",
    "stages",
]  # fmt: skip
