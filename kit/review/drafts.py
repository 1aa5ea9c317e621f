"""The review of drafts: a person accepts, edits or drops the specification and each of its tests.

Of a draft of a Java instance the parts are the fields that people have to write. Each decision is
written to the draft's file at once; review.jsonl beside the drafts keeps who decided what.
"""

import json
from pathlib import Path
from typing import Any

import ipywidgets as W
import pandas as pd

from kit.core import form
from kit.core.errors import KitError
from kit.core.paths import read_json, read_text, replace_whole
from kit.explore import render
from kit.explore.rating import LINES, Field, Rating, RatingForm, RatingKind, first_row, format_json
from kit.review.items import SHOWN_OF_DETAILS
from kit.run.suite import Suite
from kit.run.suites import open_suite
from kit.systems.dualgauge import construction, item

FILES = {"tests.json": "dualgauge", "instance.json": "realsec"}  # a draft's file -> its suite
TESTS = {"fc_tests": "fc", "sec_tests": "sec"}
WRITTEN = ("docstring", "cwe", "category", "test_functions", "exploit_functions", "flow", "hops")
WHOLE = "specification"
DROPPED = "dropped"  # the folder that whole drafts are moved to
DRAFT = RatingKind(
    ["draft", "part"],
    [
        Field("decision", {"accept": "", "drop": ""}),
        Field("text", widget=LINES),
        Field("note", widget=LINES),
    ],
)


class DraftReview(RatingForm):
    """Widgets to review the drafts of a folder: `DraftReview(folder).view` is what a cell displays.

    folder: as `kit task draft` wrote it. A part that was changed must fit the suite's form.
    """

    def __init__(self, folder: str | Path) -> None:
        root = Path(folder)
        self.files = {}
        for name in FILES:
            for path in sorted({*root.glob(f"*/{name}"), *root.glob(f"instances/*/{name}")}):
                self.files[path.parent.name] = path
        if not self.files:
            raise KitError(f"No draft in {root}. Give a folder that `kit task draft` wrote.")
        chosen = W.Dropdown(description="part")
        super().__init__(DRAFT, root / "review.jsonl", chosen, self._draw_part)
        self.answers["text"].layout.height = "14em"
        self.offer(self.list_parts(), "draft", "part")

    def list_parts(self) -> pd.DataFrame:
        """One row per draft and part that is there: the specification first, then each test."""
        rows = []
        for draft, path in self.files.items():
            data = read_json(path)
            rows.append({"draft": draft, "part": WHOLE})
            for key, prefix in TESTS.items():
                for test in data.get(key, ()):
                    rows.append({"draft": draft, "part": f"{prefix}-{test['test_id']}"})
        return pd.DataFrame(rows, columns=DRAFT.subject)

    def find_earlier(self) -> Rating:
        """The part as it is in the draft; the rater's earlier decision and note."""
        chosen = first_row(self.row)
        if not chosen:
            return {}
        text = write_part(read_json(self.files[chosen["draft"]]), chosen["part"])
        return {**super().find_earlier(), "text": text}

    def store(self, rating: Rating) -> str:
        """Write the decision to the draft, then to the file of decisions."""
        draft, part = rating["draft"], rating["part"]
        path = self.files[draft]
        is_dropped = rating["decision"] == "drop"
        if is_dropped and not rating["note"].strip():
            raise KitError("Write into the note why it is dropped.")
        if is_dropped and part == WHOLE:
            target = self.path.parent / DROPPED / draft
            if target.exists():
                raise KitError(f"{target} is there already. Move it elsewhere first.")
            target.parent.mkdir(exist_ok=True)
            path.parent.rename(target)
            del self.files[draft]
            done = f"{draft} is moved to {target.parent}"
        else:
            data = change_part(read_json(path), part, None if is_dropped else rating["text"])
            if path.name == "tests.json":
                read = form.validate_data(item.ITEM, data)
                item.check_quotations(read, own=False)
            replace_whole(path, format_json(data) + "\n")
            done = f"{part} of {draft} is {'dropped' if is_dropped else 'accepted'}"
        super().store(rating)
        return done

    def go_on(self) -> None:
        """Show the part after the saved one; what was dropped is not offered any more."""
        at = self.chosen.value
        parts = self.list_parts()
        is_gone = len(parts) < len(self.subjects)
        self.offer(parts, "draft", "part")
        if len(parts):
            self.chosen.value = (at + (not is_gone)) % len(parts)
        self.refresh()

    def _draw_part(self, chosen: Rating) -> str:
        """Who proposed it and why, what should be looked at, and the specification."""
        path = self.files[chosen["draft"]]
        data = read_json(path)
        panels = []
        provenance = path.with_name("provenance.json")
        if provenance.exists():
            origins = read_json(provenance)["tests"]
            if chosen["part"] in origins:
                panels.append(_make_panel("Proposed by", origins[chosen["part"]]))
        panels.append(_make_panel("To be looked at", "\n".join(self._find_doubts(path)) or "-"))
        if path.name == "tests.json":
            cited = []
            for requirement in construction.list_requirements(construction.read_item(path.parent)):
                names = " ".join(requirement.tests) or "no test"
                cited.append(f"{requirement.sentence}\n    {names}")
            panels.append(_make_panel("The specification, and who cites it", "\n".join(cited)))
        source = path.with_name(construction.SOURCE)
        if source.exists():
            panels.append(_make_panel("The code that it was written from", read_text(source)))
        for name in SHOWN_OF_DETAILS:
            if data.get(name):
                panels.append(_make_panel(name, data[name]))
        return render.page_of("".join(panels))

    def _find_doubts(self, path: Path) -> list[str]:
        """What the suite finds in a draft; KitError's sentence where it cannot be loaded."""
        suite: Suite = open_suite(FILES[path.name])
        root = path.parent.parent
        try:
            loaded = suite.load(root.parent if path.name == "instance.json" else root)
            return suite.find_doubts(loaded.task(path.parent.name))
        except KitError as error:
            return [str(error)]


def _find_test(data: dict[str, Any], part: str) -> tuple[list[Any], int]:
    """The list that holds a test, and its place there."""
    prefix, _, name = part.partition("-")
    tests = data["fc_tests" if prefix == "fc" else "sec_tests"]
    return tests, [str(test["test_id"]) for test in tests].index(name)


def write_part(data: dict[str, Any], part: str) -> str:
    """A part of a draft as a person edits it: plain text for a specification, else JSON."""
    if part != WHOLE:
        tests, place = _find_test(data, part)
        return format_json(tests[place])
    if "prompt" in data:
        return str(data["prompt"])
    return format_json({name: data[name] for name in WRITTEN})


def change_part(data: dict[str, Any], part: str, text: str | None) -> dict[str, Any]:
    """The draft with this text for a part, or without this test; KitError if it is no such text."""
    if part == WHOLE and "prompt" in data:
        return data | {"prompt": text}
    if text is None:
        tests, place = _find_test(data, part)
        del tests[place]
        return data
    try:
        value = json.loads(text)
    except ValueError as error:
        raise KitError(f"The text is not JSON ({error}). Fix it.") from None
    if part == WHOLE:
        if not isinstance(value, dict) or {*value} != {*WRITTEN}:
            raise KitError(f"Give an object with these keys: {', '.join(WRITTEN)}.")
        return data | value
    tests, place = _find_test(data, part)
    tests[place] = value
    return data


def _make_panel(title: str, value: Any) -> str:
    text = value if isinstance(value, str) else format_json(value)
    return render.make_panel(title, render.make_preformatted_block(text))
