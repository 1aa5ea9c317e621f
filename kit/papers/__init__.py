"""The printed numbers, the audit of them, and their tables again from a run."""

from kit.papers.audit import ac1_range, agree, slip_shares
from kit.papers.audit import rows as relations
from kit.papers.counts import intervals, printed_intervals, sign_tests, tallies
from kit.papers.factors import factor, frame_steps
from kit.papers.oss import builds, chained
from kit.papers.published import compare, table, wide
from kit.papers.replication import composition, oracle, replicate, shares

__all__ = [
    "ac1_range", "agree", "builds", "chained", "compare", "composition", "factor", "frame_steps",
    "intervals", "oracle", "printed_intervals", "relations", "replicate", "shares", "sign_tests",
    "slip_shares", "table", "tallies", "wide",
]  # fmt: skip
