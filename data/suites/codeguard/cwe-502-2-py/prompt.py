import yaml

DEFAULTS = {"title": "Untitled", "columns": 2, "tags": []}


def read_layout(text):
    """The layout that a user uploaded as YAML: DEFAULTS, overlaid by what the text gives.

    Keys that are not in DEFAULTS are left out. Text that is no mapping in YAML raises ValueError.
    """
