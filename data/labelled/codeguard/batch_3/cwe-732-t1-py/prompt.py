import os
import stat
import tempfile
from pathlib import Path

TEMPLATE = """#!/bin/sh
# Written by the deployment of {service}; changes are lost with the next one.
set -eu
{commands}
"""


class Hooks:
    """The scripts that the machine's scheduler runs before and after a deployment.

    folder: where the scheduler looks for them; it runs each as the user who asks for a
    deployment, so that several users of the machine run them.
    """

    def __init__(self, folder, service):
        self.folder = Path(folder)
        self.service = service

    def _text(self, commands):
        return TEMPLATE.format(service=self.service, commands="\n".join(commands))

    def names(self):
        """The hooks that the scheduler finds: what everybody may run."""
        everybody = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
        if not self.folder.is_dir():
            return []
        return sorted(p.name for p in self.folder.iterdir() if p.stat().st_mode & everybody == everybody)

    def install(self, name, commands):
        """Write the hook `name`, in place of an older one, and return its path.

        commands: lines of shell. Everybody may read and run the hook. The folder is made if it
        is missing (the one above it is there). Nothing but hooks is left in it.
        """
