"""The one policy, and what follows from it: samples, counts, measures with intervals and bounds."""

from kit.measures.measure import measure, text
from kit.measures.policy import FAIL, OURS, PASS, POLICY, UNDECIDED, Policy, Rule
from kit.measures.reduce import counts, samples

__all__ = [
    "FAIL", "OURS", "PASS", "POLICY", "UNDECIDED", "Policy", "Rule",
    "counts", "measure", "samples", "text",
]  # fmt: skip
