"""The review of compiled probes: a person accepts, changes or refuses them.

Tests are in the order of urgency: first those on which two authors' probes have different outcomes
on a check program (≠), then those that no check program breaks (*), then the rest; reviewed ones
are last.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.core import form
from kit.core.errors import KitError
from kit.core.paths import replace_whole
from kit.core.records import Task, Test
from kit.explore import render
from kit.explore.rating import LINES, Field, Rating, RatingForm, RatingKind, first_row, format_json
from kit.run.suites import home_of
from kit.sandbox import open_sandbox
from kit.systems.dualgauge import item, spec
from kit.systems.dualgauge.checks import CHECK_PROGRAMS, run_check_programs

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
        self.written = read_pack(path)
        self.other = read_pack(Path(other)) if other else {}
        self.tests: dict[tuple[str, str], tuple[Task, Test]] = {}
        for task in spec.load_items(folder, compiled=False).tasks:
            for test in task.tests:
                key = spec.test_key(task, test)
                if key in self.written.get(task.id, {}).get("tests", {}):
                    self.tests[task.id, key] = (task, test)
        chosen = W.Dropdown(description="test")
        super().__init__(COMPILED_TEST, path, chosen, self._draw_test, "save and next")
        self.answers["probes"].layout.height = "18em"
        self.go_on()

    def listing(self) -> pd.DataFrame:
        """One row per compiled test: item, test, outcomes of its check programs, three facts.

        differs: the second author's probes have another outcome on the same check program.
        """

        rows = []
        for (name, key), (_, test) in self.tests.items():
            programs, entry = read_entry(self.written, name, key)
            theirs, second = read_entry(self.other, name, key)
            checks, differs = entry["checks"], False
            for kind, outcome in second["checks"].items():
                if programs.get(kind) == theirs.get(kind):
                    differs |= outcome != checks.get(kind, outcome)
            facts = {
                "differs": differs,
                "broken": "fail" in checks.values(),
                "reviewed": bool(entry.get("reviewed_by")),
            }
            rows.append({"item": name, "key": key, "test": test.id, **checks, **facts})
        columns = ["item", "key", "test", *CHECK_PROGRAMS, "differs", "broken", "reviewed"]
        return pd.DataFrame(rows, columns=columns)

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
        test = first_row(self.row)
        if not test:
            return {}
        _, entry = read_entry(self.written, test["item"], test["key"])
        written = {part: entry[part] for part in WRITTEN}
        return {"decision": "accept", "probes": format_json(written)}

    def store(self, rating: Rating) -> str:
        """Write a decision to the pack; a refused test is then undecided."""
        name, key = rating["item"], rating["key"]
        task, test = self.tests[name, key]
        overlay = self.written[name]
        if rating["decision"] == "refuse":
            reason = rating["note"].strip()
            if not reason:
                raise KitError("Write the reason for the refusal into the note.")
            del self.tests[name, key], overlay["tests"][key]
            overlay.setdefault("doubts", {})[test.id] = f"{reason} ({rating['rater']})"
            done = f"{test.id} of {name} has no compiled probes any more"
        else:
            entry = overlay["tests"][key] = self._review_entry(task, test, rating)
            outcomes = ", ".join(map(" ".join, entry["checks"].items()))
            done = f"{test.id} of {name} is accepted; its check programs: {outcomes}"
        replace_whole(self.path, format_json(self.written) + "\n")
        return done

    def _review_entry(self, task: Task, test: Test, rating: Rating) -> dict[str, Any]:
        """The reviewed entry of a test; changed probes run on the check programs."""
        programs, entry = read_entry(self.written, task.id, rating["key"])
        by = rating["rater"]
        try:
            new = {**entry, **WRITTEN, **json.loads(rating["probes"]), "reviewed_by": by}
        except (ValueError, TypeError) as error:
            raise KitError(f"The probes are not a JSON object ({error}). Fix them.") from None
        form.validate_data(item.COMPILED, new, test.id)
        if any(new[part] != entry[part] for part in WRITTEN):
            overlay = {**self.written[task.id], "tests": {rating["key"]: new}}
            with open_sandbox("bwrap") as box:
                results = run_check_programs(task, overlay, "python", box)
            checks = {kind: results[kind, test.id][0] for kind in programs}
            new |= {"by": by, "checks": checks}
        return new

    def _draw_test(self, chosen: Rating) -> str:
        """The test, the second author's probes, the specification and the check programs."""
        name, key = chosen["item"], chosen["key"]
        task, test = self.tests[name, key]
        programs, entry = read_entry(self.written, name, key)
        _, second = read_entry(self.other, name, key)
        facts = {"CWE": test.cwe, "input": test.input_file or test.input, "expected": test.behavior}
        panels = [
            render.make_panel("The test", render.make_preformatted_block(format_json(facts))),
            render.make_panel(
                "Check programs came to",
                render.make_preformatted_block(format_json(entry["checks"])),
            ),
        ]
        theirs = {part: second[part] for part in WRITTEN}
        if theirs != WRITTEN:
            panels.append(
                render.make_panel(
                    "The second author's", render.make_preformatted_block(format_json(theirs))
                )
            )
        panels.append(
            render.make_folding_panel(
                "The specification", render.make_preformatted_block(task.prompt)
            )
        )
        for kind, program in programs.items():
            panels.append(
                render.make_folding_panel(
                    f"The {kind} program", render.make_preformatted_block(program)
                )
            )
        return render.page_of("".join(panels))


def read_pack(path: Path) -> dict[str, Any]:
    """What a file of probes says by item; KitError if its form is wrong."""
    spec.read_overlays(path)
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def read_entry(
    pack: Mapping[str, Any], name: str, key: str
) -> tuple[Mapping[str, str], dict[str, Any]]:
    """The check programs of an item, and its entry of a test with the defaults filled in."""
    overlay = pack.get(name, {})
    entry = overlay.get("tests", {}).get(key, {})
    return overlay.get("check_programs", {}), {"checks": {}, **WRITTEN, **entry}
