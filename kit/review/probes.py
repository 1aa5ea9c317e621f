"""The review of compiled probes: a person accepts, changes or refuses them.

Tests are in the order of urgency: first those on which two authors' probes have different outcomes
on a check program (≠), then those that no check program breaks (*), then the rest; reviewed ones
are last.
"""

import json
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit import form
from kit.errors import KitError
from kit.paths import replace_whole
from kit.records import Task, Test
from kit.review.rating import LINES, Field, Rating, RatingForm, RatingKind, first, forbid
from kit.run.validate import CHECK_PROGRAMS, run_check_programs
from kit.sandbox import open_sandbox
from kit.study import render
from kit.suites import home_of, spec
from kit.suites.spec import item

WRITTEN = {"probes": [], "variants": [], "reason": ""}  # what a person may change; the defaults
COMPILED_TEST = RatingKind(
    ["item", "key"],
    [
        Field("decision", {"accept": "", "refuse": ""}),
        Field("probes", widget=LINES),
        Field("note", widget=LINES),
    ],
)


class ProbeReview(RatingForm):
    """Widgets to review the probes of one file: `ProbeReview(pack).view` is what a cell displays.

    pack: a file of `kit task compile`; default: the suite's own. data: the folder of its items.
    other: a second author's file of the same items, shown beside it. Each decision is written to
    the pack at once.
    """

    def __init__(
        self, pack: str | Path = "", data: str | Path = "", other: str | Path = ""
    ) -> None:
        folder = Path(data) if data else home_of("dualgauge")
        path = Path(pack) if pack else folder / spec.COMPILED
        spec.overlays(path)  # KitError if its form is wrong
        self.written = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.other = {o["item"]: o for o in spec.overlays(Path(other))} if other else {}
        self.tests: dict[tuple[str, str], tuple[Task, Test]] = {}
        for task in spec.load(folder, compiled=False).tasks:
            compiled = self.written.get(task.id, {}).get("tests", {})
            for test in task.tests:
                key = spec.test_key(task, test)
                if key in compiled:
                    self.tests[task.id, key] = (task, test)
        chosen = W.Dropdown(description="test")
        super().__init__(COMPILED_TEST, path, chosen, self._draw_test, save="save")
        self.answers["probes"].layout.height = "18em"
        self.go_on()

    def listing(self) -> pd.DataFrame:
        """One row per compiled test: item, test, outcomes of its check programs, three facts.

        differs: the second author's probes have another outcome on the same check program.
        """
        rows = []
        for (name, key), (_, test) in self.tests.items():
            entry = self._read_entry(name, key)
            checks, second = entry["checks"], self._read_second(name, key).get("checks", {})
            mine, theirs = (
                overlays.get(name, {}).get("check_programs", {})
                for overlays in (self.written, self.other)
            )
            differs = False
            for kind, program in mine.items():
                if theirs.get(kind) == program and kind in second:
                    differs |= second[kind] != checks[kind]
            row = {"item": name, "key": key, "test": test.id, **checks, "differs": differs}
            row |= {"broken": "fail" in checks.values(), "reviewed": "reviewed_by" in entry}
            rows.append(row)
        facts = ["differs", "broken", "reviewed"]
        return pd.DataFrame(rows, columns=["item", "key", "test", *CHECK_PROGRAMS, *facts])

    def go_on(self) -> None:
        """Show the most urgent test."""
        urgency = {"reviewed": True, "differs": False, "broken": True}
        rows = self.listing().sort_values([*urgency], ascending=[*urgency.values()], kind="stable")
        marks = np.where(rows["differs"], "≠", "") + np.where(rows["broken"], "", "*")
        self.offer(rows.assign(marks=marks), "item", "test", "marks")

    def describe_progress(self) -> str:
        return f"{self.subjects['reviewed'].sum()} of {len(self.subjects)} reviewed"

    def find_earlier(self) -> Rating:
        """The probes as they are in the pack."""
        test = first(self.row)
        if not test:
            return {}
        entry = self._read_entry(test["item"], test["key"])
        return {"decision": "accept", "probes": _format({part: entry[part] for part in WRITTEN})}

    def store(self, rating: Rating) -> str:
        """Write a decision to the pack; a refused test is then undecided."""
        decide = self._accept if rating["decision"] == "accept" else self._refuse
        sentence = decide(rating["item"], rating["key"], rating)
        try:
            replace_whole(self.path, _format(self.written) + "\n")
        except OSError as error:
            raise forbid(self.path, error) from None
        return sentence

    def _accept(self, name: str, key: str, rating: Rating) -> str:
        """Mark a test as reviewed; changed probes run on the check programs first."""
        task, test = self.tests[name, key]
        entry = self._read_entry(name, key)
        try:
            new = {**entry, **WRITTEN, **json.loads(rating["probes"])}
        except (ValueError, TypeError) as error:
            raise KitError(f"The probes are not a JSON object ({error}). Fix them.") from None
        new["reviewed_by"] = rating["rater"]
        form.read(item.COMPILED, new, test.id)
        if any(new[part] != entry[part] for part in WRITTEN):
            new["by"] = rating["rater"]
            overlay = {**self.written[name], "tests": {key: new}}
            with open_sandbox("bwrap") as box:
                results = run_check_programs(task, overlay, "python", box)
            new["checks"] = {kind: results[kind, test.id][0] for kind in overlay["check_programs"]}
        self.written[name]["tests"][key] = new
        outcomes = ", ".join(map(" ".join, new["checks"].items()))
        return f"{test.id} of {name} is accepted; its check programs: {outcomes}"

    def _refuse(self, name: str, key: str, rating: Rating) -> str:
        """Remove the probes of a test."""
        reason = rating["note"].strip()
        if not reason:
            raise KitError("Write the reason for the refusal into the note.")
        _, test = self.tests.pop((name, key))
        del self.written[name]["tests"][key]
        self.written[name].setdefault("doubts", {})[test.id] = f"{reason} ({rating['rater']})"
        return f"{test.id} of {name} has no compiled probes any more"

    def _read_entry(self, item: str, key: str) -> dict[str, Any]:
        return {"checks": {}, **WRITTEN, **self.written[item]["tests"][key]}

    def _read_second(self, item: str, key: str) -> dict[str, Any]:
        """The second author's probes of a test; empty if there are none."""
        return dict(self.other.get(item, {}).get("tests", {}).get(key, {}))

    def _draw_test(self, chosen: Rating) -> str:
        """The test, both authors' probes, the specification and the check programs."""
        name, key = chosen["item"], chosen["key"]
        task, test = self.tests[name, key]
        theirs = self._read_second(name, key)
        facts = {"CWE": test.cwe, "input": test.input_file or test.input, "expected": test.behavior}
        shown = {
            "The test": facts,
            "Check programs came to": self._read_entry(name, key)["checks"],
            "The second author's": {part: theirs[part] for part in theirs.keys() & WRITTEN.keys()},
        }
        panels = []
        for title, part in shown.items():
            if part:
                panels.append(render.panel(title, render.pre(_format(part))))
        panels.append(render.folded("The specification", render.pre(task.prompt)))
        for kind, program in self.written[name].get("check_programs", {}).items():
            panels.append(render.folded(f"The {kind} program", render.pre(program)))
        return render.page_of("".join(panels))


def _format(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)
