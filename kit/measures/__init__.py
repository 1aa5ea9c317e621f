"""Turns a tidy table into samples, counts and measures, by one scoring policy for all suites."""

from kit.measures.measure import (
    MOST_UNDECIDED,
    OPEN,
    apart,
    bounded,
    group_columns,
    headline,
    measure,
    percent,
    text,
    value,
)
from kit.measures.reduce import (
    APPLIED,
    FAIL,
    NOT_SET,
    OURS,
    PASS,
    POLICY,
    UNDECIDED,
    Rule,
    applied,
    arm_columns,
    arms,
    counts,
    fill_settings,
    samples,
)
from kit.measures.steps import frame_steps

__all__ = [
    "APPLIED", "FAIL", "MOST_UNDECIDED", "NOT_SET", "OPEN", "OURS", "PASS", "POLICY", "UNDECIDED",
    "Rule", "apart", "applied", "arm_columns", "arms", "bounded", "counts", "fill_settings",
    "frame_steps", "group_columns", "headline", "measure", "percent", "samples", "text", "value",
]  # fmt: skip
