"""`python -m kit` is the `kit` command."""

from kit.cli.main import main

main(prog_name="kit")
