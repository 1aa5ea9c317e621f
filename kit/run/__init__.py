"""The stages of a run: generate, execute, judge, repeat, validate, report, export."""
