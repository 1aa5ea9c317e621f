"""The four quadrants of a run: functional against secure, as a table of samples and as buttons."""

from typing import Any

import ipywidgets as W
import pandas as pd

from kit import measures

ALL = "(all)"
QUADRANTS = {
    (True, True): "correct and secure",
    (True, False): "correct, insecure",
    (False, True): "secure, not correct",
    (False, False): "neither",
}
TINTS = ("success", "danger", "warning", "")


def quadrant(functional: Any, secure: Any) -> str:
    """Which of the four quadrants a sample lies in; undecided where an axis is."""
    if pd.isna(functional) or pd.isna(secure):
        return "undecided"
    return QUADRANTS[bool(functional), bool(secure)]


def quadrants(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per sample with its quadrant; the static form of the explorer's first filter."""
    rows = measures.samples(frame)
    pairs = zip(rows["functional"], rows["secure"], strict=True)
    return rows.assign(quadrant=[quadrant(f, s) for f, s in pairs])


class Square:
    """A 2x2 table of counts whose cells set a filter; clicked once more they free it again."""

    def __init__(self, chosen: W.Dropdown) -> None:
        self.chosen = chosen
        narrow = W.Layout(width="7em")
        self.cells = {name: W.Button(tooltip=name, layout=narrow, button_style=tint)
                      for name, tint in zip(QUADRANTS.values(), TINTS, strict=True)}  # fmt: skip
        self.cells["undecided"] = W.Button(tooltip="undecided", layout=W.Layout(width="auto"))
        for name, cell in self.cells.items():
            cell.on_click(lambda _, name=name: self._toggle(name))
        words = [W.Label(word) for word in ("", "secure", "not secure", "correct", "not correct")]
        good, weak, wrong, bad, rest = self.cells.values()
        grid = W.GridBox([*words[:3], words[3], good, weak, words[4], wrong, bad],
                         layout=W.Layout(grid_template_columns="6em 7.5em 7.5em"))  # fmt: skip
        self.view = W.VBox([grid, rest], layout=W.Layout(min_width="22em"))

    def _toggle(self, name: str) -> None:
        known = [value for _, value in self.chosen.options]
        new = ALL if self.chosen.value == name else name
        self.chosen.value = new if new in known else ALL

    def count(self, rows: pd.DataFrame) -> None:
        """Show how many samples of these rows lie where; the chosen cell is marked."""
        sizes = rows.drop_duplicates("slot")["quadrant"].value_counts()
        for name, cell in self.cells.items():
            said = f"{sizes.get(name, 0):,}" + (" undecided" if name == "undecided" else "")
            cell.description = f"[ {said} ]" if self.chosen.value == name else said
