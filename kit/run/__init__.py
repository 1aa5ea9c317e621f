"""A run, from its plan to its tidy table: generate, execute, judge, repeat, validate."""
