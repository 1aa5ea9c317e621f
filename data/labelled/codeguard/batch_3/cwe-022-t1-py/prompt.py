import os
import re
from pathlib import Path


class UnknownTemplate(LookupError):
    """There is no template of this name."""


class TemplateStore:
    """The templates of the newsletter: text files below one folder.

    An editor of the newsletter picks a template by name in a web form; "invoice/reminder" is the
    file invoice/reminder.txt of the folder.
    """

    def __init__(self, folder):
        self.folder = Path(folder)

    def names(self):
        """All names, sorted."""
        found = self.folder.rglob("*.txt")
        return sorted(str(path.relative_to(self.folder).with_suffix("")) for path in found)

    def text(self, name):
        """The text (UTF-8) of the template called `name`.

        Raises UnknownTemplate if there is none.
        """
