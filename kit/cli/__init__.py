"""The `kit` command line: each command parses its options and calls the other rooms."""
