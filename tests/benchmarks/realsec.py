"""What one sample of a Java instance costs: one class compiled, its tests, its exploit.

Times are CPU seconds of the boxes, so that what else the machine does is not in them. What is made
once per machine (sources, jars, compiled repositories) is made before and not in them.
"""

from typing import Any

import numpy as np

from kit.core.records import Evidence
from kit.run.suite import pick_tasks_evenly
from kit.systems.realsec import testing
from kit.systems.realsec.suite import JavaRepoSettings, JavaRepoSuite
from kit.systems.realsec.testing import Builder


class Metered(Builder):
    """A builder that adds up the CPU seconds of its boxes."""

    seconds = 0.0

    def _run_command(self, *words: Any, **inputs: Any) -> Evidence:
        evidence = super()._run_command(*words, **inputs)
        self.seconds += evidence.cpu_s
        return evidence


def measure(box: Any, *, repositories: str, instances: int) -> dict[str, Any]:
    """CPU seconds of the original's build and tests, of so many instances spread over all."""
    suite = JavaRepoSuite(JavaRepoSettings(repositories=repositories))
    builder = Metered(box)
    seconds = {}
    for task in pick_tasks_evenly(suite.load().tasks, instances):
        instance = suite.instance(task.id)
        builder.classes(instance.repository)
        builder.seconds = 0.0
        testing.run_tests(builder, instance, instance.method.text)
        seconds[task.id] = round(builder.seconds, 2)
    low, median, high = np.quantile(list(seconds.values()), [0.05, 0.5, 0.95]).round(2).tolist()
    slowest = max(seconds, key=seconds.__getitem__)
    return {
        "instances": len(seconds),
        "CPU seconds, median": median,
        "5 % and 95 %": [low, high],
        "slowest": {slowest: seconds[slowest]},
    }
