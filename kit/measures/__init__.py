"""The one policy, and what follows from it: samples, counts, measures with intervals and bounds."""

from kit.measures.measure import MOST_UNDECIDED, measure
from kit.measures.policy import FAIL, OURS, PASS, POLICY, UNDECIDED, Policy, Rule
from kit.measures.reduce import counts, samples
from kit.measures.shown import text

__all__ = [
    "FAIL", "MOST_UNDECIDED", "OURS", "PASS", "POLICY", "UNDECIDED", "Policy", "Rule",
    "counts", "measure", "samples", "text",
]  # fmt: skip
