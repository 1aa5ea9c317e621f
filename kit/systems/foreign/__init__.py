"""Third-party benchmarks, read from a user's clone; the kit contains none of their files."""
