"""Static analysis: one start of an engine over a batch of programs becomes Findings.

A finding is a fact about text; what it means for a test is the suite's to say. What an engine could
not read, or was told to be silent about, is in `unread` with the reason: unknown, never secure.
"""

from kit.oracle.sast.engines import ENGINES, VERSIONS, install, version
from kit.oracle.sast.reading import counts
from kit.oracle.sast.scanning import RULES, Scan, best, introduced, scan, witnesses

__all__ = [
    "ENGINES",
    "RULES",
    "VERSIONS",
    "Scan",
    "best",
    "counts",
    "install",
    "introduced",
    "scan",
    "version",
    "witnesses",
]
