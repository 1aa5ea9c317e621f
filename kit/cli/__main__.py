"""`python -m kit.cli` is the `kit` command."""

from kit.cli import main as commands  # noqa: F401 - makes the commands
from kit.cli.options import main

main(prog_name="kit")
