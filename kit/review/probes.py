"""The review form of compiled probes: a person reads, accepts, changes or refuses them.

Tests are in the order of urgency: first those on which two authors' probes have different outcomes
on a check program, then those that no check program breaks, then the rest; reviewed ones are last.
"""

import json
from pathlib import Path
from typing import Any

import ipywidgets as W
import pandas as pd

from kit import form
from kit.errors import KitError
from kit.explore import render
from kit.form import Malformed
from kit.paths import replace_whole
from kit.records import Task, Test
from kit.review import labels
from kit.run.validate import CHECK_PROGRAMS, run_check_programs
from kit.sandbox import open_sandbox
from kit.suites import home_of, spec
from kit.suites.spec import item

DECISIONS = ("accept", "refuse")
_WRITTEN = {"probes": [], "variants": [], "reason": ""}  # what a person may change; the defaults


class ProbeReview(labels.RaterForm):
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
        tasks = {t.id: t for t in spec.load(folder, compiled=False).tasks}
        self.tests: dict[tuple[str, str], tuple[Task, Test]] = {
            (name, spec.test_key(tasks[name], test)): (tasks[name], test)
            for name, overlay in self.written.items() if name in tasks
            for test in tasks[name].tests if spec.test_key(tasks[name], test) in overlay["tests"]
        }  # fmt: skip
        self.decision = W.ToggleButtons(options=DECISIONS)
        self.entry = W.Textarea(layout=W.Layout(width="95%", height="18em"))
        order = self.listing().sort_values(
            ["reviewed", "differs", "broken"], ascending=[True, False, True], kind="stable"
        )
        names = [(f"{r.item} {r.test}{' ≠' * r.differs}{' *' * (not r.broken)}", (r.item, r.key))
                 for r in order.itertuples()]  # fmt: skip
        self.test = W.Dropdown(options=names, description="test")
        super().__init__(path, "save", self.test)
        self.view = self.laid_out(self.decision, self.entry)
        self._show()

    def listing(self) -> pd.DataFrame:
        """One row per compiled test: item, test, outcomes of its check programs, three facts.

        differs: the second author's probes have another outcome on the same check program.
        """
        rows = []
        for (name, key), (_, test) in self.tests.items():
            entry = self._entry(name, key)
            checks, theirs = entry["checks"], self._second(name, key).get("checks", {})
            programs, others = (
                of.get(name, {}).get("check_programs", {}) for of in (self.written, self.other)
            )
            same = [kind for kind in programs if programs[kind] == others.get(kind)]
            rows.append({
                "item": name, "key": key, "test": test.id, **checks,
                "differs": any(theirs.get(kind, checks[kind]) != checks[kind] for kind in same),
                "broken": "fail" in checks.values(), "reviewed": bool(entry.get("reviewed_by")),
            })  # fmt: skip
        facts = ["differs", "broken", "reviewed"]
        return pd.DataFrame(rows, columns=["item", "key", "test", *CHECK_PROGRAMS, *facts])

    def accept(self, name: str, key: str, rater: str, **changes: Any) -> str:
        """Mark a test as reviewed; changes: the rater's new probes, variants or reason.

        Changed probes run on the check programs first. Returns their outcomes in a sentence.
        """
        task, test = self.tests[name, key]
        old = self._entry(name, key)
        new = {**old, **changes, "reviewed_by": rater}
        try:
            form.read(item.COMPILED, new, test.id)
        except Malformed as error:
            raise KitError(str(error)) from None
        if any(new[part] != old[part] for part in _WRITTEN):
            new["by"] = rater
            overlay = {**self.written[name], "tests": {key: new}}
            with open_sandbox("bwrap") as box:
                results = run_check_programs(task, overlay, "python", box)
            new["checks"] = {kind: results[kind, test.id][0] for kind in overlay["check_programs"]}
        self.written[name]["tests"][key] = new
        self._write()
        outcomes = ", ".join(f"{kind} {outcome}" for kind, outcome in new["checks"].items())
        return f"{test.id} of {name} is accepted; its check programs: {outcomes}."

    def refuse(self, name: str, key: str, rater: str, reason: str) -> str:
        """Remove the probes of a test; it is then judged by the general rules."""
        if not reason.strip():
            raise KitError("Write the reason for the refusal into the note.")
        _, test = self.tests.pop((name, key))
        del self.written[name]["tests"][key]
        self.written[name].setdefault("doubts", {})[test.id] = f"{reason.strip()} ({rater})"
        self._write()
        self.test.options = [o for o in self.test.options if o[1] != (name, key)]
        return f"{test.id} of {name} has no compiled probes any more."

    def _entry(self, name: str, key: str) -> dict[str, Any]:
        return {"checks": {}, **_WRITTEN, **self.written[name]["tests"][key]}

    def _second(self, name: str, key: str) -> dict[str, Any]:
        """The second author's probes of a test; empty if there are none."""
        return dict(self.other.get(name, {}).get("tests", {}).get(key, {}))

    def _write(self) -> None:
        try:
            replace_whole(self.path, json.dumps(self.written, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise KitError(f"{self.path} cannot be written ({error.strerror}). Copy it to a folder "
                           "of your own and review it there.") from None  # fmt: skip

    def _show(self) -> None:
        self.note.value = self.status.value = ""
        if self.test.value is None:
            self.entry.value, self.page.value = "", "No compiled tests."
            return
        name, key = self.test.value
        task, test = self.tests[name, key]
        entry = self._entry(name, key)
        self.entry.value = _text({part: entry[part] for part in _WRITTEN})
        facts = {"CWE": test.cwe, "input": test.input_file or test.input, "expected": test.behavior}
        theirs = self._second(name, key)
        shown = {
            "The test": facts,
            "Check programs came to": entry["checks"],
            "The second author's": {part: theirs[part] for part in theirs if part in _WRITTEN},
        }
        panels = [
            render.panel(title, render.pre(_text(part))) for title, part in shown.items() if part
        ]
        panels += [render.folded("The specification", render.pre(task.prompt))]
        programs = self.written[name].get("check_programs", {})
        panels += [render.folded(f"The {k} program", render.pre(p)) for k, p in programs.items()]
        self.page.value = render.page_of("".join(panels))

    def _save(self) -> None:
        rater = self.rater.value.strip()
        if not rater or self.test.value is None:
            raise KitError("Give your name and choose a test first.")
        name, key = self.test.value
        if self.decision.value == "refuse":
            sentence = self.refuse(name, key, rater, self.note.value)
        else:
            try:
                changes = dict(json.loads(self.entry.value))
            except (ValueError, TypeError) as error:
                raise KitError(f"The probes are not JSON ({error}). Fix them or choose the "
                               "test again.") from None  # fmt: skip
            sentence = self.accept(name, key, rater, **_WRITTEN | changes)
        self._show()
        self.status.value = render.text(sentence)


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)
