"""The `kit` command: thin; what a command does stands in the rooms above."""
