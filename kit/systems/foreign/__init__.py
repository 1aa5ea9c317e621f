"""Benchmarks of other people, read from a folder that the user gives; nothing of theirs is here."""
