"""Models draft tests, and compile English tests into probes."""
