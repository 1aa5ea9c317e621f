import contextlib
import os
import secrets
import shlex
import subprocess
import tempfile
from pathlib import Path


class ConversionFailed(RuntimeError):
    """The converter ended with an error."""


class Converter:
    """Runs a converter that only reads files, such as an office suite without a window.

    command: the words of its command line; the name of the input file comes behind them.
    """

    def __init__(self, command, suffix=".odt"):
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.suffix = suffix

    def _run(self, path):
        """What the converter writes to its output for the file at `path`."""
        done = subprocess.run([*self.command, str(path)], capture_output=True)
        if done.returncode:
            raise ConversionFailed(done.stderr.decode(errors="replace")[-500:])
        return done.stdout

    def convert(self, document):
        """The converted form of a document (bytes), such as a letter to a patient.

        The document goes to a file in the folder for temporary files (`tempfile.gettempdir()`),
        which this machine's users share, with `self.suffix` as the end of its name. Nothing of
        it is left behind, even if the converter fails.
        """
